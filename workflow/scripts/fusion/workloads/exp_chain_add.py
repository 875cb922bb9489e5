"""Apache TVM issue 20342: an exp chain on a column, followed by a broadcast Add."""

from ._base import Workload

# FuseOps starts a new group when one holds this many operators (relax.FuseOps.max_depth's default
# in TVM 0.26 and 0.27; seen at 85 and 86 steps).
FUSE_OPS_LIMIT = 256


def exp_chain_add(xp, x, b, *, depth, **_sizes):
    """x [rows, 1], b [rows, cols] -> b + z, where z starts as x and becomes exp(x - 0.5 z)."""
    z = x
    for _ in range(depth):
        z = xp.exp(x - 0.5 * z)
    z = xp.cut(z)
    return b + z


def _groups(operators: int) -> int:
    return -(-operators // FUSE_OPS_LIMIT)


def expected_calls(variant: str, sizes: dict) -> int | None:
    """Three operators a step and the Add: each alone in OFF, else as few as FuseOps allows."""
    chain = 3 * sizes["depth"]
    return {
        "OFF": chain + 1,
        "PARTIAL": _groups(chain) + 1,
        "ON": _groups(chain + 1),
        "INLINED": _groups(chain + 1),
    }.get(variant)


EXP_CHAIN_ADD = Workload(
    name="exp_chain_add",
    summary="z = x; depth times z = exp(x - 0.5 z); y = b + z",
    function=exp_chain_add,
    parameters=("depth", "rows", "cols"),
    input_shapes=lambda s: {"x": (s["rows"], 1), "b": (s["rows"], s["cols"])},
    output_shape=lambda s: (s["rows"], s["cols"]),
    expected_calls=expected_calls,
)
