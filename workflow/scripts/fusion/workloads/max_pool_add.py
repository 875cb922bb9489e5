"""Max pooling of concatenated inputs, then an Add of a scalar (TVM issue 20401).

The issue's shapes: [1, 144, 64, 64] float32 of three inputs of 48 channels each, pooled 2 x 2 with
stride 2. Fusing the Add into the pooling changes the schedule rule that dlight takes from Fallback
to GeneralReduction; the issue reports 5.53 times the latency.
"""

inputs = {
    "a": (1, "channels", "height", "width"),
    "b": (1, "channels", "height", "width"),
    "c": (1, "channels", "height", "width"),
    "bias": (),
}
defaults = {"channels": 48, "height": 64, "width": 64, "dtype": "float32"}


def max_pool_add(xp, a, b, c, bias, **_sizes):
    pooled = xp.max_pool2d(xp.concat([a, b, c], axis=1), 2, stride=2)
    return xp.cut(pooled) + bias
