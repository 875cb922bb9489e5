"""A chain of exp on a row vector [1, cols], then a broadcast Add: issue 20342's graph, turned."""

inputs = {"x": (1, "cols"), "b": ("rows", "cols")}
defaults = {"depth": 16, "rows": 4096, "cols": 4096, "dtype": "float16"}
small = {"rows": 256, "cols": 256}


def row_chain(xp, x, b, *, depth, **_sizes):
    z = x
    for _ in range(depth):
        z = xp.exp(x - 0.5 * z)
    return b + xp.cut(z)
