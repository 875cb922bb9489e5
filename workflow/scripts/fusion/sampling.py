"""A virtual machine under the timing protocol, in this process."""

from .floor import Floor
from .loading import Loaded
from .pacing import Paced, Protocol
from .targets import device_for


class Timer(Paced):
    """A virtual machine with its inputs set, timed by its own evaluator. min_repeat_ms: as in the
    protocol, where nobody sets another.
    """

    def __init__(self, loaded: Loaded | Floor, arrays: list, arch: str, protocol: Protocol):
        super().__init__(protocol)
        self.min_repeat_ms = protocol.min_repeat_ms
        self.vm, self.device = loaded.vm, device_for(arch)
        self.vm.set_input("main", *arrays)

    def call(self, times: int) -> None:
        for _ in range(times):
            self.vm.invoke_stateful("main")
        self.device.sync()

    def time(self, number: int, repeat: int) -> list[float]:
        evaluator = self.vm.time_evaluator(
            "invoke_stateful",
            self.device,
            number=number,
            repeat=repeat,
            min_repeat_ms=self.min_repeat_ms,
        )
        return list(evaluator("main").results)
