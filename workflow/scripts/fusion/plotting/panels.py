"""Split a summary's cases into panels: one size runs along the axis, the others make panels."""

from ..tables import point, varying_sizes


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
