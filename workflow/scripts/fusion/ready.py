"""One compiled variant with its inputs on the device, ready to be called."""

import argparse
from dataclasses import dataclass

import tvm
from tvm import relax

from . import artifacts, inputs, loading, targets


@dataclass(frozen=True)
class Ready:
    """A virtual machine whose `invoke_stateful("main")` is one call."""

    vm: relax.VirtualMachine
    device: tvm.runtime.Device

    def call(self, times: int) -> None:
        """Call so often, and wait until the device is done."""
        for _ in range(times):
            self.vm.invoke_stateful("main")
        self.device.sync()


def get_ready(args: argparse.Namespace) -> Ready:
    """Load the recorded code, set its inputs and warm it up."""
    compiled = artifacts.read_artifacts([args.record])
    arch = artifacts.arch_of(compiled)
    wanted = artifacts.signature_of(compiled[0]).inputs
    draw = inputs.draw(wanted, args.seed, args.low, args.high)
    ready = Ready(loading.load(compiled[0]).vm, targets.device_for(arch))
    ready.vm.set_input("main", *targets.to_device(draw, arch))
    ready.call(args.warmup_calls)
    return ready
