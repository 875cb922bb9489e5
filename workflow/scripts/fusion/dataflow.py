"""A dataflow block as a graph of operators, with FuseOps' groups and the work of kernels of it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import tvm
from tvm import relax

from . import primfuncs, releases
from .costs import Kernel
from .fused_groups import groups_of, is_call_tir
from .traffic import bytes_of


@dataclass(frozen=True, eq=False)
class Node:
    """One call_tir. name: such as 'tir_exp (lv3)'. inputs: its tensors, in the order of the
    PrimFunc's parameters. group: FuseOps would fuse what shares it.
    """

    name: str
    var: relax.Var
    inputs: tuple
    operator: primfuncs.Operator
    group: int

    @property
    def elements(self) -> int:
        """Of its result."""
        return math.prod(_shape(self.var))

    @property
    def dtype(self) -> str:
        return str(releases.type_of(self.var).dtype)


@dataclass(frozen=True)
class Graph:
    """The operators of one dataflow block, in its order. outside: what other code of the function
    reads. unknown: an operator that estimates cannot be made for, or ''; then there are no nodes.
    """

    nodes: tuple[Node, ...]
    outside: frozenset
    unknown: str = ""
    unknown_reason: str = ""
    _readers: dict = field(default_factory=dict)

    def __post_init__(self):
        for node in self.nodes:
            for var in dict.fromkeys(v for v in node.inputs if isinstance(v, relax.Var)):
                self._readers.setdefault(var, []).append(node)

    @cached_property
    def groups(self) -> list[list[Node]]:
        found: dict[int, list[Node]] = {}
        for node in self.nodes:
            found.setdefault(node.group, []).append(node)
        return list(found.values())

    def consumers(self, node: Node) -> list[Node]:
        return self._readers.get(node.var, [])

    def reuse(self, producer: Node, consumer: Node) -> float:
        """How often the consumer reads each of the producer's elements."""
        reads = consumer.operator.reuse
        places = [i for i, v in enumerate(consumer.inputs) if _same(v, producer.var)]
        return max((reads[i] for i in places), default=0.0)

    def upstream(self, node: Node, kernel: set[Node]) -> set[Node]:
        """The node and all of the kernel that it is computed from."""
        found, todo = set(), [node]
        while todo:
            found.add(at := todo.pop())
            todo += [n for n in kernel - found if at in self.consumers(n)]
        return found

    def evaluations(self, kernel: set[Node]) -> dict[Node, float]:
        """How often an element of each node is computed, where all is inlined into what ends it."""
        found: dict[Node, float] = {}
        for node in reversed(self.nodes):
            if node not in kernel:
                continue
            readers = [c for c in self.consumers(node) if c in kernel]
            if not readers or not node.operator.injective:
                found[node] = float(node.operator.domain)
            else:
                found[node] = max(
                    found[c] * self.reuse(node, c) * node.elements / c.operator.domain
                    for c in readers
                )
        return found

    def work(self, kernel: set[Node]) -> Kernel:
        """What the nodes do as one kernel."""
        evaluations = self.evaluations(kernel)
        operations: Counter[tuple[str, str]] = Counter()
        for node in kernel:
            for kind, count in node.operator.arithmetic.items():
                operations[kind] += count * evaluations[node]
        results = [n for n in self.nodes if n in kernel and self._leaves(n, kernel)]
        written = {n.var for n in kernel}
        read = {v for n in kernel for v in n.inputs if isinstance(v, relax.Var)} - written
        constants = [v for n in kernel for v in n.inputs if not isinstance(v, relax.Var)]
        last = max(results, key=lambda n: n.operator.domain)
        moved = [*(n.var for n in results), *read, *constants]
        total = sum(bytes_of(releases.type_of(v)) for v in moved)
        return Kernel(dict(operations), last.operator.domain, last.dtype, total)

    def _leaves(self, node: Node, kernel: set[Node]) -> bool:
        readers = self.consumers(node)
        return node.var in self.outside or any(c not in kernel for c in readers) or not readers


def graphs_of(mod: tvm.IRModule) -> dict:
    """GlobalVar -> (function, a Graph for each of its dataflow blocks with call_tir)."""
    groups, found = groups_of(mod), {}
    for name, function in mod.functions.items():
        if isinstance(function, relax.Function) and isinstance(function.body, relax.SeqExpr):
            blocks = [b for b in function.body.blocks if isinstance(b, relax.DataflowBlock)]
            graphs = [_graph(mod, block, groups) for block in blocks]
            found[name] = (function, [g for g in graphs if g.nodes or g.unknown])
    return found


def _graph(mod, block: relax.DataflowBlock, groups: dict) -> Graph:
    nodes, other = [], set()
    for binding in block.bindings:
        if not isinstance(binding.var, relax.DataflowVar):
            other.add(binding.var)
        if not is_call_tir(binding.value):
            other |= set(relax.analysis.free_vars(binding.value))
            continue
        callee = binding.value.args[0]
        name = f"{callee.name_hint} ({releases.name_of(binding.var)})"
        operator = primfuncs.read(mod[callee])
        inputs = tuple(binding.value.args[1].fields)
        why = _why_not(binding.var, inputs, operator)
        if why:
            return Graph((), frozenset(), name, why)
        nodes.append(Node(name, binding.var, inputs, operator, groups[binding.var]))
    return Graph(tuple(nodes), frozenset(other))


def _why_not(var, inputs: tuple, operator) -> str:
    if operator is None or any(_shape(v) is None for v in inputs):
        return "a shape is known only at run time"
    if not isinstance(releases.type_of(var), releases.TensorType) or _shape(var) is None:
        return "an operator gives more than one tensor"
    return ""


def _shape(value) -> tuple[int, ...] | None:
    extents = getattr(getattr(releases.type_of(value), "shape", None), "values", None)
    values = None if extents is None else [getattr(e, "value", None) for e in extents]
    known = values is not None and all(isinstance(v, int) for v in values)
    return tuple(values) if known else None


def _same(one, other) -> bool:
    return isinstance(one, relax.Var) and one.same_as(other)
