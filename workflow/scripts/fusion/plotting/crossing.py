"""ON/PARTIAL along depth for each workload, and where it crosses 1."""

import matplotlib.pyplot as plt
import pandas as pd

from ..crossing_tables import PAIR, Line, lines_of, name
from ..crossings import words
from ..words import percent
from . import style
from .over_floor import along_depth, log_ratio
from .plotted import bounds, of_kind

MARKERS = "oshDP*v<>pX"
COLUMNS = ["line", "kind", "trial", "depth", "ratio", "low", "high", "finding"]


def draw(summary: dict) -> tuple[plt.Figure, pd.DataFrame]:
    """Needs cases at more than two depths, with ON and PARTIAL."""
    lines = lines_of(summary)
    names = [name(line) for line in lines]
    frame = plotted(lines)
    figure, (ax, low) = plt.subplots(
        2,
        1,
        figsize=(style.WIDTH, 5.2 + 0.28 * len(lines)),
        height_ratios=(4.2, 0.4 + 0.28 * len(lines)),
        sharex=True,
        layout="constrained",
    )
    for row, (line, look) in enumerate(zip(names, _looks(lines), strict=True)):
        own = frame[frame["line"] == line]
        _ratios(ax, line, of_kind(own, "ratio"), look)
        _crossing(low, row, own, look)
    ax.axhline(1, color="#555555", linewidth=1)
    log_ratio(ax)
    ax.set_ylabel(f"{PAIR}, log (above 1: fusing loses)")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    low.set_yticks(range(len(lines)), names, fontsize=8.5)
    right = low.twinx()
    findings = list(of_kind(frame, "finding")["finding"])
    right.set_yticks(range(len(lines)), findings, fontsize=8.5)
    right.tick_params(length=0)
    right.grid(visible=False)
    low.set_ylim(len(lines) - 0.5, -0.5)
    right.set_ylim(low.get_ylim())
    low.grid(axis="y", visible=False)
    along_depth(low, list(of_kind(frame, "ratio")["depth"]))
    figure.get_layout_engine().set(rect=(0, 0.07, 1, 0.93))
    confidence = percent(summary["judging"]["confidence"])
    style.title(
        figure,
        f"{summary['experiment']}: where fusing stops paying",
        summary,
        f"Above: median over trials, bar: {confidence} interval over them. Below: where {PAIR} "
        f"crosses 1, a dot a trial, bar: {confidence} interval over them; linear between measured "
        "depths, nothing beyond them.",
    )
    return figure, frame


def plotted(lines: list[Line]) -> pd.DataFrame:
    """Rows by kind. ratio: a median of ON/PARTIAL with its interval; crossing: a trial's depth;
    interval: of the crossing, as depths, cut off where the measured depths end; finding: in words.
    """
    rows = []
    for line in lines:
        row = {"line": name(line), **line.where}
        for depth, ratio, interval in zip(line.depths, line.medians, line.intervals, strict=True):
            rows.append(row | {"kind": "ratio", "depth": depth, "ratio": ratio, **bounds(interval)})
        found = line.crossing
        for trial, depths in enumerate(found.by_trial, start=1):
            rows += [row | {"kind": "crossing", "trial": trial, "depth": d} for d in depths]
        if found.interval:
            low = max(found.interval.low, line.depths[0])
            high = min(found.interval.high, line.depths[-1])
            rows.append(row | {"kind": "interval", "low": low, "high": high})
        rows.append(row | {"kind": "finding", "finding": words(found)})
    where = dict.fromkeys(key for line in lines for key in line.where)
    return pd.DataFrame(rows, columns=[*where, *COLUMNS], dtype=object)


def _looks(lines: list[Line]) -> list[tuple[str, str]]:
    """A workload's look where workloads alone tell the lines apart, else one by one."""
    if len({line.where.get("workload") for line in lines}) == len(lines):
        return [style.look(line.where.get("workload") or PAIR) for line in lines]
    colors = plt.get_cmap("viridis").resampled(len(lines) + 1)
    return [(colors(index), MARKERS[index % len(MARKERS)]) for index in range(len(lines))]


def _ratios(ax: plt.Axes, line: str, ratios: pd.DataFrame, look: tuple[str, str]) -> None:
    color, marker = look
    ax.plot(list(ratios["depth"]), list(ratios["ratio"]), color=color, marker=marker, label=line)
    known = ratios.dropna(subset=["low"])
    for depth, low, high in zip(known["depth"], known["low"], known["high"], strict=True):
        ax.vlines(depth, low, high, color=color, linewidth=4, alpha=0.3)


def _crossing(ax: plt.Axes, row: int, frame: pd.DataFrame, look: tuple[str, str]) -> None:
    color, marker = look
    depths = list(of_kind(frame, "ratio")["depth"])
    ax.hlines(row, depths[0], depths[-1], color="#dddddd", linewidth=1, zorder=1)
    for interval in of_kind(frame, "interval").itertuples():
        ax.hlines(row, interval.low, interval.high, color=color, linewidth=7, alpha=0.35)
    for _, found in of_kind(frame, "crossing").groupby("trial"):
        xs = list(found["depth"])
        ax.scatter(xs, [row] * len(xs), s=22, marker=marker, color=color, zorder=3)
