"""Which of several GPUs a job holds: simulated GPUs and NVML, the real lock files."""

import argparse
import contextlib
import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import snakemake

from fusion import device_lock, session, telemetry
from fusion.devices import Device, Gpu
from fusion.errors import FusionError

GPUS = [Gpu(f"GPU-{name}", "NVIDIA H200", "sm_90", 1, "580") for name in "abc"]
DEVICE = Device("sm_90", GPUS[0], others=tuple(GPUS[1:]))
TRAINER = telemetry.Process(4242, "trainer", 3 << 30)


@pytest.fixture
def machine(monkeypatch):
    """Processes by UUID: who computes on which GPU."""
    busy: dict[str, list] = {}

    class Played:
        def __init__(self, gpu):
            self.gpu = gpu

        def processes(self):
            return busy.get(self.gpu.uuid, [])

    @contextlib.contextmanager
    def watch(gpu):
        yield Played(gpu)

    monkeypatch.setattr(telemetry, "watch", watch)
    monkeypatch.setattr(telemetry, "GRACE", 0.1)
    for name in ("CUDA_VISIBLE_DEVICES", "FUSE_OR_NOT_GPU"):
        monkeypatch.setenv(name, "before")
    return busy


def words(folder, busy="fail"):
    return argparse.Namespace(lock_folder=folder, busy=busy)


def test_the_first_free_gpu_is_held_and_shown_alone(machine, tmp_path):
    with (
        device_lock.hold(["GPU-a"], tmp_path, "another's"),
        session.hold(DEVICE, words(tmp_path), "trial 1") as held,
    ):
        assert held.as_record()["uuid"] == "GPU-b"
        assert held.device.gpus == (GPUS[1],)
        assert held.waited == 0
        assert os.environ["CUDA_VISIBLE_DEVICES"] == os.environ["FUSE_OR_NOT_GPU"] == "GPU-b"


def test_a_gpu_on_which_others_compute_is_passed_over(machine, tmp_path, capsys):
    machine["GPU-a"] = [TRAINER]
    with session.hold(DEVICE, words(tmp_path), "trial 1") as held:
        assert held.as_record()["uuid"] == "GPU-b"
        with device_lock.hold(["GPU-a"], tmp_path, "free again") as other:
            assert other.waited == 0
    said = capsys.readouterr().out
    assert "GPU-a is busy: process 4242 (trainer, 3072 MiB); trying another" in said


def test_where_others_compute_on_all_of_them_it_is_an_error(machine, tmp_path):
    for gpu in GPUS:
        machine[gpu.uuid] = [TRAINER]
    with (
        pytest.raises(FusionError, match=r"GPU-c is busy[\s\S]*gpu\.devices"),
        session.hold(DEVICE, words(tmp_path), "trial 1"),
    ):
        raise AssertionError("held")
    with session.hold(DEVICE, words(tmp_path, "warn"), "trial 1") as held:
        assert held.as_record()["uuid"] == "GPU-a"
        assert held.others == [TRAINER]


def test_with_one_gpu_it_is_that_one(machine, tmp_path):
    one = DEVICE.only(GPUS[2])
    with session.hold(one, words(tmp_path), "trial 1") as held:
        assert held.as_record()["uuid"] == "GPU-c"


NVML = """
class NVMLError(Exception): ...
GPUS = [("GPU-aaaa", "NVIDIA H200"), ("GPU-bbbb", "NVIDIA H200"), ("GPU-cccc", "NVIDIA H100")]
def nvmlInit(): ...
def nvmlShutdown(): ...
def nvmlDeviceGetCount(): return len(GPUS)
def nvmlDeviceGetHandleByIndex(index): return GPUS[index]
def nvmlDeviceGetCudaComputeCapability(gpu): return 9, 0
def nvmlDeviceGetUUID(gpu): return gpu[0]
def nvmlDeviceGetName(gpu): return gpu[1]
def nvmlSystemGetDriverVersion(): return "580.1"
class nvmlDeviceGetMemoryInfo:
    total = 139 << 30
    def __init__(self, gpu): ...
"""


@pytest.fixture(scope="module")
def three_gpus(make_checkout):
    """A checkout, and the environment of a machine whose NVML shows two H200 and an H100."""
    folder = make_checkout("gpus", device="auto")
    played = folder / "played"
    played.mkdir()
    (played / "pynvml.py").write_text(NVML)
    any_library = next(Path("/usr/lib").rglob("libm.so.6"), None) or next(
        Path("/lib").rglob("libm.so.6")
    )
    shutil.copy(any_library, played / "libcuda.so.1")
    return folder, {"PYTHONPATH": str(played), "LD_LIBRARY_PATH": str(played)}


@pytest.mark.parametrize(
    ("words", "threads"),
    [
        (["--cores", "8", "--resources", "gpu=2"], 4),
        (["--cores", "8", "--resources", "gpu=5"], 4),  # there are but two of one model
        (["--cores", "8"], 8),
    ],
)
def test_as_many_trials_share_the_cores_as_there_are_gpus_for_them(three_gpus, words, threads):
    """A plan alone: nothing here runs on a GPU."""
    folder, machine = three_gpus
    plain = ("-n", "--workflow-profile", "none", "--configfile", "tiny.yaml")
    done = snakemake(*plain, *words, "--", "time", cwd=folder, **machine)
    assert done.returncode == 0, done.stdout
    assert "2 GPUs NVIDIA H200 (sm_90, GPU-aaaa, GPU-bbbb)" in done.stdout
    jobs = re.findall(r"^rule time_trial:\n(?: +.*\n)+", done.stdout, re.MULTILINE)
    assert len(jobs) == 10
    assert all(f"threads: {threads}\n" in job and "gpu=1" in job for job in jobs), jobs[0]
