"""Latency over the floor along depth or shapes, for every variant and peer."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator, StrMethodFormatter

from ..tables import point
from ..words import percent
from . import style
from .panels import axis_and_panels, figure_of, ticks, unjoin

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


def draw(summary: dict) -> plt.Figure:
    """Needs two cases or more, and their latency over the floor."""
    axis, panels = axis_and_panels(summary)
    figure, axes = figure_of(panels, 4.6)
    names = list(dict.fromkeys(name for c in summary["cases"] for name in c["over_floor"] or {}))
    for title, cases in panels.items():
        _panel(axes[title], axis, cases, [name for name in names if name != summary["floor"]])
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
    return figure


def _panel(ax: plt.Axes, axis: str, cases: list[dict], names: list[str]) -> None:
    along = range(len(cases)) if axis != "depth" else [point(case)["depth"] for case in cases]
    for name in names:
        color, marker = style.look(name)
        timed = [
            (x, case["over_floor"][name])
            for x, case in zip(along, cases, strict=True)
            if name in (case["over_floor"] or {})
        ]
        hollow = style.dashes(name) == "--"
        ax.plot(
            [x for x, _ in timed],
            [over["median"] for _, over in timed],
            color=color,
            marker=marker,
            linestyle=style.dashes(name),
            markerfacecolor="white" if hollow else color,
            markersize=6,
            linewidth=1.5,
            label=name,
        )
        for x, over in timed:
            if over["interval"]:
                low, high = over["interval"]["low"], over["interval"]["high"]
                ax.vlines(x, low, high, color=color, linewidth=4, alpha=0.35)
    if axis == "depth":
        along_depth(ax, list(along))
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
