"""What a workload states about itself."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# Bytes an element. Inputs and results may be of any; a case's own dtype is a floating-point one.
FLOATS = {"float16": 2, "bfloat16": 2, "float32": 4}
INTEGERS = {"int8": 1, "uint8": 1, "int32": 4, "int64": 8, "bool": 1}
DTYPES = {**FLOATS, "float64": 8, **INTEGERS}


@dataclass(frozen=True)
class Input:
    """One input of a case. low, high: its own range of values, where the experiment's is not meant
    (whole numbers are drawn from [low, high)).
    """

    shape: tuple[int, ...]
    dtype: str
    low: float | None = None
    high: float | None = None

    @property
    def bytes(self) -> int:
        return DTYPES[self.dtype] * math.prod(self.shape)


@dataclass(frozen=True)
class Workload:
    """A graph, written once.

    function(xp, *inputs, **sizes): the computation over the array namespace `xp`; returns an array
    or a tuple of them. inputs(sizes, dtype): the inputs by name, in the order of the function's
    arguments. defaults: each size's value, or list of values, and "dtype". small: what stands in
    their place where the device is a CPU.
    expected_calls(variant, sizes): calls of relax.call_tir before VM lowering, or None where the
    workload states none.
    reused(sizes): (transcendental operations that the producer takes if computed once, how often
    each of its elements is read), or None where no such producer is stated.
    kind: function; or relax or onnx for a model, of which nothing else is known before it is read:
    function and inputs are None, and there are no defaults.
    """

    name: str
    summary: str
    function: Callable | None
    inputs: Callable[[dict, str], dict[str, Input]] | None
    defaults: Mapping[str, object]
    small: Mapping[str, object] = field(default_factory=dict)
    expected_calls: Callable[[str, dict], int | None] = lambda variant, sizes: None
    reused: Callable[[dict], tuple[int, int]] | None = None
    kind: str = "function"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its sizes, each a positive integer; `dtype` comes on top."""
        return tuple(key for key in self.defaults if key != "dtype")
