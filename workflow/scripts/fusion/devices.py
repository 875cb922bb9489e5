"""Which device an experiment is for, found without TVM and without touching a GPU's memory."""

import ctypes
import importlib.util
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .errors import FusionError

ARCH = re.compile(r"sm_[0-9]{2,3}[af]?")
ALL = "all"


@dataclass(frozen=True)
class Gpu:
    """A GPU of this machine, as NVML names it. memory is its total, in bytes."""

    uuid: str
    name: str
    arch: str
    memory: int
    driver: str


@dataclass(frozen=True)
class Device:
    """What is compiled for (`arch`: sm_XX or llvm) and, if it is on this machine, the GPU.

    why_no_gpu says what is missing, in words, where `gpu` is None. others: more GPUs of the same
    model, any of which will do as well.
    """

    arch: str
    gpu: Gpu | None
    why_no_gpu: str = ""
    others: tuple[Gpu, ...] = ()

    @property
    def kind(self) -> str:
        return "llvm" if self.arch == "llvm" else "cuda"

    @property
    def can_run(self) -> bool:
        """Whether this machine can run what is compiled for the device."""
        return self.kind == "llvm" or self.gpu is not None

    @property
    def gpus(self) -> tuple[Gpu, ...]:
        """All that will do, in the order in which they are tried; none on a CPU."""
        return (self.gpu, *self.others) if self.gpu else ()

    def only(self, gpu: Gpu | None) -> "Device":
        """The same with this GPU alone."""
        return replace(self, gpu=gpu, others=())


class NoGpu(Exception):
    """No usable GPU; the message says which part is missing: driver, device or runtime."""


def find_gpus(wanted: str | Sequence[int | str] = ALL) -> list[Gpu]:
    """The GPUs of this machine that indices or UUIDs name, or all of them, in that order.

    An index counts what CUDA_VISIBLE_DEVICES shows. Raises NoGpu where this machine has no usable
    GPU, FusionError where it has others than those.
    """
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise NoGpu(f"driver: NVML does not answer ({error}); no NVIDIA driver") from None
    try:
        count = pynvml.nvmlDeviceGetCount()
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(count)]
        gpus = [_describe(pynvml, handle) for handle in handles]
    finally:
        pynvml.nvmlShutdown()
    visible = _visible(gpus)
    if not visible:
        hidden = " that CUDA_VISIBLE_DEVICES shows" if gpus else ""
        raise NoGpu(f"device: the NVIDIA driver is here, but no GPU{hidden}")
    _require_runtime()
    if wanted == ALL:
        return visible
    return list(dict.fromkeys(_select(visible, selector) for selector in wanted))


def resolve(wanted: str, gpus: str | Sequence[int | str] = ALL) -> Device:
    """The device that the configuration's `device` means on this machine.

    auto: the GPU if there is one, else the CPU. cuda: the GPU, or a FusionError. llvm: the CPU.
    sm_XX: that architecture, which runs here only if one of the GPUs has it. Of several GPUs those
    count that are of the first one's model: numbers of two models do not belong in one table.
    """
    if wanted == "llvm":
        return Device("llvm", None, "device: llvm was asked for")
    if wanted not in ("auto", "cuda") and not ARCH.fullmatch(wanted):
        raise FusionError(
            f"unknown device or arch {wanted!r}",
            expected="auto, cuda, llvm, or an architecture such as sm_86",
            do=f"did you mean 'sm_{wanted}'?" if ARCH.fullmatch(f"sm_{wanted}") else "",
        )
    try:
        found = find_gpus(gpus)
    except NoGpu as missing:
        if wanted == "cuda":
            raise FusionError(
                "device: cuda, but no GPU can be used",
                expected="an NVIDIA driver, a GPU, and TVM's CUDA runtime",
                found=f"no {missing}",
                do="run on a machine with a GPU, or set device to auto, llvm or an sm_XX",
            ) from None
        return Device("llvm" if wanted == "auto" else wanted, None, f"no {missing}")
    first = next((g for g in found if wanted in ("auto", "cuda", g.arch)), None)
    if first is None:
        others = dict.fromkeys(f"{g.name} is {g.arch}" for g in found)
        return Device(wanted, None, f"this machine's {', '.join(others)}, not {wanted}")
    alike = [g for g in found if (g.name, g.arch) == (first.name, first.arch) and g != first]
    return Device(first.arch, first, others=tuple(alike))


def cpu_name() -> str:
    """The CPU's model name, as the kernel tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE)
        if found:
            return " ".join(found[1].split())
    return platform.processor() or platform.machine()


def host_memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _describe(pynvml, handle) -> Gpu:
    major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
    return Gpu(
        uuid=pynvml.nvmlDeviceGetUUID(handle),
        name=pynvml.nvmlDeviceGetName(handle),
        arch=f"sm_{major}{minor}",
        memory=pynvml.nvmlDeviceGetMemoryInfo(handle).total,
        driver=pynvml.nvmlSystemGetDriverVersion(),
    )


def _visible(gpus: list[Gpu]) -> list[Gpu]:
    """The GPUs that CUDA_VISIBLE_DEVICES shows, in its order; all where it is not set."""
    shown = os.environ.get("CUDA_VISIBLE_DEVICES")
    if shown is None:
        return gpus
    found = []
    for word in (w.strip() for w in shown.split(",")):
        match = [g for i, g in enumerate(gpus) if word == str(i) or (word and g.uuid == word)]
        if not match:
            break  # CUDA, too, stops at the first entry that names nothing
        found += match
    return found


def _select(gpus: list[Gpu], selector: int | str) -> Gpu:
    for index, gpu in enumerate(gpus):
        if str(selector) in (str(index), gpu.uuid):
            return gpu
    raise FusionError(
        f"gpu.devices: {selector!r} is not on this machine",
        expected="; ".join(f"{i} = {g.name} {g.uuid}" for i, g in enumerate(gpus)),
        do="set gpu.devices to all, or to a list of these indices or UUIDs",
    )


def _require_runtime() -> None:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise NoGpu(f"runtime: the CUDA driver library does not load ({error})") from None
    spec = importlib.util.find_spec("tvm")
    for folder in spec.submodule_search_locations if spec else []:
        runtime = Path(folder, "lib", "libtvm_runtime.so")
        parts = list(runtime.parent.glob("libtvm_runtime_cuda*.so"))
        if runtime.exists() and not parts and b"CUDADeviceAPI" not in runtime.read_bytes():
            raise NoGpu("runtime: this TVM was built without CUDA (no libtvm_runtime_cuda.so)")
