"""The workloads: those built in, by name, and any file that the configuration points at.

Nothing here imports TVM: the configuration is checked against these facts before anything runs.
"""

from ..errors import FusionError, suggestion
from . import (
    cheap_ops_add,
    gemv,
    int4_matmul,
    layer_norm,
    max_pool_add,
    mish_divide,
    rms_norm,
    row_chain,
    rsqrt_mean,
    softmax,
    tuple_projection,
    two_consumers,
)
from ._base import DTYPES, FLOATS, INTEGERS, Input, Workload
from ._files import from_module, read_file, sha256_of
from ._models import kind_of, read_model
from .chain_add import CHAINS

_MODULES = (
    max_pool_add,
    rsqrt_mean,
    mish_divide,
    tuple_projection,
    cheap_ops_add,
    softmax,
    layer_norm,
    rms_norm,
    int4_matmul,
    row_chain,
    two_consumers,
    gemv,
)
WORKLOADS: dict[str, Workload] = {w.name: w for w in CHAINS}
WORKLOADS |= {
    name: from_module(name, module, module.__file__)
    for module in _MODULES
    for name in [module.__name__.rpartition(".")[2]]
}
SUFFIXES = (".py", ".json", ".onnx")


def file_of(word: str) -> str | None:
    """The path that a word names, or None where it is a built-in's name."""
    return word if "/" in word or word.endswith(SUFFIXES) else None


def find(word: str) -> Workload:
    """A built-in workload by name, or the one in a file: a function (.py), a Relax module
    (TVMScript .py, or .json) or an ONNX model (.onnx). Raises FusionError.
    """
    path = file_of(word)
    if path is None:
        if word not in WORKLOADS:
            raise FusionError(
                f"unknown workload {word!r}",
                expected=f"one of {', '.join(WORKLOADS)}, or the path of a file ending with "
                f"{', '.join(SUFFIXES)}",
                do=suggestion(word, WORKLOADS),
            )
        return WORKLOADS[word]
    kind = kind_of(path)
    return read_model(path, kind) if kind else read_file(path)


__all__ = [
    "DTYPES",
    "FLOATS",
    "INTEGERS",
    "WORKLOADS",
    "Input",
    "Workload",
    "file_of",
    "find",
    "sha256_of",
]
