"""Which figures and tables an experiment has: known from its configuration, before it runs."""

from .cases import Case
from .toolchains import tvms

MOST_SAMPLES = 20  # cases; for more, nobody reads a figure of every sample a case
MOST_PROFILES = 24  # cases times variants and peers; for more, profiling takes longer than timing

WORDS = {
    "ratios_by_depth": "ratios of latency",
    "latency_by_depth": "latency",
    "breakdown": "where a call's time goes",
    "over_floor_by_depth": "latency over a copy",
    "fastest_map": "the fastest variant",
    "crossing": "where fusing stops paying",
    "samples": "every sample",
}  # of a figure, or of a folder of figures


def figures(cases: list[Case], settings: dict, kind: str) -> list[str]:
    """The figures' names without suffix; kind: cuda or llvm.

    settings: the configuration for the device.
    """
    names = ["ratios_by_depth", "latency_by_depth"]
    profiles = len(cases) * len([*settings["variants"], *settings["peers"]])
    one_tvm = len(tvms(settings["toolchains"])) < 2  # profiles are of one
    names += ["breakdown"] if kind == "cuda" and one_tvm and profiles <= MOST_PROFILES else []
    if settings["floor"] != "none" and len(cases) > 1:
        names.append("over_floor_by_depth")
    if len(_values(cases, "depth")) > 1 and len(_values(cases, "cols")) > 1:
        names.append("fastest_map")
    names += ["crossing"] if has_crossings(cases, settings["variants"]) else []
    names += [f"samples/{case.name}" for case in cases] if len(cases) <= MOST_SAMPLES else []
    return names


def in_report(figures: list[str]) -> list[tuple[str, str, str, str]]:
    """(name, kind, case or "", what the report calls it) of each."""
    parts = [(name, *name.partition("/")[::2]) for name in figures]
    return [(name, kind, case, WORDS[kind]) for name, kind, case in parts]


def has_crossings(cases: list[Case], variants: list[str]) -> bool:
    """Whether there is a ratio to follow along depth: ON/PARTIAL at more than two depths."""
    return {"ON", "PARTIAL"} <= set(variants) and len(_values(cases, "depth")) > 2


def _values(cases: list[Case], size: str) -> set:
    """The values of a size that all cases have; none where a workload lacks it."""
    found = [dict(case.sizes).get(size) for case in cases]
    return set() if None in found else set(found)
