"""When a trial has enough blocks."""

from .intervals import t_interval
from .trial_statistics import log_ratios

CONFIDENCE = 0.95  # of the interval within a trial, which only decides when to stop


def half_widths(blocks: list[dict], pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Per pair, the half-width of its interval over the blocks of this trial, as a share.

    The blocks stand in for independent values. A host that drifts over many blocks makes them
    dependent and this interval too narrow: it says when to stop, and the interval that is reported
    is the one over trials. Infinite where fewer than two blocks are left.
    """
    widths = {}
    for pair in pairs:
        interval = t_interval(log_ratios(blocks, pair), CONFIDENCE)
        widths["/".join(pair)] = interval.half_width if interval else float("inf")
    return widths


def enough(
    blocks: list[dict], pairs: list[tuple[str, str]], precision: float, min_blocks: int
) -> bool:
    """Whether every pair is known to `precision` (0.005 is 0.5 %) and min_blocks count."""
    counted = sum(not block["flags"] for block in blocks)
    return counted >= min_blocks and max(half_widths(blocks, pairs).values()) < precision
