"""Chains of one operator, compiled and timed, from which a device's rates are read.

Each point is `b + chain(x)`, fused into one kernel by the stock pipeline, so that the chain runs
for every element of b. The time of one operation is the slope between two lengths of the chain.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import build, inputs, loading, records, sampling, targets
from .artifacts import Artifact
from .cases import Case
from .pacing import Protocol
from .variants import VARIANTS
from .workloads import Input, Workload


@dataclass(frozen=True)
class Kind:
    """One kind of operation. step(xp, z, x): the next z. lengths: steps of the two chains, long
    enough for arithmetic to outlast memory. beside: what a step holds besides, priced before it.
    """

    step: Callable
    lengths: tuple[int, int]
    beside: tuple[str, ...] = ()


def _binary(name: str) -> Kind:
    return Kind(lambda xp, z, x: getattr(xp, name)(z, x), (96, 192))


def _after_add(lengths: tuple[int, int], step: Callable) -> Kind:
    def whole(xp, z, x):
        return step(xp, z + x, x)

    return Kind(whole, lengths, beside=("add",))


def _unary(name: str) -> Kind:
    """With an addition between, as in a workload: of bfloat16, a result that the same function
    reads again is rounded by the special-function unit (F2F), any other by a plain instruction
    (F2FP). On an H200, exp in a chain of nothing else took twice what a workload's exp takes.
    """
    return _after_add((16, 48), lambda xp, z, x: getattr(xp, name)(z))


def _extremum(name: str) -> Kind:
    """The maximum of a maximum with the same number is none, and compilers know it."""
    return _after_add((48, 96), lambda xp, z, x: getattr(xp, name)(z, x))


KINDS = {
    "add": _binary("add"),
    "subtract": _binary("subtract"),
    "multiply": _binary("multiply"),
    # By the chain: a divisor that stays the same is inverted once. Rounded as in _unary.
    "divide": _after_add((16, 48), lambda xp, z, x: x / z),
    "max": _extremum("maximum"),
    "min": _extremum("minimum"),
    "exp": _unary("exp"),
    "log": _unary("log"),
    "sqrt": _unary("sqrt"),
    "rsqrt": _unary("rsqrt"),
    "tanh": _unary("tanh"),
    "sigmoid": _unary("sigmoid"),
    "erf": _unary("erf"),
}


# Calls of so many kernels that take less than their launching: what the host takes for one more
# (host_us), and for a call beside them (call_us).
LAUNCHES = (2, 64)
SMALL = (8, 8)


def shape(variant: str, rows: int, cols: int) -> tuple[int, int]:
    """Rows and columns of a point: OFF's are so small that only its launches take time."""
    return SMALL if variant == "OFF" else (rows, cols)


@dataclass(frozen=True)
class Point(Case):
    """A chain of the kind that `workload` names; of length 0 it is the Add alone."""

    @property
    def definition(self) -> Workload:
        kind = KINDS[self.workload]

        def function(xp, x, b, *, length, **_sizes):
            z = x
            for _ in range(length):
                z = kind.step(xp, z, x)
            return b + xp.cut(z)

        return Workload(
            name=self.workload,
            summary=f"{self.workload}, again and again, then a broadcast Add",
            function=function,
            inputs=lambda s, dtype: {
                "x": Input((s["rows"], s["chain_cols"]), dtype),
                "b": Input((s["rows"], s["cols"]), dtype),
            },
            defaults={"length": 1, "rows": 1, "cols": 1, "chain_cols": 1, "dtype": "float16"},
        )


def point(kind: str, length: int, rows: int, cols: int, dtype: str, arch: str) -> Point:
    """A chain on [rows, 1]. On a CPU it is on [rows, cols]: LLVM takes a column's chain out of the
    loop over columns, and nothing would be computed anew.
    """
    wide = cols if arch == "llvm" else 1
    sizes = {"length": length, "rows": rows, "cols": cols, "chain_cols": wide}
    return Point(kind, tuple(sizes.items()), dtype)


def fused_variant(arch: str) -> str:
    """The variant that makes one loop nest of a chain and the Add."""
    return "INLINED" if arch == "llvm" else "ON"


def compile_point(wanted: Point, variant: str, arch: str, folder: Path) -> Artifact:
    """Compile into `folder` what `loading.load` needs; raises FusionError as a build does."""
    folder.mkdir(parents=True)
    made = build.build(wanted, VARIANTS[variant], arch, folder, folder / "failed-ir")
    (folder / made.code.file).write_bytes(made.code.data)
    record = {
        "variant": variant,
        "arch": arch,
        "code": {
            "format": made.code.format,
            "file": made.code.file,
            "sha256": records.sha256(made.code.data),
            "source_sha256": records.sha256(made.code.source.encode()),
        },
        "module": {"file": "module.so", "sha256": records.file_sha256(made.module)},
        "compiler": made.code.compiler,
        "kernels": sum(map(len, made.launches.values())),
    }
    return Artifact(folder, record)


def measure_us(wanted: Point, artifact: Artifact, arch: str, protocol: Protocol) -> float:
    """The median of the samples, in microseconds a call."""
    arrays = targets.to_device(inputs.draw(wanted.inputs, 0, 0.25, 1.0), arch)
    timer = sampling.Timer(loading.load(artifact), arrays, arch, protocol)
    timer.warm_up()
    samples = timer.batch(timer.planned_number(), protocol.repeat)
    return statistics.median(samples) * 1e6


def line(kind: str, times: dict[int, float], elements: int) -> dict[str, float]:
    """Slope and intercept of time over length, in picoseconds an element of the whole device.

    The intercept holds the Add of b.
    """
    short, long = KINDS[kind].lengths
    slope = (times[long] - times[short]) / (long - short)
    per_element = 1e6 / elements
    return {
        "step_ps": slope * per_element,
        "intercept_ps": (times[short] - short * slope) * per_element,
    }


def host(few_us: float, many_us: float) -> dict[str, float]:
    """host_us and call_us (see costs.Rates) from calls of as many kernels as LAUNCHES says."""
    few, many = LAUNCHES
    each = (many_us - few_us) / (many - few)
    return {"host_us": round(each, 2), "call_us": round(max(0.0, few_us - few * each), 2)}


def prices(steps_ps: dict[str, float]) -> dict[str, float]:
    """What each kind takes: its step without what stands beside it, and never below nothing.

    'other' is the dearest of all, for what was not measured.
    """
    found: dict[str, float] = {}
    for kind in KINDS:
        if kind in steps_ps:
            beside = sum(found[other] for other in KINDS[kind].beside)
            found[kind] = round(max(0.0, steps_ps[kind] - beside), 5)
    return {**found, "other": max(found.values())}
