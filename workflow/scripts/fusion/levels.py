"""Divide dataflow blocks at cut edges: what is before a cut goes to an earlier block."""

from __future__ import annotations

from tvm import relax

from . import releases
from .fused_groups import with_blocks


def split_blocks(function: relax.Function, cuts: list[tuple]) -> relax.Function:
    """The function with each (producer's variable, consumer's) of `cuts` in different blocks.

    A variable that another block reads becomes an output of its block.
    """
    renamed = _Renamed()
    blocks = []
    for block in function.body.blocks:
        if isinstance(block, relax.DataflowBlock):
            blocks += renamed.blocks(_divided(block, cuts))
        else:
            blocks.append(block)
    return with_blocks(function, blocks)


def _divided(block: relax.DataflowBlock, cuts: list[tuple]) -> list[list[relax.Binding]]:
    """The bindings by level: a cut edge goes to a higher one, and what is not cut stays as late as
    its consumers, beside them.
    """
    own = {binding.var for binding in block.bindings}
    reads = {
        b.var: [v for v in relax.analysis.free_vars(b.value) if v in own] for b in block.bindings
    }
    cut = set(cuts)
    levels: dict = {}
    for binding in block.bindings:
        levels[binding.var] = max(
            (levels[v] + ((v, binding.var) in cut) for v in reads[binding.var]), default=0
        )
    latest: dict = {}
    for binding in reversed(block.bindings):
        var = binding.var
        levels[var] = latest.get(var, levels[var])
        for read in reads[var]:
            bound = levels[var] - ((read, var) in cut)
            latest[read] = min(latest.get(read, bound), bound)
    count = 1 + max(levels.values())
    return [[b for b in block.bindings if levels[b.var] == level] for level in range(count)]


@relax.expr_functor.mutator
class _Renamed(relax.PyExprMutator):
    """Dataflow variables that are read in a later block, as ordinary ones."""

    def __init__(self):
        super().__init__()
        self.new: dict = {}

    def blocks(self, divided: list[list[relax.Binding]]) -> list[relax.DataflowBlock]:
        made = []
        for level, bindings in enumerate(divided):
            later = {
                v
                for bs in divided[level + 1 :]
                for b in bs
                for v in relax.analysis.free_vars(b.value)
            }
            for binding in bindings:
                var = binding.var
                if isinstance(var, relax.DataflowVar) and var in later:
                    self.new[var] = relax.Var(releases.name_of(var), releases.type_of(var))
            made.append(relax.DataflowBlock([self._binding(b) for b in bindings]))
        return made

    def _binding(self, binding: relax.Binding) -> relax.Binding:
        var, value = self.new.get(binding.var, binding.var), self.visit_expr(binding.value)
        if isinstance(binding, relax.MatchCast):
            return relax.MatchCast(var, value, releases.type_of(binding))
        return relax.VarBinding(var, value)

    def visit_dataflow_var_(self, op):
        return self.new.get(op, op)
