"""Hold the device of a verify or time program: its lock, who else is on it, its clocks."""

import argparse
import contextlib
import os
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import device_lock, devices, telemetry
from .devices import Device, Gpu, cpu_name
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
        "--gpu",
        type=_gpus,
        default=given["GPU"] or devices.ALL,
        help="indices or UUIDs of GPUs, with commas, the first free one of which is taken; or all",
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


def choose(arch: str, gpus: str | Sequence[int | str]) -> Device:
    """The device of this machine that runs code for `arch`: of `gpus` those that will do.

    Raises FusionError if no such device is here.
    """
    device = devices.resolve(arch, gpus)
    if not device.can_run:
        raise cannot_run(device)
    return device


def show_only(gpu: Gpu) -> None:
    """Let CUDA show no other GPU to this process and to those that it starts.

    To be called before TVM is imported, which is when CUDA reads CUDA_VISIBLE_DEVICES.
    """
    os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["FUSE_OR_NOT_GPU"] = gpu.uuid


@contextlib.contextmanager
def hold(device: Device, args: argparse.Namespace, purpose: str) -> Iterator[Session]:
    """Take the lock of the device, or of one of its GPUs, and see that nobody else computes on it.

    Of several GPUs the first whose lock is free; one on which others compute is passed over as long
    as there is another. Afterwards CUDA shows this process that GPU alone.
    """
    with contextlib.ExitStack() as stack:
        waited = 0.0
        left = list(device.gpus)
        while True:
            attempt = stack.enter_context(contextlib.ExitStack())
            names = [gpu.uuid for gpu in left] or ["cpu"]
            held = attempt.enter_context(device_lock.hold(names, args.lock_folder, purpose))
            waited += held.waited
            gpu = next((g for g in left if g.uuid == held.name), None)
            session = Session(device.only(gpu), waited, None)
            if gpu is None:
                break
            session.monitor = attempt.enter_context(telemetry.watch(gpu))
            try:
                session.others = telemetry.require_idle(session.monitor, gpu, args.busy)
            except FusionError as error:
                left.remove(gpu)
                if not left:
                    raise
                print(f"{error.problem}: {error.found}; trying another", flush=True)
                attempt.close()
                continue
            session._before = session.monitor.processes()
            show_only(gpu)
            break
        session.started = time.monotonic()
        yield session


def _gpus(words: str) -> str | list[str]:
    return words if words == devices.ALL else words.split(",")
