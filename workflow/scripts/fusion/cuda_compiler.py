"""CUDA C to a cubin with nvrtc, here and now, on a machine with or without a GPU.

TVM's own compile function is used, so that the flags are TVM's; this module finds the headers in
the PyPI packages and notes exactly what was passed.
"""

import os
import re
from dataclasses import dataclass

import tvm

from .cuda_roots import roots
from .errors import FusionError
from .nvrtc import INSTALL, load_nvrtc


@dataclass(frozen=True)
class Cubin:
    """A compiled CUDA module. options: as passed to nvrtc, include folders without their root."""

    data: bytes
    compiler: str
    version: str
    options: tuple[str, ...]
    cuda_bindings: str


def compile_cubin(source: str, target: tvm.target.Target) -> Cubin:
    """Compile TVM's CUDA source for the target's arch; a compile error is a FusionError."""
    nvrtc, version, bindings = load_nvrtc()
    folders = roots()
    includes = [p for r in folders for p in (r / "include", r / "include" / "cccl") if p.is_dir()]
    home = next((r for r in folders if (r / "include" / "cuda_runtime.h").is_file()), None)
    if home is None:
        raise FusionError(
            "CUDA's headers are missing",
            expected="cuda_runtime.h from the package nvidia-cuda-runtime, or CUDA_PATH",
            found=f"none under {', '.join(map(str, folders)) or 'site-packages/nvidia'}",
            do=INSTALL,
        )
    os.environ["CUDA_PATH"] = str(home)
    os.environ.pop("TVM_CUDA_NVRTC_EXTRA_OPTS", None)
    extra = [f"-I{path}" for path in includes]
    passed: list[str] = []
    original = nvrtc.nvrtcCompileProgram

    def compile_and_note(program, count, options):
        passed.extend(option.decode() for option in options)
        return original(program, count, options)

    nvrtc.nvrtcCompileProgram = compile_and_note
    try:
        with target:
            data = tvm.support.nvcc.compile_cuda(
                source, target_format="cubin", options=extra, compiler="nvrtc"
            )
    except RuntimeError as error:
        raise FusionError(f"nvrtc {version} rejects the CUDA source\n{error}") from None
    finally:
        nvrtc.nvrtcCompileProgram = original
    options = tuple(dict.fromkeys(_portable(option) for option in passed))
    return Cubin(bytes(data), "nvrtc", version, options, bindings)


def _portable(option: str) -> str:
    """An include folder's name without the part that differs between two installations."""
    return re.sub(r"^-I.*/nvidia/(cu\d+/)", r"-I…/nvidia/\1", option)
