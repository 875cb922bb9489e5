"""In place of a figure that has nothing to show."""

import matplotlib.pyplot as plt
import pandas as pd

from ..failures import words
from . import style
from .plotted import frame_of


def draw(summary: dict, case: dict) -> tuple[plt.Figure, pd.DataFrame]:
    """The failures of a case of which nothing was measured."""
    frame = plotted(summary, case)
    figure, ax = plt.subplots(figsize=(style.WIDTH, 2.4), layout="constrained")
    ax.axis("off")
    told = zip(frame["variant"], frame["stage"], frame["failure"], strict=True)
    lines = [f"{variant} failed ({stage}): {why[:90]}" for variant, stage, why in told]
    ax.text(0, 1, "\n".join(lines), va="top", fontsize=8.5)
    figure.get_layout_engine().set(rect=(0, 0.1, 1, 0.85))
    title = f"{summary['experiment']}: nothing measured of {case['case']['name']}"
    style.title(figure, title, summary, "Every variant failed.")
    return figure, frame


def plotted(summary: dict, case: dict) -> pd.DataFrame:
    """One row a variant: the stage that failed, and why."""
    marks = [
        (case, {"variant": name, "stage": why["stage"], "failure": words(why)})
        for name, why in case["failed"].items()
    ]
    return frame_of(summary, marks, ["variant", "stage", "failure"])
