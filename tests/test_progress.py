"""What a run shows: a live bar on a terminal, plain lines elsewhere, the running ratio in logs."""

import os
import pty
import re
import subprocess
import sys

import pytest
from conftest import snakemake

CASE = "exp_chain_add-depth2-rows64-cols32-float16"
TINY = {
    "cases": {"depth": 2, "rows": 64, "cols": 32},
    "variants": ["OFF", "ON"],
    "timing": {"trials": 2, "blocks": 8, "number": 2, "repeat": 2, "min_repeat_ms": 5},
}
WORDS = ("--configfile", "tiny.yaml", "--", "time")


@pytest.fixture(scope="module")
def checkout(make_checkout):
    return make_checkout("progress", llvm=TINY)


@pytest.fixture(scope="module")
def on_a_terminal(checkout):
    """What a terminal of 110 columns was sent, without its control sequences."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", "--cores", "1", *WORDS],
        cwd=checkout,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "110"},
        start_new_session=True,
    )
    os.close(slave)
    sent = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # Linux's word for the end of a terminal
            break
        if not part:
            break
        sent += part
    os.close(master)
    assert process.wait(60) == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", sent.decode())


def test_a_terminal_has_a_live_bar_for_each_stage_and_for_trials(on_a_terminal):
    for stage, parts in {"compile variant": 2, "verify case": 1, "time trial": 2}.items():
        shown = set(re.findall(rf"{stage} +[━╸╺ ]+ +(\d+)%", on_a_terminal))
        assert {"0", "100"} <= shown, (stage, shown)
        assert parts == 1 or "50" in shown, (stage, shown)
    assert "Total Progress" in on_a_terminal


def test_elsewhere_there_are_plain_lines(checkout, on_a_terminal):
    (checkout / f"results/tiny/llvm/time/{CASE}/trial-1.json").unlink()
    ran = snakemake(*WORDS, cwd=checkout)
    assert ran.returncode == 0, ran.stdout
    assert "\x1b" not in ran.stdout and "\r" not in ran.stdout and "━" not in ran.stdout
    assert re.search(r"^trial 1, block 4/8: ON/OFF \d\.\d+$", ran.stdout, re.MULTILINE)


def test_each_time_job_says_trial_block_and_running_ratio_in_its_log(checkout, on_a_terminal):
    for trial in (1, 2):
        log = (checkout / f"results/tiny/llvm/logs/time/{CASE}/trial-{trial}.log").read_text()
        blocks = re.findall(rf"^trial {trial}, block (\d)/8: ON/OFF \d\.\d+$", log, re.MULTILINE)
        assert blocks == ["2", "4", "6", "8"]
