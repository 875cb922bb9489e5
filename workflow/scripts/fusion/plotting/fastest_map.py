"""The fastest variant by depth and columns: a cell a case."""

import textwrap

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch, Rectangle

from ..fastest import fastest
from ..tables import point, point_words, varying_sizes
from ..words import percent
from . import style

ACROSS, UP = "depth", "cols"


def draw(summary: dict) -> plt.Figure:
    """Needs cases that differ in depth and in cols; a panel for each other difference."""
    panels: dict[str, list[dict]] = {}
    others = [key for key in varying_sizes(summary) if key not in (ACROSS, UP)]
    for case in [case for case in summary["cases"] if case["median_us"]]:
        title = point_words({key: point(case).get(key) for key in others})
        panels.setdefault(title, []).append(case)
    rows = len({point(case)[UP] for cases in panels.values() for case in cases})
    figure, axes = plt.subplots(
        len(panels),
        1,
        figsize=(style.WIDTH, 1.6 + (0.7 + 0.72 * rows) * len(panels)),
        squeeze=False,
        layout="constrained",
    )
    shown = [
        _panel(ax, title, cases, summary["variants"])
        for ax, (title, cases) in zip(axes[:, 0], panels.items(), strict=True)
    ]
    handles = [
        Patch(facecolor=_pale(v), edgecolor="#555555", label=v)
        for v in summary["variants"]
        if any(v in names for names in shown)
    ]
    if any(
        fastest(case, summary["variants"]).tied for case in summary["cases"] if case["median_us"]
    ):
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
    return figure


def _panel(ax: plt.Axes, title: str, cases: list[dict], variants: list[str]) -> set[str]:
    """Draw one panel; the variants that are the fastest somewhere in it."""
    across = sorted({point(case)[ACROSS] for case in cases})
    up = sorted({point(case)[UP] for case in cases})
    names = set()
    for case in cases:
        x, y = across.index(point(case)[ACROSS]), up.index(point(case)[UP])
        found = fastest(case, variants)
        names.add(found.variant)
        ax.add_patch(
            Rectangle(
                (x - 0.5, y - 0.5),
                1,
                1,
                facecolor=_pale(found.variant),
                edgecolor="#888888" if found.tied else "white",
                hatch="////" if found.tied else None,
                linewidth=0.6,
            )
        )
        lines = [found.variant]
        if found.tied:
            lines += textwrap.wrap(f"= {', '.join(found.tied)}", 16)
        lines += [] if found.over_on is None else [f"{found.over_on:.2f}"]
        ax.text(x, y, "\n".join(lines), ha="center", va="center", fontsize=7.5, bbox=_ground(found))
    ax.set_xlim(-0.5, len(across) - 0.5)
    ax.set_ylim(-0.5, len(up) - 0.5)
    ax.set_xticks(range(len(across)), map(str, across))
    ax.set_yticks(range(len(up)), map(str, up))
    ax.set_xlabel(ACROSS)
    ax.set_ylabel(UP)
    ax.set_title(title, loc="left", fontsize=10)
    ax.grid(visible=False)
    return names


def _pale(variant: str) -> tuple:
    """The variant's colour, light enough for black words on it."""
    red, green, blue, _ = to_rgba(style.look(variant)[0])
    return tuple(0.3 * part + 0.7 for part in (red, green, blue))


def _ground(found) -> dict | None:
    """A plain ground for words on a hatched cell."""
    if not found.tied:
        return None
    return {"facecolor": _pale(found.variant), "edgecolor": "none", "pad": 1.5}
