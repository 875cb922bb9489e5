"""Which operators FuseOps would fuse, found by letting it run on a copy of the graph."""

import tvm
from tvm import relax

from . import releases

CALL_TIR = "relax.call_tir"


def is_call_tir(value) -> bool:
    """Whether an expression calls a PrimFunc of the module."""
    return isinstance(value, relax.Call) and getattr(value.op, "name", "") == CALL_TIR


def groups_of(mod: tvm.IRModule) -> dict:
    """The number of the fused group of each variable that a dataflow block binds to a call_tir.

    Every call gets a PrimFunc of its own first, whose name tells it in what FuseOps leaves behind.
    """
    marked = tvm.IRModule(dict(mod.functions), attrs=mod.attrs)
    variables: dict[str, object] = {}
    for name, function in mod.functions.items():
        if isinstance(function, relax.Function) and isinstance(function.body, relax.SeqExpr):
            marked.update_func(name, _marked(mod, marked, function, variables))
    fused = relax.transform.FuseOps()(marked)
    found, number = {}, 0
    for function in fused.functions.values():
        if isinstance(function, relax.Function):
            together = "Primitive" in (function.attrs or {})
            number += 1
            for callee in _callees(function):
                if not together:
                    number += 1
                if callee in variables:
                    found[variables[callee]] = number
    return found


def with_blocks(function: relax.Function, blocks: list) -> relax.Function:
    """The function with these binding blocks in place of its own."""
    return releases.with_body(function, relax.SeqExpr(blocks, function.body.body))


def _marked(mod, marked, function: relax.Function, variables: dict) -> relax.Function:
    blocks = []
    for block in function.body.blocks:
        if not isinstance(block, relax.DataflowBlock):
            blocks.append(block)
            continue
        bindings = []
        for binding in block.bindings:
            value = binding.value
            if is_call_tir(value):
                label = f"operator_{len(variables)}"
                variables[label] = binding.var
                callee = tvm.ir.GlobalVar(label)
                releases.set_type(callee, releases.type_of(value.args[0]))
                marked[callee] = mod[value.args[0]].with_attr("label", label)
                call = releases.with_arguments(value, [callee, *value.args[1:]])
                binding = relax.VarBinding(binding.var, call)
            bindings.append(binding)
        blocks.append(relax.DataflowBlock(bindings))
    return with_blocks(function, blocks)


def _callees(function: relax.Function) -> list[str]:
    found = []

    def visit(expr) -> None:
        if is_call_tir(expr):
            found.append(expr.args[0].name_hint)

    relax.analysis.post_order_visit(function, visit)
    return found
