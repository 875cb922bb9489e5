"""ON/PARTIAL along depth for each workload, and where it crosses 1."""

import matplotlib.pyplot as plt

from ..crossing_tables import PAIR, Line, lines_of, name
from ..crossings import words
from ..words import percent
from . import style
from .over_floor import along_depth, log_ratio

MARKERS = "oshDP*v<>pX"


def draw(summary: dict) -> plt.Figure:
    """Needs cases at more than two depths, with ON and PARTIAL."""
    lines = lines_of(summary)
    figure, (ax, low) = plt.subplots(
        2,
        1,
        figsize=(style.WIDTH, 5.2 + 0.28 * len(lines)),
        height_ratios=(4.2, 0.4 + 0.28 * len(lines)),
        sharex=True,
        layout="constrained",
    )
    looks = _looks(lines)
    for line, (color, marker) in zip(lines, looks, strict=True):
        ax.plot(line.depths, line.medians, color=color, marker=marker, label=name(line))
        for depth, interval in zip(line.depths, line.intervals, strict=True):
            if interval:
                ax.vlines(
                    depth, interval["low"], interval["high"], color=color, linewidth=4, alpha=0.3
                )
    ax.axhline(1, color="#555555", linewidth=1)
    log_ratio(ax)
    ax.set_ylabel(f"{PAIR}, log (above 1: fusing loses)")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    for row, (line, look) in enumerate(zip(lines, looks, strict=True)):
        _crossing(low, row, line, look)
    low.set_yticks(range(len(lines)), [name(line) for line in lines], fontsize=8.5)
    right = low.twinx()
    right.set_yticks(range(len(lines)), [words(line.crossing) for line in lines], fontsize=8.5)
    right.tick_params(length=0)
    right.grid(visible=False)
    low.set_ylim(len(lines) - 0.5, -0.5)
    right.set_ylim(low.get_ylim())
    low.grid(axis="y", visible=False)
    along_depth(low, [depth for line in lines for depth in line.depths])
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
    return figure


def _looks(lines: list[Line]) -> list[tuple[str, str]]:
    """A workload's look where workloads alone tell the lines apart, else one by one."""
    if len({line.where.get("workload") for line in lines}) == len(lines):
        return [style.look(line.where.get("workload") or PAIR) for line in lines]
    colors = plt.get_cmap("viridis").resampled(len(lines) + 1)
    return [(colors(index), MARKERS[index % len(MARKERS)]) for index in range(len(lines))]


def _crossing(ax: plt.Axes, row: int, line: Line, look: tuple[str, str]) -> None:
    color, marker = look
    found = line.crossing
    ax.hlines(row, line.depths[0], line.depths[-1], color="#dddddd", linewidth=1, zorder=1)
    if found.interval:
        low = max(found.interval.low, line.depths[0])
        high = min(found.interval.high, line.depths[-1])
        ax.hlines(row, low, high, color=color, linewidth=7, alpha=0.35)
    for depths in found.by_trial:
        ax.scatter(depths, [row] * len(depths), s=22, marker=marker, color=color, zorder=3)
