"""The crossings of an experiment: read from its summary, and as tables."""

import math
from dataclasses import dataclass

import pandas as pd

from .crossings import Crossing, crossing, words
from .tables import markdown_table, point, point_words, subtitle, varying_sizes
from .words import percent

PAIR = "ON/PARTIAL"
NOTE = (
    "Where ON/PARTIAL, the latency of the whole graph fused over that of the graph cut before the "
    "broadcast Add, crosses 1 along depth. Each trial's log ratio (its mean over the unflagged "
    "blocks) is interpolated linearly between neighbouring depths; the depth is the geometric mean "
    "of the trials' crossings, in brackets Student's {confidence} interval over them, on the log "
    "scale: how far trials differ, and not how far the curve is from a straight line between two "
    "depths. Nothing is said about depths beyond those measured."
)


@dataclass(frozen=True)
class Line:
    """One line of the figure and row of the table: what its cases share, and its crossing.

    where: the sizes that vary between lines, with workload and dtype. depths: [n]. medians,
    intervals: of the ratio at each depth, [n].
    """

    where: dict
    depths: list[int]
    medians: list[float]
    intervals: list[dict | None]
    crossing: Crossing


def lines_of(summary: dict) -> list[Line]:
    """The summary's cases, put into lines along depth; needs ON and PARTIAL.

    A depth at which some trial has no unflagged block is left out of its line.
    """
    keys = [key for key in varying_sizes(summary) if key != "depth"]
    groups: dict[tuple, list[dict]] = {}
    for case in [case for case in summary["cases"] if PAIR in case["ratios"]]:
        over = case["ratios"][PAIR]
        if None not in over["block_means"]:
            groups.setdefault(tuple(point(case).get(key) for key in keys), []).append(case)
    return [
        _line(dict(zip(keys, where, strict=True)), cases, summary["judging"]["confidence"])
        for where, cases in groups.items()
    ]


def _line(where: dict, cases: list[dict], confidence: float) -> Line:
    cases = sorted(cases, key=lambda case: point(case)["depth"])
    depths = [point(case)["depth"] for case in cases]
    over = [case["ratios"][PAIR] for case in cases]
    trials = zip(*(o["block_means"] for o in over), strict=True)
    logs = [[math.log(value) for value in values] for values in trials]
    return Line(
        where,
        depths,
        [o["median"] for o in over],
        [o["interval"] for o in over],
        crossing(depths, logs, confidence),
    )


def name(line: Line) -> str:
    """What a line is of: its workload, and the sizes in which the lines differ."""
    return point_words(line.where) or PAIR


def markdown(summary: dict) -> str:
    """The table, and how it was made."""
    text = NOTE.format(confidence=percent(summary["judging"]["confidence"]))
    lines = [f"# {summary['experiment']}: where fusing stops paying", "", f"{subtitle(summary)}."]
    return "\n".join([*lines, "", *markdown_table(_rows(summary)), "", text, ""])


def _rows(summary: dict) -> list[dict]:
    return [
        {
            **(line.where or {"ratio": PAIR}),
            "depths measured": ", ".join(map(str, line.depths)),
            "crossing depth": _depth(line.crossing),
            "finding": words(line.crossing),
        }
        for line in lines_of(summary)
    ]


def _depth(found: Crossing) -> str:
    if found.depth is None:
        return "–"
    if found.interval is None:
        return f"{found.depth:.2f} (no interval)"
    return f"{found.depth:.2f} [{found.interval.low:.2f}, {found.interval.high:.2f}]"


def frame(summary: dict) -> pd.DataFrame:
    """One row a line: the kind of crossing, its depth and interval, each trial's crossings."""
    rows = []
    for line in lines_of(summary):
        found = line.crossing
        bounds = found.interval and found.interval.as_record()
        row = {**line.where, "ratio": PAIR, "kind": found.kind, "depth": found.depth}
        row |= {key: bounds[key] if bounds else None for key in ("low", "high")}
        row |= {"first_depth": found.first, "last_depth": found.last}
        by_trial = ["; ".join(f"{d:.4f}" for d in depths) for depths in found.by_trial]
        rows.append(row | {"by_trial": " | ".join(by_trial)})
    return pd.DataFrame(rows)
