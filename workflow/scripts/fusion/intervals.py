"""Student's t interval of a mean of logarithms, and what follows from it."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import stdtrit

MOST_TRIALS = 1000  # as many as trials_needed looks for


@dataclass(frozen=True)
class Interval:
    """A ratio with its confidence interval: the exponentials of a mean log ratio and its bounds.

    n: how many independent values it rests on (trials, or blocks within one trial).
    """

    ratio: float
    low: float
    high: float
    confidence: float
    n: int

    @property
    def half_width(self) -> float:
        """Half the interval's width on the log scale, as a share of the ratio (0.005 is 0.5 %)."""
        return math.expm1(math.log(self.high / self.low) / 2)

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high

    def as_record(self) -> dict:
        return {
            "ratio": round(self.ratio, 9),
            "low": round(self.low, 9),
            "high": round(self.high, 9),
            "confidence": self.confidence,
            "n": self.n,
        }


@cache
def t_quantile(confidence: float, n: int) -> float:
    """The two-sided quantile of Student's t with n - 1 degrees of freedom: 2.776 for 95 %, n = 5.

    Source: Student, "The probable error of a mean", Biometrika 6 (1908); computed by SciPy.
    """
    return float(stdtrit(n - 1, 0.5 + confidence / 2))


def t_interval(logs, confidence: float) -> Interval | None:
    """exp(m ± t s / √n) of n log ratios with mean m and standard deviation s; None below n = 2.

    logs: independent values, such as one mean log ratio a trial, [n]. Over trials this is the
    interval to report: the trials' means are independent, while samples of one process share its
    memory addresses and its host's state, so that an interval from pooled samples is too narrow
    (Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, on the level at
    which repetition pays; simulated here in tests/test_intervals.py).
    """
    logs = np.asarray(logs, dtype=float)
    if logs.size < 2:
        return None
    mean = float(logs.mean())
    half = t_quantile(confidence, logs.size) * float(logs.std(ddof=1)) / math.sqrt(logs.size)
    return Interval(
        math.exp(mean), math.exp(mean - half), math.exp(mean + half), confidence, logs.size
    )


def welch_interval(before, after, confidence: float) -> Interval | None:
    """The ratio after over before from independent logs of each, with Welch's interval; None if
    either has fewer than two values.

    before, after: one mean or median log a trial, [n] and [m]. The variances may differ, and the
    degrees of freedom are Welch and Satterthwaite's (B. L. Welch, "The generalization of Student's
    problem when several different population variances are involved", Biometrika 34, 1947).
    """
    one, other = np.asarray(before, float), np.asarray(after, float)
    if one.size < 2 or other.size < 2:
        return None
    shares = one.var(ddof=1) / one.size, other.var(ddof=1) / other.size
    middle, total = other.mean() - one.mean(), sum(shares)
    half = 0.0
    if total > 0:
        below = shares[0] ** 2 / (one.size - 1) + shares[1] ** 2 / (other.size - 1)
        half = float(stdtrit(total**2 / below, 0.5 + confidence / 2)) * math.sqrt(total)
    bounds = (float(np.exp(middle + shift)) for shift in (0, -half, half))
    return Interval(*bounds, confidence, int(one.size + other.size))


def trials_needed(logs, confidence: float, half_width: float) -> int | None:
    """How many trials would give this half-width if they spread as these do, [two or more].

    None if that is over 1000.

    half_width: as Interval.half_width, a share of the ratio. The least n with
    t(n) s / √n <= log(1 + half_width).
    """
    spread = float(np.std(logs, ddof=1))
    for n in range(2, MOST_TRIALS + 1):
        if t_quantile(confidence, n) * spread / math.sqrt(n) <= math.log1p(half_width):
            return n
    return None
