"""One look for all figures: colours that colour-blind readers can tell apart, README width."""

import hashlib
import re
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from .. import disks
from ..entries import AT
from ..records import write_text
from ..tables import subtitle

# Okabe and Ito's palette (jfly.uni-koeln.de/color), then wine and olive of Paul Tol's muted scheme
# (sronpersonalpages.nl/~pault), with a marker each so that grey prints read.
_BLUE, _ORANGE, _GREEN, _PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
_SKY, _YELLOW, _BLACK, _GREY = "#56B4E9", "#E69F00", "#000000", "#777777"
_WINE, _OLIVE = "#882255", "#999933"
VARIANT = {
    "OFF": (_BLUE, "o"),
    "PARTIAL": (_GREEN, "s"),
    "ON": (_ORANGE, "^"),
    "SPLIT": (_SKY, "P"),
    "STAGED": (_BLACK, "*"),
    "INLINED": (_PURPLE, "D"),
    "CONTROL": (_GREY, "v"),
    "COPY": (_GREY, "|"),
    "EAGER": (_YELLOW, "X"),
    "INDUCTOR": (_WINE, "h"),
    "XLA": (_OLIVE, "p"),
    # In CUDA graphs: the colour of what is launched in them, and a dashed line (see dashes).
    "OFF_GRAPH": (_BLUE, "<"),
    "PARTIAL_GRAPH": (_GREEN, "d"),
    "ON_GRAPH": (_ORANGE, ">"),
    "EAGER_GRAPH": (_YELLOW, "x"),
    "INDUCTOR_GRAPH": (_WINE, "H"),
}
RATIO = {
    "ON/OFF": (_ORANGE, "o"),
    "PARTIAL/OFF": (_GREEN, "s"),
    "ON/PARTIAL": (_SKY, "^"),
    "INLINED/OFF": (_PURPLE, "D"),
    "INLINED/ON": (_BLACK, "v"),
    "SPLIT/OFF": (_YELLOW, "P"),
    "SPLIT/ON": (_WINE, "<"),
    "STAGED/OFF": (_BLACK, "*"),
    "STAGED/ON": (_OLIVE, ">"),
}
WORKLOAD = {
    "exp_chain_add": (_ORANGE, "^"),
    "tanh_chain_add": (_BLUE, "o"),
    "sqrt_chain_add": (_GREEN, "s"),
    "sigmoid_chain_add": (_PURPLE, "D"),
    "erf_chain_add": (_SKY, "P"),
    "cheap_chain_add": (_BLACK, "*"),
}
LINES = ("-", "--", ":", "-.")
_TOOLCHAINS: dict[str, str] = {}  # the line of each, in the order of drawing
OTHER = (_GREY, "X")
WIDTH = 8.4  # inches; at 150 dpi about what GitHub shows without shrinking much

plt.rcParams.update(
    {
        "figure.dpi": 150,
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#dddddd",
        "legend.frameon": False,
        "text.parse_math": False,  # names are text, dollars and all
        "svg.fonttype": "none",
        "svg.hashsalt": "fuse-or-not",
    }
)


def look(name: str) -> tuple[str, str]:
    """Colour and marker of a variant (under any TVM), a peer, a ratio or a workload."""
    name = re.sub(rf"{AT}[^/]+", "", name)
    return VARIANT.get(name) or RATIO.get(name) or WORKLOAD.get(name) or OTHER


def dashes(name: str) -> str:
    """The line of a variant or peer: dashed where its launches are captured in CUDA graphs, and
    another for each TVM.
    """
    if AT in name:
        toolchain = name.partition(AT)[2]
        _TOOLCHAINS.setdefault(toolchain, LINES[len(_TOOLCHAINS) % len(LINES)])
        return _TOOLCHAINS[toolchain]
    return "--" if name.endswith("_GRAPH") else "-"


def plain_log(axis: plt.Axes) -> None:
    """A logarithmic y axis with plain numbers at 1, 2 and 5."""
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_minor_locator(NullLocator())
    axis.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def title(figure: plt.Figure, text: str, summary: dict, reading: str) -> None:
    """A title; below, how to read the figure, what was measured where, and the CPU label."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=12, fontweight="bold")
    measured = f"{reading} {subtitle(summary)}"
    if summary["device"]["kind"] == "llvm":
        measured = f"CPU, NOT A GPU: shows the mechanism only. {measured}"
    lines = "\n".join(textwrap.wrap(measured, 150))
    figure.text(0.01, 0.008, lines, ha="left", va="bottom", fontsize=7.5, color="#444444")


def save(figure: plt.Figure, frame: pd.DataFrame, folder: Path, name: str) -> None:
    """Write name.png, name.svg and, with what is plotted, name.csv beside each other, without the
    date of drawing.
    """
    with disks.writing(folder / f"{name}.png"):
        folder.mkdir(parents=True, exist_ok=True)
        _fix_layout(figure)
        figure.savefig(folder / f"{name}.png", metadata={"Software": None})
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
    write_text(folder / f"{name}.csv", frame.to_csv(index=False))


def _fix_layout(figure: plt.Figure) -> None:
    """Lay out once and round: the solver's last digits differ from one process to the next."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for ax in figure.axes:
        ax.set_position([round(part, 9) for part in ax.get_position().bounds])


def stable_jitter(key: str, spread: float) -> float:
    """A small offset in [-spread, spread] that is the same each time a figure is drawn."""
    fraction = int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    return spread * (2 * fraction - 1)
