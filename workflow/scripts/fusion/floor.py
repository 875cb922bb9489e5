"""COPY, the floor: a copy on the device of as many bytes as a case must move at least."""

import math
from dataclasses import dataclass

import numpy as np
import tvm
from tvm import relax

from . import releases
from .artifacts import Signature
from .targets import device_for, target_for


@dataclass(frozen=True)
class Floor:
    """A virtual machine whose `main` copies its one argument. bytes: read, and as many written."""

    vm: relax.VirtualMachine
    bytes: int


# The driver copies whole pages with one launch and what is left over with another: on an H200,
# 2 MiB and 256 bytes take 11.6 us a call where 2 MiB and 4096 bytes take 7.2.
PAGE = 4096


def copied_bytes(signature: Signature) -> int:
    """Half of what a case's inputs and outputs hold, in whole pages: a copy reads each byte and
    writes it.
    """
    moved = signature.input_bytes() + signature.output_bytes()
    return math.ceil(moved / 2 / PAGE) * PAGE


def copy_of(signature: Signature, arch: str) -> tuple[Floor, list[tvm.runtime.Tensor]]:
    """The floor of a case and its argument, zeros on the device.

    TVM's runtime copies tensor to tensor (cudaMemcpyAsync on a GPU, memcpy on a CPU); the virtual
    machine allocates the result, as for every variant. There is no kernel, so nothing to compile.
    """
    count = copied_bytes(signature)
    kind = releases.tensor_type((count,), "int8")
    builder = relax.BlockBuilder()
    source = relax.Var("source", kind)
    with builder.function("main", [source]):
        with builder.dataflow():
            copied = relax.call_dps_packed("runtime.TVMTensorCopyFromTo", (source,), kind)
            result = builder.emit_output(copied)
        builder.emit_func_output(result)
    # The module as it is: what VirtualMachine does with an Executable needs a C compiler here.
    module = tvm.compile(builder.get(), target_for(arch)).mod
    device = device_for(arch)
    floor = Floor(relax.VirtualMachine(module, device), count)
    return floor, [tvm.runtime.tensor(np.zeros(count, np.int8), device)]
