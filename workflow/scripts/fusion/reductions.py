"""How far the result of a long sum may lie from its reference: the rule, and what it is from.

The reference adds in float64 and rounds once. A kernel that adds n numbers in its dtype rounds at
every addition, by at most u of the partial sum (u: 2^-11 for float16, 2^-8 for bfloat16, 2^-24 for
float32). Taken as independent, such errors grow with the square root of n and not with n (N. J.
Higham and T. Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput.
41(5), 2019, and for data of either sign "Sharper probabilistic backward error analysis for basic
linear algebra kernels with random data", 2020). So for every reduction in a workload the tolerance
grows by sqrt(n) u, relative to the result, and by as much of the largest partial sum that its data
lead one to expect: |sum| + sqrt(sum of squares). Maxima are exact and add nothing.
"""

import math

UNIT_ROUNDOFF = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}


def growth(reductions: list) -> tuple[float, float]:
    """What is added to (rtol, atol) for these namespace_numpy.Reductions."""
    relative = [math.sqrt(r.length) * UNIT_ROUNDOFF[r.dtype] for r in reductions]
    absolute = [share * r.magnitude for share, r in zip(relative, reductions, strict=True)]
    return math.fsum(relative), math.fsum(absolute)
