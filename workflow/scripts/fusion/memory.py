"""Whether a case fits into memory, told before a device is touched."""

from .artifacts import Signature
from .devices import Device, host_memory
from .errors import FusionError


def require_memory(name: str, signature: Signature, device: Device, variants: int) -> None:
    """Raise a FusionError if the case cannot fit, before the device is touched.

    On the device: the inputs, and for each variant an output and as much again for what its
    allocator pools. On the host: the draws in float64, the reference and every variant's output.
    Before a case is compiled its outputs are not known, and a signature without any counts none.
    """
    inputs, outputs = signature.input_bytes(), signature.output_bytes()
    on_device = inputs + 2 * variants * outputs
    on_host = 5 * inputs + (variants + 2) * outputs
    if device.kind == "llvm":
        needs = [(on_device + on_host, host_memory(), "this machine's memory")]
    else:
        needs = [
            (on_device, device.gpu.memory, f"the memory of {device.gpu.name}"),
            (on_host, host_memory(), "this machine's memory"),
        ]
    for need, have, what in needs:
        if need > have:
            raise FusionError(
                f"{name} does not fit into {what}",
                expected=f"at most {have / 2**30:.1f} GiB",
                found=f"about {need / 2**30:.1f} GiB for {variants} variants",
                do="make its sizes smaller",
            )
