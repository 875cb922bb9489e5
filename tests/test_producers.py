"""What counters say became of a producer. The counts are of an H200 at depth 16, 4096 x 4096."""

import pytest

from fusion import producers
from fusion.cases import make_case

SIZES = {"depth": 16, "rows": 4096, "cols": 4096}
CASE = make_case("exp_chain_add", SIZES, "float16")
ONCE = 16 * 4096  # functions of the producer, computed once


def profile(*xu_instructions):
    """Counters of one call: a kernel for each number of warps' XU instructions."""
    kernels = [
        {"name": f"k{n}", "grid": [1, 1, 1], "block": [32, 1, 1], "xu_instructions": count}
        for n, count in enumerate(xu_instructions)
    ]
    return {"counters": {"kernels": kernels}}


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((8_388_608,), "recomputed"),  # ON, as Nsight Compute counted it
        ((ONCE // 32, 0), "materialised"),  # PARTIAL
        ((*[4096 // 32] * 16, *[0] * 33), "materialised"),  # OFF: 49 kernels
        ((ONCE // 32,), "staged"),
        ((4 * ONCE // 32,), "staged"),  # a function of four XU instructions
    ],
)
def test_executed_functions_tell_what_became_of_the_producer(counts, verdict):
    found = producers.judge(profile(*counts), CASE)
    assert found["verdict"] == verdict
    assert found["executed"] == 32 * sum(counts)
    assert (found["once"], found["reuse"], found["kernels"]) == (ONCE, 4096, len(counts))


def test_launches_of_one_kernel_count_each():
    """Eager PyTorch launches one kernel for every exp."""
    kernels = [{**profile(128)["counters"]["kernels"][0]} for _ in range(16)]
    found = producers.judge({"counters": {"kernels": kernels}}, CASE)
    assert found["executed"] == 32 * 128 * 16 == ONCE and found["kernels"] == 16


@pytest.mark.parametrize(
    ("profiled", "workload", "cols", "why"),
    [
        ({"counters": {"not_run": "no ncu"}}, "exp_chain_add", 4096, "counters not run: no ncu"),
        (profile(None), "exp_chain_add", 4096, "the counter of the XU pipe is missing"),
        (profile(5), "cheap_chain_add", 4096, "no reused transcendental"),
        (profile(5), "exp_chain_add", 8, "read 8 times"),
    ],
)
def test_what_cannot_be_told_is_unknown_and_says_why(profiled, workload, cols, why):
    found = producers.judge(profiled, make_case(workload, {**SIZES, "cols": cols}, "float16"))
    assert found["verdict"] == "unknown"
    assert why.removeprefix("no ") in found["why"]
