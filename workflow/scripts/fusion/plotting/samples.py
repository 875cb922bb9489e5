"""Every sample of a case, block by block, with the clock beside it, so that a drift shows."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ..tables import point, point_words, varying_sizes
from ..trial_statistics import coefficient_of_variation
from ..words import percent
from . import style
from .plotted import frame_of, of_kind

# position: the variant's place in the block's order, from 1. place: of the block, over all trials.
COLUMNS = ["variant", "kind", "trial", "block", "place", "position", "sample", "us"]
COLUMNS += ["sm_clock_mhz", "flagged", "over_max_cv"]


def draw(summary: dict, case: dict, trials: list[dict]) -> tuple[plt.Figure, pd.DataFrame]:
    """trials: the time records of the case, in order of trial."""
    control = summary["control"]
    known = trials[0]["blocks"][0]["samples_us"]
    names = [n for n in [*summary["variants"], control and control["name"]] if n in known]
    frame = plotted(summary, case, trials, names)
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
        _row(ax, name, frame[frame["variant"] == name])
        clocked = _clock(ax, frame)
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
    where = point(case)
    sizes = point_words({key: where[key] for key in varying_sizes(summary)})
    style.title(
        figure,
        f"{summary['experiment']}: every sample, {sizes}",
        summary,
        f"Black line: a trial's median; red ground: its CV is over "
        f"{percent(summary['passing']['max_cv'])}; grey bar: a flagged block."
        + (" Thin grey line: SM clock at the block's end, MHz, on the right." if clocked else ""),
    )
    return figure, frame


def plotted(summary: dict, case: dict, trials: list[dict], names: list[str]) -> pd.DataFrame:
    """One row a sample, with the SM clock at its block's end; one a trial's median, with whether
    its CV is over the bound.
    """
    marks = []
    for name in names:
        start = 0
        for record in trials:
            row = {"variant": name, "trial": record["trial"]}
            for number, (block, after) in enumerate(
                zip(record["blocks"], record["telemetry"][1:], strict=True)
            ):
                about = row | {"kind": "sample", "block": number + 1, "place": start + number}
                about |= {"position": block["order"].index(name) + 1}
                about |= {"sm_clock_mhz": after["state"].get("sm_clock_mhz")}
                about |= {"flagged": bool(block["flags"])}
                for sample, us in enumerate(block["samples_us"][name], start=1):
                    marks.append((case, about | {"sample": sample, "us": us}))
            samples = np.array([block["samples_us"][name] for block in record["blocks"]])
            over = coefficient_of_variation(samples) > summary["passing"]["max_cv"]
            median = {"kind": "median", "us": float(np.median(samples)), "over_max_cv": over}
            marks.append((case, row | median))
            start += len(samples)
    return frame_of(summary, marks, COLUMNS)


def _row(ax, variant: str, frame: pd.DataFrame) -> None:
    color, marker = style.look(variant)
    for median in of_kind(frame, "median").itertuples():
        own = of_kind(frame, "sample", trial=median.trial)
        first, last = own["place"].min(), own["place"].max()
        ax.scatter(
            list(own["place"]),
            list(own["us"]),
            s=5,
            marker=marker,
            color=color,
            alpha=0.5,
            linewidth=0,
        )
        ax.hlines(median.us, first, last, color="black", linewidth=0.9)
        for place in own.loc[own["flagged"].astype(bool), "place"].unique():
            ax.axvspan(place - 0.5, place + 0.5, color="#bbbbbb", zorder=0)
        if median.over_max_cv:
            ax.axvspan(first - 0.5, last + 0.5, color="#f3d9d9", zorder=0)
        if first:
            ax.axvline(first - 0.5, color="#888888", linewidth=0.8, linestyle=":")
    samples = of_kind(frame, "sample")["us"]
    low, high = samples.min(), samples.max()
    # At least 2 % of range, so that a steady variant does not look like noise.
    middle, half = (low + high) / 2, max((high - low) / 2, 0.01 * (low + high) / 2)
    ax.set_ylim(middle - 1.15 * half, middle + 1.15 * half)
    ax.grid(axis="x", visible=False)


def _clock(ax, frame: pd.DataFrame) -> bool:
    """The SM clock after each block as a second line; False where no clock is on record."""
    blocks = of_kind(frame, "sample").drop_duplicates("place")
    clocks = blocks["sm_clock_mhz"].to_numpy(float)
    if np.isnan(clocks).all():
        return False
    right = ax.twinx()
    right.plot(list(blocks["place"]), clocks, color="#888888", linewidth=0.8, zorder=1)
    right.set_ylim(0, 1.08 * np.nanmax(clocks))
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    right.tick_params(axis="y", labelsize=7, colors="#888888")
    right.set_ylabel("MHz", fontsize=7.5, color="#888888")
    return True
