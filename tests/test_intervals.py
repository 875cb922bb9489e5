"""Intervals over trials: quantiles, coverage by simulation, log ratios, when a trial may stop."""

import math

import numpy as np
import pytest

from fusion.intervals import Interval, t_interval, t_quantile, trials_needed
from fusion.over_trials import control_interval, interval, trial_means
from fusion.stopping import enough, half_widths
from fusion.trial_statistics import log_ratios

PAIR = ("ON", "OFF")
LOGS = [0.30, 0.32, 0.33, 0.35, 0.30]  # mean 0.32, squares add up to 0.0018: s = 0.0212132
RATIO = 1.39  # what is true in the simulation
EXPERIMENTS, BLOCKS, REPEAT = 10_000, 20, 5
BETWEEN = 0.02  # standard deviation of a trial's log ratio, and of a block's within its trial
# The median of five normal samples has the variance 0.28683; a ratio takes two of them.
WITHIN = BETWEEN / math.sqrt(2 * 0.28683)


def block(on, off, flags=()):
    """A block as the time record keeps it."""
    return {
        "order": ["ON", "OFF"],
        "calls": {"ON": 10, "OFF": 10},
        "samples_us": {"ON": list(on), "OFF": list(off)},
        "flags": list(flags),
    }


def steady(log_ratio, flags=()):
    return block([100 * math.exp(log_ratio)] * 3, [100.0] * 3, flags)


@pytest.mark.parametrize(
    ("confidence", "n", "expected"),
    [(0.95, 2, 12.706), (0.95, 5, 2.776), (0.95, 8, 2.365), (0.99, 5, 4.604), (0.90, 31, 1.697)],
)
def test_quantiles_are_those_of_the_printed_tables(confidence, n, expected):
    assert t_quantile(confidence, n) == pytest.approx(expected, abs=1e-3)


def test_an_interval_by_hand():
    half = 2.776445 * 0.0212132 / math.sqrt(5)  # 0.0263397
    found = t_interval(LOGS, 0.95)
    assert found.ratio == pytest.approx(1.377128, abs=1e-6)  # exp(0.32)
    assert found.low == pytest.approx(math.exp(0.32 - half), abs=1e-6)
    assert found.high == pytest.approx(math.exp(0.32 + half), abs=1e-6)
    assert found.half_width == pytest.approx(0.0266896, abs=1e-6)  # exp(0.0263397) - 1
    assert (found.n, found.confidence) == (5, 0.95)
    assert found.as_record() == {
        "ratio": round(found.ratio, 9),
        "low": round(found.low, 9),
        "high": round(found.high, 9),
        "confidence": 0.95,
        "n": 5,
    }


def test_an_interval_contains_its_bounds():
    found = Interval(1.2, 1.1, 1.3, 0.95, 5)
    assert all(found.contains(value) for value in (1.1, 1.2, 1.3))
    assert not found.contains(1.0999) and not found.contains(1.3001)


@pytest.mark.parametrize("logs", [[], [0.3]])
def test_fewer_than_two_values_give_no_interval(logs):
    assert t_interval(logs, 0.95) is None


def test_trials_needed_is_the_least_number_by_hand():
    # 2.093 x 0.0212132 / √20 = 0.009928 <= log(1.01) = 0.009950 < 2.101 x 0.0212132 / √19
    assert trials_needed(LOGS, 0.95, 0.01) == 20


@pytest.mark.parametrize("width", [0.002, 0.005, 0.02, 0.1])
def test_one_trial_less_than_needed_is_too_few(width):
    n = trials_needed(LOGS, 0.95, width)
    spread = np.std(LOGS, ddof=1)
    widths = [math.expm1(t_quantile(0.95, k) * spread / math.sqrt(k)) for k in (n - 1, n)]
    assert n > 2 and widths[1] <= width < widths[0]


def test_more_than_a_thousand_trials_are_none():
    thousand = math.expm1(t_quantile(0.95, 1000) * np.std(LOGS, ddof=1) / math.sqrt(1000))
    assert trials_needed(LOGS, 0.95, thousand * 1.000001) == 1000
    assert trials_needed(LOGS, 0.95, thousand * 0.999999) is None


def simulate(trials, experiments, seed):
    """Samples of ON and OFF in microseconds, two arrays [experiment, trial, block, sample].

    Each trial has its own true log ratio, each block a drift that both variants share.
    """
    draw = np.random.default_rng(seed)
    shape = (experiments, trials, BLOCKS, REPEAT)
    own = draw.normal(math.log(RATIO), BETWEEN, (experiments, trials, 1, 1))
    drift = draw.normal(0, 0.1, (experiments, trials, BLOCKS, 1))
    on, off = (draw.normal(0, WITHIN, shape) for _ in PAIR)
    return 60 * np.exp(own + drift + on), 60 * np.exp(drift + off)


def block_logs(on, off):
    return np.log(np.median(on, axis=-1)) - np.log(np.median(off, axis=-1))


def coverage(logs):
    """The share of the experiments, [experiment, value], whose interval holds the true ratio."""
    return np.mean([t_interval(values, 0.95).contains(RATIO) for values in logs])


@pytest.mark.parametrize("trials", [5, 8])
def test_a_95_percent_interval_over_trials_covers_94_to_96_percent(trials):
    logs = block_logs(*simulate(trials, EXPERIMENTS, seed=trials))
    within = logs.std(axis=2, ddof=1).mean()
    assert within == pytest.approx(BETWEEN, rel=0.03)  # both kinds of noise are there
    assert 0.94 <= coverage(logs.mean(axis=2)) <= 0.96
    pooled = coverage(logs.reshape(EXPERIMENTS, -1))
    assert pooled < 0.6  # blocks of one trial are not independent


def test_the_simulation_and_records_of_trials_give_the_same_intervals():
    on, off = simulate(5, 200, seed=1)
    expected = block_logs(on, off).mean(axis=2)
    covered = 0
    for i in range(200):
        trials = [
            {"blocks": [block(on[i, j, k], off[i, j, k]) for k in range(BLOCKS)]} for j in range(5)
        ]
        assert trial_means(trials, PAIR) == pytest.approx(expected[i], abs=1e-12)
        found, same = interval(trials, PAIR, 0.95), t_interval(expected[i], 0.95)
        assert (found.low, found.high) == pytest.approx((same.low, same.high), abs=1e-12)
        assert found.n == 5
        covered += found.contains(RATIO)
    assert 0.90 <= covered / 200 <= 0.99


def test_a_log_ratio_is_of_the_blocks_medians():
    blocks = [block([4, 3, 50], [1, 2, 9]), block([5, 5, 5], [1, 10, 100])]
    assert log_ratios(blocks, PAIR) == pytest.approx([math.log(4 / 2), math.log(5 / 10)])
    assert log_ratios(blocks, ("OFF", "ON")) == pytest.approx([-math.log(2), math.log(2)])


def test_a_flagged_block_is_left_out_whole():
    blocks = [steady(0.1), steady(0.9, ["SM clock fell from 1980 to 1755 MHz"]), steady(0.3)]
    assert log_ratios(blocks, PAIR) == pytest.approx([0.1, 0.3])
    assert trial_means([{"blocks": blocks}], PAIR) == pytest.approx([0.2])


def test_a_trial_without_unflagged_blocks_does_not_count():
    trials = [
        {"blocks": [steady(0.1)]},
        {"blocks": [steady(9, ["why"])]},
        {"blocks": [steady(0.2)]},
    ]
    assert trial_means(trials, PAIR) == pytest.approx([0.1, 0.2])
    assert interval(trials, PAIR, 0.95).n == 2
    assert interval(trials[:2], PAIR, 0.95) is None


def test_what_drifts_between_blocks_cancels():
    on, off = [40.0, 41.0, 42.0], [30.0, 30.5, 31.0]
    slowed = [block([v * f for v in on], [v * f for v in off]) for f in (1, 1.5, 3)]
    assert log_ratios(slowed, PAIR) == pytest.approx([math.log(41 / 30.5)] * 3)


def test_the_controls_interval_is_of_the_variant_against_itself():
    blocks = [steady(0.0) for _ in range(3)]
    for one in blocks:
        one["samples_us"]["CONTROL"] = [101.0] * 3
    trials = [{"control": {"name": "CONTROL", "of": "ON"}, "blocks": blocks}] * 2
    assert control_interval(trials, 0.95).ratio == pytest.approx(1.01)
    assert control_interval([{"control": None, "blocks": blocks}] * 2, 0.95) is None


def noisy(logs):
    """Blocks whose ON/OFF is steady and whose PARTIAL/OFF has these logs."""
    blocks = [steady(0.3) for _ in logs]
    for one, log in zip(blocks, logs, strict=True):
        one["samples_us"]["PARTIAL"] = [100 * math.exp(log)] * 3
    return blocks


BOTH = [PAIR, ("PARTIAL", "OFF")]


def test_a_trial_does_not_stop_before_its_least_number_of_blocks():
    assert not enough([steady(0.3)] * 7, [PAIR], 0.005, 8)
    assert enough([steady(0.3)] * 8, [PAIR], 0.005, 8)


def test_flagged_blocks_count_neither_as_blocks_nor_as_noise():
    bad = steady(2.0, ["process 7 (trainer) appeared"])
    assert not enough([steady(0.3)] * 7 + [bad], [PAIR], 0.005, 8)
    assert enough([bad, *[steady(0.3)] * 8], [PAIR], 0.005, 8)
    assert not enough([bad] * 20, [PAIR], 0.005, 0)


def test_a_trial_stops_once_every_pair_is_known():
    assert enough(noisy([0.1, 0.101] * 5), BOTH, 0.005, 8)
    assert not enough(noisy([0.1, 0.2] * 5), BOTH, 0.005, 8)
    assert enough(noisy([0.1, 0.2] * 5), [PAIR], 0.005, 8)  # that pair was not asked for


def test_one_noisy_pair_keeps_a_trial_going():
    blocks = noisy([0.1, 0.2] * 20)
    assert not any(enough(blocks[:n], BOTH, 0.005, 8) for n in range(1, 41))


def test_the_precision_is_a_95_percent_half_width_over_blocks():
    blocks = noisy(LOGS)
    widths = half_widths(blocks, BOTH)
    assert widths == pytest.approx({"ON/OFF": 0, "PARTIAL/OFF": 0.0266896}, abs=1e-6)
    assert enough(blocks, BOTH, 0.0267, 5) and not enough(blocks, BOTH, 0.0266, 5)
    assert half_widths(blocks[:1], [PAIR]) == {"ON/OFF": math.inf}
