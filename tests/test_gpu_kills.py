"""kill -9 of Snakemake in the middle of a trial on a GPU, and the README's way back."""

import itertools
import os
import signal

import pytest
from processes import (
    Background,
    gone,
    path_with_python,
    second_trial,
    spans,
    stamps,
    watching,
)
from test_kills import resume, unchanged

from fusion import records
from fusion.devices import find_gpus

CASE = "exp_chain_add-depth4-rows1024-cols1024-float16"
TINY = ("--configfile", "tiny.yaml")


@pytest.mark.gpu
def test_a_killed_run_on_a_gpu_is_resumed_and_no_two_ever_time(make_checkout, monkeypatch):
    monkeypatch.setenv("PATH", path_with_python()["PATH"])
    timing = {"trials": 3, "blocks": 20, "min_repeat_ms": 20, "warmup_seconds": 0.1}
    folder = make_checkout(
        "gpu-killed",
        device="auto",
        cases={"depth": 4, "rows": 1024, "cols": 1024},
        timing=timing,
    )
    gpu = find_gpus()[0]
    results = folder / f"results/tiny/{gpu.arch}"
    with watching(results) as watcher:
        run = Background(folder, "snakemake", "--cores", "1", "--resources", "gpu=1", *TINY)
        _done, _trial, orphan = second_trial(run, results, folder / "locks")
        os.kill(run.process.pid, signal.SIGKILL)
        run.end()
        assert not gone(orphan)
        kept = stamps(results)
        resumed = resume(folder, "resumed", *TINY)
        assert resumed.end() == 0, resumed.text
        unchanged(kept, stamps(results))
    assert watcher.damaged == []
    found = [
        version for n in (1, 2, 3) for version in watcher.versions(f"time/{CASE}/trial-{n}.json")
    ]
    assert len(found) >= 3
    ordered = spans(found)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(ordered))
    assert {record["device"]["uuid"] for record in found} == {gpu.uuid}
    summary = records.read(results / "tables/summary.json", "summary")
    assert [t["trial"] for t in summary["cases"][0]["trials"]] == [1, 2, 3]
