"""Split a summary's cases into panels: one size runs along the axis, the others make panels."""

import math

import matplotlib.pyplot as plt

from ..tables import point, point_words, varying_sizes
from . import style

SHAPE = ("rows", "cols")


def axis_and_panels(summary: dict) -> tuple[str, dict[str, list[dict]]]:
    """(what runs along the axis, {panel title: its cases in order along the axis}).

    The axis is depth if the cases differ in it, else "rows × cols" if they differ in both, the
    smallest first, else the first size (or workload, or dtype) in which they do.
    """
    keys = varying_sizes(summary)
    along = ("depth",) if "depth" in keys else SHAPE if set(SHAPE) <= set(keys) else keys[:1]
    panels: dict[str, list[dict]] = {}
    for case in summary["cases"]:
        rest = {key: point(case).get(key) for key in keys if key not in along}
        panels.setdefault(point_words(rest), []).append(case)
    for cases in panels.values():
        if along[0] not in ("workload", "dtype"):
            cases.sort(key=lambda case: _order([point(case).get(key, 0) for key in along]))
    return " × ".join(along), panels


def _order(sizes: list[int]) -> tuple[int, list[int]]:
    return math.prod(sizes), sizes


def place(case: dict, axis: str) -> str:
    """Where a case lies on an axis of axis_and_panels, in words."""
    return "×".join(str(point(case).get(key, "–")) for key in axis.split(" × "))


def ticks(ax: plt.Axes, axis: str, cases: list[dict]) -> None:
    """Label the places 0, 1, ... along the axis; slanted where the words would run together."""
    labels = [place(case, axis) for case in cases]
    crowded = sum(map(len, labels)) > 60
    slant = {"rotation": 30, "ha": "right", "fontsize": 8.5} if crowded else {}
    ax.set_xticks(range(len(cases)), labels, **slant)
    ax.set_xlabel(axis)


def unjoin(ax: plt.Axes, axis: str) -> None:
    """Between two workloads there is nothing that a line could show."""
    if axis == "workload":
        for line in ax.get_lines():
            if len(line.get_xdata()) > 1 and line.get_marker() not in ("None", ""):
                line.set_linestyle("none")


def figure_of(panels: dict[str, list[dict]], height: float) -> tuple[plt.Figure, dict]:
    """A figure with a row of axes a panel, and {panel title: its axes}. height: inches a row."""
    figure, axes = plt.subplots(
        len(panels),
        1,
        figsize=(style.WIDTH, 1.2 + height * len(panels)),
        squeeze=False,
        layout="constrained",
    )
    for ax, name in zip(axes[:, 0], panels, strict=True):
        ax.set_title(name, loc="left", fontsize=10)
    return figure, dict(zip(panels, axes[:, 0], strict=True))
