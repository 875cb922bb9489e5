"""A peer under the timing protocol."""

from .peer_process import PeerProcess
from .sampling import Paced, Protocol


class PeerTimer(Paced):
    """Times a peer by its own process; see peer_clock.samples for what is inside."""

    def __init__(self, process: PeerProcess, peer: str, protocol: Protocol):
        super().__init__(protocol)
        self._process, self._peer = process, peer

    def call(self, times: int) -> None:
        self._process.ask(do="call", peer=self._peer, times=times)

    def time(self, number: int, repeat: int) -> list[float]:
        answer = self._process.ask(
            do="samples",
            peer=self._peer,
            number=number,
            repeat=repeat,
            min_repeat_ms=self.protocol.min_repeat_ms,
        )
        return answer["seconds"]
