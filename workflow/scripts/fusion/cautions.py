"""Warnings in plain words: what a reader should know before trusting a case's numbers."""

from .intervals import Interval, trials_needed
from .judging import Thresholds, drift
from .over_trials import trial_means
from .words import percent


def cautions(
    trials: list[dict],
    intervals: dict[tuple[str, str], Interval | None],
    control: Interval | None,
    flagged: dict,
    max_cv: float,
    thresholds: Thresholds,
) -> list[str]:
    """One sentence a doubt, most general first; [] where there is none.

    trials: the case's time records. intervals: of each pair, over trials. flagged: as
    over_trials.flagged gives it. max_cv: the bound on a variant's CV in a trial.
    """
    return [
        *_few_trials(trials, thresholds),
        *_short_samples(trials, thresholds),
        *_spread(trials, max_cv),
        *_wide(trials, intervals, thresholds),
        *_drifting(trials, control),
        *_flagged(flagged),
    ]


def _few_trials(trials: list[dict], thresholds: Thresholds) -> list[str]:
    if len(trials) >= thresholds.min_trials:
        return []
    return [
        f"Too few trials: {len(trials)}, where {thresholds.min_trials} are the least "
        "(timing.trials). Intervals from so few are wide, and one trial has none."
    ]


def _short_samples(trials: list[dict], thresholds: Thresholds) -> list[str]:
    """TVM repeats a sample that is shorter than min_repeat_ms, so that is its least length."""
    found = []
    for variant in trials[0]["variants"]:
        lengths = [
            max(block["calls"][variant] * min(block["samples_us"][variant]) / 1e3, least)
            for record in trials
            for least in [record["protocol"]["min_repeat_ms"]]
            for block in record["blocks"]
        ]
        if min(lengths) < thresholds.min_sample_ms:
            found.append(
                f"Short samples: one of {variant} lasted {min(lengths):.3g} ms, under "
                f"{thresholds.min_sample_ms:g} ms, where the timer's own cost counts "
                "(raise timing.min_repeat_ms)."
            )
    return found


def _spread(trials: list[dict], max_cv: float) -> list[str]:
    found = []
    for variant in trials[0]["cv"]:  # the floor and peers among them
        over = {r["trial"]: r["cv"][variant] for r in trials if r["cv"][variant] > max_cv}
        if over:
            where = ", ".join(f"{trial} ({cv:.1%})" for trial, cv in over.items())
            found.append(f"{variant} in trial{'s' if len(over) > 1 else ''} {where}")
    return [f"Unsteady, with a CV over {percent(max_cv)}: {'; '.join(found)}."] if found else []


def _wide(trials: list[dict], intervals: dict, thresholds: Thresholds) -> list[str]:
    found = []
    for pair, interval in intervals.items():
        if interval is None or interval.half_width <= thresholds.max_half_width:
            continue
        means = trial_means(trials, pair)
        needed = trials_needed(means, thresholds.confidence, thresholds.max_half_width)
        found.append(
            f"{'/'.join(pair)} to ±{interval.half_width:.2%} over {interval.n} trials "
            f"({needed or 'more than 1000'} would do)"
        )
    if not found:
        return []
    return [
        f"Known only roughly: {'; '.join(found)}. In brackets stands how many trials of this "
        f"spread would make it ±{percent(thresholds.max_half_width)} (timing.trials)."
    ]


def _drifting(trials: list[dict], control: Interval | None) -> list[str]:
    if not drift(control):
        return []
    of = trials[0]["control"]["of"]
    return [
        f"Drifting: {of} against itself is {control.ratio:.6f} "
        f"[{control.low:.6f}, {control.high:.6f}], which leaves out 1. Differences of that size "
        "between two variants mean nothing here."
    ]


def _flagged(flagged: dict) -> list[str]:
    found = []
    if flagged["blocks"]:
        why = "; ".join(f"{words} ({n})" for words, n in list(flagged["reasons"].items())[:4])
        found.append(
            f"{flagged['blocks']} of {flagged['of']} blocks are flagged and not in the intervals: "
            f"{why}."
        )
    if flagged["power_capped"]:
        found.append(
            f"A software power cap held the clock in {flagged['power_capped']} of {flagged['of']} "
            "blocks, which stay in."
        )
    return found
