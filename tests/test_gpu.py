"""What only a GPU can show. Run on a machine with one: python3 -m pytest -m gpu."""

import os
import shutil
import subprocess
import sys
import threading

import pytest
from conftest import SCRIPTS, compile_case, program

from fusion import records

pytestmark = pytest.mark.gpu

INPUTS = ["--low", -0.25, "--high", 0.25]
SHORT = [
    "--seed",
    0,
    "--blocks",
    3,
    "--number",
    10,
    "--repeat",
    5,
    "--min-repeat-ms",
    5,
    "--warmup-calls",
    5,
    "--warmup-seconds",
    0.1,
    "--headroom",
    0.02,
]


@pytest.fixture(scope="module")
def arch():
    from fusion.devices import find_gpus

    return find_gpus()[0].arch


@pytest.fixture(scope="module")
def built(tmp_path_factory, arch):
    folder = tmp_path_factory.mktemp("gpu")
    for variant in ("OFF", "PARTIAL", "ON"):
        compile_case(folder / variant, variant, arch, rows=4096, cols=4096)
    done = verify(folder, folder)
    assert done.returncode == 0, done.stdout
    return folder


def of(folder):
    return [folder / v / "record.json" for v in ("OFF", "PARTIAL", "ON")]


def verify(folder, out, *words):
    return program(
        "verify_case.py",
        "--records",
        *of(folder),
        "--out",
        out / "verify.json",
        "--seeds",
        0,
        1,
        2,
        *INPUTS,
        "--rtol",
        0.02,
        "--atol",
        0.002,
        "--lock-folder",
        out / "locks",
        *words,
    )


def trial(folder, out, *words, **environment):
    return program(
        "time_trial.py",
        "--records",
        *of(folder),
        "--verified",
        folder / "verify.json",
        "--out",
        out / "trial.json",
        "--trial",
        1,
        *SHORT,
        *INPUTS,
        "--lock-folder",
        out / "locks",
        *words,
        **environment,
    )


def test_all_variants_agree_with_numpy_on_the_gpu(built):
    record = records.read(built / "verify.json", "verify")
    assert record["passed"] and len(record["comparisons"]) == 18
    assert record["device"]["uuid"].startswith("GPU-")


def test_a_trial_runs_the_recorded_cubins_and_names_the_gpu(built, tmp_path):
    done = trial(built, tmp_path)
    assert done.returncode == 0, done.stdout
    record = records.read(tmp_path / "trial.json", "time")
    for variant, module in record["modules"].items():
        compiled = records.read(built / variant / "record.json", "compile")
        assert module["code_sha256"] == compiled["code"]["sha256"]
        assert module["code_sha256"] == records.file_sha256(built / variant / "kernels.cubin")
    assert record["device"]["uuid"].startswith("GPU-") and record["device"]["driver"]
    assert len(record["telemetry"]) == 4
    for mark in record["telemetry"]:
        state = mark["state"]
        assert state["sm_clock_mhz"] > 0 and 0 < state["power_w"] < state["power_limit_w"]
        assert isinstance(state["reasons"], list)
        assert state["violations"]["thermal"] is not None
    assert [block["flags"] for block in record["blocks"]] == [[], [], []]
    assert record["other_processes"] == {"before": [], "at_start": [], "at_end": []}


def test_the_control_is_the_same_code_under_another_name(built, tmp_path):
    done = trial(built, tmp_path, "--control", "ON")
    assert done.returncode == 0, done.stdout
    record = records.read(tmp_path / "trial.json", "time")
    assert record["modules"]["CONTROL"] == record["modules"]["ON"]
    for block in record["blocks"]:
        again, on = (min(block["samples_us"][name]) for name in ("CONTROL", "ON"))
        assert again == pytest.approx(on, rel=0.02)


def test_a_precise_ratio_ends_a_trial_early(built, tmp_path):
    """ON/PARTIAL is steady on a GPU to well under 5 %."""
    words = ("--blocks", 20, "--stop", "precision", "--precision", 0.05, "--min-blocks", 4)
    done = trial(built, tmp_path, *words, "--precision-pairs", "ON/PARTIAL")
    assert done.returncode == 0, done.stdout
    assert 4 <= len(records.read(tmp_path / "trial.json", "time")["blocks"]) < 20


def test_a_process_that_appears_flags_its_blocks(built, tmp_path):
    code = (
        "import sys, time; import numpy as np, tvm;"
        "a = tvm.runtime.tensor(np.zeros(1000, 'float32'), tvm.cuda(0)); time.sleep(60)"
    )
    children = []

    def start():
        children.append(subprocess.Popen([sys.executable, "-c", code]))

    timer = threading.Timer(6.0, start)  # when the trial's warm-up is over
    timer.start()
    try:
        done = trial(built, tmp_path, "--blocks", 50, "--min-repeat-ms", 20)
    finally:
        timer.join()
        for child in children:
            child.kill()
            child.wait()
    assert done.returncode == 0, done.stdout
    flags = [b["flags"] for b in records.read(tmp_path / "trial.json", "time")["blocks"]]
    assert flags[0] == [] and flags[-1] != []
    assert f"process {children[0].pid} (" in flags[-1][0] and "appeared" in flags[-1][0]


def test_another_cubin_is_refused(built, tmp_path):
    for variant in ("OFF", "PARTIAL", "ON"):
        shutil.copytree(built / variant, tmp_path / variant)
    shutil.copy(built / "verify.json", tmp_path)
    shutil.copy(built / "OFF" / "kernels.cubin", tmp_path / "ON" / "kernels.cubin")
    done = trial(tmp_path, tmp_path)
    assert done.returncode == 1
    assert "kernels.cubin is not what the compile stage recorded" in done.stdout
    assert not (tmp_path / "trial.json").exists()


def test_a_module_with_other_source_is_refused(built, tmp_path):
    """ON's record, with PARTIAL's module and the hash that fits it."""
    import json

    for variant in ("OFF", "PARTIAL", "ON"):
        shutil.copytree(built / variant, tmp_path / variant)
    shutil.copy(built / "PARTIAL" / "module.so", tmp_path / "ON" / "module.so")
    record = json.loads((tmp_path / "ON/record.json").read_text())
    body = {k: v for k, v in record.items() if k not in ("schema", "written", "digest")}
    body["module"]["sha256"] = records.file_sha256(tmp_path / "ON/module.so")
    records.write(tmp_path / "ON/record.json", "compile", body)
    done = verify(tmp_path, tmp_path)
    assert done.returncode == 1
    assert "other CUDA source than was recorded" in done.stdout


@pytest.fixture
def other_process(built):
    """A process that keeps a context and memory on the GPU."""
    code = (
        "import sys, time; import numpy as np, tvm;"
        "a = tvm.runtime.tensor(np.zeros(1000, 'float32'), tvm.cuda(0)); print('on', flush=True);"
        "time.sleep(120)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline().strip() == "on"
    yield child
    child.kill()
    child.wait()


def test_a_busy_gpu_is_an_error_that_names_the_process(built, tmp_path, other_process):
    done = trial(built, tmp_path)
    assert done.returncode == 1
    assert "is busy" in done.stdout and f"process {other_process.pid} (" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_busy_gpu_can_be_measured_with_a_mark(built, tmp_path, other_process):
    done = trial(built, tmp_path, "--busy", "warn")
    assert done.returncode == 0, done.stdout
    assert f"warning: process {other_process.pid}" in done.stdout
    others = records.read(tmp_path / "trial.json", "time")["other_processes"]
    for when in ("before", "at_start", "at_end"):
        assert [p["pid"] for p in others[when]] == [other_process.pid]


def test_a_gpu_is_chosen_by_its_uuid(built, tmp_path):
    from fusion.devices import find_gpus

    done = trial(built, tmp_path, "--gpu", find_gpus()[0].uuid)
    assert done.returncode == 0, done.stdout
    done = trial(built, tmp_path, "--gpu", "GPU-none")
    assert done.returncode == 1 and "is not on this machine" in done.stdout


def test_a_hidden_gpu_is_no_gpu(built, tmp_path):
    done = trial(built, tmp_path, CUDA_VISIBLE_DEVICES="")
    assert done.returncode == 1
    assert "no GPU that CUDA_VISIBLE_DEVICES shows" in done.stdout


def test_compiling_takes_no_gpu_memory(tmp_path, arch):
    """No process of ours is on the GPU while it compiles, so compiling can run beside a trial."""
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPTS)!r});"
        "from pathlib import Path; from fusion import build, telemetry;"
        "from fusion.cases import make_case; from fusion.variants import VARIANTS;"
        "from fusion.devices import find_gpus; import os;"
        "case = make_case('exp_chain_add', {'depth': 2, 'rows': 8, 'cols': 8}, 'float16');"
        f"build.build(case, VARIANTS['ON'], {arch!r}, Path({str(tmp_path)!r}), Path('kept'));\n"
        "with telemetry.watch(find_gpus()[0]) as monitor:\n"
        "    assert os.getpid() not in [p.pid for p in monitor.processes()]"
    )
    done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ))
    assert done.returncode == 0


def test_the_choice_of_a_gpu_is_made_before_tvm_reads_it(arch):
    """CUDA reads CUDA_VISIBLE_DEVICES when TVM is imported; the programs choose before that."""
    code = (
        f"import sys, os; sys.path.insert(0, {str(SCRIPTS)!r});"
        "from fusion import artifacts, memory, records, session;"
        f"device = session.choose({arch!r}, ['0']);"
        "session.show_only(device.gpu);"
        "assert os.environ['CUDA_VISIBLE_DEVICES'] == device.gpu.uuid;"
        "assert 'tvm' not in sys.modules;"
        "from fusion import loading; import tvm; assert tvm.cuda(0).exist"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
