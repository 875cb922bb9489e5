"""Load a compiled variant so that exactly the recorded code runs, and say so if it cannot.

An exported CUDA module carries source; at load TVM asks a callback for the machine code. Ours
answers with the cubin that the compile stage recorded, and never compiles.
"""

from dataclasses import dataclass

import tvm
import tvm_ffi
from tvm import relax

from . import records
from .artifacts import Artifact, require_whole
from .errors import FusionError
from .targets import device_for


@dataclass(frozen=True)
class Loaded:
    """A variant ready to call. code_sha256: of the cubin that was given to the driver, or, on
    LLVM, of the recorded object that module.so was linked from.
    """

    variant: str
    vm: relax.VirtualMachine
    code_sha256: str
    module_sha256: str


def load(artifact: Artifact) -> Loaded:
    """Load the module and start its virtual machine on this process's first device."""
    require_whole(artifact)
    record = artifact.record
    supplied: list[str] = []
    if record["code"]["format"] == "cubin":
        cubin = (artifact.folder / record["code"]["file"]).read_bytes()

        def supply(source: str) -> bytes:
            if records.sha256(source.encode()) != record["code"]["source_sha256"]:
                raise RuntimeError("the module carries other CUDA source than was recorded")
            supplied.append(records.sha256(cubin))
            return cubin

        tvm_ffi.register_global_func("tvm_callback_cuda_compile", supply, override=True)
    try:
        module = tvm.runtime.load_module(str(artifact.folder / record["module"]["file"]))
        vm = relax.VirtualMachine(module, device_for(record["arch"]))
    except Exception as error:
        raise FusionError(
            f"{artifact.variant} for {record['arch']} does not load here",
            found=str(error).strip().splitlines()[-1],
            do="check that this machine has that GPU, its driver and TVM's CUDA runtime",
        ) from error
    if record["code"]["format"] == "cubin" and supplied != [record["code"]["sha256"]]:
        raise FusionError(
            f"{artifact.variant}: the code that was loaded is not the recorded cubin",
            expected=record["code"]["sha256"],
            found=", ".join(supplied) or "code that the module brought itself",
        )
    return Loaded(artifact.variant, vm, record["code"]["sha256"], record["module"]["sha256"])


def hashes(loaded: dict[str, Loaded]) -> dict[str, dict[str, str]]:
    """What ran, by name, as verify and time records keep it."""
    return {
        name: {"code_sha256": v.code_sha256, "module_sha256": v.module_sha256}
        for name, v in loaded.items()
    }
