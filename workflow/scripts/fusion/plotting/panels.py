"""Split a summary's cases into panels: one size runs along the axis, the others make panels."""

import matplotlib.pyplot as plt

from ..tables import point, varying_sizes
from . import style


def axis_and_panels(summary: dict) -> tuple[str, dict[str, list[dict]]]:
    """(the size along the axis, {panel title: its cases in order of that size}).

    The axis is depth if the cases differ in it, else the first size in which they do.
    """
    keys = varying_sizes(summary)
    axis = "depth" if "depth" in keys else keys[0]
    panels: dict[str, list[dict]] = {}
    for case in summary["cases"]:
        rest = ", ".join(f"{key} {point(case)[key]}" for key in keys if key != axis)
        panels.setdefault(rest, []).append(case)
    for cases in panels.values():
        cases.sort(key=lambda c: point(c)[axis] if axis != "dtype" else 0)
    return axis, panels


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
