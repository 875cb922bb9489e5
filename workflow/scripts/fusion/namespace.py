"""What the four readings of a workload share: the names, the dtypes that each takes, the shapes.

A dtype is a word of workloads.DTYPES. An array has .shape (a tuple of ints) and .dtype, whose str()
is such a word. Nothing here imports TVM.
"""

import math
from collections.abc import Callable, Iterable
from typing import NoReturn

import numpy as np

from .errors import FusionError, suggestion
from .workloads._base import DTYPES, FLOATS

FLOATING = (*FLOATS, "float64")
SIGNED = (*FLOATING, "int8", "int32", "int64")
NUMERIC = (*SIGNED, "uint8")
WHOLE = ("int8", "int32", "int64", "uint8")
BITS = (*WHOLE, "bool")
BOOLEAN = ("bool",)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# TVM has no code for what is missing here, or code that means something else (its divide of whole
# numbers truncates, its mean of them is int64).
_TAKEN = {
    FLOATING: "sqrt rsqrt exp log sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh erf "
    "sigmoid floor ceil round trunc isnan isinf isfinite divide pow mean avg_pool2d",
    SIGNED: "negative sign",
    NUMERIC: "abs square add subtract multiply floor_divide remainder maximum minimum less "
    "less_equal greater greater_equal equal not_equal clip sum prod max min matmul conv2d "
    "max_pool2d",
    WHOLE: "bitwise_left_shift bitwise_right_shift",
    BITS: "bitwise_and bitwise_or bitwise_xor bitwise_invert",
    BOOLEAN: "logical_not logical_and logical_or logical_xor",
    tuple(DTYPES): "where reshape broadcast_to permute_dims transpose concat expand_dims squeeze "
    "astype tuple cut",
}
TAKES = {name: dtypes for dtypes, names in _TAKEN.items() for name in _words(names)}
UNARY = _words(
    "abs negative sign square sqrt rsqrt exp log sin cos tan sinh cosh tanh asin acos atan asinh "
    "acosh atanh erf sigmoid floor ceil round trunc isnan isinf isfinite logical_not bitwise_invert"
)
BINARY = _words(
    "add subtract multiply divide floor_divide remainder pow maximum minimum less less_equal "
    "greater greater_equal equal not_equal bitwise_and bitwise_or bitwise_xor bitwise_left_shift "
    "bitwise_right_shift logical_and logical_or logical_xor"
)
REDUCTIONS = _words("sum mean prod max min")
PREDICATES = ("isnan", "isinf", "isfinite")
COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
CASTS = ("float16", "bfloat16", "float32", "int8", "uint8", "int32", "bool")

# What Python calls for each operator, without the underscores.
UNARY_OPERATORS = {"neg": "negative", "abs": "abs", "invert": "bitwise_invert"}
COMPARING_OPERATORS = {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}
BINARY_OPERATORS = {  # those with a reflected form
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}


def refuse(name: str) -> NoReturn:
    """Raise the error for xp.name, which no reading has."""
    if name.startswith("__"):  # what Python itself looks for, as when it copies
        raise AttributeError(name)
    raise FusionError(
        f"the array namespace has no xp.{name}",
        expected=f"one of {', '.join(sorted(TAKES))}",
        do=suggestion(name, TAKES),
    )


def check_dtype(name: str, dtype: str) -> None:
    """Raise a FusionError unless xp.name takes arrays of this dtype."""
    if dtype not in TAKES[name]:
        raise FusionError(
            f"xp.{name} of an array of {dtype}",
            expected=f"an array of {', '.join(TAKES[name])}",
            do="xp.astype it first",
        )


def common_dtype(name: str, operands: Iterable, kind: type) -> str:
    """The dtype of the arrays (instances of `kind`) among the operands; the rest are numbers.

    Raises FusionError where arrays differ in it, none is there, an operand is something else, a
    number cannot be of the dtype, or xp.name does not take it.
    """
    arrays = [operand for operand in operands if isinstance(operand, kind)]
    rest = [operand for operand in operands if not isinstance(operand, kind)]
    for operand in rest:
        if not is_number(operand):
            raise wrong_operand(name, operand)
    found = list(dict.fromkeys(str(array.dtype) for array in arrays))
    if not found:
        raise FusionError(f"xp.{name} of numbers alone", expected="an array among its operands")
    if len(found) > 1:
        raise FusionError(
            f"xp.{name} of arrays of different dtypes",
            found=" and ".join(found),
            do="xp.astype one of them",
        )
    check_dtype(name, found[0])
    for number in rest:
        check_number(name, number, found[0])
    return found[0]


def check_condition(cond, kind: type) -> None:
    """Raise a FusionError unless the condition of xp.where is an array of bool."""
    if not isinstance(cond, kind) or str(cond.dtype) != "bool":
        raise FusionError(
            "the condition of xp.where is no array of bool",
            found=str(getattr(cond, "dtype", type(cond).__name__)),
            do="compare: xp.where(x > 0, ...)",
        )


def is_number(value) -> bool:
    """A number of Python's own. NumPy's have a dtype, which in JAX would count."""
    return isinstance(value, int | float) and not isinstance(value, np.generic)


def wrong_operand(name: str, operand) -> FusionError:
    """The error for an operand that is neither an array nor a number."""
    return FusionError(
        f"xp.{name} takes the workload's arrays and Python's numbers",
        found=type(operand).__name__,
        do="float(...) or int(...)" if isinstance(operand, np.generic) else "",
    )


def check_number(name: str, number, dtype: str) -> None:
    """Raise a FusionError for a number that an array of this dtype cannot hold."""
    if dtype in FLOATING:
        return
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if number != number or number % 1 or not least <= number <= most:
        raise FusionError(
            f"xp.{name} of an array of {dtype} and the number {number}",
            expected=f"a whole number from {least} to {most}",
            do="xp.astype the array to a floating-point dtype",
        )


def cast_name(dtype) -> str:
    """The word for the dtype that xp.astype is given: a word, or an array's .dtype."""
    word = str(dtype)
    if word not in CASTS and word not in DTYPES:
        raise FusionError(
            f"xp.astype to {word}",
            expected=f"one of {', '.join(CASTS)}",
            do=suggestion(word, CASTS),
        )
    return word


def axes(name: str, axis: int | tuple[int, ...] | None, rank: int) -> tuple[int, ...]:
    """The axes meant, each from 0 to rank - 1, in ascending order; None means all."""
    if axis is None:
        return tuple(range(rank))
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    found = sorted([a + rank if a < 0 else a for a in given])
    if len(set(found)) < max(1, len(given)) or found[0] < 0 or found[-1] >= rank:
        raise FusionError(
            f"xp.{name} along axis={axis} of an array of {rank} dimensions",
            expected=f"different axes from {-rank} to {rank - 1}",
        )
    return tuple(found)


def expanded(shape: tuple[int, ...], axis: int | tuple[int, ...]) -> tuple[int, ...]:
    """The shape with an axis of extent 1 at each place `axis`, counted in the result."""
    rank = len(shape) + (1 if isinstance(axis, int) else len(axis))
    found = list(shape)
    for place in axes("expand_dims", axis, rank):
        found.insert(place, 1)
    return tuple(found)


def reshaped(shape: tuple[int, ...], wanted: int | tuple[int, ...]) -> tuple[int, ...]:
    """`wanted` with its -1 resolved. Raises FusionError where the elements do not fit."""
    wanted = (wanted,) if isinstance(wanted, int) else tuple(wanted)
    size, known = math.prod(shape), math.prod(extent for extent in wanted if extent != -1)
    free = wanted.count(-1)
    if free == 1 and known and size % known == 0:
        return tuple(size // known if extent == -1 else extent for extent in wanted)
    if free or known != size:
        raise FusionError(f"xp.reshape of an array of shape {tuple(shape)} to {wanted}")
    return wanted


def windows(
    name: str, shape: tuple[int, ...], window, stride, padding
) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]:
    """(window, stride, padding, extents of the result) as pairs [height, width], for x of `shape`.

    Each of window, stride and padding is an int or a pair; a stride of None is the window. Raises
    FusionError where a window fits nowhere, or where pooling pads by more than half a window.
    """
    if len(shape) != 4:
        raise FusionError(f"xp.{name} of an array of shape {shape}", expected="4 dimensions, NCHW")
    window, padding = _pair(window), _pair(padding)
    stride = window if stride is None else _pair(stride)
    sizes = zip(shape[2:], window, stride, padding, strict=True)
    extents = tuple((size + 2 * pad - wide) // step + 1 for size, wide, step, pad in sizes)
    too_much = name != "conv2d" and any(2 * p > w for p, w in zip(padding, window, strict=True))
    if min(extents) < 1 or too_much:
        raise FusionError(
            f"xp.{name} with window {window} and padding {padding} of an array of shape {shape}",
            expected="a window that fits into the padded array"
            + ("" if name == "conv2d" else ", padded by at most half a window"),
        )
    return window, stride, padding, extents


def _pair(value: int | tuple[int, int]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def with_operators(cls: type) -> type:
    """Give a class Python's operators: each returns self.operate(name, *operands in order).

    z += 1 makes a new array: one that also goes by another name stays as it is.
    """

    def method(name: str, reflected: bool = False) -> Callable:
        def operator(*operands):
            return operands[0].operate(name, *(reversed(operands) if reflected else operands))

        return operator

    for word, name in {**UNARY_OPERATORS, **COMPARING_OPERATORS, **BINARY_OPERATORS}.items():
        setattr(cls, f"__{word}__", method(name))
    for word, name in BINARY_OPERATORS.items():
        setattr(cls, f"__r{word}__", method(name, reflected=True))
        setattr(cls, f"__i{word}__", method(name))
    cls.__hash__ = object.__hash__
    return cls
