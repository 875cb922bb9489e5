"""Calls of every function of the array namespace, arrays for them, and what they must be.

KNOWN is one more reading, over plain float64 arrays and independent of fusion: NumPy and SciPy by
other formulas, and convolution and pooling element by element.
"""

from types import SimpleNamespace

import ml_dtypes
import numpy as np
import scipy.signal
import scipy.special

UNARY = {  # name: the argument, and a formula in float64
    "abs": ("x", lambda a: np.sqrt(a * a)),
    "negative": ("x", lambda a: 0 - a),
    "sign": ("x", lambda a: (a > 0) * 1.0 - (a < 0)),
    "square": ("x", lambda a: a * a),
    "sqrt": ("p", lambda a: a**0.5),
    "rsqrt": ("p", lambda a: a**-0.5),
    "exp": ("x", lambda a: scipy.special.expm1(a) + 1),
    "log": ("p", lambda a: np.log2(a) * np.log(2.0)),
    "sin": ("x", lambda a: np.exp(1j * a).imag),
    "cos": ("x", lambda a: np.exp(1j * a).real),
    "tan": ("u", lambda a: np.sin(a) / np.cos(a)),
    "sinh": ("x", lambda a: (np.exp(a) - np.exp(-a)) / 2),
    "cosh": ("x", lambda a: (np.exp(a) + np.exp(-a)) / 2),
    "tanh": ("x", lambda a: np.sinh(a) / np.cosh(a)),
    "asin": ("u", lambda a: np.arctan2(a, np.sqrt(1 - a * a))),
    "acos": ("u", lambda a: np.arctan2(np.sqrt(1 - a * a), a)),
    "atan": ("x", lambda a: np.arctan2(a, 1.0)),
    "asinh": ("x", lambda a: np.sign(a) * np.log(abs(a) + np.sqrt(a * a + 1))),
    "acosh": ("q", lambda a: np.log(a + np.sqrt(a * a - 1))),
    "atanh": ("u", lambda a: np.log((1 + a) / (1 - a)) / 2),
    "erf": ("x", scipy.special.erf),
    "sigmoid": ("x", scipy.special.expit),
    "floor": ("x", lambda a: np.trunc(a) - (a < np.trunc(a))),
    "ceil": ("x", lambda a: np.trunc(a) + (a > np.trunc(a))),
    "round": ("h", lambda a: np.asarray([round(v) for v in a.ravel()], float).reshape(a.shape)),
    "trunc": ("x", np.fix),
    "isnan": ("s", lambda a: a != a),
    "isinf": ("s", lambda a: abs(a) == np.inf),
    "isfinite": ("s", lambda a: abs(a) < np.inf),
}


def _correlated(x, w, *, stride=1, padding=0):
    (down, right), (rows, cols) = np.broadcast_to(stride, 2), np.broadcast_to(padding, 2)
    x = np.pad(x, ((0, 0), (0, 0), (rows, rows), (cols, cols)))
    found = [[scipy.signal.correlate(i, k, "valid")[0] for k in w] for i in x]
    return np.asarray(found)[:, :, ::down, ::right]


def _pooled(combine, fill):
    """fill: around x; None for its least element, which no window's largest one is below."""

    def pool(x, window, *, stride=None, padding=0):
        high, wide = np.broadcast_to(window, 2)
        down, right = np.broadcast_to(window if stride is None else stride, 2)
        rows, cols = np.broadcast_to(padding, 2)
        around = x.min() if fill is None else fill
        x = np.pad(x, ((0, 0), (0, 0), (rows, rows), (cols, cols)), constant_values=around)
        return np.asarray(
            [
                [combine(x[:, :, r : r + high, c : c + wide], axis=(2, 3)) for c in across]
                for across in [range(0, x.shape[3] - wide + 1, right)]
                for r in range(0, x.shape[2] - high + 1, down)
            ]
        ).transpose(2, 3, 0, 1)

    return pool


def _product(x, axis=None, keepdims=False):
    signs = np.prod(np.sign(x), axis=axis, keepdims=keepdims)
    return signs * np.exp2(np.sum(np.log2(np.abs(x)), axis=axis, keepdims=keepdims))


KNOWN = SimpleNamespace(
    **{name: formula for name, (_, formula) in UNARY.items()},
    add=lambda a, b: a + b,
    subtract=lambda a, b: a - b,
    multiply=lambda a, b: a * b,
    divide=lambda a, b: a / b,
    floor_divide=lambda a, b: np.floor(a / b) if np.result_type(a).kind == "f" else a // b,
    remainder=lambda a, b: a - b * KNOWN.floor_divide(a, b),
    pow=lambda a, b: np.exp2(b * np.log2(a)),
    maximum=lambda a, b: np.where(a > b, a, b),
    minimum=lambda a, b: np.where(a < b, a, b),
    less=lambda a, b: a < b,
    less_equal=lambda a, b: a <= b,
    greater=lambda a, b: a > b,
    greater_equal=lambda a, b: a >= b,
    equal=lambda a, b: a == b,
    not_equal=lambda a, b: a != b,
    bitwise_and=lambda a, b: a & b,
    bitwise_or=lambda a, b: a | b,
    bitwise_xor=lambda a, b: a ^ b,
    bitwise_invert=lambda a: ~a,
    bitwise_left_shift=lambda a, b: (a.astype(np.int64) * 2**b).astype(a.dtype),
    bitwise_right_shift=lambda a, b: np.floor(a / 2.0**b).astype(a.dtype),
    logical_not=lambda a: a ^ True,
    logical_and=lambda a, b: a & b,
    logical_or=lambda a, b: a | b,
    logical_xor=lambda a, b: a ^ b,
    where=lambda cond, x, y: np.choose(cond, [y, x]),
    clip=lambda x, least, most: np.sort([x, 0 * x + least, 0 * x + most], axis=0)[1],
    sum=lambda x, axis=None, keepdims=False: np.add.reduce(
        x, axis=axis, keepdims=keepdims, dtype=x.dtype
    ),
    mean=np.mean,
    prod=_product,
    max=np.max,
    min=np.min,
    matmul=lambda a, b: np.einsum("...ij,...jk->...ik", a, b),
    conv2d=_correlated,
    max_pool2d=_pooled(np.max, None),
    avg_pool2d=_pooled(np.mean, 0),
    reshape=np.reshape,
    broadcast_to=np.broadcast_to,
    permute_dims=np.transpose,
    transpose=np.transpose,
    concat=np.concatenate,
    expand_dims=np.expand_dims,
    squeeze=np.squeeze,
    astype=lambda x, dtype: x.astype(np.dtype({"bfloat16": ml_dtypes.bfloat16}.get(dtype, dtype))),
    tuple=lambda *items: items,
    cut=lambda *arrays: arrays[0] if len(arrays) == 1 else arrays,
)

# One rounding each, so that the reference must be KNOWN's float64, rounded once.
FLOATS = {
    **{
        name: lambda xp, t, name=name, key=key: getattr(xp, name)(getattr(t, key))
        for name, (key, _) in UNARY.items()
    },
    "add": lambda xp, t: xp.add(t.x, t.p),
    "subtract": lambda xp, t: xp.subtract(1, t.x),
    "multiply": lambda xp, t: xp.multiply(t.x, t.p),
    "divide": lambda xp, t: xp.divide(t.x, t.p),
    "floor_divide": lambda xp, t: xp.floor_divide(t.x, t.p),
    "remainder": lambda xp, t: xp.remainder(t.x, t.p),
    "pow": lambda xp, t: xp.pow(t.p, t.x),
    "maximum": lambda xp, t: xp.maximum(t.x, t.p),
    "maximum of a number": lambda xp, t: xp.maximum(t.x, 0.5),
    "minimum": lambda xp, t: xp.minimum(t.x, t.p),
    "minimum of a number": lambda xp, t: xp.minimum(0.5, t.x),
    "less": lambda xp, t: xp.less(t.x, t.p),
    "less_equal": lambda xp, t: xp.less_equal(t.h, 0.5),
    "greater": lambda xp, t: xp.greater(t.x, t.p),
    "greater_equal": lambda xp, t: xp.greater_equal(t.h, 0.5),
    "equal": lambda xp, t: xp.equal(t.h, 0.5),
    "not_equal": lambda xp, t: xp.not_equal(t.h, 0.5),
    "where": lambda xp, t: xp.where(t.b, t.x, t.p),
    "where with a number": lambda xp, t: xp.where(t.x > 0, 0.25, t.x),
    "clip": lambda xp, t: xp.clip(t.x, -1, 0.5),
    "-": lambda xp, t: -t.x,
    "abs()": lambda xp, t: abs(t.x),
    "reflected +": lambda xp, t: 1.5 + t.x,
    "reflected -": lambda xp, t: 2 - t.x,
    "reflected *": lambda xp, t: 1.5 * t.x,
    "/": lambda xp, t: t.x / 3,
    "reflected /": lambda xp, t: 3 / t.p,
    "**": lambda xp, t: t.p**2.5,
    "** 2": lambda xp, t: t.x**2,
    "reflected **": lambda xp, t: 2**t.x,
    "//": lambda xp, t: t.x // 2,
    "%": lambda xp, t: t.x % 2,
    "reflected %": lambda xp, t: 5 % t.p,
    "comparisons": lambda xp, t: (t.x < t.p) & (t.x >= 0) | ~(t.h != 0.5) ^ (t.h <= 0) | (t.x == 1),
    "sum": lambda xp, t: xp.sum(t.x),
    "sum along": lambda xp, t: xp.sum(t.x, axis=-1, keepdims=True),
    "sum along two": lambda xp, t: xp.sum(t.image, axis=(-1, 0)),
    "mean": lambda xp, t: xp.mean(t.image, axis=(1, 2)),
    "prod": lambda xp, t: xp.prod(t.p, axis=0),
    "max": lambda xp, t: xp.max(t.x, axis=0, keepdims=True),
    "min": lambda xp, t: xp.min(t.x),
    "matmul": lambda xp, t: xp.matmul(t.x, xp.permute_dims(t.p)),
    "@ of stacks": lambda xp, t: t.stack @ xp.transpose(t.p, (1, 0)),
    "conv2d": lambda xp, t: xp.conv2d(t.image, t.w),
    "conv2d, padded": lambda xp, t: xp.conv2d(t.image, t.w, stride=(2, 1), padding=(1, 2)),
    "max_pool2d": lambda xp, t: xp.max_pool2d(t.image, 2),
    "max_pool2d, padded": lambda xp, t: xp.max_pool2d(t.image, (2, 3), stride=(1, 2), padding=1),
    "avg_pool2d": lambda xp, t: xp.avg_pool2d(t.image, (3, 2)),
    "avg_pool2d, padded": lambda xp, t: xp.avg_pool2d(t.image, 3, stride=2, padding=(1, 0)),
    "reshape": lambda xp, t: xp.reshape(t.x, (2, -1, 2)),
    "broadcast_to": lambda xp, t: xp.broadcast_to(xp.reshape(t.row, (1, 6)), (3, 6)),
    "permute_dims": lambda xp, t: xp.permute_dims(t.stack, (2, 0, 1)),
    "concat": lambda xp, t: xp.concat([t.x, t.p, t.x], axis=-1),
    "expand_dims": lambda xp, t: xp.expand_dims(t.x, (0, -1)),
    "squeeze": lambda xp, t: xp.squeeze(xp.expand_dims(t.x, 1), axis=1),
    "astype int": lambda xp, t: xp.astype(t.p * 8, "int32"),
    "astype bool": lambda xp, t: xp.astype(t.h, "bool"),
    "tuple": lambda xp, t: xp.tuple(xp.tuple(t.x, t.p), t.x)[0][1],
    "cut": lambda xp, t: xp.cut(xp.cut(t.x), t.p)[1],
}
WHOLE = {
    "arithmetic": lambda xp, t: (t.i + t.j) * t.i - 3,
    "floor_divide": lambda xp, t: t.i // t.j,
    "remainder": lambda xp, t: t.i % t.j,
    "abs": lambda xp, t: abs(t.i),
    "extremes": lambda xp, t: xp.maximum(xp.minimum(t.i, 4), t.j),
    "comparisons": lambda xp, t: (t.i < t.j) | (t.i == 3),
    "and": lambda xp, t: t.i & 15,
    "or, xor": lambda xp, t: (8 | t.i) ^ t.j,
    "invert": lambda xp, t: ~t.i,
    "named": lambda xp, t: xp.bitwise_xor(
        xp.bitwise_or(xp.bitwise_and(t.i, 12), t.j), xp.bitwise_invert(t.i)
    ),
    "shifts": lambda xp, t: xp.bitwise_left_shift(t.i, 2) + xp.bitwise_right_shift(t.i, t.j),
    ">>": lambda xp, t: t.i >> 1,
    "<<": lambda xp, t: t.j << 3,
    "sum": lambda xp, t: xp.sum(t.i, axis=0),
    "max": lambda xp, t: xp.max(t.i, axis=1) - xp.min(t.i, axis=1),
    "matmul": lambda xp, t: t.i @ xp.transpose(t.j),
    "clip": lambda xp, t: xp.clip(t.i, 1, 5),
    "where": lambda xp, t: xp.where(t.b, t.i, 7),
    "square": lambda xp, t: xp.square(t.i),
    "astype": lambda xp, t: xp.astype(t.i, "float32") * 0.5,
    "bool": lambda xp, t: xp.astype(t.b, "int32"),
    "max_pool2d": lambda xp, t: xp.max_pool2d(xp.reshape(t.i, (1, 1, 4, 6)), 3, padding=1),
    "conv2d": lambda xp, t: xp.conv2d(
        xp.reshape(t.i, (1, 2, 3, 4)), xp.reshape(t.j, (3, 2, 2, 2)), padding=1
    ),
    "logical": lambda xp, t: xp.logical_xor(
        xp.logical_and(t.b, t.c), xp.logical_or(xp.logical_not(t.b), False)
    ),
    "bool operators": lambda xp, t: (t.b & t.c) ^ ~t.b | (True & t.c),
}


# The functions that TVM is known to treat by their dtype, and some of every kind.
NARROW = {
    *("exp", "log", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "isnan"),
    *(
        "round",
        "isinf",
        "isfinite",
        "add",
        "divide",
        "remainder",
        "pow",
        "where with a number",
        "clip",
        "** 2",
    ),
    *("reflected -", "//", "comparisons", "sum along two", "mean", "prod", "@ of stacks"),
    *("conv2d, padded", "max_pool2d, padded", "avg_pool2d, padded", "concat", "astype int"),
}


def arrays(dtype: str) -> dict[str, np.ndarray]:
    """Those of the float cases, in a floating-point dtype; b is bool."""
    stream = np.random.default_rng(20342)
    uniform = stream.uniform
    found = {
        "x": uniform(-2.6, 2.6, (4, 6)),
        "p": uniform(0.4, 2.6, (4, 6)),
        "u": uniform(-0.8, 0.8, (4, 6)),
        "q": uniform(1.2, 3, (4, 6)),
        "h": np.tile([[0.5, 1.5, 2.5], [-0.5, -1.5, 0.0]], (2, 2)),
        "s": np.array([np.nan, np.inf, -np.inf, 0.0, 1.0]),
        "row": uniform(-1, 1, 6),
        "stack": uniform(-1, 1, (3, 2, 6)),
        "image": uniform(-1, 1, (2, 3, 7, 6)),
        "w": uniform(-1, 1, (4, 3, 3, 2)),
    }
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    return {n: a.astype(kind) for n, a in found.items()} | {"b": stream.random((4, 6)) > 0.5}


def whole_arrays(dtype: str) -> dict[str, np.ndarray]:
    """Those of WHOLE's cases; in 8 bits many results wrap around."""
    stream = np.random.default_rng(20194)
    least, most = {"uint8": (0, 200), "int8": (-60, 60), "int32": (-9000, 9000)}[dtype]
    return {
        "i": stream.integers(least, most, (4, 6)).astype(dtype),
        "j": stream.integers(1, 4, (4, 6)).astype(dtype),
        "b": stream.random((4, 6)) > 0.5,
        "c": stream.random((4, 6)) > 0.5,
    }
