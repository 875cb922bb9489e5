"""What NVML says of a GPU around a measurement: clocks, temperature, power, other processes."""

import contextlib
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from .devices import Gpu
from .errors import FusionError

# NVML's clock event reasons (nvml.h, nvmlClocksEventReasons), by the names that records keep.
REASONS = {
    "idle": 0x1,
    "applications_clocks": 0x2,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sync_boost": 0x10,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake": 0x80,
    "display_clock": 0x100,
}
# Policies of nvmlDeviceGetViolationStatus, and fields of nvmlDeviceGetFieldValues: each a counter
# of nanoseconds for which the clock was held down.
POLICIES = {"power": 0, "thermal": 1, "board_limit": 3, "reliability": 5}
FIELDS = {"sw_thermal_slowdown": 269, "hw_thermal_slowdown": 270, "hw_power_brake": 271}
GRACE = 5.0  # seconds for a process that has ended to leave NVML's list
POLL = 2.0  # seconds between two looks at a busy GPU


@dataclass(frozen=True)
class Process:
    """A process that computes on the GPU. memory in bytes, or None where NVML does not say."""

    pid: int
    name: str
    memory: int | None

    def __str__(self) -> str:
        size = "unknown memory" if self.memory is None else f"{self.memory / 2**20:.0f} MiB"
        return f"process {self.pid} ({self.name}, {size})"

    def as_record(self) -> dict:
        return {"pid": self.pid, "name": self.name, "memory_bytes": self.memory}


class Monitor:
    """NVML's view of one GPU. Its reads cost a few milliseconds: keep them out of timed regions."""

    def __init__(self, pynvml, handle):
        self._nvml, self._handle = pynvml, handle

    def state(self) -> dict:
        """The GPU's state; what it does not report is None.

        Clocks in MHz, temperature in degrees Celsius, power and its enforced limit in watts,
        `reasons` (names of REASONS that hold now), `violations` (counters in nanoseconds, which
        miss nothing between two reads).
        """
        n, h = self._nvml, self._handle
        reasons = self._read(n.nvmlDeviceGetCurrentClocksEventReasons, h)
        return {
            "sm_clock_mhz": self._read(n.nvmlDeviceGetClockInfo, h, n.NVML_CLOCK_SM),
            "memory_clock_mhz": self._read(n.nvmlDeviceGetClockInfo, h, n.NVML_CLOCK_MEM),
            "temperature_c": self._read(n.nvmlDeviceGetTemperature, h, n.NVML_TEMPERATURE_GPU),
            "power_w": self._read(lambda: n.nvmlDeviceGetPowerUsage(h) / 1000),
            "power_limit_w": self._read(lambda: n.nvmlDeviceGetEnforcedPowerLimit(h) / 1000),
            "reasons": None
            if reasons is None
            else [name for name, bit in REASONS.items() if reasons & bit],
            "violations": self._violations(),
        }

    def _violations(self) -> dict[str, int | None]:
        n, h = self._nvml, self._handle
        policies = {
            name: self._read(lambda p=policy: n.nvmlDeviceGetViolationStatus(h, p).violationTime)
            for name, policy in POLICIES.items()
        }
        values = self._read(n.nvmlDeviceGetFieldValues, h, list(FIELDS.values())) or []
        counted = {v.fieldId: v.value.ullVal for v in values if v.nvmlReturn == n.NVML_SUCCESS}
        return policies | {name: counted.get(field) for name, field in FIELDS.items()}

    def processes(self) -> list[Process]:
        """Every process with a compute context on the GPU, this one too."""
        found = self._read(self._nvml.nvmlDeviceGetComputeRunningProcesses, self._handle) or []
        return [Process(p.pid, _process_name(p.pid), p.usedGpuMemory) for p in found]

    def _read(self, function, *args):
        try:
            return function(*args)
        except self._nvml.NVMLError:
            return None  # this GPU does not report it


@contextlib.contextmanager
def watch(gpu: Gpu) -> Iterator[Monitor]:
    """NVML, open for one GPU."""
    import pynvml

    pynvml.nvmlInit()
    try:
        yield Monitor(pynvml, pynvml.nvmlDeviceGetHandleByUUID(gpu.uuid))
    finally:
        pynvml.nvmlShutdown()


def require_idle(monitor: Monitor, gpu: Gpu, busy: str) -> list[Process]:
    """Who else computes on the GPU before this process does. busy: fail, warn or wait.

    fail raises a FusionError that names them; warn prints them; wait returns when they are gone.
    Whoever is there is given a moment first: the trial before this one may be on its way out.
    """
    others = monitor.processes()
    until = time.monotonic() + GRACE
    while others and time.monotonic() < until:
        time.sleep(0.2)
        others = monitor.processes()
    told = None
    while others and busy == "wait":
        names = "; ".join(map(str, others))
        if names != told:
            print(f"waiting for the GPU, which others use: {names}", flush=True)
            told = names
        time.sleep(POLL)
        others = monitor.processes()
    if others and busy == "fail":
        raise FusionError(
            f"{gpu.name} {gpu.uuid} is busy",
            expected="no other process computing on it",
            found="; ".join(map(str, others)),
            do="end them, choose others with gpu.devices, or set gpu.busy to wait or warn",
        )
    for process in others:
        print(f"warning: {process} is on the GPU too", flush=True)
    return others


def other_processes(
    now: list[Process],
    before: list[Process],
    after_start: list[Process],
    own: Collection[int] = (),
) -> list[Process]:
    """Those of `now` that are neither this process nor one of its children.

    own: their numbers (this process's alone if none is given). In a container NVML may name them by
    numbers that they do not know themselves by; then they are those that appeared when they first
    used the GPU (`before` they did, `after_start`).
    """
    seen = {p.pid for p in after_start}
    own = set(own or {os.getpid()}) & seen or seen - {p.pid for p in before}
    return [p for p in now if p.pid not in own]


def _process_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "not visible from here"
