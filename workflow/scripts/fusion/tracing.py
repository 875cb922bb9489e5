"""CUPTI activity records: every kernel's start and end, and what lies between. Needs no TVM."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .errors import FusionError
from .nvrtc import INSTALL

BUFFER = 8 << 20  # bytes: a trace of 100 calls fits into a few, so none is handed over meanwhile


@contextmanager
def kernels() -> Iterator[list[dict]]:
    """Collect the kernels that run inside: {"name", "start", "end" in ns, "grid", "block",
    "registers"}, in order of their start once the block is left. Raises a FusionError where there
    is no cupti-python or CUPTI refuses.
    """
    cupti = load()
    kind = cupti.ActivityKind.CONCURRENT_KERNEL
    found: list[dict] = []

    def completed(activities):
        found.extend(_kernel(a) for a in activities if a.kind == kind)

    try:
        cupti.activity_register_callbacks(lambda: (BUFFER, 0), completed)
        cupti.activity_enable(kind)
    except cupti.cuptiError as error:
        raise FusionError(
            "CUPTI does not trace here",
            found=str(error),
            do="another profiler may hold it, or the driver is older than CUDA 13.0's",
        ) from None
    try:
        yield found
    finally:
        cupti.activity_flush_all(1)
        cupti.activity_disable(kind)
        found.sort(key=lambda kernel: kernel["start"])


def load():
    """The CUPTI bindings, or a FusionError."""
    try:
        from cupti import cupti
    except ImportError as error:
        raise FusionError(
            "the package cupti-python does not load", found=str(error), do=INSTALL
        ) from None
    return cupti


def _kernel(activity) -> dict:
    return {
        "name": activity.name,
        "start": activity.start,
        "end": activity.end,
        "grid": [activity.grid_x, activity.grid_y, activity.grid_z],
        "block": [activity.block_x, activity.block_y, activity.block_z],
        "registers": activity.registers_per_thread,
    }


def by_call(found: list[dict], calls: int) -> dict:
    """A trace of `calls` equal calls; the first and the last are left out.

    {"kernels": one entry a kernel of a call, with its mean "duration_us" and their "cv";
    "kernels_us", "gaps_us" (between a call's kernels), "rest_us" (from a call's last kernel to the
    next call's first): means a call, which add up to "period_us", the time from one call's first
    kernel to the next one's; "calls": how many are in the means}. Raises ValueError if the kernels
    do not divide by the calls, or for fewer than four calls.
    """
    if not found or len(found) % calls or calls < 4:
        raise ValueError(f"{len(found)} kernels in {calls} calls")
    start = np.array([kernel["start"] for kernel in found], dtype=float).reshape(calls, -1) / 1e3
    end = np.array([kernel["end"] for kernel in found], dtype=float).reshape(calls, -1) / 1e3
    durations = (end - start)[1:-1]
    kernels_us = durations.sum(axis=1)
    gaps_us = (start[:, 1:] - end[:, :-1])[1:-1].sum(axis=1)
    rest_us = (start[1:, 0] - end[:-1, -1])[1:]
    first = found[: start.shape[1]]
    return {
        "calls": calls - 2,
        "kernels": [
            {k: kernel[k] for k in ("name", "grid", "block", "registers")}
            | {
                "duration_us": round(float(column.mean()), 3),
                "cv": round(float(column.std(ddof=1) / column.mean()), 4),
            }
            for kernel, column in zip(first, durations.T, strict=True)
        ],
        "kernels_us": round(float(kernels_us.mean()), 3),
        "gaps_us": round(float(gaps_us.mean()), 3),
        "rest_us": round(float(rest_us.mean()), 3),
        "period_us": round(float((start[-1, 0] - start[1, 0]) / (calls - 2)), 3),
    }
