"""The kernels that a PrimFunc launches, with their grids and blocks, from the IR of a build.

Read where TVM has just split host from device code: each launch stands in the host's function with
the kernel's own name and the simplified extents, as the driver will be given them.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

import tvm
import tvm_ffi
from tvm import tirx

SPLITTING = "tirx.SplitHostDevice"
AXES = ("x", "y", "z")


def launches(mod: tvm.IRModule) -> dict[str, list[Launch]]:
    """Each host function's launches, in the order of the code; a launch in a loop counts once."""
    found: dict[str, list[Launch]] = {}
    params = {n.name_hint: len(f.params) for n, f in mod.functions.items() if _is_kernel(f)}
    for name, function in mod.functions.items():
        if isinstance(function, tirx.PrimFunc) and name.name_hint not in params:
            found[name.name_hint] = _launches_of(function, params)
    return found


def _is_kernel(function) -> bool:
    return isinstance(function, tirx.PrimFunc) and "tirx.kernel_launch_params" in function.attrs


def _launches_of(function: tirx.PrimFunc, params: dict[str, int]) -> list[Launch]:
    found = []

    def visit(call: tvm.ir.Call) -> None:
        if getattr(call.op, "name", "") != "tirx.call_ffi_kernel":
            return
        kernel = str(call.args[0].value)
        # After the kernel's name and its own arguments come the launch's, one for each word.
        given = call.args[1 + params[kernel] :]
        words = dict(zip(map(str, call.attrs.launch_params), map(_extent, given), strict=False))
        found.append(
            Launch(
                kernel=kernel,
                grid=tuple(words.get(f"blockIdx.{axis}", 1) for axis in AXES),
                block=tuple(words.get(f"threadIdx.{axis}", 1) for axis in AXES),
                dynamic_shared_bytes=words.get("tirx.use_dyn_shared_memory", 0),
            )
        )

    tvm_ffi.structural_walk(function.body, (tvm.ir.Call, visit), order="post")
    return found


def _extent(expr) -> int | str:
    value = getattr(expr, "value", None)
    # Python's text of an expression, without the types of its numbers.
    return value if isinstance(value, int) else re.sub(r"T\.int\d+\((-?\d+)\)", r"\1", str(expr))


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel. grid: blocks, block: threads, each along x, y and z.

    A number that is known only at run time is the text of its expression, such as '(n + 15) // 16'.
    """

    kernel: str
    grid: tuple[int | str, ...]
    block: tuple[int | str, ...]
    dynamic_shared_bytes: int | str

    def as_record(self) -> dict:
        return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}
