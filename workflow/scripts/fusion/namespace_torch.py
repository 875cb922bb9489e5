"""A workload read by PyTorch. Every function but a comparison returns its argument's dtype.

Binary functions are Python's operators, which take a number on either side and keep the tensor's
dtype with it.
"""

import operator

import torch
from torch.nn import functional

from . import namespace


def _as_tensor(value, like: torch.Tensor) -> torch.Tensor:
    """A number as a tensor like another; made on the device, as a CUDA graph needs it."""
    if isinstance(value, torch.Tensor):
        return value
    return torch.full((), value, dtype=like.dtype, device=like.device)


def _dtype(dtype) -> torch.dtype:
    return dtype if isinstance(dtype, torch.dtype) else getattr(torch, dtype)


class TorchNamespace:
    """The array namespace over torch tensors."""

    abs = staticmethod(torch.abs)
    negative = staticmethod(torch.negative)
    sign = staticmethod(torch.sign)
    square = staticmethod(torch.square)
    sqrt = staticmethod(torch.sqrt)
    rsqrt = staticmethod(torch.rsqrt)
    exp = staticmethod(torch.exp)
    log = staticmethod(torch.log)
    sin = staticmethod(torch.sin)
    cos = staticmethod(torch.cos)
    tan = staticmethod(torch.tan)
    sinh = staticmethod(torch.sinh)
    cosh = staticmethod(torch.cosh)
    tanh = staticmethod(torch.tanh)
    asin = staticmethod(torch.asin)
    acos = staticmethod(torch.acos)
    atan = staticmethod(torch.atan)
    asinh = staticmethod(torch.asinh)
    acosh = staticmethod(torch.acosh)
    atanh = staticmethod(torch.atanh)
    erf = staticmethod(torch.erf)
    sigmoid = staticmethod(torch.sigmoid)
    floor = staticmethod(torch.floor)
    ceil = staticmethod(torch.ceil)
    round = staticmethod(torch.round)  # halves to even
    trunc = staticmethod(torch.trunc)
    isnan = staticmethod(torch.isnan)
    isinf = staticmethod(torch.isinf)
    isfinite = staticmethod(torch.isfinite)
    logical_not = staticmethod(torch.logical_not)
    bitwise_invert = staticmethod(torch.bitwise_not)

    add = staticmethod(operator.add)
    subtract = staticmethod(operator.sub)
    multiply = staticmethod(operator.mul)
    divide = staticmethod(operator.truediv)
    floor_divide = staticmethod(operator.floordiv)
    remainder = staticmethod(operator.mod)
    pow = staticmethod(operator.pow)
    less = staticmethod(operator.lt)
    less_equal = staticmethod(operator.le)
    greater = staticmethod(operator.gt)
    greater_equal = staticmethod(operator.ge)
    equal = staticmethod(operator.eq)
    not_equal = staticmethod(operator.ne)
    bitwise_and = staticmethod(operator.and_)
    bitwise_or = staticmethod(operator.or_)
    bitwise_xor = staticmethod(operator.xor)
    bitwise_left_shift = staticmethod(operator.lshift)
    bitwise_right_shift = staticmethod(operator.rshift)
    logical_and = staticmethod(operator.and_)  # of bool alone
    logical_or = staticmethod(operator.or_)
    logical_xor = staticmethod(operator.xor)
    matmul = staticmethod(torch.matmul)
    reshape = staticmethod(torch.reshape)
    broadcast_to = staticmethod(torch.broadcast_to)

    @staticmethod
    def maximum(a, b) -> torch.Tensor:
        """Element by element; one of the two may be a number."""
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            return torch.maximum(a, b)
        return torch.clamp(a, min=b) if isinstance(a, torch.Tensor) else torch.clamp(b, min=a)

    @staticmethod
    def minimum(a, b) -> torch.Tensor:
        """Element by element; one of the two may be a number."""
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
            return torch.minimum(a, b)
        return torch.clamp(a, max=b) if isinstance(a, torch.Tensor) else torch.clamp(b, max=a)

    @staticmethod
    def where(cond: torch.Tensor, x, y) -> torch.Tensor:
        """One of x and y may be a number."""
        like = x if isinstance(x, torch.Tensor) else y
        return torch.where(cond, _as_tensor(x, like), _as_tensor(y, like))

    @staticmethod
    def clip(x: torch.Tensor, min: float, max: float) -> torch.Tensor:
        return torch.clamp(x, min=min, max=max)

    @staticmethod
    def sum(x: torch.Tensor, axis=None, keepdims: bool = False) -> torch.Tensor:
        """In the tensor's dtype, also of int8, of which torch makes int64."""
        along = namespace.axes("sum", axis, x.ndim)
        return torch.sum(x, dim=along, keepdim=keepdims, dtype=x.dtype) if along else x

    @staticmethod
    def mean(x: torch.Tensor, axis=None, keepdims: bool = False) -> torch.Tensor:
        along = namespace.axes("mean", axis, x.ndim)
        return torch.mean(x, dim=along, keepdim=keepdims) if along else x

    @staticmethod
    def prod(x: torch.Tensor, axis=None, keepdims: bool = False) -> torch.Tensor:
        """One axis after another, from the last: torch takes one at a time."""
        for along in reversed(namespace.axes("prod", axis, x.ndim)):
            x = torch.prod(x, dim=along, keepdim=keepdims, dtype=x.dtype)
        return x

    @staticmethod
    def max(x: torch.Tensor, axis=None, keepdims: bool = False) -> torch.Tensor:
        along = namespace.axes("max", axis, x.ndim)
        return torch.amax(x, dim=along, keepdim=keepdims) if along else x

    @staticmethod
    def min(x: torch.Tensor, axis=None, keepdims: bool = False) -> torch.Tensor:
        along = namespace.axes("min", axis, x.ndim)
        return torch.amin(x, dim=along, keepdim=keepdims) if along else x

    @staticmethod
    def conv2d(x: torch.Tensor, w: torch.Tensor, *, stride=1, padding=0) -> torch.Tensor:
        """x [n, in, height, width], w [out, in, kh, kw]."""
        return functional.conv2d(x, w, stride=stride, padding=padding)

    @staticmethod
    def max_pool2d(x: torch.Tensor, window, *, stride=None, padding=0) -> torch.Tensor:
        return functional.max_pool2d(x, window, stride=stride, padding=padding)

    @staticmethod
    def avg_pool2d(x: torch.Tensor, window, *, stride=None, padding=0) -> torch.Tensor:
        """The padding's zeros count."""
        return functional.avg_pool2d(
            x, window, stride=stride, padding=padding, count_include_pad=True
        )

    @staticmethod
    def permute_dims(x: torch.Tensor, axes=None) -> torch.Tensor:
        """The axes in a new order, reversed by default."""
        return torch.permute(x, tuple(reversed(range(x.ndim))) if axes is None else tuple(axes))

    transpose = permute_dims

    @staticmethod
    def concat(arrays, axis: int = 0) -> torch.Tensor:
        return torch.cat(tuple(arrays), dim=axis)

    @staticmethod
    def expand_dims(x: torch.Tensor, axis) -> torch.Tensor:
        """A new axis of extent 1 at each place `axis` of the result."""
        return torch.reshape(x, namespace.expanded(x.shape, axis))

    @staticmethod
    def squeeze(x: torch.Tensor, axis=None) -> torch.Tensor:
        """Without these axes of extent 1; None: without all such."""
        return torch.squeeze(x) if axis is None else torch.squeeze(x, axis)

    @staticmethod
    def astype(x: torch.Tensor, dtype) -> torch.Tensor:
        """dtype: a word of namespace.CASTS, or a tensor's .dtype."""
        return x.to(_dtype(dtype))

    @staticmethod
    def tuple(*items) -> tuple:
        return items

    @staticmethod
    def cut(*arrays):
        """The identity: only PARTIAL's graph has a cut. A tuple of several arrays."""
        return arrays[0] if len(arrays) == 1 else arrays
