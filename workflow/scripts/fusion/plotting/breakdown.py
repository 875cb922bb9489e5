"""What a call's time goes to: kernels, launch gaps and the rest, stacked, by variant and depth."""

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..breakdown import breakdowns
from . import style
from .panels import axis_and_panels, figure_of
from .panels import place as where

PARTS = {
    "kernels_us": ("kernels", "#0072B2"),
    "gaps_us": ("launch gaps", "#E69F00"),
    "rest_us": ("rest of the call", "#BBBBBB"),
}


def draw(summary: dict, profiles: list[dict]) -> plt.Figure:
    """profiles: the profile records of the summary's cases."""
    entries = {(e["case"]["case"]["name"], e["variant"]): e for e in breakdowns(profiles, summary)}
    axis, panels = axis_and_panels(summary)
    figure, axes = figure_of(panels, 3.4)
    for name, cases in panels.items():
        _panel(axes[name], axis, cases, summary["variants"], entries)
    handles = [Patch(color=color, label=name) for name, color in reversed(PARTS.values())]
    handles.insert(0, Line2D([], [], color="black", linewidth=2, label="timed median"))
    next(iter(axes.values())).legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.get_layout_engine().set(rect=(0, 0.1, 1, 0.9))
    style.title(
        figure,
        f"{summary['experiment']}: where a call's time goes, by variant and {axis}",
        summary,
        "Bars: means a call while traced by CUPTI, which itself costs time, at launches above all; "
        "black line: median as timed without it; number: timed minus the bar.",
    )
    return figure


def _panel(ax, axis: str, cases: list[dict], variants: list[str], entries: dict) -> None:
    width = 0.8 / len(variants)
    ticks, labels = [], []
    for place, case in enumerate(cases):
        for index, variant in enumerate(variants):
            x = place + width * (index - (len(variants) - 1) / 2)
            ticks.append(x)
            labels.append(variant)
            entry = entries.get((case["case"]["name"], variant))
            _bar(ax, x, width, entry)
        ax.annotate(
            f"{axis} {where(case, axis)}",
            (place, 0),
            xycoords=("data", "axes fraction"),
            xytext=(0, -30),
            textcoords="offset points",
            ha="center",
        )
    ax.set_xticks(ticks, labels, fontsize=8.5)
    ax.set_ylabel("µs a call")
    ax.margins(y=0.12)
    ax.grid(axis="x", visible=False)


def _bar(ax, x: float, width: float, entry: dict | None) -> None:
    if entry is None or entry["not_run"]:
        ax.annotate("not run", (x, 0), rotation=90, ha="center", va="bottom", fontsize=8.5)
    else:
        bottom = 0.0
        for key, (_, color) in PARTS.items():
            ax.bar(x, entry[key], width * 0.86, bottom=bottom, color=color)
            bottom += entry[key]
        ax.annotate(
            f"{entry['difference_us']:+.1f}",
            (x, max(entry["timed_us"], bottom)),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=8.5,
        )
    if entry is not None:
        ax.hlines(entry["timed_us"], x - width / 2, x + width / 2, color="black", linewidth=2)
