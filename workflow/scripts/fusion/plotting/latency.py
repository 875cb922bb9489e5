"""Latency of each variant along depth: a bar for the median over trials, a dot for each trial."""

import matplotlib.pyplot as plt

from ..tables import point
from . import style
from .panels import axis_and_panels, figure_of


def draw(summary: dict) -> plt.Figure:
    axis, panels = axis_and_panels(summary)
    figure, axes = figure_of(panels, 3.2)
    for name, cases in panels.items():
        _panel(axes[name], axis, cases, summary["variants"])
    next(iter(axes.values())).legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.get_layout_engine().set(rect=(0, 0.08, 1, 0.92))
    style.title(
        figure,
        f"{summary['experiment']}: latency by variant and {axis}",
        summary,
        "Bar: median over trials of a trial's median; a dot: one trial.",
    )
    return figure


def _panel(ax, axis: str, cases: list[dict], variants: list[str]) -> None:
    width = 0.8 / len(variants)
    for index, variant in enumerate(variants):
        color, marker = style.look(variant)
        xs = [place + width * (index - (len(variants) - 1) / 2) for place in range(len(cases))]
        medians = [case["median_us"][variant]["median"] for case in cases]
        ax.bar(xs, medians, width * 0.92, color=color, alpha=0.75, label=variant)
        for x, case, middle in zip(xs, cases, medians, strict=True):
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
            )
    ax.set_xticks(range(len(cases)), [str(point(case)[axis]) for case in cases])
    ax.set_xlabel(axis)
    ax.set_ylabel("µs a call (median)")
    ax.margins(y=0.12)
    ax.grid(axis="x", visible=False)
