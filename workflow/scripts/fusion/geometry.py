"""The kernels that a PrimFunc launches, with their grids and blocks, from the IR of a build.

Read where TVM has just split host from device code: each launch stands in the host's function with
the kernel's own name and the simplified extents, as the driver will be given them.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

import tvm
from tvm import tirx

from . import releases

SPLITTING = "tirx.SplitHostDevice"
PARAMS = "tirx.kernel_launch_params"  # a kernel's attribute: what a launch names, in its order
AXES = ("x", "y", "z")


def launches(mod: tvm.IRModule) -> dict[str, list[Launch]]:
    """Each host function's launches, in the order of the code; a launch in a loop counts once."""
    found: dict[str, list[Launch]] = {}
    kernels = {n.name_hint: f for n, f in mod.functions.items() if _is_kernel(f)}
    for name, function in mod.functions.items():
        if isinstance(function, tirx.PrimFunc) and name.name_hint not in kernels:
            found[name.name_hint] = _launches_of(function, kernels)
    return found


def _is_kernel(function) -> bool:
    return isinstance(function, tirx.PrimFunc) and PARAMS in function.attrs


def _launches_of(function: tirx.PrimFunc, kernels: dict[str, tirx.PrimFunc]) -> list[Launch]:
    found = []

    def visit(call: releases.Call) -> None:
        if getattr(call.op, "name", "") not in releases.LAUNCHES:
            return
        kernel = str(call.args[0].value)
        if kernel not in kernels:
            return
        # After the kernel's name and its own arguments come the launch's, one for each word.
        given = call.args[1 + len(kernels[kernel].params) :]
        params = map(str, kernels[kernel].attrs[PARAMS])
        words = dict(zip(params, map(_extent, given), strict=False))
        found.append(
            Launch(
                kernel=kernel,
                grid=tuple(words.get(f"blockIdx.{axis}", 1) for axis in AXES),
                block=tuple(words.get(f"threadIdx.{axis}", 1) for axis in AXES),
                dynamic_shared_bytes=words.get("tirx.use_dyn_shared_memory", 0),
            )
        )

    releases.walk(function.body, releases.Call, visit)
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
