"""Which device is meant, on machines with other GPUs than this one (NVML is played here)."""

import sys
from types import SimpleNamespace

import pytest

from fusion import devices
from fusion.errors import FusionError

TWO = [
    {"uuid": "GPU-aaaa", "name": "NVIDIA A100", "cc": (8, 0), "memory": 80 << 30},
    {"uuid": "GPU-bbbb", "name": "NVIDIA H200", "cc": (9, 0), "memory": 139 << 30},
]


class NvmlError(Exception):
    pass


@pytest.fixture
def machine(monkeypatch):
    """Pretend to be a machine with these GPUs; None means no driver."""

    def pretend(gpus, visible=None, runtime=True):
        def init():
            if gpus is None:
                raise NvmlError("NVML Shared Library Not Found")

        played = SimpleNamespace(
            NVMLError=NvmlError,
            nvmlInit=init,
            nvmlShutdown=lambda: None,
            nvmlDeviceGetCount=lambda: len(gpus),
            nvmlDeviceGetHandleByIndex=lambda i: gpus[i],
            nvmlDeviceGetCudaComputeCapability=lambda g: g["cc"],
            nvmlDeviceGetUUID=lambda g: g["uuid"],
            nvmlDeviceGetName=lambda g: g["name"],
            nvmlDeviceGetMemoryInfo=lambda g: SimpleNamespace(total=g["memory"]),
            nvmlSystemGetDriverVersion=lambda: "580.1",
        )
        monkeypatch.setitem(sys.modules, "pynvml", played)
        if visible is None:
            monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        else:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        if runtime:
            monkeypatch.setattr(devices, "_require_runtime", lambda: None)

    return pretend


def test_auto_takes_the_first_gpu(machine):
    machine(TWO)
    device = devices.resolve("auto")
    assert (device.arch, device.kind, device.gpu.uuid) == ("sm_80", "cuda", "GPU-aaaa")
    assert device.can_run


@pytest.mark.parametrize("selector", [1, "1", "GPU-bbbb"])
def test_an_index_or_a_uuid_chooses(machine, selector):
    machine(TWO)
    assert devices.resolve("cuda", [selector]).arch == "sm_90"


def test_indices_count_what_cuda_visible_devices_shows(machine):
    machine(TWO, visible="1")
    assert devices.resolve("auto", [0]).gpu.uuid == "GPU-bbbb"
    machine(TWO, visible="GPU-bbbb,GPU-aaaa")
    assert devices.resolve("auto", [1]).gpu.uuid == "GPU-aaaa"


FOUR = [
    {"uuid": "GPU-cccc", "name": "NVIDIA H100", "cc": (9, 0), "memory": 80 << 30},
    {"uuid": "GPU-dddd", "name": "NVIDIA H200", "cc": (9, 0), "memory": 139 << 30},
    *TWO,
]


@pytest.mark.parametrize(
    ("wanted", "gpus", "found"),
    [
        ("sm_90", "all", ["GPU-cccc"]),  # an H200 is of another model
        ("sm_90", [3, 1], ["GPU-bbbb", "GPU-dddd"]),
        ("sm_90", ["GPU-dddd", "GPU-bbbb", 1], ["GPU-dddd", "GPU-bbbb"]),
        ("auto", [2, 3, 1], ["GPU-aaaa"]),
        ("sm_90", [2, 3, 1], ["GPU-bbbb", "GPU-dddd"]),
        ("cuda", [1], ["GPU-dddd"]),
    ],
)
def test_of_several_gpus_those_of_one_arch_and_model_count(machine, wanted, gpus, found):
    machine(FOUR)
    device = devices.resolve(wanted, gpus)
    assert [gpu.uuid for gpu in device.gpus] == found
    assert device.gpu.uuid == found[0]
    assert [gpu.uuid for gpu in device.only(device.gpus[-1]).gpus] == found[-1:]


def test_a_gpu_that_is_not_there_is_answered_with_those_that_are(machine):
    machine(TWO)
    with pytest.raises(FusionError, match=r"gpu\.devices: 7 [\s\S]*GPU-aaaa[\s\S]*GPU-bbbb"):
        devices.resolve("auto", [7])


@pytest.mark.parametrize(
    ("gpus", "visible", "part"),
    [(None, None, "driver"), ([], None, "device"), (TWO, "", "device")],
)
def test_cuda_without_a_gpu_says_which_part_is_missing(machine, gpus, visible, part):
    machine(gpus, visible)
    with pytest.raises(FusionError, match=f"no {part}:"):
        devices.resolve("cuda")
    assert devices.resolve("auto").kind == "llvm"
    assert f"no {part}:" in devices.resolve("auto").why_no_gpu


def test_cuda_without_the_driver_library_says_runtime(machine, monkeypatch):
    machine(TWO, runtime=False)

    def no_library(name):
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(devices.ctypes, "CDLL", no_library)
    with pytest.raises(FusionError, match=r"no runtime: .*libcuda"):
        devices.resolve("cuda")


def test_a_named_arch_runs_only_on_such_a_gpu(machine):
    machine(TWO)
    assert devices.resolve("sm_80").can_run
    other = devices.resolve("sm_86")
    assert other.arch == "sm_86" and not other.can_run and "sm_80" in other.why_no_gpu
    machine(None)
    assert not devices.resolve("sm_80").can_run


@pytest.mark.parametrize(("word", "hint"), [("86", "sm_86"), ("gpu", ""), ("sm86", ""), ("", "")])
def test_an_unknown_device_is_answered(word, hint):
    with pytest.raises(FusionError, match=r"unknown device or arch") as caught:
        devices.resolve(word)
    assert hint in str(caught.value)
