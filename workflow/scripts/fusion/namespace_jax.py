"""A workload read by JAX. Every function but a comparison returns its argument's dtype."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from . import namespace


def _pooled(x: jax.Array, place: tuple, first, combine) -> jax.Array:
    """Each window of x combined. place: as namespace.windows gives it."""
    window, stride, padding, _ = place
    around = [(0, 0), (0, 0), *((pad, pad) for pad in padding)]
    start = x.dtype.type(first)  # concrete also while jit traces
    return lax.reduce_window(x, start, combine, (1, 1, *window), (1, 1, *stride), around)


class JaxNamespace:
    """The array namespace over JAX arrays; numbers are weakly typed, so they take the dtype."""

    abs = staticmethod(jnp.abs)
    negative = staticmethod(jnp.negative)
    sign = staticmethod(jnp.sign)
    square = staticmethod(jnp.square)
    sqrt = staticmethod(jnp.sqrt)
    rsqrt = staticmethod(lax.rsqrt)
    exp = staticmethod(jnp.exp)
    log = staticmethod(jnp.log)
    sin = staticmethod(jnp.sin)
    cos = staticmethod(jnp.cos)
    tan = staticmethod(jnp.tan)
    sinh = staticmethod(jnp.sinh)
    cosh = staticmethod(jnp.cosh)
    tanh = staticmethod(jnp.tanh)
    asin = staticmethod(jnp.asin)
    acos = staticmethod(jnp.acos)
    atan = staticmethod(jnp.atan)
    asinh = staticmethod(jnp.asinh)
    acosh = staticmethod(jnp.acosh)
    atanh = staticmethod(jnp.atanh)
    erf = staticmethod(jax.scipy.special.erf)
    sigmoid = staticmethod(jax.nn.sigmoid)
    floor = staticmethod(jnp.floor)
    ceil = staticmethod(jnp.ceil)
    round = staticmethod(jnp.round)  # halves to even
    trunc = staticmethod(jnp.trunc)
    isnan = staticmethod(jnp.isnan)
    isinf = staticmethod(jnp.isinf)
    isfinite = staticmethod(jnp.isfinite)
    logical_not = staticmethod(jnp.logical_not)
    bitwise_invert = staticmethod(jnp.bitwise_invert)

    add = staticmethod(jnp.add)
    subtract = staticmethod(jnp.subtract)
    multiply = staticmethod(jnp.multiply)
    divide = staticmethod(jnp.divide)
    floor_divide = staticmethod(jnp.floor_divide)
    remainder = staticmethod(jnp.remainder)
    pow = staticmethod(jnp.pow)
    maximum = staticmethod(jnp.maximum)
    minimum = staticmethod(jnp.minimum)
    less = staticmethod(jnp.less)
    less_equal = staticmethod(jnp.less_equal)
    greater = staticmethod(jnp.greater)
    greater_equal = staticmethod(jnp.greater_equal)
    equal = staticmethod(jnp.equal)
    not_equal = staticmethod(jnp.not_equal)
    bitwise_and = staticmethod(jnp.bitwise_and)
    bitwise_or = staticmethod(jnp.bitwise_or)
    bitwise_xor = staticmethod(jnp.bitwise_xor)
    bitwise_left_shift = staticmethod(jnp.left_shift)
    bitwise_right_shift = staticmethod(jnp.right_shift)
    logical_and = staticmethod(jnp.logical_and)
    logical_or = staticmethod(jnp.logical_or)
    logical_xor = staticmethod(jnp.logical_xor)
    where = staticmethod(jnp.where)
    clip = staticmethod(jnp.clip)

    mean = staticmethod(jnp.mean)
    max = staticmethod(jnp.max)
    min = staticmethod(jnp.min)
    matmul = staticmethod(jnp.matmul)
    reshape = staticmethod(jnp.reshape)
    broadcast_to = staticmethod(jnp.broadcast_to)
    permute_dims = staticmethod(jnp.transpose)
    transpose = staticmethod(jnp.transpose)
    concat = staticmethod(jnp.concatenate)
    expand_dims = staticmethod(jnp.expand_dims)
    squeeze = staticmethod(jnp.squeeze)

    @staticmethod
    def sum(x: jax.Array, axis=None, keepdims: bool = False) -> jax.Array:
        """In the array's dtype, also of int8, of which jnp.sum makes int32."""
        return jnp.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype)

    @staticmethod
    def prod(x: jax.Array, axis=None, keepdims: bool = False) -> jax.Array:
        """In the array's dtype, like sum."""
        return jnp.prod(x, axis=axis, keepdims=keepdims, dtype=x.dtype)

    @staticmethod
    def conv2d(x: jax.Array, w: jax.Array, *, stride=1, padding=0) -> jax.Array:
        """x [n, in, height, width], w [out, in, kh, kw]."""
        _, strides, pads, _ = namespace.windows("conv2d", x.shape, w.shape[2:], stride, padding)
        around = [(pad, pad) for pad in pads]
        return lax.conv_general_dilated(x, w, strides, around)

    @staticmethod
    def max_pool2d(x: jax.Array, window, *, stride=None, padding=0) -> jax.Array:
        place = namespace.windows("max_pool2d", x.shape, window, stride, padding)
        floating = jnp.issubdtype(x.dtype, jnp.floating)
        return _pooled(x, place, -jnp.inf if floating else jnp.iinfo(x.dtype).min, lax.max)

    @staticmethod
    def avg_pool2d(x: jax.Array, window, *, stride=None, padding=0) -> jax.Array:
        """The padding's zeros count."""
        place = namespace.windows("avg_pool2d", x.shape, window, stride, padding)
        return _pooled(x, place, 0, lax.add) / math.prod(place[0])

    @staticmethod
    def astype(x: jax.Array, dtype) -> jax.Array:
        """dtype: a word of namespace.CASTS, or an array's .dtype."""
        return x.astype(dtype)

    @staticmethod
    def tuple(*items) -> tuple:
        return items

    @staticmethod
    def cut(*arrays):
        """The identity: only PARTIAL's graph has a cut. A tuple of several arrays."""
        return arrays[0] if len(arrays) == 1 else arrays
