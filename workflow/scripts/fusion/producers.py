"""What became of a producer whose elements are reused, judged by what the hardware executed."""

import math

from .breakdown import launches
from .cases import Case

LANES = 32  # threads of a warp: counters count a warp's instruction once
LEAST_REUSE = 64  # below it, a function of several instructions looks like a recomputed one


def judge(profile: dict, case: Case) -> dict:
    """{"verdict": materialised, staged, recomputed or unknown, "why"} with the numbers behind it.

    profile: "counters" as ncu.count gives them. The XU pipe executes the transcendental functions.
    Computed once, the producer needs `once` of them (a few times that, where the compiler makes one
    function of several instructions); computed for each element that reads it, `reuse` times as
    many. What lies below the geometric mean of both was computed once or a few times: into memory
    of the device (materialised) if the call has several kernels, else within the kernel (staged).
    """
    if case.definition.reused is None:
        return {
            "verdict": "unknown",
            "why": "the workload states no reused transcendental producer",
        }
    if "not_run" in profile["counters"]:
        return {"verdict": "unknown", "why": f"counters not run: {profile['counters']['not_run']}"}
    once, reuse = case.definition.reused(dict(case.sizes))
    if reuse < LEAST_REUSE:
        why = f"an element is read {reuse} times: under {LEAST_REUSE}, counts cannot tell"
        return {"verdict": "unknown", "why": why}
    kernels = launches(profile)
    counted = [k["xu_instructions"] for k in kernels]
    if not counted or None in counted:
        return {"verdict": "unknown", "why": "the counter of the XU pipe is missing"}
    number = sum(kernel["launches"] for kernel in kernels)
    executed = sum(k["xu_instructions"] * k["launches"] for k in kernels) * LANES
    found = {"executed": executed, "once": once, "reuse": reuse, "kernels": number}
    if executed > once * math.sqrt(reuse):
        return {"verdict": "recomputed", **found, "why": "nearer to once an element that reads it"}
    verdict = "materialised" if number > 1 else "staged"
    return {"verdict": verdict, **found, "why": f"nearer to once; {number} kernels a call"}
