"""Latency over the floor along depth or shapes, for every variant and peer."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator, StrMethodFormatter

from ..tables import point
from ..words import percent
from . import style
from .panels import axis_and_panels, figure_of, ticks, unjoin
from .plotted import bounds, frame_of, in_order, of_panel

TICKS = (
    0.2,
    0.3,
    0.5,
    0.7,
    1,
    1.5,
    2,
    3,
    5,
    7,
    10,
    15,
    20,
    30,
    50,
    70,
    100,
    150,
    200,
    300,
    500,
    1000,
)


def draw(summary: dict) -> tuple[plt.Figure, pd.DataFrame]:
    """Needs two cases or more, and their latency over the floor."""
    axis, panels = axis_and_panels(summary)
    frame = plotted(summary, in_order(panels))
    figure, axes = figure_of(panels, 4.6)
    names = [name for c in summary["cases"] for name in c["over_floor"] or {}]
    names = [name for name in dict.fromkeys(names) if name != summary["floor"]]
    for title, cases in panels.items():
        _panel(axes[title], axis, cases, of_panel(frame, cases), names)
        axes[title].axhline(1, color="#555555", linewidth=1)
        axes[title].legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
        axes[title].set_ylabel(f"latency over {summary['floor']} (log)")
    figure.get_layout_engine().set(rect=(0, 0.07, 1, 0.93))
    dashed = any(style.dashes(name) == "--" for name in names)
    style.title(
        figure,
        f"{summary['experiment']}: latency over {summary['floor']} by {axis}",
        summary,
        f"{summary['floor']}: a copy of as many bytes as the case must move, timed in the same "
        f"blocks, at 1. Line: median over trials; bar: {percent(summary['judging']['confidence'])} "
        "interval over them, where there are two or more."
        + (" Dashed: launched in CUDA graphs." if dashed else ""),
    )
    return figure, frame


def plotted(summary: dict, cases: list[dict]) -> pd.DataFrame:
    """One row a variant or peer of a case: its median over the floor, with its interval."""
    marks = [
        (case, {"variant": name, "over_floor": over["median"], **bounds(over["interval"])})
        for case in cases
        for name, over in (case["over_floor"] or {}).items()
        if name != summary["floor"]
    ]
    return frame_of(summary, marks, ["variant", "over_floor", "low", "high"])


def _panel(
    ax: plt.Axes, axis: str, cases: list[dict], frame: pd.DataFrame, names: list[str]
) -> None:
    along = "depth" if axis == "depth" else "place"
    for name in names:
        color, marker = style.look(name)
        timed = frame[frame["variant"] == name]
        hollow = style.dashes(name) == "--"
        ax.plot(
            list(timed[along]),
            list(timed["over_floor"]),
            color=color,
            marker=marker,
            linestyle=style.dashes(name),
            markerfacecolor="white" if hollow else color,
            markersize=6,
            linewidth=1.5,
            label=name,
        )
        known = timed.dropna(subset=["low"])
        for x, low, high in zip(known[along], known["low"], known["high"], strict=True):
            ax.vlines(x, low, high, color=color, linewidth=4, alpha=0.35)
    if axis == "depth":
        along_depth(ax, [point(case)["depth"] for case in cases])
    else:
        unjoin(ax, axis)
        ticks(ax, axis, cases)
    log_ratio(ax)


def log_ratio(ax: plt.Axes) -> None:
    """Ratios on a log axis, with ticks that are read as factors."""
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(FixedLocator(TICKS))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def along_depth(ax: plt.Axes, depths: list[int]) -> None:
    """Depth on a log2 axis, a tick at each depth that was measured."""
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_locator(FixedLocator(sorted(set(depths))))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.set_xlabel("depth (log)")
