"""What the trials of one case say together: intervals, the control, flags, regret."""

from collections import Counter

import numpy as np

from .intervals import Interval, t_interval
from .trial_statistics import log_ratios


def trial_means(trials: list[dict], pair: tuple[str, str]) -> np.ndarray:
    """Each trial's mean log ratio of a pair over its unflagged blocks, [trials that have any]."""
    logs = [log_ratios(record["blocks"], pair) for record in trials]
    return np.array([values.mean() for values in logs if values.size])


def block_means(trials: list[dict], pair: tuple[str, str]) -> list[float | None]:
    """Each trial's value in the interval, exp of its mean log ratio; None if all is flagged."""
    means = [trial_means([record], pair) for record in trials]
    return [round(float(np.exp(mean[0])), 6) if mean.size else None for mean in means]


def interval(trials: list[dict], pair: tuple[str, str], confidence: float) -> Interval | None:
    """Student's t interval of a pair's ratio over the trials' means; None for fewer than two."""
    return t_interval(trial_means(trials, pair), confidence)


def control_interval(trials: list[dict], confidence: float) -> Interval | None:
    """The interval of the control over the variant that it is; None where there is no control."""
    control = trials[0]["control"]
    if control is None:
        return None
    return interval(trials, (control["name"], control["of"]), confidence)


def flagged(trials: list[dict]) -> dict:
    """How many blocks are flagged and why.

    {"blocks", "of", "share", "by_trial": {trial: count}, "reasons": {words: blocks},
    "power_capped": blocks under a software power cap, which stay in}.
    """
    blocks = [block for record in trials for block in record["blocks"]]
    count = sum(bool(block["flags"]) for block in blocks)
    return {
        "blocks": count,
        "of": len(blocks),
        "share": count / max(1, len(blocks)),
        "by_trial": {
            str(record["trial"]): sum(bool(block["flags"]) for block in record["blocks"])
            for record in trials
        },
        "reasons": dict(Counter(flag for block in blocks for flag in block["flags"]).most_common()),
        "power_capped": sum(block["power_capped"] for block in blocks),
    }


def regret(trials: list[dict], medians: dict[str, float], confidence: float) -> dict:
    """Each variant's latency over the best one's: {variant: {"ratio", "interval" or None}}.

    medians: per variant its median over trials, in microseconds; the least of them is the best.
    The ratio is the median of the trials' ratios with the interval over them, as for every other
    pair; where two variants are as good as equal it can come out just below 1.
    """
    best = min(medians, key=medians.get)
    found = {}
    for variant in medians:
        ratios = [r["median_us"][variant] / r["median_us"][best] for r in trials]
        over = interval(trials, (variant, best), confidence) if variant != best else None
        found[variant] = {
            "ratio": round(float(np.median(ratios)), 6),
            "interval": over.as_record() if over else None,
        }
    return found
