"""Where a ratio crosses 1 along depth: the depth from which fusing stops, or starts, to pay."""

import math
from dataclasses import dataclass
from itertools import pairwise

from .intervals import Interval, t_interval

PAYS, LOSES, STOPS, STARTS, UNCLEAR = "pays", "loses", "stops", "starts", "unclear"


@dataclass(frozen=True)
class Crossing:
    """How a ratio runs over the measured depths.

    kind: PAYS (at most 1 everywhere, in every trial), LOSES (over 1 everywhere), STOPS (crosses 1
    once, upwards), STARTS (once, downwards), or UNCLEAR: more than once, or trials differ.
    first, last: the least and the greatest depth measured. by_trial: each trial's crossings.
    interval: of the crossing depth over the trials, on the log scale (its `ratio` is a depth); None
    without one crossing in each, or with a single trial. even: of PAYS and LOSES, whether the
    trials' interval at the end nearer to 1 (the last depth, the first) holds 1.
    """

    kind: str
    first: int
    last: int
    by_trial: tuple[tuple[float, ...], ...]
    interval: Interval | None
    even: bool = False

    @property
    def depth(self) -> float | None:
        """The geometric mean of the trials' crossings; None unless each trial crosses once."""
        if self.kind not in (STOPS, STARTS):
            return None
        return math.exp(sum(math.log(depths[0]) for depths in self.by_trial) / len(self.by_trial))


def zeros(depths: list[int], logs: list[float]) -> list[float]:
    """Where the broken line through (depth, log ratio) goes from at most 0 to above, or back.

    depths: ascending, [n]. logs: [n]. Linear between neighbours and nothing beyond the ends.
    """
    return [
        left + (right - left) * a / (a - b)
        for (left, a), (right, b) in pairwise(zip(depths, logs, strict=True))
        if (a > 0) != (b > 0)
    ]


def crossing(depths: list[int], trials: list[list[float]], confidence: float) -> Crossing:
    """What the trials say together.

    depths: ascending, [n]. trials: each trial's log ratios, [trials][n]; trials are independent
    processes, so each one's crossing is one independent value of the interval over them.
    """
    by_trial = tuple(tuple(zeros(depths, logs)) for logs in trials)
    kinds = {_kind(logs, found) for logs, found in zip(trials, by_trial, strict=True)}
    kind = kinds.pop() if len(kinds) == 1 else UNCLEAR
    interval = None
    if kind in (STOPS, STARTS):
        interval = t_interval([math.log(found[0]) for found in by_trial], confidence)
    end = {PAYS: -1, LOSES: 0}.get(kind)
    even = end is not None and _holds_one([logs[end] for logs in trials], confidence)
    return Crossing(kind, depths[0], depths[-1], by_trial, interval, even)


def _holds_one(logs: list[float], confidence: float) -> bool:
    over = t_interval(logs, confidence)
    return over is not None and over.low <= 1 <= over.high


def _kind(logs: list[float], found: tuple[float, ...]) -> str:
    if not found:
        return LOSES if logs[0] > 0 else PAYS
    if len(found) > 1:
        return UNCLEAR
    return STARTS if logs[0] > 0 else STOPS


def words(found: Crossing) -> str:
    """The finding in words; it never says anything about depths that were not measured."""
    if found.kind == PAYS and found.even:
        return f"fusing pays below depth {found.last}, the deepest measured, where it may be even"
    if found.kind == LOSES and found.even:
        return f"fusing loses above depth {found.first}, the least measured, where it may be even"
    if found.kind == PAYS:
        return f"fusing pays up to depth {found.last}, the deepest measured"
    if found.kind == LOSES:
        return f"fusing loses from depth {found.first}, the least measured"
    if found.kind == UNCLEAR:
        counts = sorted({len(depths) for depths in found.by_trial})
        many = " or ".join(map(str, counts))
        return f"unclear: a trial crosses {many} times between depth {found.first} and {found.last}"
    interval = found.interval
    if interval and not found.first <= interval.low <= interval.high <= found.last:
        return (
            "unclear: the trials cross so far apart that the interval reaches beyond depths "
            f"{found.first} to {found.last}"
        )
    changes = {STOPS: "fusing stops paying", STARTS: "fusing starts to pay"}
    return f"{changes[found.kind]} at depth {found.depth:.2f}"
