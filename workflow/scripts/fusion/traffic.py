"""Bytes that the calls of a graph must move at least, from its IR just before VM lowering."""

import math

import tvm
from tvm import relax

from . import releases

WRITES = ("relax.call_tir", "relax.call_dps_packed")


def at_least(mod: tvm.IRModule) -> dict[str, int | None]:
    """Bytes by kind, and in all: each input once, each output once, each intermediate twice.

    An intermediate is what a call writes to memory and `main` does not return, or what a PrimFunc
    keeps in global memory between its own loop nests: it is written and then read. What is read
    more than once is not counted again here. A kind is None, and so is the sum, where a shape is
    known only at run time.
    """
    function = mod["main"]
    result = _aliases_of(function)
    written = [(var, value) for var, value in _bindings(function) if _is_written(value)]
    between = [bytes_of(releases.type_of(var)) for var, _ in written if var not in result]
    kinds = {
        "inputs": _sum(bytes_of(releases.type_of(param)) for param in function.params),
        "outputs": bytes_of(releases.type_of(function.body)),
        "intermediates": _sum(between + [_kept_inside(mod, value) for _, value in written]),
    }
    once = (kinds["inputs"], kinds["outputs"])
    return {**kinds, "at_least": _sum([*once, kinds["intermediates"], kinds["intermediates"]])}


def _bindings(function: relax.Function) -> list[tuple]:
    blocks = getattr(function.body, "blocks", [])
    return [(binding.var, binding.value) for block in blocks for binding in block.bindings]


def _is_written(value) -> bool:
    return isinstance(value, relax.Call) and getattr(value.op, "name", "") in WRITES


def _kept_inside(mod: tvm.IRModule, call: relax.Call) -> int | None:
    """Bytes of the buffers in global memory that the called PrimFunc's whole body shares."""
    callee = mod[call.args[0]] if isinstance(call.args[0], tvm.ir.GlobalVar) else None
    root = getattr(getattr(callee, "body", None), "block", None)
    buffers = [b for b in getattr(root, "alloc_buffers", []) if b.scope() == "global"]
    return _sum(_of_shape(buffer.shape, buffer.dtype) for buffer in buffers)


def _aliases_of(function: relax.Function) -> set:
    """The variables that are the function's result or parts of it under another name."""
    values = dict(_bindings(function))
    todo, found = [getattr(function.body, "body", function.body)], set()
    while todo:
        expr = todo.pop()
        if isinstance(expr, relax.Tuple):
            todo += list(expr.fields)
        elif isinstance(expr, relax.TupleGetItem):
            todo.append(expr.tuple_value)
        elif isinstance(expr, relax.Var) and expr not in found:
            found.add(expr)
            todo += [values[expr]] if expr in values else []
    return found


def bytes_of(kind) -> int | None:
    """Of a tensor, or of all tensors of a tuple; None if a shape is not known."""
    if isinstance(kind, releases.TupleType):
        return _sum(map(bytes_of, kind.fields))
    if not isinstance(kind, releases.TensorType):
        return 0
    shape = getattr(kind.shape, "values", None)
    return None if shape is None else _of_shape(shape, kind.dtype)


def _of_shape(shape, dtype) -> int | None:
    sizes = [getattr(extent, "value", None) for extent in shape]
    if not all(isinstance(size, int) for size in sizes):
        return None
    return math.prod(sizes) * -(-tvm.DataType(str(dtype)).bits // 8)


def _sum(values) -> int | None:
    values = list(values)
    return None if None in values else sum(values)
