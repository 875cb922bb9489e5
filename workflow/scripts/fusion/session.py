"""Hold the device of a verify or time program: its lock, who else is on it, its clocks."""

import argparse
import contextlib
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import device_lock, telemetry
from .devices import Device, cpu_name, resolve
from .errors import FusionError


@dataclass
class Session:
    """A held device. `mark` reads its state; `as_record` is what the record says of it."""

    device: Device
    waited: float
    monitor: telemetry.Monitor | None
    others: list[telemetry.Process] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    _before: list = field(default_factory=list)
    _after_start: list = field(default_factory=list)
    _children: Collection[int] = ()

    def started_computing(self, children: Collection[int] = ()) -> None:
        """To be called once this process, and its children if it has any there, use the GPU, so
        that they can be told from others.
        """
        self._children = children
        if self.monitor:
            self._after_start = self.monitor.processes()

    def mark(self) -> dict:
        """The device's state now, and who else is on it: {"state": ..., "others": [...]}."""
        if not self.monitor:
            return {"state": {"load_average_1min": os.getloadavg()[0]}, "others": []}
        now = self.monitor.processes()
        others = telemetry.other_processes(
            now, self._before, self._after_start, {os.getpid(), *self._children}
        )
        return {"state": self.monitor.state(), "others": [p.as_record() for p in others]}

    def held(self) -> float:
        """Seconds since the lock was taken."""
        return time.monotonic() - self.started

    def as_record(self) -> dict:
        return describe(self.device)


def describe(device: Device) -> dict:
    """What a record says of a device."""
    gpu = device.gpu
    if gpu is None:
        return {"kind": "llvm", "name": cpu_name(), "cores": os.cpu_count()}
    return {"kind": "cuda", "name": gpu.name, "uuid": gpu.uuid, "driver": gpu.driver}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words that say which device is held, for `hold`. Their defaults come from the
    environment (FUSE_OR_NOT_GPU, _BUSY and _LOCK_FOLDER), by which the pipeline passes them.
    """
    given = {k: os.environ.get(f"FUSE_OR_NOT_{k}") for k in ("GPU", "BUSY", "LOCK_FOLDER")}
    parser.add_argument(
        "--gpu", default=given["GPU"] or "0", help="index or UUID of the GPU; default 0"
    )
    parser.add_argument(
        "--busy",
        choices=["fail", "warn", "wait"],
        default=given["BUSY"] or "fail",
        help="what to do if other processes compute on the GPU",
    )
    parser.add_argument(
        "--lock-folder",
        type=Path,
        default=given["LOCK_FOLDER"] or "/tmp/fuse-or-not",
        help="where this machine's device locks lie",
    )


def cannot_run(device: Device) -> FusionError:
    """What to say where this machine cannot run what is compiled for the device."""
    return FusionError(
        f"nothing here can run code for {device.arch}",
        expected=f"a GPU of {device.arch} with its driver and CUDA runtime",
        found=device.why_no_gpu,
        do="compile, rebuild and audit run anywhere, the others on that GPU's machine; for kept "
        "results use --allowed-rules (see README.md)",
    )


def choose(arch: str, gpu: str) -> Device:
    """The device of this machine that runs code for `arch`; CUDA then shows this process no other.

    To be called before TVM is imported, which is when CUDA reads CUDA_VISIBLE_DEVICES. Raises
    FusionError if no such device is here.
    """
    device = resolve(arch, gpu)
    if not device.can_run:
        raise cannot_run(device)
    if device.gpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = device.gpu.uuid
    return device


@contextlib.contextmanager
def hold(device: Device, args: argparse.Namespace, purpose: str) -> Iterator[Session]:
    """Take the device's lock and see that nobody else computes on it."""
    name = device.gpu.uuid if device.gpu else "cpu"
    with contextlib.ExitStack() as stack:
        waited = stack.enter_context(device_lock.hold(name, args.lock_folder, purpose))
        monitor = stack.enter_context(telemetry.watch(device.gpu)) if device.gpu else None
        session = Session(device, waited, monitor)
        if monitor:
            session.others = telemetry.require_idle(monitor, device.gpu, args.busy)
            session._before = monitor.processes()
        session.started = time.monotonic()
        yield session
