"""The device lock, with real processes and the real lock file."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import SCRIPTS

from fusion import device_lock, locks
from fusion.errors import FusionError

HOLD = """
import sys, time
sys.path.insert(0, {scripts!r})
from fusion import device_lock
with device_lock.hold(sys.argv[4:] or ["GPU-test"], sys.argv[1], sys.argv[2]) as held:
    print("held", time.time(), held.name, round(held.waited, 1), flush=True)
    time.sleep(float(sys.argv[3]))
    print("released", time.time(), flush=True)
"""


def start(folder, purpose, seconds, *devices):
    words = [folder, purpose, str(seconds), *devices]
    return subprocess.Popen(
        [sys.executable, "-c", HOLD.format(scripts=str(SCRIPTS)), *words],
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
    with device_lock.hold(["cpu"], tmp_path / "locks", "test") as held:
        assert (held.name, held.waited) == ("cpu", 0)
        assert "test" in locks.holder(tmp_path / "locks" / "cpu.json")
    assert not (tmp_path / "locks" / "cpu.json").exists()


def test_a_folder_that_cannot_be_used_is_one_message(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(FusionError, match=r"lock of cpu cannot be taken[\s\S]*gpu\.lock_folder"),
        device_lock.hold(["cpu"], tmp_path / "file" / "locks", "test"),
    ):
        time.sleep(0)


def test_n_at_once_get_n_devices_and_the_next_waits_for_one_of_them(tmp_path):
    """Simulated devices, real processes, real lock files."""
    three = ("GPU-a", "GPU-b", "GPU-c")
    running = [start(tmp_path, f"trial {n}", 3, *three) for n in range(3)]
    lines = [process.stdout.readline().split() for process in running]
    assert sorted(line[2] for line in lines) == list(three)
    fourth = start(tmp_path, "trial 3", 0, *three)
    text = fourth.communicate(timeout=30)[0]
    assert "waiting for one of GPU-a, held by process" in text
    assert all(f"process {process.pid} " in text for process in running)
    assert "trial 0" in text and "trial 2" in text
    released = [stamp(process.communicate(timeout=30)[0], "released") for process in running]
    assert stamp(text, "held") >= min(released) - 0.05


def test_a_device_of_the_list_that_others_hold_is_passed_over(tmp_path):
    first = start(tmp_path, "another's", 5, "GPU-b")
    assert "GPU-b" in first.stdout.readline()
    found = start(tmp_path, "mine", 0, "GPU-b", "GPU-c").communicate(timeout=10)[0]
    assert "waiting" not in found and " GPU-c " in found
    first.kill()
    first.communicate(timeout=5)


def test_many_take_turns_on_two_devices_and_none_is_held_twice(tmp_path):
    """Twelve processes of 0.2 s on two devices: the stamps of one device never overlap."""
    processes = [start(tmp_path, f"trial {n}", 0.2, "GPU-a", "GPU-b") for n in range(12)]
    held = {"GPU-a": [], "GPU-b": []}
    for process in processes:
        text = process.communicate(timeout=60)[0]
        name = re.search(r"^held [\d.]+ (\S+)", text, re.MULTILINE)[1]
        held[name].append((stamp(text, "held"), stamp(text, "released")))
    assert all(len(spans) > 1 for spans in held.values())
    for spans in held.values():
        ordered = sorted(spans)
        assert all(a[1] <= b[0] + 0.01 for a, b in itertools.pairwise(ordered))
