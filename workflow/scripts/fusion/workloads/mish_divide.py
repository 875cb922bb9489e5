"""mish, x tanh(log(1 + exp(x))), then a division (the second graph of TVM issue 20061).

In that issue the module compiles fused and crashes without fusion.
"""

inputs = {
    "x": ("rows", "cols"),
    "d": {"shape": ("rows", "cols"), "low": 0.5, "high": 2.0},
}
defaults = {"rows": 6, "cols": 6, "dtype": "float32"}


def mish_divide(xp, x, d, **_sizes):
    return x * xp.tanh(xp.log(1 + xp.exp(x))) / d
