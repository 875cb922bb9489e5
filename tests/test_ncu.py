"""Nsight Compute without a GPU: what it said is read, and what it lacks is said."""

import csv
import io
import os
import stat
from pathlib import Path

import pytest

from fusion import ncu

HEAD = {
    "ID": "",
    "Kernel Name": "",
    "Block Size": "",
    "Grid Size": "",
    "dram__bytes_read.sum": "byte",
    "gpu__time_duration.sum": "ns",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": "%",
    "sm__inst_executed_pipe_xu.sum": "inst",
}
ON = ["0", "fused_add_kernel", "(1024, 1, 1)", "(16384, 1, 1)"]
ON += ["33,586,432", "139,520", "46.95", "8,388,608"]  # on an H200


def raw_page(*rows, before="==PROF== Connected to process 4242 (python3)\n") -> str:
    """ncu's raw page as CSV, every cell quoted, behind lines of its own."""
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([HEAD.keys(), HEAD.values(), *rows])
    return (
        f'{before}==PROF== Profiling "fused_add_kernel": 0%....100% - 9 passes\n{text.getvalue()}'
    )


def test_a_raw_page_is_read_in_microseconds_bytes_and_counts():
    assert ncu.parse(raw_page(ON)) == [
        {
            "name": "fused_add_kernel",
            "grid": [16384, 1, 1],
            "block": [1024, 1, 1],
            "duration_us": 139.52,
            "xu_instructions": 8_388_608,
            "xu_percent_of_peak": 46.95,
            "dram_read_bytes": 33_586_432,
            "dram_write_bytes": None,
            "dram_percent_of_peak": None,
            "l2_hit_percent": None,
            "registers": None,
            "occupancy_percent": None,
        }
    ]


def test_launches_stay_in_order_and_empty_cells_are_none():
    first = [
        "0",
        'f<int, "x">(float, half)',
        "(32, 2, 1)",
        "(1,024, 1, 1)",
        "",
        "2,048",
        "n/a",
        "7",
    ]
    found = ncu.parse(raw_page(first, ON))
    assert [kernel["name"] for kernel in found] == ['f<int, "x">(float, half)', "fused_add_kernel"]
    assert found[0]["grid"] == [1024, 1, 1] and found[0]["block"] == [32, 2, 1]
    assert found[0]["dram_read_bytes"] is None and found[0]["xu_percent_of_peak"] is None
    assert found[0]["duration_us"] == 2.048 and found[0]["xu_instructions"] == 7


@pytest.mark.parametrize("text", ["", "==PROF== Connected\n==WARNING== No kernels\n", raw_page()])
def test_a_page_without_kernels_is_none(text):
    assert ncu.parse(text) == []


def test_the_command_leaves_the_clocks_and_ends_with_the_program():
    words = ncu.command(Path("/x/ncu"), Path("log"), ["python3", "call_once.py", "--seed", "0"])
    text = " ".join(words)
    assert words[0] == "/x/ncu" and words[-4:] == ["python3", "call_once.py", "--seed", "0"]
    for option in (
        "--clock-control none",
        "--profile-from-start off",
        "--page raw",
        "--print-units base",
        "--log-file log",
    ):
        assert f" {option} " in text
    asked = words[words.index("--metrics") + 1].split(",")
    assert asked == list(ncu.METRICS.values()) and "--csv" in words


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """No ncu but those in the test's own folder."""
    access = os.access

    def own(path, mode, **options):
        mine = Path(path).is_relative_to(tmp_path) or Path(path).name != "ncu"
        return mine and access(path, mode, **options)

    monkeypatch.setattr(os, "access", own)
    for name in ("CUDA_PATH", "CUDA_HOME"):
        monkeypatch.delenv(name, raising=False)


def put(folder: Path, text="") -> Path:
    """A program named ncu in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "ncu"
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def play(alone, monkeypatch, tmp_path):
    """An ncu on PATH that runs the program, writes a log, says something on both streams."""

    def make(log: str, code=0, out="", err=""):
        for name, text in (("log", log), ("out", out), ("err", err)):
            (tmp_path / f"played.{name}").write_text(text)
        put(
            tmp_path / "bin",
            f"""
[ "$1" = --version ] && echo "Version 2025.3.1.0 (build 36398880)" && exit
while [ "$1" != --log-file ]; do shift; done
cat '{tmp_path}/played.log' > "$2"
cat '{tmp_path}/played.out'
cat '{tmp_path}/played.err' >&2
shift 2
"$@"
exit {code}
""",
        )
        monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)

    return make


def test_counters_come_with_tool_command_and_kernels(play, tmp_path):
    play(raw_page(ON, ON))
    called, log = tmp_path / "called", tmp_path / "ncu.log"
    found = ncu.count(["touch", str(called)], log)
    assert called.exists()
    assert found["tool"] == "ncu 2025.3.1.0"
    assert found["command"] == ncu.command(Path("ncu"), log, ["touch", str(called)])[1:]
    assert found["kernels"] == ncu.parse(raw_page(ON)) * 2


PERMISSION = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0.\n"
)


@pytest.mark.parametrize("where", ["log", "out", "err"])
@pytest.mark.parametrize("code", [0, 1])
def test_no_right_to_read_counters_is_said(play, tmp_path, where, code):
    play(**{"log": "", where: PERMISSION}, code=code)
    with pytest.raises(ncu.NoCounters, match="this user may not read the GPU's counters"):
        ncu.count(["true"], tmp_path / "ncu.log")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"log": "==ERROR== The application returned an error code (3).\n\n"}, "error code (3)."),
        ({"log": "", "err": "first\nlast words\n"}, "last words"),
        ({"log": ""}, "no message"),
        ({"log": raw_page(ON), "err": "died later\n"}, "died later"),
    ],
)
def test_an_ncu_that_fails_is_said_with_its_last_line(play, tmp_path, said, words):
    play(**said, code=3)
    with pytest.raises(ncu.NoCounters) as error:
        ncu.count(["true"], tmp_path / "ncu.log")
    assert str(error.value).startswith("ncu ended with 3: ") and str(error.value).endswith(words)


@pytest.mark.parametrize("log", ["==WARNING== No kernels were profiled.\n", raw_page()])
def test_an_ncu_that_saw_no_kernel_is_said(play, tmp_path, log):
    play(log)
    with pytest.raises(ncu.NoCounters, match="ncu saw no kernel"):
        ncu.count(["true"], tmp_path / "ncu.log")


def test_no_ncu_is_said(alone, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CUDA_PATH", "CUDA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    with pytest.raises(ncu.NoCounters, match="Nsight Compute is not installed: no ncu on PATH"):
        ncu.find()
    with pytest.raises(ncu.NoCounters, match="is not installed"):
        ncu.count(["true"], tmp_path / "ncu.log")


def test_ncu_is_looked_for_on_path_then_in_cuda_path_then_in_cuda_home(
    alone, monkeypatch, tmp_path
):
    on_path = put(tmp_path / "on_path")
    in_path, in_home = (put(tmp_path / name / "bin") for name in ("cuda_path", "cuda_home"))
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "cuda_path"))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda_home"))
    assert ncu.find() == on_path
    on_path.unlink()
    assert ncu.find() == in_path
    in_path.chmod(0o600)
    assert ncu.find() == in_home


# Three kernels a call, in microseconds: each call's starts after the call's own start, and ends.
# Calls 2 to 4 count. Their kernels take 10 + 20 + 30, 12 + 20 + 30 and 14 + 20 + 30 µs.
