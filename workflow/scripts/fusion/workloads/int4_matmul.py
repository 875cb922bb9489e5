"""int4 weights, two to a byte, made float16 and multiplied (MLC-LLM issue 2405).

x [batch, depth] times w [depth, cols]; a byte holds the rows k and k + depth/2 of w as values from
-8 to 7, and `group` rows share a scale. Dequantising inside the multiplication is done anew for
every row of x, unless the schedule keeps what it has computed.
"""


def inputs(batch, depth, cols, group):
    return {
        "x": (batch, depth),
        "packed": {"shape": (depth // 2, cols), "dtype": "uint8", "low": 0, "high": 256},
        "scale": {"shape": (depth // group, 1, cols), "low": 0.01, "high": 0.1},
    }


defaults = {"batch": 16, "depth": 1024, "cols": 1024, "group": 32, "dtype": "float16"}
small = {"depth": 256, "cols": 128}


def int4_matmul(xp, x, packed, scale, *, depth, cols, group, **_sizes):
    nibbles = xp.concat([packed & 15, packed >> 4], axis=0)
    signed = xp.astype(nibbles, x.dtype) - 8
    grouped = xp.reshape(signed, (depth // group, group, cols)) * scale
    w = xp.reshape(grouped, (depth, cols))
    return xp.matmul(x, xp.cut(w))
