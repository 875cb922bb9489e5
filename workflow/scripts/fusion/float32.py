"""A model's graph in float32: its narrow floating-point tensors made wide, and run on LLVM."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import tvm
from tvm import relax

from . import build, graphs, releases, targets
from .cases import Case
from .inputs import numpy_dtype
from .variants import VARIANTS

NARROW = ("float16", "bfloat16")


def reference_of(case: Case, folder: Path) -> tuple[Callable, str]:
    """(a function from inputs to outputs, how it computes): OFF on LLVM, in float32 if it can be.

    A graph that calls PrimFuncs of its own in a narrow dtype is run as it is, and the words say so.
    """
    source = graphs.source_of(case, cut=False)
    dtypes = {i.dtype for i in source.signature.inputs.values()}
    dtypes |= {o.dtype for o in source.signature.outputs}
    how = "in float32"
    module = source.module
    if dtypes & set(NARROW):
        try:
            module = _widened(source.module)
        except Exception as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            how = f"in its own dtypes, since it cannot be made float32 ({lines[-1]})"
    target = targets.cpu_target()
    pipeline = targets.pipeline_for(VARIANTS["OFF"], target, build.schedules.RuleNotes(), None, [])
    executable = tvm.compile(module, target, relax_pipeline=pipeline)
    # The module as it is: what VirtualMachine does with an Executable may need a C compiler.
    vm = relax.VirtualMachine(executable.mod, tvm.cpu())
    wanted = [str(releases.type_of(param).dtype) for param in module["main"].params]

    def run(inputs: list[np.ndarray]) -> list[np.ndarray]:
        given = [i.astype(numpy_dtype(d)) for i, d in zip(inputs, wanted, strict=True)]
        result = vm["main"](*targets.to_device(given, "llvm"))
        outputs = [result] if isinstance(result, tvm.runtime.Tensor) else list(result)
        return [output.numpy() for output in outputs]

    return run, how


def _widened(module: tvm.IRModule) -> tvm.IRModule:
    """The module with its `main` in float32, in one dataflow block; raises where it cannot be."""
    function = module["main"]
    builder = relax.BlockBuilder()
    params = [
        relax.Var(releases.name_of(p), _wide_type(releases.type_of(p))) for p in function.params
    ]
    known = dict(zip(function.params, params, strict=True))
    with builder.function("main", params):
        with builder.dataflow():
            for binding in [b for block in function.body.blocks for b in block.bindings]:
                if not isinstance(binding, relax.VarBinding):
                    raise ValueError(f"a {type(binding).__name__}")
                known[binding.var] = builder.emit(_widen(binding.value, known))
            result = builder.emit_output(_widen(function.body.body, known))
        builder.emit_func_output(result)
    return builder.get()


def _widen(expr, known: dict):
    """The expression over the variables of the new function; types are inferred anew."""
    if isinstance(expr, relax.Var):
        return known[expr]
    if isinstance(expr, relax.Tuple):
        return relax.Tuple([_widen(field, known) for field in expr.fields])
    if isinstance(expr, relax.TupleGetItem):
        return relax.TupleGetItem(_widen(expr.tuple_value, known), expr.index)
    if isinstance(expr, relax.Call):
        return _widen_call(expr, known)
    array = releases.constant_of(expr)
    if array is not None:
        return relax.const(array.astype(np.float32)) if array.dtype.name in NARROW else expr
    return expr  # a shape, a number, a dtype


def _widen_call(call, known: dict):
    name = getattr(call.op, "name", "")
    if not isinstance(call.op, tvm.ir.Op) or name.startswith("relax.call_"):
        raise ValueError(f"a call of {name or call.op}")
    args = [_widen(argument, known) for argument in call.args]
    if name == "relax.astype" and str(call.attrs.dtype) in NARROW:
        return relax.op.astype(args[0], "float32")
    if str(getattr(call.attrs, "out_dtype", "")) in NARROW:
        raise ValueError(f"{name} with an out_dtype of its own")
    return relax.Call(call.op, args, call.attrs)


def _wide_type(kind):
    dtype = str(kind.dtype)
    return releases.tensor_type(kind.shape, "float32" if dtype in NARROW else dtype)
