"""What a kernel is estimated to take: what it computes, what it moves, and a device's rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OTHER = "other"  # an operator that a device's table does not hold
DEFAULT_DTYPE = "float32"  # its rates stand for a dtype that was not measured
STAND_INS = {"cast": "add", "select": "max"}  # one plain instruction each, which is not measured

# (a^n + b^n)^(1/n), which is max(a, b) for n without bounds. By the calibrated rates of an H200, ON
# of TVM issue 20342 has its balance between depths 4 (compute 51.7 us, memory 56.4) and 5; there it
# takes 61.7 and 64.5 us, 9 and 8 % over the larger term. n = 6 is within 4 % at depths 1 to 6 and
# within 8 % up to 16.
OVERLAP = 6


@dataclass(frozen=True)
class Rates:
    """What a device can do, as TVM's stock schedules use it.

    source: where the numbers are from. gb_per_s: 1e9 bytes a second that an element-wise kernel
    moves, by dtype. launch_us: what one more small kernel adds to a call that keeps the device
    busy. host_us: what the host takes to launch one, and call_us what it takes for a call beside
    its launches; no call is shorter. element_ps: by dtype, what a kernel does for each element
    beside arithmetic (indices, loads, store), in picoseconds of the whole device. operator_ps: by
    dtype and kind, one operation on one element, likewise.
    """

    name: str
    source: str
    gb_per_s: Mapping[str, float]
    launch_us: float
    host_us: float
    call_us: float
    element_ps: Mapping[str, float]
    operator_ps: Mapping[str, Mapping[str, float]]

    def operation_ps(self, kind: str, dtype: str) -> float:
        table = _of(self.operator_ps, dtype)
        return table.get(STAND_INS.get(kind, kind), table[OTHER])

    def host_takes_us(self, launches: int) -> float:
        """Microseconds of the host for one call."""
        return self.call_us + launches * self.host_us


@dataclass(frozen=True)
class Kernel:
    """One kernel's work. operations: how often each (kind, dtype) runs. elements: of its loops.

    dtype: of what it writes. moved: bytes, each input and output once.
    """

    operations: Mapping[tuple[str, str], float]
    elements: int
    dtype: str
    moved: int

    def compute_us(self, rates: Rates) -> float:
        """Microseconds of its arithmetic, and of what each element takes beside it."""
        operations = sum(n * rates.operation_ps(*kind) for kind, n in self.operations.items())
        return (operations + self.elements * _of(rates.element_ps, self.dtype)) / 1e6

    def memory_us(self, rates: Rates) -> float:
        """Microseconds of moving its bytes."""
        return self.moved / _of(rates.gb_per_s, self.dtype) / 1e3

    def us(self, rates: Rates) -> float:
        """The longer of the two, for a GPU computes while it waits for memory; where they are
        about as long they do not hide each other wholly (see OVERLAP).
        """
        longer, shorter = sorted((self.compute_us(rates), self.memory_us(rates)), reverse=True)
        return longer * (1 + (shorter / longer) ** OVERLAP) ** (1 / OVERLAP)


@dataclass(frozen=True)
class Choice:
    """The two ways for a producer and its consumer, in microseconds with their terms.

    Fused is one kernel, in which the producer runs `reuse` times as often. Materialised is the
    producer's kernel, the consumer's, and a launch for each value that goes through memory. Neither
    takes less than the host takes for it: where that is longer, fusing saves launches.
    """

    fused: Kernel
    producer: Kernel
    consumer: Kernel
    values: int
    rates: Rates

    @property
    def fused_us(self) -> float:
        return max(self.fused.us(self.rates), self.rates.host_takes_us(1))

    @property
    def launches_us(self) -> float:
        return self.values * self.rates.launch_us

    @property
    def materialised_us(self) -> float:
        device = self.producer.us(self.rates) + self.consumer.us(self.rates) + self.launches_us
        return max(device, self.rates.host_takes_us(1 + self.values))

    @property
    def cut(self) -> bool:
        """Whether materialising is estimated to be faster."""
        return self.materialised_us < self.fused_us

    def as_record(self) -> dict:
        """Both estimates with their terms; microseconds to a nanosecond."""
        return {
            "fused_us": round(self.fused_us, 3),
            "fused_terms": {**self._terms(self.fused), **self._host(1)},
            "materialised_us": round(self.materialised_us, 3),
            "materialised_terms": {
                "producer": self._terms(self.producer),
                "consumer": self._terms(self.consumer),
                "launch_us": round(self.launches_us, 3),
                **self._host(1 + self.values),
            },
        }

    def _host(self, launches: int) -> dict:
        return {"host_us": round(self.rates.host_takes_us(launches), 3)}

    def _terms(self, kernel: Kernel) -> dict:
        return {
            "compute_us": round(kernel.compute_us(self.rates), 3),
            "memory_us": round(kernel.memory_us(self.rates), 3),
        }


def _of(table: Mapping, dtype: str):
    return table.get(dtype, table[DEFAULT_DTYPE])
