"""A workload read as a Relax graph.

Arrays are thin wrappers of Relax expressions; every operator binds one variable in the block
builder, in the order in which the workload's Python evaluates them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import tvm
from tvm import relax

from . import namespace
from .errors import FusionError
from .releases import tensor_type, type_of
from .workloads._base import Input

# relax.op's own names, where they are others.
_OPS = {
    "bitwise_invert": "bitwise_not",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "pow": "power",
    "remainder": "floor_mod",
}
# Of these dtypes TVM has no code for the function, on LLVM or on CUDA; it has of float32.
_NARROW = {"sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "round"}
_THROUGH_FLOAT32 = {
    "float16": _NARROW,
    "bfloat16": _NARROW | {"pow", *namespace.PREDICATES},
}


@namespace.with_operators
class RelaxArray:
    """A Relax variable with Python's operators; a number becomes a constant of its dtype.

    block: the dataflow block that it belongs to; 0 where any may use it.
    """

    __array_ufunc__ = None  # NumPy's numbers leave an operator with an array to the array

    def __init__(self, builder: GraphBuilder, expr: relax.Expr, block: int):
        self.builder, self.expr, self.block = builder, expr, block
        kind = type_of(expr)
        self.shape = tuple(int(extent) for extent in kind.shape.values)
        self.dtype = str(kind.dtype)

    def operate(self, name: str, *operands):
        return getattr(self.builder, name)(*operands)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        raise FusionError(
            f"an array has no .{name}",
            expected=".shape, .dtype and Python's operators",
            do=f"xp.{name}" if name in namespace.TAKES else "use a function of xp",
        )

    def __getitem__(self, _index):
        raise FusionError("an array cannot be indexed", do="use a function of xp")

    def __bool__(self):
        raise FusionError("a branch on an array's values", do="xp.where(condition, x, y)")


@dataclass(frozen=True)
class RelaxTuple:
    """A variable that is bound to a tuple; [i] binds one more to its item i."""

    builder: GraphBuilder
    expr: relax.Expr
    block: int

    def __getitem__(self, index: int) -> RelaxArray | RelaxTuple:
        if not -len(self) <= index < len(self):
            raise IndexError(index)  # which also ends an iteration
        return self.builder.item(self, index % len(self))

    def __len__(self) -> int:
        return len(type_of(self.expr).fields)


class GraphBuilder:
    """The array namespace over Relax, and the dataflow blocks that its operators go to.

    honour_cuts: False for one dataflow block. True: each call of `cut` ends a block and starts
    another; what crosses it must have gone through `cut`, since a block hands on nothing else.
    cuts: how often `cut` was called.
    """

    def __init__(self, block_builder: relax.BlockBuilder, honour_cuts: bool):
        self._bb, self._honour_cuts = block_builder, honour_cuts
        self.cuts = 0
        self._block = 0
        self._scope = None

    def open_block(self) -> None:
        self._block += 1
        self._scope = self._bb.dataflow()
        self._scope.__enter__()

    def close_block(self, results) -> list[relax.Expr]:
        """End the block with the results as its outputs."""
        outputs = [self._bb.emit_output(self._usable(result)) for result in results]
        self._scope.__exit__(None, None, None)
        return outputs

    def __getattr__(self, name: str) -> Callable:
        if name in namespace.UNARY or name in namespace.BINARY:
            return partial(self._elementwise, name)
        if name in namespace.REDUCTIONS:
            return partial(self._reduce, name)
        namespace.refuse(name)

    def _elementwise(self, name: str, *operands) -> RelaxArray:
        wanted = 1 if name in namespace.UNARY else 2
        if len(operands) != wanted:
            raise TypeError(f"xp.{name} takes {wanted} operand(s), not {len(operands)}")
        dtype = namespace.common_dtype(name, operands, RelaxArray)
        if name in _THROUGH_FLOAT32.get(dtype, ()):
            wide = [self.astype(o, "float32") if isinstance(o, RelaxArray) else o for o in operands]
            found = self._elementwise(name, *wide)
            return found if name in namespace.PREDICATES else self.astype(found, dtype)
        return self._emit(name, getattr(relax.op, _OPS.get(name, name)), *operands)

    def _emit(self, name: str, operator: Callable, *operands) -> RelaxArray:
        """Bind operator(*expressions of the operands), which are arrays and numbers."""
        dtype = namespace.common_dtype(name, operands, RelaxArray)
        expressions = [self._expression(operand, dtype) for operand in operands]
        try:
            bound = self._bb.emit(operator(*expressions))
        except Exception as error:  # TVM raises several kinds
            shapes = [str(o.shape) for o in operands if isinstance(o, RelaxArray)]
            lines = str(error).strip().splitlines()
            raise FusionError(
                f"TVM refuses xp.{name} of shape {' and '.join(shapes)}",
                found=lines[-1] if lines else type(error).__name__,
            ) from error
        return RelaxArray(self, bound, self._block)

    def _expression(self, operand, dtype: str) -> relax.Expr:
        if isinstance(operand, RelaxArray):
            return self._usable(operand)
        return relax.const(operand, dtype)

    def _usable(self, item: RelaxArray | RelaxTuple) -> relax.Expr:
        if item.block not in (0, self._block):
            raise FusionError(
                "the workload uses an array from before a cut",
                expected="only what xp.cut returned, and the inputs, after a cut",
                do="pass the array through xp.cut, or move the cut",
            )
        return item.expr

    def where(self, cond: RelaxArray, x, y) -> RelaxArray:
        namespace.check_condition(cond, RelaxArray)
        condition = self._usable(cond)
        return self._emit("where", partial(relax.op.where, condition), x, y)

    def clip(self, x: RelaxArray, min: float, max: float) -> RelaxArray:
        for bound in (min, max):
            if not namespace.is_number(bound):
                raise FusionError("xp.clip takes two numbers as bounds")
            namespace.check_number("clip", bound, x.dtype)
        return self._emit("clip", lambda expr: relax.op.clip(expr, min, max), x)

    def _reduce(self, name: str, x: RelaxArray, axis=None, keepdims: bool = False) -> RelaxArray:
        namespace.common_dtype(name, (x,), RelaxArray)
        along = None if axis is None else list(namespace.axes(name, axis, len(x.shape)))
        reduction = getattr(relax.op, name)
        return self._emit(name, lambda expr: reduction(expr, axis=along, keepdims=keepdims), x)

    def matmul(self, a: RelaxArray, b: RelaxArray) -> RelaxArray:
        return self._emit("matmul", relax.op.matmul, a, b)

    def conv2d(self, x: RelaxArray, w: RelaxArray, *, stride=1, padding=0) -> RelaxArray:
        namespace.common_dtype("conv2d", (x, w), RelaxArray)
        place = namespace.windows("conv2d", x.shape, w.shape[2:], stride, padding)
        _, strides, (rows, cols), _ = place
        make = partial(relax.op.nn.conv2d, strides=strides, padding=(rows, cols, rows, cols))
        return self._emit("conv2d", make, x, w)

    def max_pool2d(self, x: RelaxArray, window, *, stride=None, padding=0) -> RelaxArray:
        return self._pool("max_pool2d", x, window, stride, padding)

    def avg_pool2d(self, x: RelaxArray, window, *, stride=None, padding=0) -> RelaxArray:
        return self._pool("avg_pool2d", x, window, stride, padding, count_include_pad=True)

    def _pool(self, name: str, x: RelaxArray, window, stride, padding, **options) -> RelaxArray:
        namespace.common_dtype(name, (x,), RelaxArray)
        size, strides, (rows, cols), _ = namespace.windows(name, x.shape, window, stride, padding)
        sides = (rows, cols, rows, cols)
        operator = getattr(relax.op.nn, name)
        make = partial(operator, pool_size=size, strides=strides, padding=sides, **options)
        return self._emit(name, make, x)

    def reshape(self, x: RelaxArray, shape) -> RelaxArray:
        namespace.common_dtype("reshape", (x,), RelaxArray)
        wanted = namespace.reshaped(x.shape, shape)
        return self._emit("reshape", lambda expr: relax.op.reshape(expr, wanted), x)

    def broadcast_to(self, x: RelaxArray, shape) -> RelaxArray:
        wanted = tuple(shape)
        return self._emit("broadcast_to", lambda expr: relax.op.broadcast_to(expr, wanted), x)

    def permute_dims(self, x: RelaxArray, axes=None) -> RelaxArray:
        order = None if axes is None else list(axes)
        return self._emit("permute_dims", lambda expr: relax.op.permute_dims(expr, order), x)

    transpose = permute_dims

    def concat(self, arrays, axis: int = 0) -> RelaxArray:
        return self._emit("concat", lambda *parts: relax.op.concat(list(parts), axis), *arrays)

    def expand_dims(self, x: RelaxArray, axis) -> RelaxArray:
        return self._emit("expand_dims", lambda expr: relax.op.expand_dims(expr, axis), x)

    def squeeze(self, x: RelaxArray, axis=None) -> RelaxArray:
        return self._emit("squeeze", lambda expr: relax.op.squeeze(expr, axis), x)

    def astype(self, x: RelaxArray, dtype: str) -> RelaxArray:
        word = namespace.cast_name(dtype)
        return self._emit("astype", lambda expr: relax.op.astype(expr, word), x)

    def tuple(self, *items: RelaxArray | RelaxTuple) -> RelaxTuple:
        for item in items:
            if not isinstance(item, RelaxArray | RelaxTuple):
                raise namespace.wrong_operand("tuple", item)
        return self._wrap(self._bb.emit(relax.Tuple([self._usable(item) for item in items])))

    def item(self, of: RelaxTuple, index: int) -> RelaxArray | RelaxTuple:
        """Bind item `index` of the tuple."""
        return self._wrap(self._bb.emit(relax.TupleGetItem(self._usable(of), index)))

    def _wrap(self, bound: relax.Var) -> RelaxArray | RelaxTuple:
        make = RelaxTuple if hasattr(type_of(bound), "fields") else RelaxArray
        return make(self, bound, self._block)

    def cut(self, *arrays: RelaxArray) -> RelaxArray | tuple[RelaxArray, ...]:
        """The arrays as they may be used after the cut: one, or a tuple of several."""
        self.cuts += 1
        for array in arrays:
            if not isinstance(array, RelaxArray):
                raise namespace.wrong_operand("cut", array)
        if self._honour_cuts:
            outputs = self.close_block(arrays)
            self.open_block()
            arrays = tuple(RelaxArray(self, output, 0) for output in outputs)
        return arrays[0] if len(arrays) == 1 else arrays

    def finish(self, result) -> relax.Expr:
        """End the last block; what main returns: a tensor or a tuple of them."""
        if isinstance(result, RelaxArray | RelaxTuple):
            return self.close_block([result])[0]
        items = result if isinstance(result, tuple | list) else ()
        if not items or not all(isinstance(item, RelaxArray) for item in items):
            raise FusionError(
                "the workload's result is no array of its own, and no tuple of them",
                found=type(result).__name__,
            )
        return relax.Tuple(self.close_block(items))


@dataclass(frozen=True)
class Graph:
    """module: its `main` takes the inputs in order and returns the workload's result.

    cuts: how often the function called xp.cut.
    """

    module: tvm.IRModule
    cuts: int


def build_graph(function: Callable, inputs: dict[str, Input], *, cut: bool) -> Graph:
    """The Relax graph of function(xp, *arrays). cut: its cuts end dataflow blocks.

    Raises FusionError for what the namespace or TVM does not take.
    """
    bb = relax.BlockBuilder()
    variables = [relax.Var(n, tensor_type(i.shape, i.dtype)) for n, i in inputs.items()]
    with bb.function("main", variables):
        graph = GraphBuilder(bb, cut)
        graph.open_block()
        result = function(graph, *(RelaxArray(graph, variable, 0) for variable in variables))
        bb.emit_func_output(graph.finish(result))
    return Graph(bb.get(), graph.cuts)
