"""What a call's time goes to: kernels, launch gaps and the rest, stacked, by variant and depth."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..breakdown import breakdowns
from . import style
from .panels import axis_and_panels, figure_of
from .panels import place as where
from .plotted import frame_of, in_order

PARTS = {
    "kernels_us": ("kernels", "#0072B2"),
    "gaps_us": ("launch gaps", "#E69F00"),
    "rest_us": ("rest of the call", "#BBBBBB"),
}
TIMED, DIFFERENCE, NOT_RUN = "timed median", "timed minus the bar", "not run"


def draw(summary: dict, profiles: list[dict]) -> tuple[plt.Figure, pd.DataFrame]:
    """profiles: the profile records of the summary's cases."""
    axis, panels = axis_and_panels(summary)
    frame = plotted(summary, in_order(panels), profiles)
    figure, axes = figure_of(panels, 3.4)
    for name, cases in panels.items():
        _panel(axes[name], axis, cases, summary["variants"], frame)
    handles = [Patch(color=color, label=name) for name, color in reversed(PARTS.values())]
    handles.insert(0, Line2D([], [], color="black", linewidth=2, label=TIMED))
    next(iter(axes.values())).legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.get_layout_engine().set(rect=(0, 0.1, 1, 0.9))
    style.title(
        figure,
        f"{summary['experiment']}: where a call's time goes, by variant and {axis}",
        summary,
        "Bars: means a call while traced by CUPTI, which itself costs time, at launches above all; "
        "black line: median as timed without it; number: timed minus the bar.",
    )
    return figure, frame


def plotted(summary: dict, cases: list[dict], profiles: list[dict]) -> pd.DataFrame:
    """One row a part of a bar, a median as timed and a difference; or one that says why not."""
    entries = {(e["case"]["case"]["name"], e["variant"]): e for e in breakdowns(profiles, summary)}
    marks = []
    for case in cases:
        for variant in summary["variants"]:
            found = _marks(entries.get((case["case"]["name"], variant)))
            marks += [(case, {"variant": variant, **mark}) for mark in found]
    return frame_of(summary, marks, ["variant", "kind", "us", "why"])


def _marks(entry: dict | None) -> list[dict]:
    if entry is None:
        return [{"kind": NOT_RUN, "why": "no profile, or not timed"}]
    timed = {"kind": TIMED, "us": entry["timed_us"]}
    if entry["not_run"]:
        return [{"kind": NOT_RUN, "why": entry["not_run"]}, timed]
    parts = [{"kind": name, "us": entry[key]} for key, (name, _) in PARTS.items()]
    return [*parts, timed, {"kind": DIFFERENCE, "us": entry["difference_us"]}]


def _panel(ax, axis: str, cases: list[dict], variants: list[str], frame: pd.DataFrame) -> None:
    width = 0.8 / len(variants)
    ticks, labels = [], []
    for place, case in enumerate(cases):
        own = frame[frame["case"] == case["case"]["name"]]
        for index, variant in enumerate(variants):
            x = place + width * (index - (len(variants) - 1) / 2)
            ticks.append(x)
            labels.append(variant)
            one = own[own["variant"] == variant]
            _bar(ax, x, width, dict(zip(one["kind"], one["us"], strict=True)))
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


def _bar(ax, x: float, width: float, us: dict[str, float]) -> None:
    """us: a bar's marks by kind, in microseconds."""
    if NOT_RUN in us:
        ax.annotate("not run", (x, 0), rotation=90, ha="center", va="bottom", fontsize=8.5)
    else:
        bottom = 0.0
        for name, color in PARTS.values():
            ax.bar(x, us[name], width * 0.86, bottom=bottom, color=color)
            bottom += us[name]
        ax.annotate(
            f"{us[DIFFERENCE]:+.1f}",
            (x, max(us[TIMED], bottom)),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=8.5,
        )
    if TIMED in us:
        ax.hlines(us[TIMED], x - width / 2, x + width / 2, color="black", linewidth=2)
