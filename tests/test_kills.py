"""kill -9 of Snakemake in the middle of each stage, and every signal to a job: nothing is lost.

Real processes on the LLVM target. The commands after a kill are those of the README's "Resuming".
"""

import os
import re
import shlex
import signal
import sys

import pytest
from conftest import ROOT, make_it_the_default
from processes import (
    Background,
    gone,
    holder,
    path_with_python,
    second_trial,
    spans,
    stamps,
    stop_when,
    wait_for,
    watching,
)

from fusion import records

CASE = "exp_chain_add-depth2-rows64-cols32-float16"
README = (ROOT / "README.md").read_text()


def resuming() -> list[list[str]]:
    """The commands of the README's section, in its order."""
    section = re.search(r"^## Resuming\n(.*?)^##", README, re.MULTILINE | re.DOTALL)[1]
    return [shlex.split(line) for line in section.splitlines() if line.startswith("    ")]


@pytest.fixture
def checkout(make_checkout):
    """A checkout whose own configuration is a short experiment with trials of some seconds."""
    timing = {"trials": 2, "blocks": 20, "number": 2, "repeat": 2, "min_repeat_ms": 10}
    folder = make_checkout(
        "killed",
        llvm={
            "cases": {"depth": 2, "rows": 64, "cols": 32},
            "variants": ["OFF", "ON"],
            "timing": {**timing, "warmup_calls": 2, "warmup_seconds": 0.01},
        },
    )
    make_it_the_default(folder)
    return folder


def resume(folder, name: str, *options: str) -> Background:
    """The README's commands, to the letter; the last is left running."""
    *before, last = resuming()
    for words in before:
        done = Background(folder, *words, *options, name="unlock")
        assert done.end() == 0, done.text
    return Background(folder, *last, *options, name=name)


@pytest.fixture(autouse=True)
def snakemake_on_path(monkeypatch):
    monkeypatch.setenv("PATH", path_with_python()["PATH"])


def unchanged(before: dict, after: dict) -> None:
    """Everything that lay there still does: not written again, byte for byte the same."""
    assert {name: after.get(name) for name in before} == before


def test_the_readme_says_what_is_tested_here():
    assert resuming() == [
        ["snakemake", "--unlock"],
        ["snakemake", "--cores", "1", "--resources", "gpu=1", "--rerun-incomplete"],
    ]


def test_kill_9_of_snakemake_in_each_stage_loses_and_repeats_nothing(checkout):
    results = checkout / "results/tiny/llvm"
    locks = checkout / "locks"
    with watching(results) as watcher:
        # In the middle of a compilation, when another is done.
        run = Background(checkout, name="first")
        first = wait_for(lambda: list(results.glob("compile/*/*/record.json")), "the first record")
        second = {"OFF": "ON", "ON": "OFF"}[first[0].parent.name]
        orphan = run.job("build_variant.py", f"--variant {second}")
        os.kill(run.process.pid, signal.SIGKILL)
        run.end()
        kept = whole(stamps(results))
        assert sum(name.endswith("/record.json") for name in kept) == 1

        # The resumed run is killed while it verifies.
        run = resume(checkout, "second")
        run.job("verify_case.py")
        wait_for(lambda: (holder(locks) or {}).get("purpose", "").startswith("verify"), "verify")
        unchanged(kept, stamps(results))
        assert gone(orphan) or not orphan.is_running()
        os.kill(run.process.pid, signal.SIGKILL)
        run.end()
        kept = whole(stamps(results))
        assert sum(name.startswith("compile/") and "/record.json" in name for name in kept) == 2

        # And the next in the middle of the second trial.
        run = resume(checkout, "third")
        done, trial, orphan = second_trial(run, results, locks)
        os.kill(run.process.pid, signal.SIGKILL)
        run.end()
        orphan.suspend()  # as long as a long trial takes
        kept = whole(stamps(results))
        assert f"time/{CASE}/trial-{done}.json" in kept and f"verify/{CASE}.json" in kept
        assert f"time/{CASE}/trial-{trial}.json" not in kept

        run = resume(checkout, "fourth")
        words = f"waiting for cpu, held by process {orphan.pid} of "
        wait_for(lambda: words in run.text, "the resumed run to wait for the orphan")
        assert f"(trial {trial} of {CASE}, for " in run.text
        orphan.resume()
        assert run.end() == 0, run.text
        unchanged(kept, stamps(results))
    assert watcher.damaged == []
    # The orphan ended its trial, and so did the resumed run: one after the other.
    first, second = spans(watcher.versions(f"time/{CASE}/trial-{trial}.json"))
    assert first[1] <= second[0]
    assert records.read(results / f"time/{CASE}/trial-{trial}.json", "time")["waited_s"] > 0
    summary = records.read(results / "tables/summary.json", "summary")
    assert [trial["trial"] for trial in summary["cases"][0]["trials"]] == [1, 2]
    assert not list(results.rglob(".building*"))


def whole(found: dict) -> dict:
    """Without what belongs to a variant that has no record yet: its build was cut short."""
    finished = {name.rpartition("/")[0] for name in found if name.endswith("/record.json")}
    return {
        name: value
        for name, value in found.items()
        if not name.startswith("compile/") or any(name.startswith(f"{f}/") for f in finished)
    }


TIMED = (sys.executable, "-m", "snakemake", "--cores", "1", "--", "time")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
JOBS = (
    ("compile_variant.py", ""),
    ("verify_case.py", ""),
    ("time_trial.py", ""),
)


def test_every_signal_to_a_job_is_reported_and_costs_that_job_alone(checkout):
    """Nine times: the run says which job failed, keeps the rest, and goes on when run again."""
    results, locks = checkout / "results/tiny/llvm", checkout / "locks"
    kept: dict = {}
    for program, words in JOBS:
        for number in SIGNALS:
            run = Background(checkout, *TIMED, name=f"{program}-{number.name}")
            job = run.job(program, words)
            if program == "compile_variant.py":
                stop_when(job, job.children)
            else:
                stop_when(job, lambda pid=job.pid: (holder(locks) or {}).get("pid") == pid)
            started = job.children(recursive=True)
            job.send_signal(number)
            job.resume()
            assert run.end() == 1
            assert "Traceback" not in run.text, run.text
            rule = {"compile_variant.py": "compile_variant", "verify_case.py": "verify_case"}
            assert rule.get(program, "time_trial") in run.text
            assert "failed" in run.text.lower(), run.text
            wait_for(lambda gone_too=started: all(map(gone, gone_too)), "what it started to end")
            unchanged(kept, stamps(results))
            kept = stamps(results)
    run = Background(checkout, *TIMED, name="last")
    assert run.end() == 0, run.text
    unchanged(kept, stamps(results))
    assert "waiting for" not in run.text
