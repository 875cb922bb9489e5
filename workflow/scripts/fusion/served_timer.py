"""What a server serves, under the timing protocol."""

from .pacing import Paced, Protocol
from .served import Server


class ServedTimer(Paced):
    """Times one name of a server: a peer (see peer_clock.samples) or what a TVM serves (see
    runner_tvm.py).
    """

    def __init__(self, server: Server, name: str, protocol: Protocol):
        super().__init__(protocol)
        self.server, self.name = server, name

    def call(self, times: int) -> None:
        self.server.ask(do="call", name=self.name, times=times)

    def time(self, number: int, repeat: int) -> list[float]:
        answer = self.server.ask(
            do="samples",
            name=self.name,
            number=number,
            repeat=repeat,
            min_repeat_ms=self.protocol.min_repeat_ms,
        )
        return answer["seconds"]
