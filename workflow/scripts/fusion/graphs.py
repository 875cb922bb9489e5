"""The graph that a variant is compiled from: a function read as Relax, or a model in a file.

A model is a Relax module (TVMScript, or JSON as tvm.ir.save_json writes it) or an ONNX file, read
by TVM's own importer. Its graph is compiled as it stands.
"""

import sys
import types
from dataclasses import dataclass
from pathlib import Path

import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

from . import releases
from .artifacts import Signature
from .cases import Case
from .errors import FusionError
from .namespace_relax import build_graph
from .workloads import DTYPES, Input, file_of


@dataclass(frozen=True)
class Source:
    """cuts: how often the function called xp.cut, or None for a model, which cannot."""

    module: tvm.IRModule
    cuts: int | None
    signature: Signature


def source_of(case: Case, *, cut: bool) -> Source:
    """The case's graph. cut: the function's cuts end dataflow blocks. Raises FusionError."""
    if case.definition.kind == "function":
        graph = build_graph(case.call, case.inputs, cut=cut)
        outputs = _outputs(graph.module, case.name)
        return Source(graph.module, graph.cuts, Signature(case.inputs, outputs))
    path = file_of(case.workload)
    read = {"relax": _read_relax, "onnx": _read_onnx}[case.definition.kind]
    module = _with_dataflow(read(path, dict(case.sizes)))
    return Source(module, None, _signature(module, path))


def _read_relax(path: str, _sizes: dict) -> tvm.IRModule:
    text = Path(path).read_text()
    try:
        saved = path.endswith(".json")
        module = tvm.ir.load_json(text) if saved else _from_script(text, path)
    except FusionError:
        raise
    except Exception as error:
        raise _unreadable(path, "a Relax module", error) from None
    if not isinstance(module, tvm.IRModule) or "main" not in [
        g.name_hint for g in module.get_global_vars()
    ]:
        raise FusionError(
            f"{path} holds no Relax module",
            expected="an IRModule with a function main",
            found=type(module).__name__,
        )
    return module


def _from_script(text: str, path: str) -> tvm.IRModule:
    space = types.ModuleType("tvmscript_of_the_model")
    space.__file__ = path
    sys.modules[space.__name__] = space  # where TVM's parser looks for the source
    vars(space).update(I=I, R=R, T=T)  # a printed module has its imports as comments
    exec(compile(text, path, "exec"), space.__dict__)
    found = {n: v for n, v in vars(space).items() if isinstance(v, tvm.IRModule)}
    if len(found) != 1:
        raise FusionError(
            f"{path} does not say which module is meant",
            expected="one class with @I.ir_module",
            found=", ".join(found) or "none",
        )
    return next(iter(found.values()))


def _read_onnx(path: str, sizes: dict) -> tvm.IRModule:
    try:
        import onnx
        from tvm.relax.frontend.onnx import from_onnx
    except ImportError as error:
        raise FusionError(
            f"{path} needs the package onnx, which TVM's importer uses",
            found=str(error),
            do="python3 -m pip install onnx into the environment of this TVM",
        ) from None
    try:
        model = onnx.load(path)
        shapes = _onnx_shapes(model, sizes, path)
        module = from_onnx(model, shape_dict=shapes)
    except FusionError:
        raise
    except Exception as error:
        raise _unreadable(path, "an ONNX model", error) from None
    return relax.transform.DecomposeOpsForInference()(module)


def _onnx_shapes(model, sizes: dict[str, int], path: str) -> dict[str, list[int]]:
    """The shape of each input; a dimension that the model leaves open is in `sizes` by its name."""
    weights = {tensor.name for tensor in model.graph.initializer}
    shapes: dict[str, list[int]] = {}
    open_dims: set[str] = set()
    for given in model.graph.input:
        if given.name in weights:
            continue
        dims = given.type.tensor_type.shape.dim
        open_dims |= {d.dim_param or "?" for d in dims if not d.HasField("dim_value")}
        shapes[given.name] = [
            d.dim_value if d.HasField("dim_value") else sizes.get(d.dim_param, 0) for d in dims
        ]
    missing, extra = sorted(open_dims - set(sizes)), sorted(set(sizes) - open_dims)
    if missing or extra:
        raise FusionError(
            f"the sizes given for {path} are not those that the model leaves open",
            expected=", ".join(sorted(open_dims)) or "none",
            found=", ".join(sizes) or "none",
            do="name each of them in cases",
        )
    return shapes


def _with_dataflow(module: tvm.IRModule) -> tvm.IRModule:
    """FuseOps looks into dataflow blocks only; a module that has none gets them."""
    blocks = getattr(module["main"].body, "blocks", [])
    if any(isinstance(block, relax.DataflowBlock) for block in blocks):
        return module
    return relax.transform.ConvertToDataflow()(relax.transform.Normalize()(module))


def _signature(module: tvm.IRModule, path: str) -> Signature:
    inputs = {
        releases.name_of(p): _tensor(releases.type_of(p), path) for p in module["main"].params
    }
    return Signature(inputs, _outputs(module, path))


def _outputs(module: tvm.IRModule, where: str) -> tuple[Input, ...]:
    result = releases.type_of(module["main"].body)
    fields = getattr(result, "fields", None)
    return tuple(_tensor(one, where) for one in (fields if fields is not None else [result]))


def _tensor(kind, where: str) -> Input:
    shape = getattr(getattr(kind, "shape", None), "values", None)
    extents = None if shape is None else [getattr(extent, "value", None) for extent in shape]
    dtype = str(getattr(kind, "dtype", ""))
    if extents is None or None in extents or dtype not in DTYPES:
        raise FusionError(
            f"{where}: an input or output is no tensor of a known shape",
            expected=f"tensors of {', '.join(DTYPES)} with shapes in numbers",
            found=str(kind),
        )
    return Input(tuple(int(extent) for extent in extents), dtype)


def _unreadable(path: str, what: str, error: Exception) -> FusionError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return FusionError(
        f"{path} cannot be read as {what}", found=f"{type(error).__name__}: {lines[-1]}"
    )
