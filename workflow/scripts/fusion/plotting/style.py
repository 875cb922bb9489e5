"""One look for all figures: colours that colour-blind readers can tell apart, README width."""

import hashlib
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from ..tables import subtitle

# Okabe and Ito's palette (jfly.uni-koeln.de/color), with a marker each so that grey prints read.
_BLUE, _ORANGE, _GREEN, _PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
_SKY, _YELLOW, _BLACK = "#56B4E9", "#E69F00", "#000000"
VARIANT = {
    "OFF": (_BLUE, "o"),
    "PARTIAL": (_GREEN, "s"),
    "ON": (_ORANGE, "^"),
    "INLINED": (_PURPLE, "D"),
    "CONTROL": ("#777777", "v"),
}
RATIO = {
    "ON/OFF": (_ORANGE, "o"),
    "PARTIAL/OFF": (_GREEN, "s"),
    "ON/PARTIAL": (_SKY, "^"),
    "INLINED/OFF": (_PURPLE, "D"),
    "INLINED/ON": (_BLACK, "v"),
}
OTHER = (_YELLOW, "P")
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
        "svg.fonttype": "none",
        "svg.hashsalt": "fuse-or-not",
    }
)


def look(name: str) -> tuple[str, str]:
    """Colour and marker of a variant or of a ratio."""
    return VARIANT.get(name) or RATIO.get(name) or OTHER


def title(figure: plt.Figure, text: str, summary: dict, reading: str) -> None:
    """A title; below, how to read the figure, what was measured where, and the CPU label."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=12, fontweight="bold")
    measured = f"{reading} {subtitle(summary)}"
    if summary["device"]["kind"] == "llvm":
        measured = f"CPU, NOT A GPU: shows the mechanism only. {measured}"
    lines = "\n".join(textwrap.wrap(measured, 150))
    figure.text(0.01, 0.008, lines, ha="left", va="bottom", fontsize=7.5, color="#444444")


def save(figure: plt.Figure, folder: Path, name: str) -> None:
    """Write name.png and name.svg beside each other, without the date of drawing."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", metadata={"Software": None})
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def stable_jitter(key: str, spread: float) -> float:
    """A small offset in [-spread, spread] that is the same each time a figure is drawn."""
    fraction = int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
    return spread * (2 * fraction - 1)
