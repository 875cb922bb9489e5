"""What a workload states about itself."""

from collections.abc import Callable
from dataclasses import dataclass

DTYPES = {"float16": 2, "bfloat16": 2, "float32": 4}  # bytes an element


@dataclass(frozen=True)
class Workload:
    """A graph, written once.

    function(xp, *inputs, **sizes): the computation over the array namespace `xp`.
    parameters: the names of its sizes, each a positive integer; `dtype` comes on top.
    input_shapes(sizes): the inputs' names and shapes, in the order of the function's arguments.
    output_shape(sizes): the result's shape.
    expected_calls(variant, sizes): calls of relax.call_tir before VM lowering, or None where the
    workload states none.
    reused(sizes): (transcendental operations that the producer takes if computed once, how often
    each of its elements is read), or None where no such producer is stated.
    """

    name: str
    summary: str
    function: Callable
    parameters: tuple[str, ...]
    input_shapes: Callable[[dict], dict[str, tuple[int, ...]]]
    output_shape: Callable[[dict], tuple[int, ...]]
    expected_calls: Callable[[str, dict], int | None]
    reused: Callable[[dict], tuple[int, int]] | None = None
