"""Profiles as tables: what a call's time goes to, and what each kernel did."""

import pandas as pd

from .breakdown import breakdowns, launches
from .names import shorten
from .ncu import METRICS
from .tables import markdown_table, point, subtitle, varying_sizes

THREADS = 32  # of a warp
NOTE = (
    "Kernels, gaps between a call's kernels, and the rest (from a call's last kernel to the next "
    "call's first) are means over traced calls (CUPTI). Tracing itself costs time: a negative "
    "difference is that cost. It lies in the gaps of variants that launch often, and in the "
    "kernels themselves where they alone take longer than the timed median. The kernels' sum is "
    "the GPU's own time; what the timed median is above it is launching, from Python for a peer."
)
COUNTERS = (
    "One call after warm-up under Nsight Compute; a kernel's means over its launches. It replays "
    "each kernel alone with cold caches, so that durations differ from those in a stream of "
    "calls; counts of kernels that last a few microseconds are rough (percentages can pass 100). "
    "Registers are those that the GPU allocates to a thread, in steps; the audit has those that "
    "the code uses."
)


def markdown(profiles: list[dict], summary: dict) -> str:
    """Both tables, and what was not run and why."""
    entries = breakdowns(profiles, summary)
    judged = producers(profiles)
    lines = [f"# {summary['experiment']}: where the time goes", "", f"{subtitle(summary)}.", ""]
    lines += [
        "## A call's latency, µs",
        "",
        *markdown_table(call_rows(entries, summary, judged)),
        "",
    ]
    lines += [NOTE, "", "## Kernels", ""]
    rows = kernel_rows(profiles, summary)
    lines += [*markdown_table(rows), "", COUNTERS, ""] if rows else []
    lines += not_run(profiles)
    return "\n".join(lines)


def producers(profiles: list[dict]) -> dict[tuple[str, str], str]:
    """What became of the producer, by case and variant, where profiles say so."""
    return {
        (p["case"]["name"], p["variant"]): p["producer"]["verdict"]
        for p in profiles
        if "producer" in p
    }


def not_run(profiles: list[dict]) -> list[str]:
    """A line for each part that no profile or not every profile has, with the reason."""
    found: dict[str, list[str]] = {}
    for profile in profiles:
        for what in ("trace", "counters"):
            why = profile[what].get("not_run")
            if why:
                found.setdefault(f"{what} not run: {why}", []).append(profile["variant"])
    return [f"- {', '.join(dict.fromkeys(names))}: {why}" for why, names in found.items()]


def breakdown_frame(profiles: list[dict], summary: dict) -> pd.DataFrame:
    """One row a case and variant: the parts of a call in microseconds, timed median, difference."""
    rows = []
    for entry in breakdowns(profiles, summary):
        row = {**point(entry["case"]), "variant": entry["variant"]}
        keys = ("launches", "kernels_us", "gaps_us", "rest_us", "sum_us", "timed_us")
        rows.append(row | {k: entry[k] for k in (*keys, "difference_us", "not_run")})
    return pd.DataFrame(rows)


def kernels_frame(profiles: list[dict]) -> pd.DataFrame:
    """One row a case, variant and kernel with every counter; full kernel names."""
    rows = [
        {**point({"case": profile["case"]}), "variant": profile["variant"], **kernel}
        for profile in profiles
        for kernel in launches(profile)
    ]
    keys = ("variant", "kernel", "launches", "grid", "block", *METRICS)
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=keys)


def call_rows(entries: list[dict], summary: dict, judged: dict) -> list[dict]:
    """judged: what became of the producer, by case and variant, where profiles say so."""
    rows = []
    for entry in entries:
        row = {key: point(entry["case"]).get(key, "–") for key in varying_sizes(summary)}
        row |= {"variant": entry["variant"], "launches": _shown(entry["launches"], 0, "not run")}
        if judged:
            row["producer"] = judged.get((entry["case"]["case"]["name"], entry["variant"]), "–")
        names = {
            "kernels": "kernels_us",
            "launch gaps": "gaps_us",
            "rest": "rest_us",
            "sum": "sum_us",
            "timed median": "timed_us",
            "difference": "difference_us",
        }
        rows.append(row | {n: _shown(entry[key], 2, "not run") for n, key in names.items()})
    return rows


def kernel_rows(profiles: list[dict], summary: dict) -> list[dict]:
    rows = []
    for profile in profiles:
        for kernel in launches(profile):
            row = {
                key: point({"case": profile["case"]}).get(key, "–")
                for key in varying_sizes(summary)
            }
            row |= {
                "variant": profile["variant"],
                "kernel": f"`{shorten(kernel['kernel'], 32)}`",
                "launches": kernel["launches"],
                "duration, µs": _shown(kernel["duration_us"], 2),
                "XU operations": _shown(_threads(kernel["xu_instructions"]), 0),
                "XU, % of peak": _shown(kernel["xu_percent_of_peak"], 1),
                "DRAM read, MB": _shown(_mega(kernel["dram_read_bytes"]), 2),
                "DRAM written, MB": _shown(_mega(kernel["dram_write_bytes"]), 2),
                "DRAM, % of peak": _shown(kernel["dram_percent_of_peak"], 1),
                "L2 hits, %": _shown(kernel["l2_hit_percent"], 1),
                "registers": _shown(kernel["registers"], 0),
                "occupancy, %": _shown(kernel["occupancy_percent"], 1),
            }
            rows.append(row)
    return rows


def _threads(warp_instructions: float | None) -> float | None:
    return None if warp_instructions is None else warp_instructions * THREADS


def _mega(count: float | None) -> float | None:
    return None if count is None else count / 1e6


def _shown(value: float | None, digits: int, missing: str = "–") -> str:
    return missing if value is None else f"{value:,.{digits}f}"
