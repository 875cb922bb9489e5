"""rsqrt, then sigmoid, then two means over the last axis (the first graph of TVM issue 20061).

In that issue the module compiles fused and crashes without fusion. TVM 0.25.0.post1 to 0.27.0.post1
fail on it for CUDA, fused or not.
"""

inputs = {"x": {"shape": ("rows", "cols"), "low": 0.5, "high": 2.0}}
defaults = {"rows": 6, "cols": 6, "dtype": "float32"}


def rsqrt_mean(xp, x, **_sizes):
    z = xp.sigmoid(xp.rsqrt(x))
    return xp.mean(xp.mean(z, axis=-1), axis=-1)
