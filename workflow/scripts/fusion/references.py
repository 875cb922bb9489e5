"""What a case's outputs are compared with, and how far they may lie from it."""

import importlib.util
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from . import arrays, inputs, reductions, supervise, toolchains
from .artifacts import Signature
from .cases import Case
from .errors import FusionError
from .workloads import file_of

PROGRAM = Path(__file__).parents[1] / "run_reference.py"


@dataclass(frozen=True)
class Reference:
    """outputs: of each seed. rtol, atol: what the workload's reductions add to the tolerance.
    described: by whom and how, for the record.
    """

    outputs: dict[int, list[np.ndarray]]
    rtol: float
    atol: float
    described: dict


def of(
    case: Case,
    signature: Signature,
    draws: dict[int, list[np.ndarray]],
    toolchain: str | None,
    limit_s: float,
) -> Reference:
    """The reference for these draws of the case's inputs.

    A workload's function is read by NumPy. An ONNX model is run by ONNX Runtime where that is
    installed; else it, and a Relax module, is compiled as OFF for LLVM in float32, by the toolchain
    named, in a process that may take limit_s seconds. Results take the dtypes of the outputs.
    """
    if case.definition.kind == "function":
        return _by_numpy(case, draws)
    if case.definition.kind == "onnx" and importlib.util.find_spec("onnxruntime"):
        found, described = _by_onnx_runtime(file_of(case.workload), signature, draws)
    else:
        found, described = _by_llvm(case, signature, draws, toolchain, limit_s)
    outputs = {seed: _as_outputs(signature, values) for seed, values in found.items()}
    return Reference(outputs, 0.0, 0.0, described)


def by_numpy(case: Case, draw: list[np.ndarray]) -> tuple[list[np.ndarray], list]:
    """The outputs of a function for one draw of its inputs, and the reductions in it."""
    from .namespace_numpy import NumpyNamespace, RoundedArray

    xp = NumpyNamespace()
    result = case.call(xp, *(array.view(RoundedArray) for array in draw))
    return [np.asarray(array) for array in _flat(result)], xp.reductions


def _by_numpy(case: Case, draws: dict) -> Reference:
    outputs, grown, noted = {}, (0.0, 0.0), []
    for seed, draw in draws.items():
        outputs[seed], found = by_numpy(case, draw)
        grown = max(grown, reductions.growth(found), key=lambda pair: pair[1])
        noted = noted or [asdict(reduction) for reduction in found]
    described = {
        "by": "NumPy",
        "how": "rounded to the dtype after every operator; sums added in float64",
        "reductions": noted,
    }
    return Reference(outputs, *grown, described)


def _flat(result) -> list:
    return [result] if isinstance(result, np.ndarray) else [a for one in result for a in _flat(one)]


def _by_onnx_runtime(path: str, signature: Signature, draws: dict) -> tuple[dict, dict]:
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    if len(names) != len(signature.inputs):
        raise FusionError(
            f"ONNX Runtime and TVM do not see the same inputs of {path}",
            expected=", ".join(signature.inputs),
            found=", ".join(names),
        )
    outputs = {
        seed: session.run(None, dict(zip(names, draw, strict=True))) for seed, draw in draws.items()
    }
    return outputs, {"by": f"ONNX Runtime {onnxruntime.__version__}", "how": "on the CPU"}


def _by_llvm(
    case: Case, signature: Signature, draws: dict, toolchain: str | None, limit_s: float
) -> tuple[dict, dict]:
    with tempfile.TemporaryDirectory(prefix="fuse-or-not-") as name:
        folder = Path(name)
        for seed, draw in draws.items():
            arrays.save(folder / f"{seed}-in.npz", draw)
        words = [*case.arguments(), "--folder", name, "--seeds", *map(str, draws)]
        why = supervise.run(toolchains.find(toolchain), PROGRAM, words, limit_s)
        if why:
            raise FusionError(f"the reference of {case.name} cannot be computed", found=why)
        outputs = {seed: arrays.load(folder / f"{seed}-out.npz") for seed in draws}
        how = (folder / "how").read_text()
    return outputs, {"by": "OFF on LLVM", "how": how}


def _as_outputs(signature: Signature, values: list[np.ndarray]) -> list[np.ndarray]:
    wanted = [inputs.numpy_dtype(output.dtype) for output in signature.outputs]
    return [np.asarray(v).astype(dtype) for v, dtype in zip(values, wanted, strict=True)]
