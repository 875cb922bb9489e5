"""Every sample of a case, block by block, with the clock beside it, so that a drift shows."""

import matplotlib.pyplot as plt
import numpy as np

from ..tables import point, point_words, varying_sizes
from ..trial_statistics import coefficient_of_variation
from ..words import percent
from . import style


def draw(summary: dict, trials: list[dict]) -> plt.Figure:
    """trials: the time records of one case, in order of trial."""
    control = summary["control"]
    known = trials[0]["blocks"][0]["samples_us"]
    names = [n for n in [*summary["variants"], control and control["name"]] if n in known]
    figure, axes = plt.subplots(
        len(names),
        1,
        figsize=(style.WIDTH, 1.3 + 1.5 * len(names)),
        sharex=True,
        squeeze=False,
        layout="constrained",
    )
    clocked = False
    for ax, name in zip(axes[:, 0], names, strict=True):
        _row(ax, name, trials, summary["passing"]["max_cv"])
        clocked = _clock(ax, trials)
        label = f"{name}\n({control['of']} again)" if control and name == control["name"] else name
        ax.set_ylabel(f"{label}\nµs a call")
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
    where = point({"case": trials[0]["case"]})
    sizes = point_words({key: where[key] for key in varying_sizes(summary)})
    style.title(
        figure,
        f"{summary['experiment']}: every sample, {sizes}",
        summary,
        f"Black line: a trial's median; red ground: its CV is over "
        f"{percent(summary['passing']['max_cv'])}; grey bar: a flagged block."
        + (" Thin grey line: SM clock at the block's end, MHz, on the right." if clocked else ""),
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
        for block, kept in enumerate(record["blocks"]):
            if kept["flags"]:
                place = start + block
                ax.axvspan(place - 0.5, place + 0.5, color="#bbbbbb", zorder=0)
        if coefficient_of_variation(samples) > max_cv:
            ax.axvspan(start - 0.5, start + len(samples) - 0.5, color="#f3d9d9", zorder=0)
        if start:
            ax.axvline(start - 0.5, color="#888888", linewidth=0.8, linestyle=":")
        low, high = min(low, samples.min()), max(high, samples.max())
        start += len(samples)
    # At least 2 % of range, so that a steady variant does not look like noise.
    middle, half = (low + high) / 2, max((high - low) / 2, 0.01 * (low + high) / 2)
    ax.set_ylim(middle - 1.15 * half, middle + 1.15 * half)
    ax.grid(axis="x", visible=False)


def _clock(ax, trials: list[dict]) -> bool:
    """The SM clock after each block as a second line; False where no clock is on record."""
    clocks = [
        mark["state"].get("sm_clock_mhz") or np.nan
        for record in trials
        for mark in record["telemetry"][1:]
    ]
    if np.isnan(clocks).all():
        return False
    right = ax.twinx()
    right.plot(np.arange(len(clocks)), clocks, color="#888888", linewidth=0.8, zorder=1)
    right.set_ylim(0, 1.08 * np.nanmax(clocks))
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    right.tick_params(axis="y", labelsize=7, colors="#888888")
    right.set_ylabel("MHz", fontsize=7.5, color="#888888")
    return True
