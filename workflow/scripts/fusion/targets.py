"""TVM targets, and the target's own Relax pipeline with a variant's edits."""

import numpy as np
import tvm
import tvm_ffi

from .costs import Rates
from .schedules import RuleNotes
from .variants import Variant


def cpu_target() -> tvm.target.Target:
    """LLVM for this CPU, with its own instructions (mcpu=generic is 40 times slower in float16)."""
    cpu = tvm_ffi.get_global_func("tvm.codegen.llvm.GetHostCPUName")()
    return tvm.target.Target({"kind": "llvm", "mcpu": cpu})


def target_for(arch: str) -> tvm.target.Target:
    """arch: llvm, or sm_XX for a CUDA target.

    The host code of a CUDA module only launches kernels; it is built for any CPU of this kind, so
    that a module compiled on one machine loads on another.
    """
    if arch == "llvm":
        return cpu_target()
    return tvm.target.Target({"kind": "cuda", "arch": arch}, host={"kind": "llvm"})


def pipeline_for(
    variant: Variant, target: tvm.target.Target, notes: RuleNotes, rates: Rates, decisions: list
) -> tvm.transform.Pass:
    """The target's default Relax pipeline, its legalisation edited by the variant.

    notes: attached to the schedule rules, also those that the variant brings. rates: of the device,
    for remedies that estimate. decisions: where the variant's own passes and rules put what they
    decide.
    """
    # relax.pipeline's own dispatch by target misses parts of the CPU pipeline in TVM 0.27.
    if target.kind.name == "cuda":
        from tvm.relax.backend.cuda import pipeline
    else:
        from tvm.relax.backend.cpu_generic import pipeline
    legalize = variant.legalize(pipeline.legalize_passes(target), rates, decisions)
    notes.attach(legalize)
    return tvm.transform.Sequential(
        [
            *pipeline.library_dispatch_passes(target),
            *legalize,
            *pipeline.dataflow_lower_passes(target),
            *pipeline.finalize_passes(target),
        ]
    )


def device_for(arch: str) -> tvm.runtime.Device:
    """The first device that this process sees (CUDA_VISIBLE_DEVICES has chosen it)."""
    return tvm.cpu(0) if arch == "llvm" else tvm.cuda(0)


def to_device(arrays: list[np.ndarray], arch: str) -> list[tvm.runtime.Tensor]:
    """Copies of the arrays on that device."""
    return [tvm.runtime.tensor(array, device_for(arch)) for array in arrays]
