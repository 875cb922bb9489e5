"""Trials on the LLVM target: what is refused, what two at once do, how samples are planned."""

import math
import subprocess
import sys
from types import SimpleNamespace

import pytest
from conftest import ROOT, SCRIPTS, compile_case, program

from fusion import records, telemetry
from fusion.devices import Gpu
from fusion.errors import FusionError

INPUTS = ["--low", "-0.25", "--high", "0.25"]
SHORT = [
    "--seed",
    "0",
    "--blocks",
    "6",
    "--number",
    "3",
    "--repeat",
    "5",
    "--min-repeat-ms",
    "2",
    "--warmup-calls",
    "5",
    "--warmup-seconds",
    "0.05",
    "--headroom",
    "0.02",
]


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verified")
    for variant in ("OFF", "PARTIAL", "ON"):
        compile_case(folder / variant, variant, "llvm")
    done = program(
        "verify_case.py",
        "--records",
        *of(folder),
        "--out",
        folder / "verify.json",
        "--seeds",
        0,
        *INPUTS,
        "--rtol",
        0.02,
        "--atol",
        0.002,
        "--lock-folder",
        folder / "locks",
    )
    assert done.returncode == 0, done.stdout
    return folder


def of(folder):
    return [str(folder / v / "record.json") for v in ("OFF", "PARTIAL", "ON")]


def words(folder, out, locks, trial=1):
    return [
        "--records",
        *of(folder),
        "--verified",
        str(folder / "verify.json"),
        "--out",
        str(out),
        "--trial",
        str(trial),
        *SHORT,
        *INPUTS,
        "--lock-folder",
        str(locks),
    ]


def test_a_trial_follows_the_protocol(verified, tmp_path):
    done = program("time_trial.py", *words(verified, tmp_path / "t.json", tmp_path))
    assert done.returncode == 0, done.stdout
    record = records.read(tmp_path / "t.json", "time")
    assert len(record["blocks"]) == 6
    orders = {tuple(block["order"]) for block in record["blocks"]}
    assert len(orders) == 6  # all permutations of three variants
    for block in record["blocks"]:
        for variant in ("OFF", "PARTIAL", "ON"):
            assert len(block["samples_us"][variant]) == 5
            # planned to last at least 2 ms at the pace of this block's fastest sample, or nearly
            assert block["calls"][variant] >= 3
    assert record["protocol"]["min_repeat_ms"] == 2
    assert record["held_s"] > 6 * 3 * 5 * 0.002  # 90 samples of 2 ms or more
    assert record["device"]["kind"] == "llvm" and record["waited_s"] == 0


def test_the_control_is_timed_in_every_block(verified, tmp_path):
    done = program(
        "time_trial.py", *words(verified, tmp_path / "t.json", tmp_path), "--control", "ON"
    )
    assert done.returncode == 0, done.stdout
    record = records.read(tmp_path / "t.json", "time")
    assert record["variants"] == ["OFF", "PARTIAL", "ON"]
    assert record["control"] == {"name": "CONTROL", "of": "ON"}
    assert record["modules"]["CONTROL"] == record["modules"]["ON"]
    for block in record["blocks"]:
        assert sorted(block["order"]) == ["CONTROL", "OFF", "ON", "PARTIAL"]
        assert len(block["samples_us"]["CONTROL"]) == 5
    assert "CONTROL" not in record["cv"]


def test_a_trial_stops_once_its_ratios_are_known(verified, tmp_path):
    """Any half-width is under 1e9, at the least number of blocks; none is under 1e-8."""
    for precision, blocks in ((1e9, 3), (1e-8, 6)):
        options = ("--stop", "precision", "--precision", precision, "--min-blocks", 3)
        done = program("time_trial.py", *words(verified, tmp_path / "t.json", tmp_path), *options)
        assert done.returncode == 0, done.stdout
        record = records.read(tmp_path / "t.json", "time")
        assert len(record["blocks"]) == blocks
        assert len(record["telemetry"]) == blocks + 1


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--control", "INLINED"), "the control 'INLINED' is not among the variants"),
        (("--precision-pairs", "ON-OFF"), "'ON-OFF' is no ratio of these variants"),
    ],
)
def test_a_wrong_name_is_one_message(verified, tmp_path, option, said):
    done = program("time_trial.py", *words(verified, tmp_path / "t.json", tmp_path), *option)
    assert done.returncode == 1
    assert said in done.stdout and "Traceback" not in done.stdout
    assert not (tmp_path / "t.json").exists()


def test_a_sample_is_planned_to_fill_its_time_and_never_below_number():
    from fusion.pacing import Protocol
    from fusion.sampling import Timer

    protocol = Protocol(40, 10, 5, 50, 75, 2, 0.02)
    timer = Timer.__new__(Timer)
    timer.protocol = protocol
    timer.fastest = 62e-6
    assert timer.planned_number() == math.ceil(0.050 * 1.02 / 62e-6) == 823
    timer.fastest = 0.040
    assert timer.planned_number() == 10


def test_a_module_that_was_not_verified_is_not_timed(verified, tmp_path):
    other = compile_case(tmp_path / "ON", "ON", "llvm", depth=3)
    done = program(
        "time_trial.py",
        "--records",
        other,
        "--verified",
        verified / "verify.json",
        "--out",
        tmp_path / "t.json",
        "--trial",
        1,
        *SHORT,
        *INPUTS,
        "--lock-folder",
        tmp_path,
    )
    assert done.returncode == 1
    assert "ON: this module was not verified" in done.stdout and "Traceback" not in done.stdout


def test_two_trials_at_once_run_one_after_the_other(verified, tmp_path):
    started = [
        subprocess.Popen(
            [
                sys.executable,
                str(SCRIPTS / "time_trial.py"),
                *words(verified, tmp_path / f"t{trial}.json", tmp_path / "locks", trial),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for trial in (1, 2)
    ]
    printed = [child.communicate(timeout=120)[0] for child in started]
    assert [child.returncode for child in started] == [0, 0], printed
    held = []
    for trial in (1, 2):
        record = records.read(tmp_path / f"t{trial}.json", "time")
        held.append((record["started"], record["started"] + record["held_s"]))
    held.sort()
    assert held[0][1] <= held[1][0] + 0.05
    assert "waiting for cpu, held by process" in "".join(printed)


class Played:
    """A monitor whose list of processes changes from look to look."""

    def __init__(self, *looks):
        self.looks = list(looks)

    def processes(self):
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]


OTHER = telemetry.Process(4242, "trainer", 3 << 30)
GPU = Gpu("GPU-1", "NVIDIA H200", "sm_90", 1, "580")


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(telemetry, "GRACE", 0.3)
    monkeypatch.setattr(telemetry, "POLL", 0.01)


def test_a_busy_gpu_fails_with_names(quick):
    with pytest.raises(FusionError, match=r"is busy[\s\S]*process 4242 \(trainer, 3072 MiB\)"):
        telemetry.require_idle(Played([OTHER]), GPU, "fail")


def test_a_process_on_its_way_out_is_waited_for(quick):
    assert telemetry.require_idle(Played([OTHER], []), GPU, "fail") == []


def test_wait_goes_on_when_the_gpu_is_free_and_says_for_whom(quick, capsys):
    assert telemetry.require_idle(Played(*[[OTHER]] * 6, []), GPU, "wait") == []
    assert capsys.readouterr().out.count("process 4242") == 1


def test_warn_names_them_and_measures(quick, capsys):
    assert telemetry.require_idle(Played([OTHER]), GPU, "warn") == [OTHER]
    assert "warning: process 4242" in capsys.readouterr().out


def test_this_process_is_not_another(monkeypatch):
    mine = telemetry.Process(telemetry.os.getpid(), "python", 1)
    assert telemetry.other_processes([mine, OTHER], [OTHER], [mine, OTHER]) == [OTHER]
    # In a container NVML knows this process by a number of the host's.
    host = SimpleNamespace(pid=99999)
    assert telemetry.other_processes([host, OTHER], [OTHER], [host, OTHER]) == [OTHER]
