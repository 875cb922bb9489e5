"""What flagged blocks, spread and drift are told in, and regret."""

import math
import re
import statistics
from dataclasses import replace

import pytest
from thresholds import THRESHOLDS

from fusion.cautions import cautions
from fusion.intervals import t_quantile
from fusion.over_trials import control_interval, flagged, interval, regret

PAIR = ("ON", "OFF")


def blocks(count, flagged_blocks=0, capped=0, why=("SM clock fell from 1980 to 1755 MHz",)):
    return [
        {"flags": list(why) if i < flagged_blocks else [], "power_capped": i < capped}
        for i in range(count)
    ]


def test_flagged_counts_blocks_by_trial_and_reason():
    heat, both = ["thermal violation"], ["thermal violation", "power brake"]
    trials = [
        {"trial": 1, "blocks": [*blocks(2, 2, 0, heat), *blocks(4, 0, 3)]},
        {"trial": 2, "blocks": blocks(6, 1, 0, both)},
        {"trial": 3, "blocks": blocks(8)},
    ]
    assert flagged(trials) == {
        "blocks": 3,
        "of": 20,
        "share": 0.15,
        "by_trial": {"1": 2, "2": 1, "3": 0},
        "reasons": {"thermal violation": 3, "power brake": 1},
        "power_capped": 3,
    }


def trial(number, on=130.0, cv=0.01, calls=1000, min_repeat_ms=50, control=100.0):
    """A time record as far as the warnings read it; ON is `on` µs a call, OFF 100 µs."""
    return {
        "trial": number,
        "variants": ["OFF", "ON"],
        "control": {"name": "CONTROL", "of": "OFF"},
        "protocol": {"min_repeat_ms": min_repeat_ms},
        "cv": {"OFF": 0.01, "ON": cv},
        "median_us": {"OFF": 100.0, "ON": on},
        "blocks": [
            {
                "calls": {"OFF": calls, "ON": calls, "CONTROL": calls},
                "samples_us": {"OFF": [100.0] * 3, "ON": [on] * 3, "CONTROL": [control] * 3},
                "flags": [],
                "power_capped": False,
            }
            for _ in range(4)
        ],
    }


STEADY = [130.0, 131.0, 129.0, 130.5, 129.5]
WIDE = [110.0, 130.0, 150.0, 120.0, 140.0]


def warned(trials, thresholds=THRESHOLDS):
    """The warnings as the summary gets them."""
    pairs = {PAIR: interval(trials, PAIR, thresholds.confidence)}
    control = control_interval(trials, thresholds.confidence)
    return cautions(trials, pairs, control, flagged(trials), 0.05, thresholds)


def test_nothing_is_said_where_all_is_well():
    assert warned([trial(i + 1, on) for i, on in enumerate(STEADY)]) == []


def test_too_few_trials_is_said():
    (said,) = warned([trial(i + 1, on) for i, on in enumerate(STEADY[:4])])
    assert said.startswith("Too few trials: 4, where 5 are the least (timing.trials).")
    assert warned([trial(1)])[0].startswith("Too few trials: 1,")  # and there is no interval


def five(**changes):
    return [trial(i + 1, on, **changes) for i, on in enumerate(STEADY)]


def short(trials):
    return [sentence for sentence in warned(trials) if sentence.startswith("Short samples")]


@pytest.mark.parametrize(
    ("calls", "min_repeat_ms"),
    [(1, 1), (10, 0)],  # repeated until 1 ms is full; 10 calls of 100 µs are 1 ms
)
def test_samples_of_a_millisecond_are_not_short(calls, min_repeat_ms):
    assert warned(five(calls=calls, min_repeat_ms=min_repeat_ms)) == []


def test_a_sample_under_a_millisecond_is_said_with_its_variant():
    assert warned(five(calls=9, min_repeat_ms=0)) == [  # ON's last 9 x 129 µs
        "Short samples: one of OFF lasted 0.9 ms, under 1 ms, where the timer's own cost counts "
        "(raise timing.min_repeat_ms)."
    ]


def test_the_shortest_sample_of_all_blocks_counts():
    trials = five(calls=20, min_repeat_ms=0)
    trials[3]["blocks"][2]["samples_us"]["ON"] = [130.0, 13.0, 130.0]
    (said,) = short(trials)
    assert "one of ON lasted 0.26 ms, under 1 ms" in said


def test_an_unsteady_variant_is_said_with_its_trial():
    trials = five()
    trials[2]["cv"] = {"OFF": 0.05, "ON": 0.0712}  # exactly 5 % is not over it
    assert warned(trials) == ["Unsteady, with a CV over 5%: ON in trial 3 (7.1%)."]
    trials[4]["cv"] = {"OFF": 0.01, "ON": 0.06}
    assert warned(trials) == ["Unsteady, with a CV over 5%: ON in trials 3 (7.1%), 5 (6.0%)."]


def test_a_wide_interval_says_how_many_trials_would_do():
    # log(1.1), log(1.3), ... have s = 0.1225817. With t from a printed table,
    # 2.056 s / √27 = 0.04850 <= log(1.05) = 0.04879 < 2.060 s / √26 = 0.04952.
    assert warned([trial(i + 1, on) for i, on in enumerate(WIDE)]) == [
        "Known only roughly: ON/OFF to ±16.44% over 5 trials (27 would do). In brackets stands how "
        "many trials of this spread would make it ±5% (timing.trials)."
    ]


@pytest.mark.parametrize("width", [0.02, 0.05, 0.1])
def test_the_trials_that_would_do_are_the_least(width):
    (said,) = warned(
        [trial(i + 1, on) for i, on in enumerate(WIDE)], replace(THRESHOLDS, max_half_width=width)
    )
    n = int(re.search(r"\((\d+) would do\)", said)[1])
    spread = statistics.stdev(math.log(on / 100) for on in WIDE)
    halves = [t_quantile(0.95, k) * spread / math.sqrt(k) for k in (n - 1, n)]
    assert halves[1] <= math.log1p(width) < halves[0]


def test_a_hopeless_spread_says_so():
    thresholds = replace(THRESHOLDS, max_half_width=0.0001)
    (said,) = warned([trial(i + 1, on) for i, on in enumerate(WIDE)], thresholds)
    assert "(more than 1000 would do)" in said


def test_a_width_at_the_bound_is_not_wide():
    trials = [trial(i + 1, on) for i, on in enumerate(WIDE)]
    width = interval(trials, PAIR, 0.95).half_width
    assert warned(trials, replace(THRESHOLDS, max_half_width=width)) == []
    assert len(warned(trials, replace(THRESHOLDS, max_half_width=width * 0.999))) == 1


def test_a_drifting_control_is_said():
    drifting = [101.0, 102.0, 103.0, 102.5, 101.5]
    (said,) = warned(
        [
            trial(i + 1, on, control=c)
            for i, (on, c) in enumerate(zip(STEADY, drifting, strict=True))
        ]
    )
    assert said.startswith("Drifting: OFF against itself is 1.019975 [1.01")
    assert "which leaves out 1." in said
    around = [99.0, 101.0, 100.0, 100.5, 99.8]
    assert not warned([trial(i + 1, control=c) for i, c in enumerate(around)])


def test_without_a_control_nothing_drifts():
    assert warned([record | {"control": None} for record in five(control=120.0)]) == []


def test_flagged_and_capped_blocks_are_said():
    trials = five()
    for index, why in enumerate((["power brake"], ["power brake", "thermal violation"])):
        trials[index]["blocks"][0]["flags"] = why
    for number in range(3):
        trials[4]["blocks"][number]["power_capped"] = True
    assert warned(trials) == [
        "2 of 20 blocks are flagged and not in the intervals: power brake (2); "
        "thermal violation (1).",
        "A software power cap held the clock in 3 of 20 blocks, which stay in.",
    ]


def test_doubts_stand_most_general_first():
    trials = [trial(i + 1, on, cv=0.2, min_repeat_ms=0, calls=1) for i, on in enumerate(WIDE[:3])]
    trials[0]["blocks"][0] |= {"flags": ["power brake"], "power_capped": True}
    for record, ratio in zip(trials, (101.0, 102.0, 103.0), strict=True):
        for block in record["blocks"]:
            block["samples_us"]["CONTROL"] = [ratio * 1.2] * 3
    starts = ["Too few", "Short samples: one of OFF", "Short samples: one of ON", "Unsteady"]
    starts += ["Known only roughly: ON/OFF", "Drifting", "1 of 12 blocks", "A software power cap"]
    said = warned(trials)
    assert [w.startswith(s) for w, s in zip(said, starts, strict=True)] == [True] * 8


def test_regret_is_over_the_best_variant():
    trials = [trial(i + 1, on) for i, on in enumerate(WIDE)]
    found = regret(trials, {"OFF": 100.0, "ON": 130.0}, 0.95)
    assert found["OFF"] == {"ratio": 1.0, "interval": None}
    assert found["ON"] == {
        "ratio": 1.3,
        "interval": interval(trials, PAIR, 0.95).as_record(),
    }
    assert regret(trials[:1], {"OFF": 100.0, "ON": 110.0}, 0.95)["ON"] == {
        "ratio": 1.1,
        "interval": None,
    }


def test_the_best_variant_is_that_of_the_medians_over_trials():
    trials = [trial(i + 1, on) for i, on in enumerate((70.0, 80.0, 130.0))]
    found = regret(trials, {"OFF": 100.0, "ON": 80.0}, 0.95)
    assert found["ON"] == {"ratio": 1.0, "interval": None}
    assert found["OFF"]["ratio"] == 1.25  # the median of 100/70, 100/80 and 100/130
