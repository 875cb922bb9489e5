"""Runs at once on one machine: of one checkout and of two. All end right, and no two ever time."""

import itertools
import re
import sys

import pytest
from conftest import snakemake
from processes import Background, holder, spans, stamps, wait_for

from fusion import records

CASE = "exp_chain_add-depth2-rows64-cols32-float16"
TINY = {
    "cases": {"depth": 2, "rows": 64, "cols": 32},
    "variants": ["OFF", "ON"],
    "timing": {"trials": 3, "blocks": 10, "number": 2, "repeat": 2, "min_repeat_ms": 10},
}
SNAKEMAKE = (sys.executable, "-m", "snakemake", "--cores", "1", "--configfile", "tiny.yaml")
TARGET = ("--configfile", "tiny.yaml", "--", "aggregate")
COMMAND = (*SNAKEMAKE, "--", "aggregate")


@pytest.fixture(scope="module")
def runs(make_checkout):
    """Four runs, three of them at once: (folder, experiment, what it was) with its process."""
    one = make_checkout("one", llvm=TINY)
    two = make_checkout("two", llvm=TINY, gpu={"lock_folder": str(one / "locks")})
    first = Background(one, *COMMAND, name="first")
    wait_for(lambda: holder(one / "locks"), "the first run to hold the CPU")
    again = Background(one, *COMMAND, name="again")
    other = Background(
        one, *SNAKEMAKE, "--config", "experiment=other", "--", "aggregate", name="other"
    )
    beside = Background(two, *COMMAND, name="beside")
    found = {"first": first, "again": again, "other": other, "beside": beside}
    for run in found.values():
        assert run.end() == 0, run.text
    return one, two, found


def test_all_end_right_and_no_two_trials_of_any_ran_at_once(runs):
    one, two, _ = runs
    places = [one / "results/tiny", one / "results/other", two / "results/tiny"]
    trials = [
        records.read(place / f"llvm/time/{CASE}/trial-{n}.json", "time")
        for place in places
        for n in (1, 2, 3)
    ]
    ordered = spans(trials)
    assert len(ordered) == 9
    assert all(a[1] <= b[0] + 0.01 for a, b in itertools.pairwise(ordered))
    for place in places:
        summary = records.read(place / "llvm/tables/summary.json", "summary")
        assert [t["trial"] for t in summary["cases"][0]["trials"]] == [1, 2, 3]


def test_another_run_waits_for_the_device_and_says_for_whom_and_for_how_long(runs):
    """Of another experiment in the same checkout, or of another checkout."""
    *_, found = runs
    said = found["other"].text + found["beside"].text
    waits = re.findall(
        rf"waiting for cpu, held by process \d+ of \S+ \((?:trial \d|verify) ?.*{CASE}, "
        r"for [\d.]+ min\); \d+ s so far",
        said,
    )
    assert waits, said


def test_the_same_experiment_in_one_checkout_waits_for_the_whole_run(runs):
    _one, _two, found = runs
    text = found["again"].text
    pid = found["first"].process.pid
    assert re.search(
        rf"waiting for results/tiny/llvm, held by process {pid} of \S+ \(a run of tiny, "
        r"for [\d.]+ min\); \d+ s so far",
        text,
    ), text
    assert "time trial" not in text  # nothing was left to do
    assert "Error" not in text


def test_a_run_in_progress_can_be_looked_at_but_not_unlocked(make_checkout):
    folder = make_checkout("looked-at", llvm=TINY)
    run = Background(folder, *COMMAND)
    wait_for(lambda: holder(folder / "locks"), "the run to hold the CPU")
    planned = snakemake("-n", *TARGET, cwd=folder)
    assert planned.returncode == 0 and "waiting" not in planned.stdout, planned.stdout
    listed = snakemake("--summary", *TARGET, cwd=folder)
    assert listed.returncode == 0 and "waiting" not in listed.stdout, listed.stdout
    unlock = Background(folder, *SNAKEMAKE, "--unlock", name="unlock")
    wait_for(lambda: "waiting for results/tiny/llvm" in unlock.text, "--unlock to wait")
    assert run.process.poll() is None  # it is still running, and keeps its locks
    assert run.end() == 0, run.text
    assert unlock.end() == 0, unlock.text
    before = stamps(folder / "results/tiny/llvm")
    done = snakemake(*TARGET, cwd=folder)
    assert done.returncode == 0 and stamps(folder / "results/tiny/llvm") == before
