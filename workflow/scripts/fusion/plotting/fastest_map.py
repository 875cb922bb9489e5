"""The fastest variant by depth and columns: a cell a case."""

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch, Rectangle

from ..fastest import fastest
from ..tables import point, point_words, varying_sizes
from ..words import percent
from . import style
from .plotted import frame_of, in_order

ACROSS, UP = "depth", "cols"
AND = ", "  # between the variants of a tie


def draw(summary: dict) -> tuple[plt.Figure, pd.DataFrame]:
    """Needs cases that differ in depth and in cols; a panel for each other difference."""
    panels: dict[str, list[dict]] = {}
    others = [key for key in varying_sizes(summary) if key not in (ACROSS, UP)]
    for case in [case for case in summary["cases"] if case["median_us"]]:
        title = point_words({key: point(case).get(key) for key in others})
        panels.setdefault(title, []).append(case)
    frame = plotted(summary, in_order(panels))
    rows = frame[UP].nunique()
    figure, axes = plt.subplots(
        len(panels),
        1,
        figsize=(style.WIDTH, 1.6 + (0.7 + 0.72 * rows) * len(panels)),
        squeeze=False,
        layout="constrained",
    )
    for ax, (title, cases) in zip(axes[:, 0], panels.items(), strict=True):
        _panel(ax, title, frame[frame["case"].isin({case["case"]["name"] for case in cases})])
    handles = [
        Patch(facecolor=_pale(v), edgecolor="#555555", label=v)
        for v in summary["variants"]
        if v in set(frame["fastest"])
    ]
    if frame["tied_with"].any():
        handles.append(Patch(facecolor="white", edgecolor="#555555", hatch="////", label="tie"))
    axes[0, 0].legend(handles=handles, loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.get_layout_engine().set(rect=(0, 0.1, 1, 0.9))
    beats = "number: ON's latency over its; " if "ON" in summary["variants"] else ""
    style.title(
        figure,
        f"{summary['experiment']}: the fastest variant by {ACROSS} and {UP}",
        summary,
        f"Name: the least median; {beats}hatched: a tie with those after =, "
        "whose latency over the fastest one's has 1 in its "
        f"{percent(summary['judging']['confidence'])} interval (or has no interval).",
    )
    return figure, frame


def plotted(summary: dict, cases: list[dict]) -> pd.DataFrame:
    """One row a cell: the fastest variant, those it is tied with, ON's latency over its."""
    marks = []
    for case in cases:
        found = fastest(case, summary["variants"])
        cell = {"fastest": found.variant, "tied_with": AND.join(found.tied)}
        marks.append((case, cell | {"on_over_fastest": found.over_on}))
    return frame_of(summary, marks, ["fastest", "tied_with", "on_over_fastest"])


def _panel(ax: plt.Axes, title: str, frame: pd.DataFrame) -> None:
    across, up = sorted(set(frame[ACROSS])), sorted(set(frame[UP]))
    for cell in frame.itertuples():
        x, y = across.index(getattr(cell, ACROSS)), up.index(getattr(cell, UP))
        color = _pale(cell.fastest)
        ax.add_patch(
            Rectangle(
                (x - 0.5, y - 0.5),
                1,
                1,
                facecolor=color,
                edgecolor="#888888" if cell.tied_with else "white",
                hatch="////" if cell.tied_with else None,
                linewidth=0.6,
            )
        )
        lines = [cell.fastest]
        if cell.tied_with:
            lines += textwrap.wrap(f"= {cell.tied_with}", 16)
        lines += [] if pd.isna(cell.on_over_fastest) else [f"{cell.on_over_fastest:.2f}"]
        # A plain ground for words on a hatched cell.
        ground = {"facecolor": color, "edgecolor": "none", "pad": 1.5} if cell.tied_with else None
        ax.text(x, y, "\n".join(lines), ha="center", va="center", fontsize=7.5, bbox=ground)
    ax.set_xlim(-0.5, len(across) - 0.5)
    ax.set_ylim(-0.5, len(up) - 0.5)
    ax.set_xticks(range(len(across)), map(str, across))
    ax.set_yticks(range(len(up)), map(str, up))
    ax.set_xlabel(ACROSS)
    ax.set_ylabel(UP)
    ax.set_title(title, loc="left", fontsize=10)
    ax.grid(visible=False)


def _pale(variant: str) -> tuple:
    """The variant's colour, light enough for black words on it."""
    red, green, blue, _ = to_rgba(style.look(variant)[0])
    return tuple(0.3 * part + 0.7 for part in (red, green, blue))
