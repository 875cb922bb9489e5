"""A trace by hand: kernels, gaps and the rest of a call."""

import pytest

from fusion import tracing

CALLS = {  # start of the call: [(start, end), ...] within it
    0: [(0, 500), (600, 900), (950, 999)],  # the first call: as slow as it likes
    1000: [(0, 10), (12, 32), (35, 65)],  # gaps 2 + 3; next call 35 µs after the last kernel
    1100: [(0, 12), (14, 34), (37, 67)],  # gaps 2 + 3; 43
    1210: [(0, 14), (18, 38), (43, 73)],  # gaps 4 + 5; 47
    1330: [(0, 11), (90, 99), (99, 199)],  # the last call: nothing follows it
}


def traced(calls=CALLS):
    """Kernels as tracing.kernels collects them."""
    return [
        {
            "name": f"k{i}",
            "start": 1000 * (begin + start),
            "end": 1000 * (begin + end),
            "grid": [2**i, 1, 1],
            "block": [256, 1, 1],
            "registers": 16 + i,
        }
        for begin, kernels in calls.items()
        for i, (start, end) in enumerate(kernels)
    ]


def test_a_traces_parts_by_hand():
    found = tracing.by_call(traced(), 5)
    assert found["calls"] == 3
    assert found["kernels_us"] == 62
    assert found["gaps_us"] == pytest.approx(19 / 3, abs=1e-3)
    assert found["rest_us"] == pytest.approx((35 + 43 + 47) / 3, abs=1e-3)
    assert found["period_us"] == 110  # (1330 - 1000) / 3
    assert found["kernels"] == [
        {
            "name": "k0",
            "grid": [1, 1, 1],
            "block": [256, 1, 1],
            "registers": 16,
            "duration_us": 12,
            "cv": round(2 / 12, 4),
        },
        *(
            {
                "name": f"k{i}",
                "grid": [2**i, 1, 1],
                "block": [256, 1, 1],
                "registers": 16 + i,
                "duration_us": duration,
                "cv": 0,
            }
            for i, duration in ((1, 20), (2, 30))
        ),
    ]


def test_a_traces_parts_add_up_to_its_period():
    found = tracing.by_call(traced(), 5)
    parts = found["kernels_us"] + found["gaps_us"] + found["rest_us"]
    assert parts == pytest.approx(found["period_us"], abs=2e-3)


def test_the_first_call_is_left_out():
    changed = CALLS | {0: [(0, 1), (2, 3), (4, 5)]}
    assert tracing.by_call(traced(changed), 5) == tracing.by_call(traced(), 5)


@pytest.mark.parametrize(
    ("found", "calls"), [([], 5), (traced(), 4), (traced()[:-1], 5), (traced()[:6], 2)]
)
def test_a_trace_of_unequal_calls_is_refused(found, calls):
    with pytest.raises(ValueError, match=f"^{len(found)} kernels in {calls} calls$"):
        tracing.by_call(found, calls)
