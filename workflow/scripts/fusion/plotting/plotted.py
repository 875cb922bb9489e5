"""What a figure plots, as a frame: the figure is drawn from it, and it is written beside it."""

import pandas as pd

from ..tables import point


def frame_of(summary: dict, marks: list[tuple[dict, dict]], columns: list[str]) -> pd.DataFrame:
    """One row a mark. marks: (its case, {column: value}); columns: all that the marks may have.

    First come the case's name and all sizes of the summary's cases. What a mark lacks is empty.
    """
    sizes = dict.fromkeys(key for case in summary["cases"] for key in point(case))
    rows = [{"case": case["case"]["name"], **point(case), **mark} for case, mark in marks]
    # As objects, so that whole numbers stay whole in columns with gaps.
    return pd.DataFrame(rows, columns=["case", *sizes, *columns], dtype=object)


def in_order(panels: dict[str, list[dict]]) -> list[dict]:
    """The cases of all panels, one after the other."""
    return [case for cases in panels.values() for case in cases]


def of_panel(frame: pd.DataFrame, cases: list[dict]) -> pd.DataFrame:
    """The rows of a panel's cases, with the column `place`: the case's place along the axis."""
    places = {case["case"]["name"]: place for place, case in enumerate(cases)}
    own = frame[frame["case"].isin(places)]
    return own.assign(place=own["case"].map(places))


def of_kind(frame: pd.DataFrame, kind: str, **wanted) -> pd.DataFrame:
    """The rows of this kind, and of these values of other columns."""
    found = frame["kind"] == kind
    for column, value in wanted.items():
        found &= frame[column] == value
    return frame[found]


def bounds(interval: dict | None) -> dict:
    """An interval's ends as columns; none where there is no interval."""
    return {end: interval[end] for end in ("low", "high")} if interval else {}
