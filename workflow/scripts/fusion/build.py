"""Build one variant of one case: the same path on a machine with a GPU and without one."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

# Keep CUDA source in the exported module on every host. Without this, a GPU host would compile it
# behind our back while building, and again nobody would know with what.
os.environ["TVM_COMPILE_FORCE_FALLBACK"] = "1"

import tvm

from . import cuda_compiler, linker, passes, targets
from .cases import Case
from .errors import FusionError
from .namespace_relax import build_graph
from .variants import Variant


@dataclass(frozen=True)
class Code:
    """The machine code of a build's kernels.

    format: cubin, or object for LLVM. source: the CUDA C or LLVM IR that it was made from (LLVM IR
    as text holds addresses of the compiling process, so only the object is the same every time).
    compiler: name, version and options, as the record keeps them.
    """

    format: str
    source: str
    data: bytes
    compiler: dict

    @property
    def source_file(self) -> str:
        return "kernels.cu" if self.format == "cubin" else "kernels.ll"

    @property
    def file(self) -> str:
        return "kernels.cubin" if self.format == "cubin" else "kernels.o"


@dataclass(frozen=True)
class Build:
    """What one build made. calls: callee -> number of calls. target: TVM's, with its host, in JSON.
    seconds: by step, wall clock.
    """

    module: Path
    linker: str
    code: Code
    calls: dict[str, int]
    passes: int
    target: str
    seconds: dict[str, float]


def build(case: Case, variant: Variant, arch: str, folder: Path, kept_ir: Path) -> Build:
    """Build into `folder`: ir/NNN_Pass.py and module.so. IR of a failed check stays at `kept_ir`.

    Raises FusionError where a check of the build fails or the compiler rejects the code.
    """
    clock = _Clock()
    target = targets.target_for(arch)
    graph = build_graph(_named_sizes(case), case.input_shapes, case.dtype, cut=variant.cut)
    watch = passes.Watch(folder / "ir", variant.forbidden)
    watch.write(0, "input", graph)
    with tvm.transform.PassContext(instruments=[watch]):
        executable = tvm.compile(
            graph, target, relax_pipeline=targets.pipeline_for(variant, target)
        )
    passes.check(watch, variant.name, case.expected_calls(variant.name), kept_ir)
    clock.lap("tvm")
    code = _code(executable, target, folder)
    clock.lap("compiler")
    fcompile, linked_by = linker.find_linker()
    executable.export_library(str(folder / "module.so"), fcompile=fcompile)
    clock.lap("link")
    return Build(
        module=folder / "module.so",
        linker=linked_by,
        code=code,
        calls=watch.calls,
        passes=len(watch.ran),
        target=str(target),
        seconds=clock.laps,
    )


def _named_sizes(case: Case):
    def function(xp, *inputs):
        return case.definition.function(xp, *inputs, **dict(case.sizes))

    return function


def _code(executable, target: tvm.target.Target, folder: Path) -> Code:
    wanted = "cuda" if target.kind.name == "cuda" else "llvm"
    modules = executable.mod._collect_from_import_tree(lambda _: True)
    kernels = [module for module in modules if module.kind == wanted]
    if len(kernels) != 1:
        raise FusionError(
            f"the build has {len(kernels)} {wanted} modules",
            expected="one",
            found=", ".join(module.kind for module in modules),
        )
    if wanted == "llvm":
        kernels[0].write_to_file(str(folder / "kernels.o"))
        compiler = {"name": "LLVM", "version": llvm_version(), "options": []}
        data = (folder / "kernels.o").read_bytes()
        return Code("object", kernels[0].inspect_source("ll"), data, compiler)
    source = kernels[0].inspect_source("cuda")
    cubin = cuda_compiler.compile_cubin(source, target)
    compiler = {
        "name": cubin.compiler,
        "version": cubin.version,
        "options": list(cubin.options),
        "cuda_bindings": cubin.cuda_bindings,
    }
    return Code("cubin", source, cubin.data, compiler)


def llvm_version() -> str:
    """The version of the LLVM in TVM, such as 20.1, or 'unknown'."""
    number = tvm.get_global_func("target.llvm_version_major", allow_missing=True)
    return str(number()) if number else "unknown"


class _Clock:
    def __init__(self):
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(now - self._last, 3)
        self._last = now
