"""Latency of each variant along depth: bars for the medians over trials, or lines where bars would
be too many, and a dot for each trial.
"""

import matplotlib.pyplot as plt
import pandas as pd

from . import style
from .panels import axis_and_panels, figure_of, ticks, unjoin
from .plotted import frame_of, in_order, of_kind, of_panel

MOST_BARS = 12  # in a panel; more are too narrow for the number in each


def draw(summary: dict) -> tuple[plt.Figure, pd.DataFrame]:
    axis, panels = axis_and_panels(summary)
    frame = plotted(summary, in_order(panels))
    figure, axes = figure_of(panels, 3.2)
    for name, cases in panels.items():
        bars = len(cases) * len(summary["variants"])
        panel = _bars if bars <= MOST_BARS else _lines
        panel(axes[name], of_panel(frame, cases), summary["variants"])
        unjoin(axes[name], axis)
        ticks(axes[name], axis, cases)
    next(iter(axes.values())).legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.get_layout_engine().set(rect=(0, 0.08, 1, 0.92))
    style.title(
        figure,
        f"{summary['experiment']}: latency by variant and {axis}",
        summary,
        "Bar or line: median over trials of a trial's median; a dot: one trial.",
    )
    return figure, frame


def plotted(summary: dict, cases: list[dict]) -> pd.DataFrame:
    """One row a median over trials, and a trial's median."""
    marks = []
    for case in cases:
        for variant in [v for v in summary["variants"] if v in case["median_us"]]:
            over = case["median_us"][variant]
            mark = {"variant": variant}
            marks.append((case, mark | {"kind": "median", "median_us": over["median"]}))
            for value, trial in zip(over["values"], case["trials"], strict=True):
                one = {"kind": "trial", "trial": trial["trial"], "median_us": value}
                marks.append((case, mark | one))
    return frame_of(summary, marks, ["variant", "kind", "trial", "median_us"])


def _bars(ax, frame: pd.DataFrame, variants: list[str]) -> None:
    width = 0.8 / len(variants)
    for index, variant in enumerate(variants):
        color, marker = style.look(variant)
        middle = of_kind(frame, "median", variant=variant)
        xs = [place + width * (index - (len(variants) - 1) / 2) for place in middle["place"]]
        medians = list(middle["median_us"])
        ax.bar(xs, medians, width * 0.92, color=color, alpha=0.75, label=variant)
        for x, case, median in zip(xs, middle["case"], medians, strict=True):
            values = list(of_kind(frame, "trial", variant=variant, case=case)["median_us"])
            spots = [
                x + style.stable_jitter(f"{variant}{i}", width / 4) for i in range(len(values))
            ]
            ax.scatter(
                spots, values, s=14, marker=marker, color="white", edgecolor="black", linewidth=0.7
            )
            ax.annotate(
                f"{median:.3g}",
                (x, 0),
                xytext=(0, 4),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
                fontweight="bold",
                color="white" if color == "#000000" else "black",
            )
    ax.set_ylabel("µs a call (median)")
    ax.margins(y=0.12)
    ax.grid(axis="x", visible=False)


def _lines(ax, frame: pd.DataFrame, variants: list[str]) -> None:
    for variant in variants:
        color, marker = style.look(variant)
        middle = of_kind(frame, "median", variant=variant)
        ax.plot(
            list(middle["place"]),
            list(middle["median_us"]),
            color=color,
            linestyle=style.dashes(variant),
            marker=marker,
            markersize=5,
            label=variant,
        )
        dots = of_kind(frame, "trial", variant=variant)
        if len(dots):
            ax.scatter(list(dots["place"]), list(dots["median_us"]), s=5, color=color)
    style.plain_log(ax)
    ax.set_ylabel("µs a call (median, log)")
