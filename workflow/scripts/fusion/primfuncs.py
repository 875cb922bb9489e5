"""What one operator of a legalised graph does, read off its PrimFunc: loops, reads, arithmetic."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from tvm import tirx

from . import releases

INJECTIVE = 2  # kElemWise 0, kBroadcast 1, kInjective 2 of relay's and Relax's OpPatternKind
OPAQUE = 8

NODES = {
    "Add": "add",
    "Sub": "subtract",
    "Mul": "multiply",
    "Div": "divide",
    "Max": "max",
    "Min": "min",
    "Cast": "cast",
    "Select": "select",
}
CALLS = {"if_then_else": "select"}


@dataclass(frozen=True)
class Operator:
    """One PrimFunc of a legalised graph.

    pattern: its op_pattern. domain: elements of its largest loop nest. arithmetic: floating-point
    operations for one element of that domain, by (kind, dtype). reuse: for each parameter, how
    often each of its elements is read.
    """

    pattern: int
    domain: int
    arithmetic: dict[tuple[str, str], float]
    reuse: tuple[float, ...]

    @property
    def injective(self) -> bool:
        """Whether dlight can inline it into its consumer, where it is then computed anew."""
        return self.pattern <= INJECTIVE


def read(function: tirx.PrimFunc) -> Operator | None:
    """The operator, or None where an extent is known only at run time."""
    blocks = []
    releases.walk(
        function.body, releases.SBlock, lambda b: blocks.append(b) if b.iter_vars else None
    )
    domains = [_product(v.dom.extent for v in block.iter_vars) for block in blocks]
    buffers = releases.buffers_of(function)
    sizes = [_product(buffer.shape) for buffer in buffers]
    if not domains or None in domains or None in sizes:
        return None
    domain = max(domains)
    arithmetic: Counter[tuple[str, str]] = Counter()
    reads: list[dict[str, float]] = [{} for _ in buffers]
    for block, size in zip(blocks, domains, strict=True):
        for kind, count in _arithmetic(block).items():
            arithmetic[kind] += count * size / domain
        for place, buffer in enumerate(buffers):
            reads[place] |= _reads(block, size, buffer, sizes[place])
    pattern = (function.attrs or {}).get("op_pattern", OPAQUE)
    return Operator(int(pattern), domain, dict(arithmetic), tuple(sum(r.values()) for r in reads))


def _arithmetic(block) -> Counter:
    """Floating-point operations in one run of a block's body; those on indices are not counted."""
    found: Counter[tuple[str, str]] = Counter()

    def visit(node) -> None:
        name = getattr(getattr(node, "op", None), "name", "").rpartition(".")[2]
        kind = CALLS.get(name, name) or NODES.get(type(node).__name__)
        if kind and "float" in releases.dtype_of(node):
            found[kind, releases.dtype_of(node)] += 1

    for store in _stores(block):
        releases.walk(store.value, object, visit)
    return found


def _reads(block, domain: int, buffer, size: int) -> dict[str, float]:
    """Reads of each element of a buffer, by the indices that read it.

    A load under a condition (a concatenation's) reaches only part of the domain: for it, only those
    loops count that its indices do not follow.
    """
    loads, guarded = [], []

    def visit(node) -> None:
        if isinstance(node, releases.TensorLoad) and releases.buffer_of(node).same_as(buffer):
            loads.append(node)

    def visit_guard(node) -> None:
        if getattr(getattr(node, "op", None), "name", "").endswith("if_then_else") or (
            type(node).__name__ == "Select"
        ):
            releases.walk(node, releases.TensorLoad, lambda load: guarded.append(str(load)))

    for store in _stores(block):
        releases.walk(store.value, object, visit)
        releases.walk(store.value, object, visit_guard)
    found = {}
    for load in loads:
        words = str(load)
        found[words] = _absent(block, load) if words in guarded else domain / size
    return found


def _absent(block, load) -> float:
    """The product of the loops that a load's indices do not follow."""
    used = []
    for index in load.indices:
        releases.walk(index, tirx.Var, used.append)
    loops = [v for v in block.iter_vars if not any(v.var.same_as(u) for u in used)]
    return float(_product(v.dom.extent for v in loops))


def _stores(block) -> list:
    found = []
    releases.walk(block.body, tirx.BufferStore, found.append)
    return found


def _product(extents) -> int | None:
    values = [getattr(extent, "value", extent) for extent in extents]
    return math.prod(values) if all(isinstance(v, int) for v in values) else None
