"""Where a ratio crosses 1: hand-computed numbers, and what may not be said."""

import math

import pytest

from fusion import crossing_tables
from fusion.crossings import LOSES, PAYS, STARTS, STOPS, UNCLEAR, crossing, words, zeros


def test_a_crossing_lies_on_the_straight_line_between_its_neighbours():
    """From -1 at depth 2 to 3 at depth 6: a quarter of the way, so depth 3."""
    assert zeros([1, 2, 6, 8], [-2.0, -1.0, 3.0, 4.0]) == [3.0]
    assert zeros([4, 8], [1.0, -3.0]) == [5.0]


def test_a_ratio_of_exactly_one_still_pays():
    assert zeros([1, 2, 4], [-1.0, 0.0, 1.0]) == [2.0]
    assert zeros([1, 2], [-1.0, 0.0]) == []


def test_each_trial_has_its_own_crossing_and_the_interval_is_over_them():
    """Crossings at 2 and at 8: geometric mean 4; the interval by hand, t(0.975, 1) = 12.7062."""
    found = crossing([1, 3, 7, 9], [[-1.0, 1.0, 2.0, 3.0], [-4.0, -2.0, -1.0, 1.0]], 0.95)
    assert found.kind == STOPS
    assert found.by_trial == ((2.0,), (8.0,))
    assert found.depth == pytest.approx(4.0)
    half = 12.7062 * (math.log(4) / math.sqrt(2)) / math.sqrt(2)
    assert found.interval.low == pytest.approx(4 * math.exp(-half), rel=1e-4)
    assert found.interval.high == pytest.approx(4 * math.exp(half), rel=1e-4)
    assert words(found) == (
        "unclear: the trials cross so far apart that the interval reaches beyond depths 1 to 9"
    )


def test_trials_that_agree_name_a_depth():
    found = crossing([1, 3, 9], [[-1.0, 1.0, 2.0], [-1.1, 1.0, 2.0]], 0.95)
    assert words(found) == "fusing stops paying at depth 2.02"  # sqrt(2 x (1 + 2 x 1.1 / 2.1))


def test_one_trial_has_a_crossing_and_no_interval():
    found = crossing([1, 3], [[-1.0, 1.0]], 0.95)
    assert (found.depth, found.interval) == (2.0, None)


@pytest.mark.parametrize(
    ("trials", "kind", "said"),
    [
        ([[-0.1, -0.2, -0.1], [-0.3, -0.2, -0.11]], PAYS, "pays up to depth 64, the deepest"),
        ([[0.31, 0.2, 0.1], [0.3, 0.2, 0.1]], LOSES, "loses from depth 2, the least"),
        ([[-0.5, -0.2, -0.1], [-0.5, -0.2, -0.02]], PAYS, "below depth 64, the deepest measured"),
        ([[0.01, 0.2, 0.3], [0.1, 0.2, 0.3]], LOSES, "above depth 2, the least measured"),
        ([[0.1, -0.1, -0.2], [0.1, -0.1, -0.2]], STARTS, "starts to pay at depth"),
        ([[-0.1, 0.1, -0.2], [-0.1, 0.1, -0.2]], UNCLEAR, "crosses 2 times between depth 2 and 64"),
        ([[-0.1, 0.1, 0.2], [0.1, 0.1, 0.2]], UNCLEAR, "crosses 0 or 1 times"),
        ([[-0.1, 0.1, 0.2], [0.1, -0.1, -0.2]], UNCLEAR, "crosses 1 times"),
    ],
)
def test_what_does_not_cross_once_is_said_and_never_extrapolated(trials, kind, said):
    found = crossing([2, 8, 64], trials, 0.95)
    assert found.kind == kind
    assert said in words(found)
    if kind != STARTS:
        assert found.depth is None and found.interval is None


def summary_of(ratios: dict[str, dict[int, list[float]]]) -> dict:
    """A summary's parts that the tables read. ratios: {workload: {depth: ON/PARTIAL a trial}}."""
    return {
        "experiment": "hand",
        "arch": "sm_90",
        "device": {"kind": "cuda", "name": "NVIDIA H200"},
        "environment": {"tvm": "0.27"},
        "compiler": {"name": "nvrtc", "version": "13.0"},
        "judging": {"confidence": 0.95},
        "cases": [
            {
                "case": {
                    "name": f"{workload}{depth}",
                    "workload": workload,
                    "sizes": {"depth": depth, "rows": 4, "cols": 4},
                    "dtype": "float16",
                },
                "ratios": {
                    "ON/PARTIAL": {
                        "median": values[-1],
                        "interval": None,
                        "block_means": values,
                    }
                },
            }
            for workload, by_depth in ratios.items()
            for depth, values in by_depth.items()
        ],
    }


def test_a_row_a_workload_with_the_depths_that_were_measured():
    e = math.e
    summary = summary_of(
        {
            "exp_chain_add": {4: [e, e], 1: [1 / e, 1 / e], 2: [1 / e, 1 / e]},
            "cheap_chain_add": {1: [0.5, 0.5], 2: [0.5, 0.5], 4: [0.6, 0.6]},
        }
    )
    table = crossing_tables.frame(summary).set_index("workload")
    assert table.loc["exp_chain_add", "depth"] == pytest.approx(3.0)
    assert table.loc["exp_chain_add", "by_trial"] == "3.0000 | 3.0000"
    assert table.loc["cheap_chain_add", "kind"] == PAYS
    text = crossing_tables.markdown(summary)
    assert (
        "| exp_chain_add | 1, 2, 4 | 3.00 [3.00, 3.00] | fusing stops paying at depth 3.00 |"
        in text
    )
    assert "| cheap_chain_add | 1, 2, 4 | – | fusing pays up to depth 4, the deepest" in text


def test_a_depth_without_an_unflagged_block_in_some_trial_is_left_out():
    ratios = {"exp_chain_add": {1: [0.5, 0.5], 2: [None, 0.9], 4: [2.0, 2.0]}}
    (line,) = crossing_tables.lines_of(summary_of(ratios))
    assert line.depths == [1, 4]
    assert line.crossing.by_trial == ((2.5,), (2.5,))
