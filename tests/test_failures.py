"""A variant that fails takes no other with it: at compile, at load, while it runs, by a crash."""

import pytest
from conftest import program, snakemake

from fusion import records, supervise, toolchains

CRASHES = """
import os
import signal
import sys

from tvm.script import ir as I
from tvm.script import relax as R

words = " ".join(sys.argv)
if "--variant ON" in words:
    os.kill(os.getpid(), signal.SIGSEGV)


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8, 1), "float32"), b: R.Tensor((8, 4), "float32")):
        with R.dataflow():
            y = R.add(b, R.exp(x))
            R.output(y)
        return y
"""
VERIFY = ["--seeds", 0, 1, "--low", -0.25, "--high", 0.25, "--rtol", 0.02, "--atol", 0.004]
TRIAL = ["--trial", 1, "--seed", 0, "--low", -0.25, "--high", 0.25, "--number", 3, "--repeat", 2]
TRIAL += ["--blocks", 3, "--min-repeat-ms", 1, "--warmup-calls", 3, "--warmup-seconds", 0.02]
TRIAL += ["--headroom", 0.02]


def compile_(out, workload, variant, *words):
    given = ["--workload", workload, "--variant", variant, "--arch", "llvm", "--out", out / variant]
    return program("compile_variant.py", *given, *words), out / variant / "record.json"


def test_a_compiler_crash_is_a_record_and_the_others_are_measured(make_checkout, tmp_path):
    path = tmp_path / "crashes.py"
    path.write_text(CRASHES)
    llvm = {"cases": {}, "variants": ["OFF", "PARTIAL", "ON"]}
    folder = make_checkout("crash", workload=str(path), llvm=llvm, on_failure="record")
    stages = ("aggregate", "audit", "figures", "issue")
    ran = snakemake("--configfile", "tiny.yaml", "--", *stages, cwd=folder)
    assert ran.returncode == 0, ran.stdout
    out = folder / "results/tiny/llvm"
    (case,) = records.read(out / "tables/summary.json", "summary")["cases"]
    assert set(case["median_us"]) == {"OFF", "PARTIAL"}
    assert case["failed"]["ON"]["stage"] == "compile"
    assert "killed by signal 11 (SIGSEGV)" in case["failed"]["ON"]["message"]
    text = (out / "tables/summary.md").read_text()
    assert "| crashes | ON | compile | killed by signal 11 (SIGSEGV)" in text
    assert "crashes ON: not compiled" in (out / "tables/audit.md").read_text()
    assert (out / "figures/samples/crashes.png").exists()
    issue = (out / "issue.md").read_text()
    assert issue.startswith("# [Bug][Relax] crashes: ON does not compile for llvm\n")
    assert "killed by signal 11 (SIGSEGV)" in issue and "The others were measured." in issue


def test_a_crash_stops_the_run_by_default(tmp_path):
    path = tmp_path / "crashes.py"
    path.write_text(CRASHES)
    done, record = compile_(tmp_path, path, "ON")
    assert done.returncode == 1 and not record.exists()
    assert "error: killed by signal 11 (SIGSEGV)" in done.stdout


def test_a_hang_ends_at_the_limit(tmp_path):
    """TVM alone takes longer to start than this."""
    done, record = compile_(tmp_path, "gemv", "ON", "--limit", 0.2, "--on-failure", "record")
    assert done.returncode == 0, done.stdout
    failed = records.read(record, "compile")["failed"]
    assert failed == {"stage": "compile", "message": "no end within 0.2 s; killed"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """OFF, PARTIAL and ON of a small case; then ON's module ends in the middle."""
    folder = tmp_path_factory.mktemp("built")
    made = [compile_(folder, "two_consumers", v, "--size", "rows=16") for v in ("OFF", "ON")]
    assert [done.returncode for done, _ in made] == [0, 0], made
    return [record for _, record in made]


def verify(built, tmp_path, *words):
    out = tmp_path / "verify.json"
    given = ["--records", *built, "--out", out, *VERIFY, "--lock-folder", tmp_path / "locks"]
    return program("verify_case.py", *given, *words), out


def trial(built, verified, tmp_path, *words):
    out = tmp_path / "trial.json"
    given = ["--records", *built, "--verified", verified, "--out", out, *TRIAL]
    return program("time_trial.py", *given, "--lock-folder", tmp_path / "locks", *words), out


def dies_at(tmp_path, monkeypatch, method, name):
    """A sitecustomize that aborts the server when it is asked so of a name: a kernel's fault."""
    (tmp_path / "sitecustomize.py").write_text(
        "import builtins, os, sys\n"
        "real = builtins.__import__\n"
        "def watch(*words, **more):\n"
        "    made = real(*words, **more)\n"
        "    runner = getattr(sys.modules.get('fusion.runner_tvm'), 'Runner', None)\n"
        f"    if hasattr(runner, '{method}') and not hasattr(runner, 'watched'):\n"
        f"        runner.watched = inner = runner.{method}\n"
        "        def fault(self, request):\n"
        f"            if request['name'] == '{name}': os.abort()\n"
        "            return inner(self, request)\n"
        f"        runner.{method} = fault\n"
        "    return made\n"
        "builtins.__import__ = watch\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.parametrize(("method", "stage"), [("load", "load"), ("output", "run")])
def test_a_process_that_dies_fails_one_variant_and_the_next_goes_on(
    built, tmp_path, monkeypatch, method, stage
):
    dies_at(tmp_path, monkeypatch, method, "OFF")
    done, out = verify(built, tmp_path, "--on-failure", "record")
    assert done.returncode == 0, done.stdout
    record = records.read(out, "verify")
    assert list(record["modules"]) == ["ON"] and record["passed"] is True
    assert record["failed"]["OFF"]["stage"] == stage
    assert "killed by signal 6" in record["failed"]["OFF"]["message"]
    stopped, _ = verify(built, tmp_path)
    assert stopped.returncode == 1 and f"OFF fails ({stage})" in stopped.stdout
    assert "Traceback" not in stopped.stdout
    timed, out = trial(built, out, tmp_path, "--on-failure", "record", "--control", "OFF")
    assert timed.returncode == 0, timed.stdout
    found = records.read(out, "time")
    assert found["variants"] == ["ON"] and found["entries"] == ["OFF", "ON"]
    assert found["control"] is None and found["failed"]["OFF"]["stage"] == stage


def test_a_variant_that_dies_while_it_is_timed_is_left_out(built, tmp_path, monkeypatch):
    done, verified = verify(built, tmp_path)
    assert done.returncode == 0, done.stdout
    dies_at(tmp_path, monkeypatch, "samples", "OFF")
    timed, out = trial(built, verified, tmp_path, "--on-failure", "record")
    assert timed.returncode == 0, timed.stdout
    assert "the trial starts again without it" in timed.stdout
    found = records.read(out, "time")
    assert found["variants"] == ["ON"] and found["failed"]["OFF"]["stage"] == "time"
    stopped, _ = trial(built, verified, tmp_path)
    assert stopped.returncode == 1 and "OFF fails while it is timed" in stopped.stdout


def test_a_recorded_failure_stops_a_run_that_is_to_stop(tmp_path):
    done, record = compile_(tmp_path, "tuple_projection", "ON", "--on-failure", "record")
    assert done.returncode == 0, done.stdout
    stopped, _ = verify([record], tmp_path)
    assert stopped.returncode == 1
    assert "ON failed in the compile stage" in stopped.stdout
    gone_on, out = verify([record], tmp_path, "--on-failure", "record")
    assert gone_on.returncode == 0, gone_on.stdout
    timed, out = trial([record], out, tmp_path, "--on-failure", "record")
    assert timed.returncode == 0 and records.read(out, "time")["blocks"] == []


def test_the_reason_of_an_exception_is_its_own_words():
    said = (
        "warning: x\nTraceback (most recent call last):\n  File 'a', line 1\nValueError: too wide\n"
    )
    assert supervise.reason(1, said) == "ValueError: too wide"
    assert (
        supervise.reason(1, "error: no room\n  to do: make some\n") == "no room\n  to do: make some"
    )
    assert supervise.reason(-9, "") == "killed by signal 9 (SIGKILL)"
    assert supervise.reason(3, "first\nlast\n") == "exit code 3; first; last"
    assert toolchains.find(None).name == "own"
