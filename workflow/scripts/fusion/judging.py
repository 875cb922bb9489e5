"""The verdict on a pair of variants: one word and its reason."""

import math
from dataclasses import dataclass

from .intervals import Interval
from .words import percent

DIGITS = 9  # decimals of a ratio that are not rounding noise


@dataclass(frozen=True)
class Thresholds:
    """Numbers of the configuration's `judging`; shares where they bound a width or a count.

    confidence: of the intervals. slower: the ratio from which on a pair is SLOWER. same: how far
    from 1 the ratio to another TVM, or run, may be for the same. max_flagged:
    share of flagged blocks above which a case is UNSTABLE. min_trials, min_sample_ms and
    max_half_width: below or above which there is a warning.
    """

    confidence: float
    slower: float
    same: float
    max_flagged: float
    min_trials: int
    min_sample_ms: float
    max_half_width: float


def drift(control: Interval | None) -> float:
    """How far from 1 the A/A control may be, as a log: the far end of its interval; 0 where that
    contains 1.
    """
    if control is None or control.contains(1.0):
        return 0.0
    return max(abs(math.log(control.low)), abs(math.log(control.high)))


def drifting(control: Interval | None, max_half_width: float) -> bool | None:
    """Whether the control's interval leaves out 1; None if there is none, or one too wide to tell.

    max_half_width: as Interval.half_width, a share of the ratio.
    """
    if control is None:
        return None
    if drift(control):
        return True
    return False if control.half_width <= max_half_width else None


def verdict(
    interval: Interval | None, control: Interval | None, flagged: float, thresholds: Thresholds
) -> dict[str, str]:
    """{"verdict": SLOWER, NOT SLOWER, AMBIGUOUS or UNSTABLE, "reason": why, in words}.

    SLOWER: the interval lies wholly at or above the threshold; NOT SLOWER: wholly below it;
    AMBIGUOUS: it straddles the threshold. UNSTABLE: too many blocks were flagged (`flagged` is
    their share), there is no interval, or the control drifted so far that an interval which is
    wider by as much would get another verdict.
    """
    if flagged > thresholds.max_flagged:
        bound = percent(thresholds.max_flagged)
        return _made("UNSTABLE", f"{percent(flagged)} of the blocks are flagged (over {bound})")
    if interval is None:
        return _made("UNSTABLE", "fewer than two trials with blocks that count: no interval")
    word = _place(interval.low, interval.high, thresholds.slower)
    margin = math.exp(drift(control))
    if word != _place(interval.low / margin, interval.high * margin, thresholds.slower):
        return _made(
            "UNSTABLE",
            f"the control drifted by up to {margin - 1:.2%}; as much either way would change "
            f"{word}",
        )
    where = {
        "SLOWER": "wholly at or above",
        "NOT SLOWER": "wholly below",
        "AMBIGUOUS": "on both sides of",
    }[word]
    low, high = (_shown(bound, thresholds.slower) for bound in (interval.low, interval.high))
    return _made(word, f"[{low}, {high}] is {where} {thresholds.slower:.2f}")


def change(
    over: dict | None, same: float, flagged: float, max_flagged: float, drifting: bool
) -> dict[str, str]:
    """{"verdict": SAME, FASTER, SLOWER or AMBIGUOUS, "reason"} of a latency against an earlier one.

    over: the interval {"low", "high"} of the ratio, later over earlier. SAME: it lies wholly from
    1 / (1 + same) to 1 + same; SLOWER: wholly above; FASTER: wholly below. AMBIGUOUS: it straddles
    a bound, or there is none, or flagged blocks or a drifting control speak against it.
    """
    if over is None:
        return _made("AMBIGUOUS", "fewer than two trials with blocks that count: no interval")
    if flagged > max_flagged:
        return _made("AMBIGUOUS", f"{percent(flagged)} of the blocks are flagged")
    low, high = round(over["low"], DIGITS), round(over["high"], DIGITS)
    bounds = f"[{low:.4f}, {high:.4f}]"
    least, most = 1 / (1 + same), 1 + same
    around = f"{least:.4f} to {most:.4f}"
    if drifting:
        return _made("AMBIGUOUS", f"the control is drifting; {bounds} as measured")
    if least <= low and high <= most:
        return _made("SAME", f"{bounds} is within {around}")
    if low > most:
        return _made("SLOWER", f"{bounds} is above {around}")
    if high < least:
        return _made("FASTER", f"{bounds} is below {around}")
    return _made("AMBIGUOUS", f"{bounds} is partly within {around}")


def _place(low: float, high: float, threshold: float) -> str:
    low, high = round(low, DIGITS), round(high, DIGITS)  # 110/100 is 1.10, whatever its last bit
    if low >= threshold:
        return "SLOWER"
    return "NOT SLOWER" if high < threshold else "AMBIGUOUS"


def _shown(value: float, threshold: float) -> str:
    """Four decimals, or as many as it takes to see on which side of the threshold it is."""
    above = round(value, DIGITS) >= threshold
    for digits in range(4, DIGITS):
        if (round(value, digits) >= threshold) == above:
            return f"{value:.{digits}f}"
    return f"{value:.{DIGITS}f}"


def _made(word: str, reason: str) -> dict[str, str]:
    return {"verdict": word, "reason": reason}
