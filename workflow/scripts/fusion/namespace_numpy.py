"""A workload read as its reference: NumPy, rounding to the dtype after every operator.

NumPy's own float16 and bfloat16 arithmetic computes each sum, difference, product and quotient in
float32 and rounds once, which is exact rounding (float32 has more than 2p+2 significand bits).
Functions that are not exact go through float64, and sums are added in it, so that the reference's
only error is one rounding an operator. Whole numbers wrap around, as everywhere.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from . import namespace
from .numpy_windows import correlate, taps


@namespace.with_operators
class RoundedArray(np.ndarray):
    """An array whose dtype a number does not change: 0.5 * z is of z's dtype.

    NumPy keeps to that for its own dtypes, and makes float32 of bfloat16, which is not its own.
    namespace: the latest NumpyNamespace, whose functions the operators are; it notes a @ b.
    """

    namespace: "NumpyNamespace"

    def operate(self, name: str, *operands):
        return getattr(self.namespace, name)(*operands)

    def __array_ufunc__(self, ufunc, method, *operands, **options):
        """NumPy asks here for np.float32(2) * z, which is refused, and for its own functions."""
        name = _UFUNCS.get(ufunc.__name__, ufunc.__name__)
        if method == "__call__" and name in _ELEMENTWISE and ufunc.nin == 2:
            return self.operate(name, *operands)
        plain = [np.asarray(o) if isinstance(o, RoundedArray) else o for o in operands]
        return getattr(ufunc, method)(*plain, **options)


@dataclass(frozen=True)
class Reduction:
    """A sum whose additions round in a kernel, of floating-point terms.

    length: terms of an element. magnitude: the largest, over the elements, of |sum of the terms| +
    sqrt(sum of their squares), each over `length` for a mean; for a product the largest |product|.
    """

    name: str
    length: int
    dtype: str
    magnitude: float


def _wide(array: np.ndarray) -> np.ndarray:
    """In float64, or int64, whose wrapping around is also that of every narrower dtype."""
    return array.astype(np.float64 if array.dtype.name in namespace.FLOATING else np.int64)


def _through_float64(function: Callable) -> Callable:
    """The function, computed in float64, of whole numbers in int64."""
    return lambda *arrays: function(*map(_wide, arrays))


def _sigmoid(array: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) for x >= 0 and exp(x) / (1 + exp(x)) below: neither overflows."""
    small = np.exp(-np.abs(array))
    return np.where(array >= 0, 1.0, small) / (1.0 + small)


# Functions under NumPy's own name: what rounds exactly, or not at all, and what does not.
_EXACT = (
    *("abs", "negative", "square", "add", "subtract", "multiply", "divide", "maximum", "minimum"),
    *("clip", "isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or"),
    *("logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", *namespace.COMPARISONS),
)
_INEXACT = (
    *("sign", "sqrt", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan"),
    *("asinh", "acosh", "atanh", "floor", "ceil", "trunc", "floor_divide", "remainder"),
)
_ELEMENTWISE = {
    **{name: getattr(np, name) for name in _EXACT},
    **{name: _through_float64(getattr(np, name)) for name in _INEXACT},
    "exp": _through_float64(np.exp),
    "rsqrt": _through_float64(lambda array: 1.0 / np.sqrt(array)),
    "erf": _through_float64(np.vectorize(math.erf, otypes=[np.float64])),
    "sigmoid": _through_float64(_sigmoid),
    "round": _through_float64(np.rint),  # halves to even
    "pow": _through_float64(np.power),
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
    "bitwise_invert": np.invert,
}
# NumPy's own names of ufuncs, where they are others.
_UFUNCS = {f"{way}_shift": f"bitwise_{way}_shift" for way in ("left", "right")} | {"power": "pow"}


def _factor(array: np.ndarray) -> np.ndarray:
    """For products that are added: 8-bit numbers in float64, which is exact and far faster."""
    return array.astype(np.float64) if array.dtype.itemsize == 1 else _wide(array)


def _rounded(array: np.ndarray, dtype) -> RoundedArray:
    array, dtype = np.asarray(array), np.dtype(dtype)
    if array.dtype.kind == "f" and dtype.kind in "iu":
        array = array.astype(np.int64)  # from which any other wraps around
    return array.astype(dtype, copy=False).view(RoundedArray)


def _operands(name: str, operands: tuple) -> list[np.ndarray]:
    """The operands as plain arrays of the one dtype that they must share."""
    dtype = _dtype(namespace.common_dtype(name, operands, np.ndarray))
    return [np.asarray(operand, dtype) for operand in operands]


def _dtype(word: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if word == "bfloat16" else word)


def _elementwise(name: str, function: Callable) -> Callable:
    gives_bool = name in namespace.PREDICATES or name in namespace.COMPARISONS

    def apply(*operands) -> RoundedArray:
        arrays = _operands(name, operands)
        return _rounded(function(*arrays), bool if gives_bool else arrays[0].dtype)

    return apply


def _extreme(name: str, function: Callable, x, axis, keepdims: bool) -> RoundedArray:
    (array,) = _operands(name, (x,))
    along = namespace.axes(name, axis, array.ndim)
    return _rounded(function(array, axis=along, keepdims=keepdims), array.dtype)


class NumpyNamespace:
    """The array namespace over NumPy arrays, with the dtypes' rounding.

    reductions: what was added up, in order, for the tolerance. A function raises FusionError for
    what the Relax reading cannot take either: arrays of two dtypes, or of a wrong one.
    """

    def __init__(self):
        self.reductions: list[Reduction] = []
        RoundedArray.namespace = self

    def __getattr__(self, name: str):
        namespace.refuse(name)

    def _note(self, name: str, length: int, dtype: np.dtype, magnitudes: np.ndarray) -> None:
        largest = float(np.max(magnitudes, initial=0.0))
        self.reductions.append(Reduction(name, length, dtype.name, largest))

    def sum(self, x: np.ndarray, axis=None, keepdims: bool = False) -> RoundedArray:
        """The sum along the axes: None (all), an int or a tuple."""
        return self._add_up("sum", x, axis, keepdims)

    def mean(self, x: np.ndarray, axis=None, keepdims: bool = False) -> RoundedArray:
        return self._add_up("mean", x, axis, keepdims)

    def _add_up(self, name: str, x: np.ndarray, axis, keepdims: bool) -> RoundedArray:
        (array,) = _operands(name, (x,))
        along = namespace.axes(name, axis, array.ndim)
        length = math.prod(array.shape[a] for a in along)
        wide = _wide(array)
        found = np.sum(wide, axis=along, keepdims=keepdims)
        if array.dtype.name not in namespace.FLOATING:
            return _rounded(found, array.dtype)
        share = length if name == "mean" else 1
        spread = np.sqrt(np.sum(wide * wide, axis=along, keepdims=keepdims))
        self._note(name, length, array.dtype, (np.abs(found) + spread) / share)
        return _rounded(found / share, array.dtype)

    def prod(self, x: np.ndarray, axis=None, keepdims: bool = False) -> RoundedArray:
        (array,) = _operands("prod", (x,))
        along = namespace.axes("prod", axis, array.ndim)
        found = np.prod(_wide(array), axis=along, keepdims=keepdims)
        if array.dtype.name in namespace.FLOATING:
            length = math.prod(array.shape[a] for a in along)
            self._note("prod", length, array.dtype, np.abs(found))
        return _rounded(found, array.dtype)

    @staticmethod
    def max(x: np.ndarray, axis=None, keepdims: bool = False) -> RoundedArray:
        """The largest element along the axes. Exact."""
        return _extreme("max", np.max, x, axis, keepdims)

    @staticmethod
    def min(x: np.ndarray, axis=None, keepdims: bool = False) -> RoundedArray:
        """The least element along the axes. Exact."""
        return _extreme("min", np.min, x, axis, keepdims)

    def matmul(self, a: np.ndarray, b: np.ndarray) -> RoundedArray:
        """The matrix product, of stacks of matrices too."""
        left, right = _operands("matmul", (a, b))
        wide = _factor(left), _factor(right)
        found = np.matmul(*wide)
        if left.dtype.name in namespace.FLOATING:
            spread = np.sqrt(np.matmul(*(np.square(one) for one in wide)))
            self._note("matmul", left.shape[-1], left.dtype, np.abs(found) + spread)
        return _rounded(found, left.dtype)

    def conv2d(self, x: np.ndarray, w: np.ndarray, *, stride=1, padding=0) -> RoundedArray:
        """The correlation of x [n, in, height, width] with w [out, in, kh, kw], zeros around x."""
        image, weight = _operands("conv2d", (x, w))
        place = namespace.windows("conv2d", image.shape, weight.shape[2:], stride, padding)
        wide, kernels = _factor(image), _factor(weight)
        found = correlate(wide, kernels, place)
        if image.dtype.name in namespace.FLOATING:
            spread = np.sqrt(correlate(wide * wide, kernels * kernels, place))
            length = math.prod(weight.shape[1:])
            self._note("conv2d", length, image.dtype, np.abs(found) + spread)
        return _rounded(found, image.dtype)

    @staticmethod
    def max_pool2d(x: np.ndarray, window, *, stride=None, padding=0) -> RoundedArray:
        """The largest element of each window; the padding is none. Exact."""
        (array,) = _operands("max_pool2d", (x,))
        place = namespace.windows("max_pool2d", array.shape, window, stride, padding)
        wide = _wide(array)
        least = -np.inf if wide.dtype == np.float64 else np.iinfo(np.int64).min
        return _rounded(functools.reduce(np.maximum, taps(wide, *place, least)), array.dtype)

    def avg_pool2d(self, x: np.ndarray, window, *, stride=None, padding=0) -> RoundedArray:
        """The mean of each window of x with zeros around it, which count."""
        (array,) = _operands("avg_pool2d", (x,))
        place = namespace.windows("avg_pool2d", array.shape, window, stride, padding)
        wide, length = _wide(array), math.prod(place[0])
        found = sum(taps(wide, *place, 0))
        spread = np.sqrt(sum(taps(wide * wide, *place, 0)))
        self._note("avg_pool2d", length, array.dtype, (np.abs(found) + spread) / length)
        return _rounded(found / length, array.dtype)

    @staticmethod
    def where(cond: np.ndarray, x, y) -> RoundedArray:
        """x where cond holds, else y; one of x and y may be a number."""
        namespace.check_condition(cond, np.ndarray)
        chosen, other = _operands("where", (x, y))
        return _rounded(np.where(np.asarray(cond), chosen, other), chosen.dtype)

    @staticmethod
    def reshape(x: np.ndarray, shape) -> RoundedArray:
        """One extent may be -1: what is left."""
        (array,) = _operands("reshape", (x,))
        return _rounded(array.reshape(namespace.reshaped(array.shape, shape)), array.dtype)

    @staticmethod
    def broadcast_to(x: np.ndarray, shape) -> RoundedArray:
        (array,) = _operands("broadcast_to", (x,))
        return _rounded(np.broadcast_to(array, shape), array.dtype)

    @staticmethod
    def permute_dims(x: np.ndarray, axes=None) -> RoundedArray:
        """The axes in a new order, reversed by default."""
        (array,) = _operands("permute_dims", (x,))
        return _rounded(np.transpose(array, axes), array.dtype)

    transpose = permute_dims

    @staticmethod
    def concat(arrays, axis: int = 0) -> RoundedArray:
        parts = _operands("concat", arrays)
        return _rounded(np.concatenate(parts, axis=axis), parts[0].dtype)

    @staticmethod
    def expand_dims(x: np.ndarray, axis) -> RoundedArray:
        """A new axis of extent 1 at each place `axis` of the result."""
        (array,) = _operands("expand_dims", (x,))
        return _rounded(array.reshape(namespace.expanded(array.shape, axis)), array.dtype)

    @staticmethod
    def squeeze(x: np.ndarray, axis=None) -> RoundedArray:
        """Without these axes of extent 1; None: without all such."""
        (array,) = _operands("squeeze", (x,))
        return _rounded(np.squeeze(array, axis), array.dtype)

    @staticmethod
    def astype(x: np.ndarray, dtype) -> RoundedArray:
        """dtype: a word of namespace.CASTS, or an array's .dtype."""
        (array,) = _operands("astype", (x,))
        return _rounded(array, _dtype(namespace.cast_name(dtype)))

    @staticmethod
    def tuple(*items) -> tuple:
        return items

    @staticmethod
    def cut(*arrays):
        """The identity: only PARTIAL's graph has a cut. A tuple of several arrays."""
        return arrays[0] if len(arrays) == 1 else arrays


for _name, _function in _ELEMENTWISE.items():
    setattr(NumpyNamespace, _name, staticmethod(_elementwise(_name, _function)))
NumpyNamespace()  # for operators on arrays before a reading has begun
