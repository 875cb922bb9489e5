"""Latency of each variant along depth: bars for the medians over trials, or lines where bars would
be too many, and a dot for each trial.
"""

import matplotlib.pyplot as plt

from . import style
from .panels import axis_and_panels, figure_of, ticks, unjoin

MOST_BARS = 12  # in a panel; more are too narrow for the number in each


def draw(summary: dict) -> plt.Figure:
    axis, panels = axis_and_panels(summary)
    figure, axes = figure_of(panels, 3.2)
    for name, cases in panels.items():
        bars = len(cases) * len(summary["variants"])
        panel = _bars if bars <= MOST_BARS else _lines
        panel(axes[name], cases, summary["variants"])
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
    return figure


def _bars(ax, cases: list[dict], variants: list[str]) -> None:
    width = 0.8 / len(variants)
    for index, variant in enumerate(variants):
        color, marker = style.look(variant)
        places = [p for p, case in enumerate(cases) if variant in case["median_us"]]
        timed = [cases[place] for place in places]
        xs = [place + width * (index - (len(variants) - 1) / 2) for place in places]
        medians = [case["median_us"][variant]["median"] for case in timed]
        ax.bar(xs, medians, width * 0.92, color=color, alpha=0.75, label=variant)
        for x, case, middle in zip(xs, timed, medians, strict=True):
            values = case["median_us"][variant]["values"]
            spots = [
                x + style.stable_jitter(f"{variant}{i}", width / 4) for i in range(len(values))
            ]
            ax.scatter(
                spots, values, s=14, marker=marker, color="white", edgecolor="black", linewidth=0.7
            )
            ax.annotate(
                f"{middle:.3g}",
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


def _lines(ax, cases: list[dict], variants: list[str]) -> None:
    for variant in variants:
        color, marker = style.look(variant)
        places = [p for p, case in enumerate(cases) if variant in case["median_us"]]
        found = [cases[place]["median_us"][variant] for place in places]
        ax.plot(
            places,
            [over["median"] for over in found],
            color=color,
            linestyle=style.dashes(variant),
            marker=marker,
            markersize=5,
            label=variant,
        )
        spots = [(p, v) for p, o in zip(places, found, strict=True) for v in o["values"]]
        if spots:
            ax.scatter(*zip(*spots, strict=True), s=5, color=color)
    style.plain_log(ax)
    ax.set_ylabel("µs a call (median, log)")
