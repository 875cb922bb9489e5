"""SPLIT: cut a graph where fusing a producer into its consumer is estimated to cost time.

FuseOps puts a chain and the broadcast that follows it into one function, and dlight then inlines
the chain: it is computed anew for each element that reads it. The pass `Split` stands before
FuseOps. It asks, for every producer whose elements a consumer reads more than once, which is
faster: one kernel, or the producer in a kernel of its own. Where the latter is, the producer moves
to an earlier dataflow block, and FuseOps, which never looks across blocks, leaves it there.
"""

from __future__ import annotations

import tvm
from tvm import relax

from .costs import Choice, Rates
from .dataflow import Graph, Node, graphs_of
from .levels import split_blocks

PASS = "SPLIT"


@tvm.transform.module_pass(opt_level=0, name="Split")
class Split:
    """The pass. rates: of the device that is compiled for; None cuts wherever a producer's elements
    are read more than once. decisions: where each is put.
    """

    def __init__(self, rates: Rates | None, decisions: list):
        self._rates, self._decisions = rates, decisions

    def transform_module(self, mod: tvm.IRModule, _ctx) -> tvm.IRModule:
        split = tvm.IRModule(dict(mod.functions), attrs=mod.attrs)
        for name, (function, graphs) in graphs_of(mod).items():
            cuts = [cut for graph in graphs for cut in self._decide(graph)]
            if cuts:
                split.update_func(name, split_blocks(function, cuts))
        return relax.transform.Normalize()(split)

    def _decide(self, graph: Graph) -> list[tuple]:
        """The edges to cut in one dataflow block, as (producer's variable, consumer's)."""
        if graph.unknown:
            self._note(_bare(graph.unknown, "", f"left as it is: {graph.unknown_reason}"))
            return []
        cuts: list[tuple] = []
        kernels = [set(group) for group in graph.groups]
        for producer in reversed(graph.nodes):
            consumers = [c for c in graph.consumers(producer) if graph.reuse(producer, c) > 1]
            together = [c for c in consumers if c.group == producer.group]
            for consumer in consumers:
                if consumer not in together:
                    self._note(_apart(graph, producer, consumer))
            if not together:
                continue
            if self._rates and not producer.operator.injective:
                words = "left as it is: no schedule computes a reduction anew for each reader"
                self._note(_bare(producer.name, _names(together), words))
                continue
            kernel = next(k for k in kernels if producer in k)
            upstream = graph.upstream(producer, kernel)
            if self._rates is None:
                cut = True
                self._note(_marked(producer, together))
            else:
                choice = _choice(graph, kernel, upstream, producer, self._rates)
                cut = choice.cut
                self._note(_decision(graph, kernel, upstream, producer, together, choice))
            if cut:
                kernels.remove(kernel)
                kernels += [upstream, kernel - upstream]
                cuts += [(producer.var, consumer.var) for consumer in together]
        return cuts

    def _note(self, decision: dict) -> None:
        self._decisions.append({"pass": PASS, **decision})


def _choice(graph: Graph, kernel: set, upstream: set, producer: Node, rates: Rates) -> Choice:
    rest = kernel - upstream
    return Choice(
        fused=graph.work(kernel),
        producer=graph.work(upstream),
        consumer=graph.work(rest),
        values=sum(any(c in rest for c in graph.consumers(node)) for node in upstream),
        rates=rates,
    )


def _decision(graph, kernel, upstream, producer, consumers, choice: Choice) -> dict:
    reuse = graph.evaluations(kernel)[producer] / producer.elements
    times = f"{choice.fused_us:.1f} us fused, {choice.materialised_us:.1f} us materialised"
    verb = "cut: computing it once is faster" if choice.cut else "kept: one kernel is not slower"
    return {
        "producer": producer.name,
        "consumer": _names(consumers),
        "operators": _operators(upstream),
        "elements": producer.elements,
        "reuse": round(reuse, 3),
        **choice.as_record(),
        "rates": {"name": choice.rates.name, "source": choice.rates.source},
        "cut": choice.cut,
        "reason": f"{verb} ({times})",
    }


def _operators(nodes: set[Node]) -> dict[str, float]:
    """How many operations of each kind are computed anew with an element of the producer."""
    counts: dict[str, float] = {}
    for node in (n for n in nodes if n.operator.injective):
        for (kind, _), count in node.operator.arithmetic.items():
            counts[kind] = counts.get(kind, 0) + count
    return dict(sorted(counts.items()))


def _apart(graph: Graph, producer: Node, consumer: Node) -> dict:
    if not producer.operator.injective:
        why = "the producer is a reduction or the like"
    elif len(graph.consumers(producer)) > 1:
        why = "the producer has other readers, and FuseOps keeps it in memory for them"
    elif not consumer.operator.injective:
        why = "the consumer is a reduction or the like, into which FuseOps fuses nothing"
    else:
        why = "FuseOps puts them into two functions"
    words = f"not considered, it is computed once in any case: {why}"
    return _bare(producer.name, consumer.name, words)


def _marked(producer: Node, consumers: list[Node]) -> dict:
    words = "cut: every broadcast edge is, where the workload marks none"
    return {**_bare(producer.name, _names(consumers), words), "cut": True}


def _bare(producer: str, consumer: str, reason: str) -> dict:
    """A decision for which nothing had to be estimated."""
    return {"producer": producer, "consumer": consumer, "cut": False, "reason": reason}


def _names(nodes: list[Node]) -> str:
    return " and ".join(node.name for node in nodes)
