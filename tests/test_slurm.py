"""profiles/slurm on a real Slurm of one node, whose one GPU is held by what verifies and times."""

import contextlib
import itertools
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import slurm_cluster
from conftest import run, snakemake
from filelock import FileLock

from fusion import records

CASES = [f"exp_chain_add-depth{d}-rows64-cols32-float16" for d in (2, 3)]
# Of the profile only waits are changed, and what this Slurm lacks is named: accounting.
SNAKEMAKE = (
    *(sys.executable, "-m", "snakemake"),
    *("--workflow-profile", "profiles/slurm", "--configfile", "tiny.yaml", "--jobs", "6"),
    *("--default-resources", "slurm_partition=main", "--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "5", "--latency-wait", "20"),
    *("--", "aggregate"),
)
LLVM = {"variants": ["OFF", "ON"], "verify": {"seeds": [0]}}
WITHIN = 240  # seconds, a run


def test_the_experiment_through_slurm_with_a_trial_cancelled_and_resumed(make_checkout):
    """One test: its runs take two minutes, and its cluster is made once."""
    missing = slurm_cluster.missing_programs()
    assert not missing, f"no {', '.join(missing)}; to do: {slurm_cluster.INSTALL}"
    with slurm_cluster.cluster() as cluster:
        ran = experiment(cluster, make_checkout("slurm", llvm=LLVM))
    gpu_jobs_ran_one_at_a_time(ran)
    records_lie_within_their_jobs(ran)
    each_rule_asked_for_what_it_takes(ran)
    cancelled_job_was_reported_and_the_rest_kept(ran)
    same_command_went_on(ran)


def experiment(cluster, folder):
    """The tiny experiment, a trial of it cancelled, then the same command again."""
    first, cancelled = run_and_cancel(cluster, folder)
    kept = stamps(folder)
    second = run(*SNAKEMAKE, cwd=folder, timeout=WITHIN, **cluster.environment)
    jobs = cluster.jobs()
    return SimpleNamespace(
        folder=folder, first=first, second=second, cancelled=cancelled, kept=kept, jobs=jobs
    )


def run_and_cancel(cluster, folder):
    """What the run printed, with its return code, and the trial that was cancelled while it ran.

    The trial's device is held by this process meanwhile, so that it runs until it is cancelled.
    """
    printed = folder / "printed.txt"
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(printed.open("w"))
        running = subprocess.Popen(
            SNAKEMAKE,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **cluster.environment},
        )
        stack.callback(end, running)

        def trial():
            assert running.poll() is None, printed.read_text()
            now = [j for j in cluster.jobs() if j.state == "RUNNING"]
            return next((j for j in now if j.rule == "time_trial"), None)

        def waits():
            logs = (folder / "results/tiny/llvm/logs/time").rglob("*.log")
            return any("waiting for cpu" in log.read_text() for log in logs)

        cancelled = slurm_cluster.wait_for("a trial that runs", trial, WITHIN)
        with FileLock(folder / "locks" / "cpu.lock"):
            slurm_cluster.wait_for("a trial that waits for its device", waits, 60)
            cluster.call("scancel", str(cancelled.number))
        code = running.wait(WITHIN)
    return SimpleNamespace(returncode=code, stdout=printed.read_text()), cancelled


def end(process):
    if process.poll() is None:
        process.kill()
        process.wait()


def stamps(folder):
    files = [p for p in (folder / "results").rglob("*.json") if p.is_file()]
    return {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in files}


def overlap(first, second):
    return first.start < second.end and second.start < first.end


def gpu_jobs_ran_one_at_a_time(ran):
    """By Slurm's own stamps. The device's lock, too, would have kept the trials apart."""
    held = sorted((j for j in ran.jobs if j.gpus), key=lambda j: j.start)
    assert len([j for j in held if j.rule == "verify_case"]) == 2
    assert len([j for j in held if j.rule == "time_trial"]) == 5
    assert all(a.end <= b.start for a, b in itertools.pairwise(held))
    # It was Slurm and not Snakemake that let them wait: they were submitted while others ran.
    assert any(b.submit < a.end for a, b in itertools.pairwise(held))
    compiled = [j for j in ran.jobs if j.rule == "compile_variant"]
    assert len(compiled) == 4 and overlap(*compiled[:2])


def records_lie_within_their_jobs(ran):
    trials = [j for j in ran.jobs if j.rule == "time_trial" and j.state == "COMPLETED"]
    spans = []
    for job in trials:
        case, trial = job.wildcards.rsplit("_", 1)
        path = ran.folder / f"results/tiny/llvm/time/{case}/trial-{trial}.json"
        record = records.read(path, "time")
        start, stop = record["started"], record["started"] + record["held_s"]
        assert job.start <= start and stop <= job.end + 1  # Slurm's seconds are whole ones
        spans.append((start, stop))
    assert len(spans) == 4
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(sorted(spans)))


def each_rule_asked_for_what_it_takes(ran):
    asked = {(j.rule, j.gpus, j.cpus) for j in ran.jobs}
    # Four whole cores of two threads; one core, of which Slurm gives no half.
    assert asked == {("verify_case", 1, 8), ("time_trial", 1, 8), ("compile_variant", 0, 2)}


def cancelled_job_was_reported_and_the_rest_kept(ran):
    text = ran.first.stdout
    assert text.count("jobs run elsewhere") == 1
    assert ran.first.returncode == 1, text
    assert f"SLURM-job '{ran.cancelled.number}' failed" in text and "'CANCELLED'" in text
    case, trial = ran.cancelled.wildcards.rsplit("_", 1)
    assert f"logs/time/{case}/trial-{trial}.log" in "".join(text.split())
    assert f"{ran.cancelled.number}.log" in text
    states = {j.number: j.state for j in ran.jobs}
    assert states.pop(ran.cancelled.number) == "CANCELLED"
    assert set(states.values()) == {"COMPLETED"}
    assert len([path for path in ran.kept if "time" in path.parts]) == 3


def same_command_went_on(ran):
    assert ran.second.returncode == 0, ran.second.stdout
    assert len(ran.jobs) == 4 + 2 + 4 + 1
    last = ran.jobs[-1]
    assert (last.rule, last.wildcards) == ("time_trial", ran.cancelled.wildcards)
    now = stamps(ran.folder)
    assert {path: now[path] for path in ran.kept} == ran.kept
    assert len([path for path in now if "time" in path.parts]) == 4


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--config", "device=sm_90"], 0, "time_trial"),
        (["--config", "device=auto"], 1, "device: auto means a device of this machine"),
    ],
)
def test_a_login_node_plans_every_stage_of_a_gpu_by_name_alone(make_checkout, words, code, said):
    """Without any Slurm: a dry run asks nothing of it."""
    folder = make_checkout("login")
    ran = snakemake("-n", "--workflow-profile", "profiles/slurm", *words, cwd=folder)
    assert ran.returncode == code, ran.stdout
    assert said in ran.stdout and "are not run" not in ran.stdout
