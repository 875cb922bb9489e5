"""Every sample of a case, block by block, so that a drift or an outlier shows."""

import matplotlib.pyplot as plt
import numpy as np

from ..tables import point
from . import style


def draw(summary: dict, trials: list[dict]) -> plt.Figure:
    """trials: the time records of one case, in order of trial."""
    variants = summary["variants"]
    figure, axes = plt.subplots(
        len(variants),
        1,
        figsize=(style.WIDTH, 1.3 + 1.5 * len(variants)),
        sharex=True,
        squeeze=False,
        layout="constrained",
    )
    for ax, variant in zip(axes[:, 0], variants, strict=True):
        _row(ax, variant, trials, summary["passing"]["max_cv"])
    start = 0
    for record in trials:
        blocks = len(record["blocks"])
        axes[0, 0].annotate(
            f"trial {record['trial']}",
            (start + blocks / 2, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
        start += blocks
    axes[-1, 0].set_xlabel("block (trials one after the other)")
    axes[-1, 0].set_xlim(-1, start)
    figure.get_layout_engine().set(rect=(0, 0.06, 1, 0.93))
    sizes = ", ".join(f"{k} {v}" for k, v in point({"case": trials[0]["case"]}).items())
    style.title(
        figure,
        f"{summary['experiment']}: every sample, {sizes}",
        summary,
        f"Line: a trial's median; shaded: its CV is over {summary['passing']['max_cv']:.0%}.",
    )
    return figure


def _row(ax, variant: str, trials: list[dict], max_cv: float) -> None:
    color, marker = style.look(variant)
    start, low, high = 0, np.inf, 0.0
    for record in trials:
        samples = np.array([block["samples_us"][variant] for block in record["blocks"]])
        blocks = np.arange(start, start + len(samples))
        ax.scatter(
            np.repeat(blocks, samples.shape[1]),
            samples.ravel(),
            s=5,
            marker=marker,
            color=color,
            alpha=0.5,
            linewidth=0,
        )
        ax.hlines(np.median(samples), start, start + len(samples) - 1, color="black", linewidth=0.9)
        if record["cv"][variant] > max_cv:
            ax.axvspan(start - 0.5, start + len(samples) - 0.5, color="#f3d9d9", zorder=0)
        if start:
            ax.axvline(start - 0.5, color="#888888", linewidth=0.8, linestyle=":")
        low, high = min(low, samples.min()), max(high, samples.max())
        start += len(samples)
    # At least 2 % of range, so that a steady variant does not look like noise.
    middle, half = (low + high) / 2, max((high - low) / 2, 0.01 * (low + high) / 2)
    ax.set_ylim(middle - 1.15 * half, middle + 1.15 * half)
    ax.set_ylabel(f"{variant}\nµs a call")
    ax.grid(axis="x", visible=False)
