"""The device lock, with real processes and the real lock file."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import SCRIPTS

from fusion import device_lock
from fusion.errors import FusionError

HOLD = """
import sys, time
sys.path.insert(0, {scripts!r})
from fusion import device_lock
with device_lock.hold("GPU-test", sys.argv[1], sys.argv[2]) as waited:
    print("held", time.time(), round(waited, 1), flush=True)
    time.sleep(float(sys.argv[3]))
    print("released", time.time(), flush=True)
"""


def start(folder, purpose, seconds):
    return subprocess.Popen(
        [sys.executable, "-c", HOLD.format(scripts=str(SCRIPTS)), folder, purpose, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def stamp(text, word):
    return float(re.search(rf"^{word} ([\d.]+)", text, re.MULTILINE)[1])


def test_the_second_waits_and_says_for_whom(tmp_path):
    first = start(tmp_path, "trial 1 of case A", 2)
    assert first.stdout.readline().startswith("held")
    second = start(tmp_path, "trial 2 of case B", 0)
    waiting = second.communicate(timeout=30)[0]
    released = stamp(first.communicate(timeout=30)[0], "released")
    assert f"waiting for GPU-test, held by process {first.pid} of " in waiting
    assert "trial 1 of case A" in waiting
    assert stamp(waiting, "held") >= released - 0.05


def test_the_lock_ends_with_its_process_however_that_ends(tmp_path):
    first = start(tmp_path, "killed", 60)
    assert first.stdout.readline().startswith("held")
    second = start(tmp_path, "next", 0)
    assert "waiting" in second.stdout.readline()
    os.kill(first.pid, signal.SIGKILL)
    assert "held" in second.communicate(timeout=10)[0]
    first.communicate(timeout=5)


def test_a_free_lock_costs_no_wait_and_leaves_no_note(tmp_path):
    with device_lock.hold("cpu", tmp_path / "locks", "test") as waited:
        assert waited == 0
        assert "test" in device_lock.holder(tmp_path / "locks" / "cpu.json")
    assert not (tmp_path / "locks" / "cpu.json").exists()


def test_a_folder_that_cannot_be_used_is_one_message(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(FusionError, match=r"lock of cpu cannot be taken[\s\S]*gpu\.lock_folder"),
        device_lock.hold("cpu", tmp_path / "file" / "locks", "test"),
    ):
        time.sleep(0)
