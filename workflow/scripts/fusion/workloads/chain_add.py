"""Apache TVM issue 20342 and its relatives: a chain on a column, followed by a broadcast Add.

Each differs in one step of the chain, so that only what an element of the chain costs differs.
"""

from collections.abc import Callable

from ._base import Input, Workload

# FuseOps starts a new group when one holds this many operators (relax.FuseOps.max_depth's default
# in TVM 0.26 and 0.27; seen at 85 and 86 steps of exp).
FUSE_OPS_LIMIT = 256


def chain_add(
    name: str,
    words: str,
    step: Callable,
    operators: int,
    *,
    first: Callable = lambda xp, x: x,
    first_operators: int = 0,
    transcendental: bool = True,
) -> Workload:
    """x [rows, 1], b [rows, cols] -> b + z, where z starts as x and `depth` times becomes a step.

    step(xp, u, z): the next z, in `operators` operators, where u = first(xp, x) is computed once,
    in `first_operators`. transcendental: a step holds one such function. words: the formulas of u
    and of a step, for the summary.
    """

    def function(xp, x, b, *, depth, **_sizes):
        z, u = x, first(xp, x)
        for _ in range(depth):
            z = step(xp, u, z)
        z = xp.cut(z)
        return b + z

    def expected_calls(variant: str, sizes: dict) -> int | None:
        """OFF leaves each operator alone; fused are as many as FuseOps allows.

        A variant that cuts where it sees fit (SPLIT) has no number of its own.
        """
        chain = first_operators + operators * sizes["depth"]
        return {
            "OFF": chain + 1,
            "PARTIAL": _groups(chain) + 1,
            "ON": _groups(chain + 1),
            "STAGED": _groups(chain + 1),
            "INLINED": _groups(chain + 1),
        }.get(variant.removesuffix("_GRAPH"))

    return Workload(
        name=name,
        summary=f"z = x; depth times {words}; y = b + z",
        function=function,
        inputs=lambda s, dtype: {
            "x": Input((s["rows"], 1), dtype),
            "b": Input((s["rows"], s["cols"]), dtype),
        },
        # TVM issue 20342's own; what is smaller on a CPU takes seconds there.
        defaults={"depth": [8, 16], "rows": 4096, "cols": 4096, "dtype": "float16"},
        small={"rows": 2048, "cols": 256},
        expected_calls=expected_calls,
        reused=(lambda s: (s["rows"] * s["depth"], s["cols"])) if transcendental else None,
    )


def _groups(operators: int) -> int:
    return -(-operators // FUSE_OPS_LIMIT)


CHAINS = (
    chain_add("exp_chain_add", "z = exp(x - 0.5 z)", lambda xp, x, z: xp.exp(x - 0.5 * z), 3),
    chain_add("tanh_chain_add", "z = tanh(x - 0.5 z)", lambda xp, x, z: xp.tanh(x - 0.5 * z), 3),
    # For x in [-0.25, 0.25], z stays in [-0.25, 1.2], so that the root's argument stays over 0.15.
    chain_add(
        "sqrt_chain_add",
        "z = sqrt(u - 0.5 z) with u = 1 + x",
        lambda xp, u, z: xp.sqrt(u - 0.5 * z),
        3,
        first=lambda xp, x: 1 + x,
        first_operators=1,
    ),
    chain_add(
        "sigmoid_chain_add",
        "z = sigmoid(x - 0.5 z)",
        lambda xp, x, z: xp.sigmoid(x - 0.5 * z),
        3,
    ),
    chain_add("erf_chain_add", "z = erf(x - 0.5 z)", lambda xp, x, z: xp.erf(x - 0.5 * z), 3),
    # No function that a GPU has a unit of its own for.
    chain_add(
        "cheap_chain_add",
        "z = x - 0.5 z",
        lambda xp, x, z: x - 0.5 * z,
        2,
        transcendental=False,
    ),
)
