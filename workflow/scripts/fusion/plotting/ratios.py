"""Ratios along depth: median over trials as a line, interval as a bar, every trial as a dot."""

import matplotlib.pyplot as plt
import pandas as pd

from ..words import percent
from . import style
from .panels import axis_and_panels, figure_of, ticks, unjoin
from .plotted import bounds, frame_of, in_order, of_kind, of_panel

WIDE = 12  # the largest ratio of a panel over its smallest, above which its scale is logarithmic


def draw(summary: dict) -> tuple[plt.Figure, pd.DataFrame]:
    axis, panels = axis_and_panels(summary)
    frame = plotted(summary, in_order(panels))
    figure, axes = figure_of(panels, 3.2)
    for name, cases in panels.items():
        _panel(axes[name], axis, cases, of_panel(frame, cases), summary["pairs"])
        axes[name].axhline(
            summary["judging"]["slower"], color="#555555", linewidth=0.8, linestyle="--"
        )
    for ax in axes.values():
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.get_layout_engine().set(rect=(0, 0.08, 1, 0.92))
    bound = f"hollow: CV over {percent(summary['passing']['max_cv'])}"
    style.title(
        figure,
        f"{summary['experiment']}: ratios of latency by {axis}",
        summary,
        f"Line: median over trials; bar: {percent(summary['judging']['confidence'])} interval over "
        f"them; a dot: one trial ({bound}); dashed: {summary['judging']['slower']:.2f}, where "
        "SLOWER begins.",
    )
    return figure, frame


def plotted(summary: dict, cases: list[dict]) -> pd.DataFrame:
    """One row a median (with its interval) and a trial (with whether one of the two had a CV over
    the bound).
    """
    marks = []
    for case in cases:
        for pair, over in case["ratios"].items():
            median = {"pair": pair, "kind": "median", "ratio": over["median"]}
            marks.append((case, median | bounds(over["interval"])))
            for value, trial in zip(over["values"], case["trials"], strict=True):
                marked = bool(set(pair.split("/")) & set(trial["over_max_cv"]))
                mark = {"pair": pair, "kind": "trial", "trial": trial["trial"], "ratio": value}
                marks.append((case, mark | {"over_max_cv": marked}))
    columns = ["pair", "kind", "trial", "ratio", "low", "high", "over_max_cv"]
    return frame_of(summary, marks, columns)


def _panel(ax, axis: str, cases: list[dict], frame: pd.DataFrame, pairs: list[str]) -> None:
    ax.axhline(1, color="#555555", linewidth=1)
    for index, pair in enumerate(pairs):
        color, marker = style.look(pair)
        shift = min(0.09, 0.6 / len(pairs)) * (index - (len(pairs) - 1) / 2)
        middle = of_kind(frame, "median", pair=pair)
        medians = list(middle["ratio"])
        ax.plot(
            [place + shift for place in middle["place"]],
            medians,
            color=color,
            linewidth=1.5,
            marker="_",
            markersize=min(16, 100 / len(cases)),
        )
        known = middle.dropna(subset=["low"])
        if len(known):
            xs = [place + shift for place in known["place"]]
            ax.vlines(xs, list(known["low"]), list(known["high"]), color, linewidth=5, alpha=0.35)
        dots = of_kind(frame, "trial", pair=pair)
        faces = ["white" if marked else color for marked in dots["over_max_cv"]]
        numbers = dots.groupby("case", sort=False).cumcount()
        xs = [
            place + shift + style.stable_jitter(f"{pair}{number}", 0.03)
            for place, number in zip(dots["place"], numbers, strict=True)
        ]
        ax.scatter(xs, list(dots["ratio"]), s=24, marker=marker, facecolor=faces, edgecolor=color)
        shown = ", ".join(f"{m:.2f}" for m in medians) if len(medians) <= 3 else ""
        label = f"{pair}: {shown}" if shown else pair
        ax.scatter([], [], color=color, marker=marker, s=24, label=label)
    unjoin(ax, axis)
    ticks(ax, axis, cases)
    ax.set_xlim(-0.5, len(cases) - 0.5)
    _scale(ax, list(frame.loc[frame["kind"] == "median", "ratio"]))
    ax.grid(axis="x", visible=False)


def _scale(ax, medians: list[float]) -> None:
    """From 0 on; on a log scale where the ratios are so far apart that some would lie on 0."""
    if medians and max(medians) / min(medians) > WIDE:
        style.plain_log(ax)
        ax.set_ylabel("ratio, log (below 1: the first is faster)")
    else:
        ax.set_ylabel("ratio (below 1: the first is faster)")
        ax.set_ylim(bottom=0)
