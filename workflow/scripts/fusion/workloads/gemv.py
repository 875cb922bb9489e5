"""A matrix times a vector as sum(multiply(a, v)), [2, 2] and [2] (TVM issue 20118).

In that issue dlight's GEMV rule raises a ScheduleError on CUDA, in TVM 0.25.0.post1; 0.26.0 does,
too, and 0.27.0.post1 compiles it.
"""

inputs = {"a": ("rows", "cols"), "v": ("cols",)}
defaults = {"rows": 2, "cols": 2, "dtype": "float32"}


def gemv(xp, a, v, **_sizes):
    return xp.sum(a * v, axis=-1)
