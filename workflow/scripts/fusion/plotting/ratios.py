"""Ratios along depth: median over trials as a line, interval as a bar, every trial as a dot."""

import matplotlib.pyplot as plt

from ..words import percent
from . import style
from .panels import axis_and_panels, figure_of, ticks, unjoin

WIDE = 12  # the largest ratio of a panel over its smallest, above which its scale is logarithmic


def draw(summary: dict) -> plt.Figure:
    axis, panels = axis_and_panels(summary)
    figure, axes = figure_of(panels, 3.2)
    for name, cases in panels.items():
        _panel(axes[name], axis, cases, summary["pairs"])
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
    return figure


def _panel(ax, axis: str, cases: list[dict], pairs: list[str]) -> None:
    ax.axhline(1, color="#555555", linewidth=1)
    for index, pair in enumerate(pairs):
        color, marker = style.look(pair)
        shift = min(0.09, 0.6 / len(pairs)) * (index - (len(pairs) - 1) / 2)
        timed = [case for case in cases if pair in case["ratios"]]
        xs = [place + shift for place, case in enumerate(cases) if pair in case["ratios"]]
        medians = [case["ratios"][pair]["median"] for case in timed]
        ax.plot(
            xs,
            medians,
            color=color,
            linewidth=1.5,
            marker="_",
            markersize=min(16, 100 / len(cases)),
        )
        over = [(x, case["ratios"][pair]["interval"]) for x, case in zip(xs, timed, strict=True)]
        known = [(x, bounds["low"], bounds["high"]) for x, bounds in over if bounds]
        if known:
            ax.vlines(*zip(*known, strict=True), color=color, linewidth=5, alpha=0.35)
        dots = [dot for x, case in zip(xs, timed, strict=True) for dot in _dots(x, case, pair)]
        faces = ["white" if marked else color for _, _, marked in dots]
        places, values = [dot[0] for dot in dots], [dot[1] for dot in dots]
        ax.scatter(places, values, s=24, marker=marker, facecolor=faces, edgecolor=color)
        shown = ", ".join(f"{m:.2f}" for m in medians) if len(medians) <= 3 else ""
        label = f"{pair}: {shown}" if shown else pair
        ax.scatter([], [], color=color, marker=marker, s=24, label=label)
    unjoin(ax, axis)
    ticks(ax, axis, cases)
    ax.set_xlim(-0.5, len(cases) - 0.5)
    _scale(ax, [over["median"] for case in cases for over in case["ratios"].values()])
    ax.grid(axis="x", visible=False)


def _dots(x: float, case: dict, pair: str) -> list[tuple[float, float, bool]]:
    """A trial's place, value, and whether one of the two had a CV over the bound."""
    return [
        (
            x + style.stable_jitter(f"{pair}{number}", 0.03),
            value,
            bool(set(pair.split("/")) & set(trial["over_max_cv"])),
        )
        for number, (value, trial) in enumerate(
            zip(case["ratios"][pair]["values"], case["trials"], strict=True)
        )
    ]


def _scale(ax, medians: list[float]) -> None:
    """From 0 on; on a log scale where the ratios are so far apart that some would lie on 0."""
    if medians and max(medians) / min(medians) > WIDE:
        style.plain_log(ax)
        ax.set_ylabel("ratio, log (below 1: the first is faster)")
    else:
        ax.set_ylabel("ratio (below 1: the first is faster)")
        ax.set_ylim(bottom=0)
