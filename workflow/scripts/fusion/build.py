"""Build one variant of one case: the same path on a machine with a GPU and without one."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

# Keep CUDA source in the exported module on every host. Without this, a GPU host would compile it
# behind our back while building, and again nobody would know with what.
os.environ["TVM_COMPILE_FORCE_FALLBACK"] = "1"

import tvm

from . import cuda_compiler, geometry, graphs, linker, passes, schedules, targets
from .artifacts import Signature
from .cases import Case
from .device_rates import rates_for
from .errors import FusionError
from .rates_record import read_rates
from .variants import Variant, without_marks


@dataclass(frozen=True)
class Code:
    """The machine code of a build's kernels.

    format: cubin, or object for LLVM. source: the CUDA C or LLVM IR that it was made from (LLVM IR
    as text holds addresses of the compiling process, so only the object is the same every time).
    assembly: makes LLVM's assembly of that source, by generating code once more; None for a cubin,
    which is read with NVIDIA's disassembler. compiler: name, version and options, as the record
    keeps them.
    """

    format: str
    source: str
    data: bytes
    compiler: dict
    assembly: Callable[[], str] | None = None

    @property
    def source_file(self) -> str:
        return "kernels.cu" if self.format == "cubin" else "kernels.ll"

    @property
    def file(self) -> str:
        return "kernels.cubin" if self.format == "cubin" else "kernels.o"


@dataclass(frozen=True)
class Build:
    """What one build made. calls: callee -> number of calls. schedules: callee -> rule and trace,
    without those that no rule took. launches: callee -> kernels. bytes_moved: see traffic.at_least.
    decisions: what the variant's own passes and rules decided, with their reasons.
    target: TVM's, with its host, in JSON. seconds: by step, wall clock. partition: where a
    variant that cuts has cut, in words; None where it is one block.
    """

    module: Path
    signature: Signature
    partition: str | None
    linker: str
    code: Code
    calls: dict[str, int]
    schedules: dict[str, schedules.Schedule]
    launches: dict[str, list[geometry.Launch]]
    bytes_moved: dict[str, int | None]
    decisions: list[dict]
    passes: int
    target: str
    seconds: dict[str, float]


def build(
    case: Case,
    variant: Variant,
    arch: str,
    folder: Path,
    kept_ir: Path,
    rates: Path | None = None,
    *,
    expected: int | None = None,
) -> Build:
    """Build into `folder`: ir/NNN_Pass.py and module.so. IR of a failed check stays at `kept_ir`.

    expected: calls that the graph must come to, or None for any.
    rates: a record of calibrate_device.py for remedies that estimate; None for the table's.
    Raises FusionError where a check of the build fails or the compiler rejects the code.
    """
    clock = _Clock()
    target = targets.target_for(arch)
    source = graphs.source_of(case, cut=variant.cut)
    variant, partition = without_marks(variant, source.cuts)
    graph = source.module
    graph["main"] = graph["main"].with_attrs(dict(variant.attributes))
    watch = passes.Watch(folder / "ir", variant.forbidden)
    watch.write(0, "input", graph)
    notes = schedules.RuleNotes()
    decisions: list[dict] = []
    known = read_rates(rates, arch) if rates else rates_for(arch)
    pipeline = targets.pipeline_for(variant, target, notes, known, decisions)
    options = dict(variant.options)
    with tvm.transform.PassContext(instruments=[watch, notes], config=options):
        executable = tvm.compile(graph, target, relax_pipeline=pipeline)
    passes.check(watch, variant.name, expected, kept_ir)
    clock.lap("tvm")
    fcompile, linked_by = linker.find_linker()
    objects = folder / "objects"
    objects.mkdir()
    executable.export_library(
        str(folder / "module.so"), fcompile=fcompile, workspace_dir=str(objects)
    )
    clock.lap("link")
    code = _code(executable, target, objects)
    clock.lap("compiler")
    return Build(
        module=folder / "module.so",
        signature=source.signature,
        partition=partition,
        linker=linked_by,
        code=code,
        calls=watch.calls,
        schedules={name: s for name, s in notes.schedules.items() if name in watch.calls},
        launches={name: watch.launches.get(name, []) for name in watch.calls},
        bytes_moved=watch.bytes_moved,
        decisions=decisions + notes.decisions,
        passes=len(watch.ran),
        target=str(target),
        seconds=clock.laps,
    )


def _code(executable, target: tvm.target.Target, objects: Path) -> Code:
    """The machine code. objects: the folder of the object files that module.so was linked from."""
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
        # export_library writes lib0.o, lib1.o, ... in this order; generating code again takes time.
        exported = [module.kind for module in executable.mod._collect_dso_modules()]
        data = (objects / f"lib{exported.index('llvm')}.o").read_bytes()
        compiler = {"name": "LLVM", "version": llvm_version(), "options": []}
        source, assembly = (
            kernels[0].inspect_source("ll"),
            partial(kernels[0].inspect_source, "asm"),
        )
        return Code("object", source, data, compiler, assembly)
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
