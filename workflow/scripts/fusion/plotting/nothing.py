"""In place of a figure that has nothing to show."""

import matplotlib.pyplot as plt

from ..failures import words
from . import style


def draw(summary: dict, case: dict) -> plt.Figure:
    """The failures of a case of which nothing was measured."""
    figure, ax = plt.subplots(figsize=(style.WIDTH, 2.4), layout="constrained")
    ax.axis("off")
    lines = [f"{n} failed ({w['stage']}): {words(w)[:90]}" for n, w in case["failed"].items()]
    ax.text(0, 1, "\n".join(lines), va="top", fontsize=8.5)
    figure.get_layout_engine().set(rect=(0, 0.1, 1, 0.85))
    title = f"{summary['experiment']}: nothing measured of {case['case']['name']}"
    style.title(figure, title, summary, "Every variant failed.")
    return figure
