"""A workload read as a Relax graph.

Arrays are thin wrappers of Relax expressions; every operator binds one variable in the block
builder, in the order in which the workload's Python evaluates them.
"""

from __future__ import annotations

from tvm import relax

from .errors import FusionError


class RelaxArray:
    """A Relax variable with Python's arithmetic; a number becomes a constant of its dtype."""

    def __init__(self, builder: GraphBuilder, expr: relax.Expr, dtype: str, block: int):
        self.builder, self.expr, self.dtype, self.block = builder, expr, dtype, block

    def __add__(self, other):
        return self.builder.emit(relax.op.add, self, other)

    def __radd__(self, other):
        return self.builder.emit(relax.op.add, other, self)

    def __sub__(self, other):
        return self.builder.emit(relax.op.subtract, self, other)

    def __rsub__(self, other):
        return self.builder.emit(relax.op.subtract, other, self)

    def __mul__(self, other):
        return self.builder.emit(relax.op.multiply, self, other)

    def __rmul__(self, other):
        return self.builder.emit(relax.op.multiply, other, self)


class GraphBuilder:
    """The array namespace over Relax, and the dataflow blocks that its operators go to.

    cut=False: one dataflow block. cut=True: each call of `cut` ends a block and starts another;
    what crosses it must have gone through `cut`, since a block hands on nothing else.
    """

    def __init__(self, block_builder: relax.BlockBuilder, cut: bool):
        self._bb, self._honour_cuts = block_builder, cut
        self._block = 0
        self._scope = None

    def open_block(self) -> None:
        self._block += 1
        self._scope = self._bb.dataflow()
        self._scope.__enter__()

    def close_block(self, result: RelaxArray) -> RelaxArray:
        """End the block with `result` as its output."""
        output = self._bb.emit_output(result.expr)
        self._scope.__exit__(None, None, None)
        return RelaxArray(self, output, result.dtype, 0)

    def emit(self, operator, *operands) -> RelaxArray:
        dtype = next(a.dtype for a in operands if isinstance(a, RelaxArray))
        args = [self._expression(operand, dtype) for operand in operands]
        return RelaxArray(self, self._bb.emit(operator(*args)), dtype, self._block)

    def _expression(self, operand, dtype: str) -> relax.Expr:
        if not isinstance(operand, RelaxArray):
            return relax.const(operand, dtype)
        if operand.block not in (0, self._block):
            raise FusionError(
                "the workload uses an array from before a cut",
                expected="only what xp.cut returned, and the inputs, after a cut",
                do="pass the array through xp.cut, or move the cut",
            )
        return operand.expr

    def exp(self, array: RelaxArray) -> RelaxArray:
        return self.emit(relax.op.exp, array)

    def tanh(self, array: RelaxArray) -> RelaxArray:
        return self.emit(relax.op.tanh, array)

    def sqrt(self, array: RelaxArray) -> RelaxArray:
        return self.emit(relax.op.sqrt, array)

    def sigmoid(self, array: RelaxArray) -> RelaxArray:
        return self.emit(relax.op.sigmoid, array)

    def erf(self, array: RelaxArray) -> RelaxArray:
        return self.emit(relax.op.erf, array)

    def maximum(self, array: RelaxArray, other: RelaxArray | float) -> RelaxArray:
        return self.emit(relax.op.maximum, array, other)

    def cut(self, array: RelaxArray) -> RelaxArray:
        if not self._honour_cuts:
            return array
        output = self.close_block(array)
        self.open_block()
        return output


def build_graph(function, inputs: dict[str, tuple[int, ...]], dtype: str, *, cut: bool):
    """The IRModule whose `main` takes the inputs in order and returns the workload's result."""
    bb = relax.BlockBuilder()
    variables = {n: relax.Var(n, relax.TensorType(s, dtype)) for n, s in inputs.items()}
    with bb.function("main", list(variables.values())):
        graph = GraphBuilder(bb, cut)
        graph.open_block()
        arrays = [RelaxArray(graph, var, dtype, 0) for var in variables.values()]
        result = graph.close_block(function(graph, *arrays))
        bb.emit_func_output(result.expr)
    return bb.get()
