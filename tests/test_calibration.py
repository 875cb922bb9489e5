"""Calibration end to end on LLVM, and its arithmetic against known lines."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import SCRIPTS, program

from fusion import calibration, cuda_tools, records
from fusion.device_rates import operators
from fusion.rates_record import missing


def test_calibration_runs_on_llvm_and_its_record_holds_every_rate(tmp_path):
    out = tmp_path / "rates.json"
    words = ["--rows", 64, "--cols", 64, "--dtypes", "float32", "--kinds", "exp", "max"]
    words += ["--min-repeat-ms", 1, "--warmup-seconds", 0.01, "--lock-folder", tmp_path / "locks"]
    done = program("calibrate_device.py", "--arch", "llvm", "--out", out, *words)
    assert done.returncode == 0, done.stdout
    record = records.read(out, "rates")
    rates = record["rates"]["float32"]
    assert rates["gb_per_s"] > 0 and rates["launch_us"] >= 0 and rates["host_us"] > 0
    assert rates["call_us"] >= 0
    assert set(rates["operator_ps"]) == {"add", "max", "exp", "other"}
    assert rates["operator_ps"]["exp"] > rates["operator_ps"]["add"]
    assert len(record["times_us"]) == 10 and all(t["us"] > 0 for t in record["times_us"])
    assert '"llvm": Rates(' in done.stdout
    assert "makes SPLIT go by them" not in done.stdout  # not with two kinds of one dtype


def test_every_kind_is_measured_on_a_cpu_but_tanh(tmp_path):
    words = ["--rows", 32, "--cols", 32, "--min-repeat-ms", 1, "--warmup-seconds", 0.001]
    words += ["--lock-folder", tmp_path / "locks", "--out", tmp_path / "rates.json"]
    done = program("calibrate_device.py", "--arch", "llvm", "--dtypes", "float32", *words)
    assert done.returncode == 0, done.stdout
    rates = records.read(tmp_path / "rates.json", "rates")["rates"]
    assert set(rates["float32"]["operator_ps"]) == {*calibration.KINDS, "other"} - {"tanh"}
    assert list(missing(rates, "llvm")) == ["float16", "bfloat16"]
    assert "tanh of float32" in list(missing(rates, "sm_90"))


def test_a_place_that_cannot_be_written_to_is_an_error_before_anything_is_measured(tmp_path):
    out = tmp_path / "missing" / "rates.json"
    done = program("calibrate_device.py", "--arch", "llvm", "--out", out)
    assert done.returncode == 1 and "modules compiled" not in done.stdout
    assert f"{out} cannot be written" in done.stdout and "another --out" in done.stdout
    done = program("calibrate_device.py", "--arch", "llvm", "--out", tmp_path)
    assert done.returncode == 1 and "found:    a folder" in done.stdout


def test_ctrl_c_while_it_compiles_ends_it(tmp_path):
    words = [SCRIPTS / "calibrate_device.py", "--arch", "llvm", "--out", tmp_path / "rates.json"]
    words += ["--lock-folder", tmp_path / "locks", "--rows", "32", "--cols", "32"]
    child = subprocess.Popen(
        [sys.executable, *map(str, words)],
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    time.sleep(6)
    os.killpg(child.pid, signal.SIGINT)
    printed = child.communicate(timeout=30)[0]
    assert child.returncode == 130 and "Traceback" not in printed
    assert not list(tmp_path.glob("*.json"))


def test_an_unknown_kind_is_one_message(tmp_path):
    words = ["--arch", "llvm", "--kinds", "expp", "--out", tmp_path / "r.json"]
    done = program("calibrate_device.py", *words)
    assert done.returncode == 1
    assert "unknown kind 'expp'" in done.stdout and "'exp'" in done.stdout


def test_a_line_gives_back_its_slope_and_intercept():
    # 1,000,000 elements, 20 us and 2 us a step: 2 us / 1e6 elements are 2 ps.
    found = calibration.line("exp", {16: 20 + 2 * 16, 48: 20 + 2 * 48}, 1_000_000)
    assert found == pytest.approx({"step_ps": 2.0, "intercept_ps": 20.0})


def test_the_host_takes_so_much_a_launch_and_so_much_a_call():
    # 1.5 us a call and 4 us for each of 2, and of 64, kernels
    assert calibration.host(9.5, 257.5) == {"host_us": 4.0, "call_us": 1.5}


def test_what_stands_beside_a_kind_is_not_its_price():
    found = calibration.prices({"add": 0.25, "max": 0.75, "exp": 2.0})
    assert found == {"add": 0.25, "max": 0.5, "exp": 1.75, "other": 1.75}


def test_every_kind_is_measured_on_a_gpu():
    assert operators("sm_90") == list(calibration.KINDS)


@pytest.mark.parametrize("kind", calibration.KINDS)
def test_every_kind_compiles_to_one_kernel_that_keeps_its_steps(tmp_path, kind):
    """Twice the steps are more code: no compiler folded the chain."""
    sizes = []
    for length in (2, 4):
        point = calibration.point(kind, length, 64, 64, "float16", "sm_90")
        made = calibration.compile_point(point, "ON", "sm_90", tmp_path / str(length))
        assert made.record["kernels"] == 1
        sizes.append((made.folder / made.record["code"]["file"]).stat().st_size)
    assert sizes[0] < sizes[1]


@pytest.mark.parametrize("kind", calibration.KINDS)
def test_no_kind_is_rounded_by_the_special_function_unit(tmp_path, kind):
    """As bfloat16 is where a function follows itself: an F2F for each, beside its own MUFU."""
    point = calibration.point(kind, 4, 64, 64, "bfloat16", "sm_90")
    made = calibration.compile_point(point, "ON", "sm_90", tmp_path / "out")
    words = cuda_tools.run_tool(
        "cuobjdump", "--dump-sass", made.folder / made.record["code"]["file"]
    )
    assert "F2F.BF16" not in words
    functions = {"divide": 1, "sigmoid": 2, **dict.fromkeys(("add", "subtract", "multiply"), 0)}
    functions |= {"max": 0, "min": 0}
    assert words.count("MUFU") == 4 * functions.get(kind, 1)


@pytest.mark.gpu
def test_calibration_runs_on_the_gpu(tmp_path):
    from fusion.devices import find_gpus

    out = tmp_path / "rates.json"
    words = ["--dtypes", "float16", "--kinds", "exp", "--lock-folder", tmp_path / "locks"]
    done = program("calibrate_device.py", "--arch", find_gpus()[0].arch, "--out", out, *words)
    assert done.returncode == 0, done.stdout
    rates = records.read(out, "rates")["rates"]["float16"]
    assert rates["operator_ps"]["exp"] > rates["operator_ps"]["add"] > 0
    assert rates["element_ps"] > 0 and rates["launch_us"] > 0
