"""The timing protocol of one trial: warm up, then blocks in which every variant is timed once.

A sample is the mean time of a call over one batch, as TVM's vm.time_evaluator measures it on the
device's own clock. The evaluator repeats a batch that came out shorter than min_repeat_ms with
1.618 times the calls, so a first guess that is a little short costs 50 + 81 ms a sample in place
of 50. The warm-up's own batches tell how long a call takes; each block starts from a number of
calls that just fills min_repeat_ms (and is never below `number`).
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from .ordering import order


@dataclass(frozen=True)
class Protocol:
    """Every number that decides how long and how often is measured.

    blocks: rounds in a trial, at most. number: least calls in a sample. repeat: samples a block
    and variant. min_repeat_ms: least length of a sample. warmup_calls, then warmup_seconds of
    timed batches: what each variant does before the first block. headroom: by how much a sample is
    planned to be longer than min_repeat_ms. stop: fixed (all blocks) or precision (as soon as
    precision_pairs, or "all", are known to `precision`, a share, and min_blocks count).
    max_clock_fall: by which share a clock may fall within a block that is not flagged.
    """

    blocks: int
    number: int
    repeat: int
    min_repeat_ms: int
    warmup_calls: int
    warmup_seconds: float
    headroom: float
    stop: str = "fixed"
    precision: float = 0.005
    precision_pairs: str | tuple[str, ...] = "all"
    min_blocks: int = 8
    max_clock_fall: float = 0.0

    def as_record(self) -> dict:
        return asdict(self)


class Paced(ABC):
    """Something that is timed by the protocol; keeps the fastest time of a call that it has seen.

    What is timed is a subclass's affair: `call` calls it so often and waits for the device, `time`
    gives `repeat` samples, in seconds a call, of `number` calls each, or more where that is shorter
    than the protocol's min_repeat_ms.
    """

    def __init__(self, protocol: Protocol):
        self.protocol = protocol
        self.fastest = math.inf

    @abstractmethod
    def call(self, times: int) -> None: ...

    @abstractmethod
    def time(self, number: int, repeat: int) -> list[float]: ...

    def warm_up(self) -> None:
        self.call(self.protocol.warmup_calls)
        until = time.perf_counter() + self.protocol.warmup_seconds
        while time.perf_counter() < until:
            self.batch(self.protocol.number, repeat=1)

    def batch(self, number: int, repeat: int) -> list[float]:
        """As `time`, noting the fastest."""
        samples = self.time(number, repeat)
        self.fastest = min(self.fastest, *samples)
        return samples

    def planned_number(self) -> int:
        """Calls that fill min_repeat_ms at the fastest pace seen, and `number` at least."""
        seconds = self.protocol.min_repeat_ms / 1e3 * (1 + self.protocol.headroom)
        return max(self.protocol.number, math.ceil(seconds / self.fastest))


def blocks(timers: dict[str, Paced], trial: int, protocol: Protocol) -> Iterator[dict]:
    """Time block after block, to which the caller adds its flags; the timers must be warm.

    A block: {"order": names, "calls": {name: planned calls a sample}, "samples_us": {name:
    [microseconds a call]}}. The position of a variant in the block is its place in `order`.
    """
    for number in range(protocol.blocks):
        names = order(list(timers), number, trial)
        block = {"order": names, "calls": {}, "samples_us": {}}
        for name in names:
            calls = timers[name].planned_number()
            samples = timers[name].batch(calls, protocol.repeat)
            block["calls"][name] = calls
            block["samples_us"][name] = [round(s * 1e6, 4) for s in samples]
        yield block
