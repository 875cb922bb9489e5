"""Whether a case fits into memory, told before a device is touched."""

from .cases import Case
from .devices import Device, host_memory
from .errors import FusionError


def require_memory(case: Case, device: Device, variants: int) -> None:
    """Raise a FusionError if the case cannot fit, before the device is touched.

    On the device: the inputs, and for each variant an output and as much again for what its
    allocator pools. On the host: the draws in float64, the reference and every variant's output.
    """
    on_device = case.input_bytes() + 2 * variants * case.output_bytes()
    on_host = 5 * case.input_bytes() + (variants + 2) * case.output_bytes()
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
                f"{case.name} does not fit into {what}",
                expected=f"at most {have / 2**30:.1f} GiB",
                found=f"about {need / 2**30:.1f} GiB for {variants} variants",
                do="make rows or cols smaller",
            )
