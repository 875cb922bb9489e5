"""The projection ((x, x), x)[0][1] of a nested tuple (TVM issue 20194).

In that issue FuseOps makes a function named just `fused` of it, at which FuseTIR aborts: PARTIAL
and ON fail where OFF passes.
"""

inputs = {"x": ("rows", "cols")}
defaults = {"rows": 4, "cols": 4, "dtype": "float32"}


def tuple_projection(xp, x, **_sizes):
    projected = xp.tuple(xp.tuple(x, x), x)[0][1]
    return projected, 2 * x  # something to compute, too: a graph of projections has no kernel
