"""Verdicts, flags and warnings: what each boundary does and what a reader is told."""

import math
from dataclasses import replace

import pytest
from thresholds import THRESHOLDS

from fusion.intervals import Interval, t_interval
from fusion.judging import drift, drifting, verdict
from fusion.over_trials import flagged

PAIR = ("ON", "OFF")


def between(low, high):
    return Interval(math.sqrt(low * high), low, high, 0.95, 5)


def judged(low, high, control=None, share=0.0):
    return verdict(between(low, high), control, share, THRESHOLDS)


@pytest.mark.parametrize(
    ("low", "high", "word", "where"),
    [
        (1.10, 1.20, "SLOWER", "wholly at or above 1.10"),
        (1.0999, 1.20, "AMBIGUOUS", "on both sides of 1.10"),
        (1.05, 1.10, "AMBIGUOUS", "on both sides of 1.10"),
        (1.05, 1.0999, "NOT SLOWER", "wholly below 1.10"),
        (0.70, 0.80, "NOT SLOWER", "wholly below 1.10"),
    ],
)
def test_the_verdict_is_where_the_interval_lies(low, high, word, where):
    bounds = f"[{low:.4f}, {high:.4f}]"
    assert judged(low, high) == {"verdict": word, "reason": f"{bounds} is {where}"}


def test_rounding_noise_is_not_below_the_threshold():
    same = math.log(110.0) - math.log(100.0)
    found = verdict(t_interval([same] * 5, 0.95), None, 0.0, THRESHOLDS)
    assert found == {"verdict": "SLOWER", "reason": "[1.1000, 1.1000] is wholly at or above 1.10"}


def test_the_reason_has_the_decimals_that_show_the_side():
    found = judged(1.09996, 1.25)
    assert found["reason"] == "[1.09996, 1.2500] is on both sides of 1.10"


def test_the_threshold_is_the_configurations():
    for slower, word in ((1.3, "SLOWER"), (1.35, "AMBIGUOUS"), (1.5, "NOT SLOWER")):
        thresholds = replace(THRESHOLDS, slower=slower)
        assert verdict(between(1.3, 1.4), None, 0.0, thresholds)["verdict"] == word


def blocks(count, flagged_blocks=0, capped=0, why=("SM clock fell from 1980 to 1755 MHz",)):
    return [
        {"flags": list(why) if i < flagged_blocks else [], "power_capped": i < capped}
        for i in range(count)
    ]


@pytest.mark.parametrize(("bad", "word"), [(4, "SLOWER"), (5, "UNSTABLE"), (40, "UNSTABLE")])
def test_more_than_a_tenth_of_the_blocks_flagged_is_unstable(bad, word):
    share = flagged([{"trial": 1, "blocks": blocks(40, bad)}])["share"]
    found = judged(1.3, 1.4, share=share)
    assert found["verdict"] == word
    if word == "UNSTABLE":
        assert f"{100 * bad / 40:g}% of the blocks are flagged (over 10%)" in found["reason"]


def test_no_interval_is_unstable():
    assert verdict(None, None, 0.0, THRESHOLDS) == {
        "verdict": "UNSTABLE",
        "reason": "fewer than two trials with blocks that count: no interval",
    }


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        (None, 0),
        (between(0.98, 1.03), 0),
        (between(1.0, 1.03), 0),
        (between(0.97, 1.0), 0),
        (between(1.01, 1.03), math.log(1.03)),
        (between(0.96, 0.98), -math.log(0.96)),
    ],
)
def test_drift_is_the_far_end_of_a_control_that_leaves_out_1(control, expected):
    assert drift(control) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("low", "high", "control", "without", "word"),
    [
        (1.12, 1.15, (1.01, 1.03), "SLOWER", "UNSTABLE"),  # 1.12 / 1.03 = 1.087
        (1.14, 1.15, (1.01, 1.03), "SLOWER", "SLOWER"),  # 1.14 / 1.03 = 1.107
        (1.12, 1.15, (1 / 1.03, 0.99), "SLOWER", "UNSTABLE"),  # either way of 1 is the same
        (1.14, 1.15, (1 / 1.03, 0.99), "SLOWER", "SLOWER"),
        (1.12, 1.15, (0.98, 1.03), "SLOWER", "SLOWER"),  # a control around 1 is no drift
        (1.00, 1.07, (1.01, 1.03), "NOT SLOWER", "UNSTABLE"),  # 1.07 x 1.03 = 1.102
        (1.00, 1.06, (1.01, 1.03), "NOT SLOWER", "NOT SLOWER"),  # 1.06 x 1.03 = 1.092
        (1.09, 1.11, (1.01, 1.03), "AMBIGUOUS", "AMBIGUOUS"),
    ],
)
def test_drift_that_would_change_the_verdict_is_unstable(low, high, control, without, word):
    assert judged(low, high)["verdict"] == without
    found = judged(low, high, between(*control))
    assert found["verdict"] == word
    if word == "UNSTABLE":
        assert found["reason"] == (
            f"the control drifted by up to 3.00%; as much either way would change {without}"
        )


@pytest.mark.parametrize(
    ("control", "told"),
    [
        (None, None),
        (between(0.99, 1.01), False),
        (between(0.95, 1.06), None),  # ±5.6 %: it cannot tell a drift of 5 %
        (between(1.001, 1.002), True),
        (between(1.01, 1.30), True),
    ],
)
def test_a_control_that_is_known_too_badly_cannot_tell(control, told):
    assert drifting(control, THRESHOLDS.max_half_width) is told
