"""The whole pipeline through Snakemake, on the LLVM target."""

import itertools
import json
import time

import pytest
import yaml
from conftest import snakemake

from fusion import records

CASES = [f"exp_chain_add-depth{d}-rows64-cols32-float16" for d in (2, 3)]
TINY = ("--configfile", "tiny.yaml")


@pytest.fixture(scope="module")
def done(make_checkout):
    """A checkout in which the tiny experiment has run, and what the run printed."""
    folder = make_checkout("pipeline")
    ran = snakemake(*TINY, "--resources", "gpu=1", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    return folder, ran.stdout


@pytest.fixture
def out(done):
    return done[0] / "results" / "tiny" / "llvm"


def stamps(folder):
    files = [p for p in folder.rglob("*") if p.is_file() and "logs" not in p.parts]
    return {p.relative_to(folder): p.stat().st_mtime_ns for p in files}


def test_the_first_lines_say_that_this_is_a_cpu(done):
    first = "\n".join(done[1].splitlines()[:6])
    assert "THIS IS A CPU, NOT A GPU" in first


def test_every_stage_left_its_records(out):
    for case in CASES:
        for variant in ("OFF", "PARTIAL", "ON", "INLINED"):
            record = records.read(out / f"compile/{case}/{variant}/record.json", "compile")
            assert record["calls"]["found"] == record["calls"]["expected"]
            pair = records.read(out / f"rebuild/{case}/{variant}.json", "rebuild")["sha256"]
            assert pair == [record["code"]["sha256"]] * 2
        assert records.read(out / f"verify/{case}.json", "verify")["passed"] is True


def test_a_trial_keeps_every_sample_with_block_and_position(out):
    compiled = {
        v: records.read(out / f"compile/{CASES[0]}/{v}/record.json", "compile")["code"]["sha256"]
        for v in ("OFF", "PARTIAL", "ON", "INLINED")
    }
    orders = []
    for trial in (1, 2):
        record = records.read(out / f"time/{CASES[0]}/trial-{trial}.json", "time")
        assert record["trial"] == trial
        assert len(record["blocks"]) == 3
        for block in record["blocks"]:
            assert sorted(block["order"]) == sorted([*compiled, "CONTROL"])
            assert block["flags"] == []
            assert all(len(block["samples_us"][v]) == 2 for v in compiled)
            assert all(s > 0 for v in compiled for s in block["samples_us"][v])
            assert all(block["calls"][v] >= 2 for v in compiled)
        ran = {name: module["code_sha256"] for name, module in record["modules"].items()}
        assert ran == {**compiled, "CONTROL": compiled["ON"]}
        assert record["control"] == {"name": "CONTROL", "of": "ON"}
        assert len(record["telemetry"]) == 1 + len(record["blocks"])
        assert set(record["ratios"]) >= {"ON/OFF", "PARTIAL/OFF", "ON/PARTIAL", "INLINED/ON"}
        ratio = record["median_us"]["ON"] / record["median_us"]["OFF"]
        assert record["ratios"]["ON/OFF"] == pytest.approx(ratio, rel=1e-3)
        assert record["environment"]["tvm"] == "0.27.0.post1"
        orders.append(record["blocks"][0]["order"])
    assert orders[0] != orders[1]


def test_tables_say_cpu_and_hold_every_trial(out):
    text = (out / "tables/summary.md").read_text()
    assert "This is a CPU, not a GPU" in text and "INLINED/ON" in text
    summary = records.read(out / "tables/summary.json", "summary")
    assert [len(case["trials"]) for case in summary["cases"]] == [2, 2]
    assert len((out / "tables/trials.csv").read_text().splitlines()) == 1 + 4
    for case in summary["cases"]:
        assert case["verdicts"]["INLINED/ON"]["verdict"] in text
        assert case["control"]["low"] < case["control"]["high"]
        assert case["ratios"]["ON/OFF"]["interval"]["n"] == 2
        assert any(w.startswith("Too few trials: 2") for w in case["warnings"])
    assert "audit.md" in {path.name for path in (out / "tables").iterdir()}


def test_figures_are_there_as_png_and_svg_and_say_cpu(out):
    names = ["ratios_by_depth", "latency_by_depth", *(f"samples/{case}" for case in CASES)]
    for name in names:
        png = (out / f"figures/{name}.png").read_bytes()
        assert png[:8] == b"\x89PNG\r\n\x1a\n" and len(png) > 10_000
        svg = (out / f"figures/{name}.svg").read_text()
        assert "CPU, NOT A GPU" in svg and "0.27.0.post1" in svg and "exp_chain_add" in svg


def test_a_run_with_nothing_to_do_ends_in_under_four_seconds(done):
    seconds = []
    for _ in range(3):  # other tests run beside this one
        start = time.perf_counter()
        again = snakemake(*TINY, cwd=done[0])
        seconds.append(time.perf_counter() - start)
        assert again.returncode == 0 and "total" not in again.stdout, again.stdout
    assert min(seconds) < 4


def test_figures_alone_are_redrawn_from_kept_records_in_under_15_seconds(done, out):
    before = stamps(out)
    words = ("-R", "plot", "--allowed-rules", "plot", "figures", "--", "figures")
    seconds = []
    for _ in range(2):  # other tests run beside this one
        start = time.perf_counter()
        ran = snakemake(*TINY, *words, cwd=done[0])
        seconds.append(time.perf_counter() - start)
        assert ran.returncode == 0, ran.stdout
    assert min(seconds) < 15
    changed = {p.parts[0] for p, t in stamps(out).items() if before.get(p) != t}
    assert changed == {"figures"}


def test_one_stage_is_run_again_alone(done, out):
    before = stamps(out)
    words = ("-R", "aggregate", "--allowed-rules", "aggregate", "--", "aggregate")
    ran = snakemake(*TINY, *words, cwd=done[0])
    assert ran.returncode == 0, ran.stdout
    changed = {p.parts[0] for p, t in stamps(out).items() if before.get(p) != t}
    assert changed == {"tables"}


def test_a_trial_that_was_deleted_is_timed_again(done, out):
    """Also where tables and figures are there: they would be of trials that nobody can check."""
    trial = out / f"time/{CASES[0]}/trial-1.json"
    aside = trial.rename(trial.with_suffix(".aside"))
    planned = snakemake("-n", *TINY, cwd=done[0])
    aside.rename(trial)
    assert planned.returncode == 0
    assert "time trial" in planned.stdout, planned.stdout


def test_a_truncated_trial_is_one_message_and_costs_only_itself(make_checkout):
    folder = make_checkout(
        "damaged",
        llvm={
            "cases": {"depth": 2, "rows": 64, "cols": 32},
            "variants": ["OFF", "ON"],
            "timing": {
                "trials": 2,
                "blocks": 1,
                "number": 1,
                "repeat": 1,
                "min_repeat_ms": 1,
                "warmup_calls": 1,
                "warmup_seconds": 0.01,
            },
        },
    )
    assert snakemake(*TINY, "--", "time", cwd=folder).returncode == 0
    trials = folder / f"results/tiny/llvm/time/{CASES[0]}"
    whole = (trials / "trial-1.json").read_bytes()
    (trials / "trial-2.json").write_bytes(whole[: len(whole) // 2])
    ran = snakemake(*TINY, "--", "aggregate", cwd=folder)
    assert ran.returncode == 1
    assert "damaged record" in ran.stdout and "trial-2.json" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert (trials / "trial-1.json").read_bytes() == whole
    (trials / "trial-2.json").unlink()
    ran = snakemake(*TINY, "--", "aggregate", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    assert (trials / "trial-1.json").read_bytes() == whole


def test_a_variant_that_fails_verification_stops_the_run_before_timing(make_checkout):
    """A tolerance that nothing but equal bits meets, and a reference that differs by a bit."""
    folder = make_checkout("failing", verify={"seeds": [0], "rtol": 0, "atol": 0})
    namespace = folder / "workflow/scripts/fusion/namespace_numpy.py"
    text = namespace.read_text()
    assert "_through_float64(np.exp)" in text
    wrong = "_through_float64(lambda a: np.exp(a) * 1.01)"
    namespace.write_text(text.replace("_through_float64(np.exp)", wrong))
    ran = snakemake(*TINY, "--cores", "2", "--keep-going", "--", "time", cwd=folder)
    assert ran.returncode == 1
    assert "fails verification; nothing of it is timed" in ran.stdout
    out = folder / "results/tiny/llvm"
    assert not (out / "time").exists()
    assert list((out / "verify").glob("*.failed.json"))
    assert len(list((out / "compile").rglob("record.json"))) == 8  # finished work is kept


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--config", "device=86"], ["did you mean 'sm_86'?"]),
        (["--config", "device=sm_77"], ["unknown arch 'sm_77'", "sm_90"]),
        (["--config", "workload=exp_chain"], ["unknown workload", "'exp_chain_add'"]),
        (["--config", "expriment=x"], ["unknown key 'expriment'", "'experiment'"]),
    ],
)
def test_bad_input_is_one_message_and_exit_code_one(done, words, said):
    ran = snakemake("-n", *words, cwd=done[0])
    assert ran.returncode == 1
    assert all(word in ran.stdout for word in said), ran.stdout
    assert "Traceback" not in ran.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--config", "device=sm_75", "--", "time"], "nothing here can run code for sm_75"),
        (["--config", "device=sm_75", "--", "profile"], "nothing here can run code for sm_75"),
        (["--", "profile"], "profile is not run: there is nothing to profile on a CPU"),
    ],
)
def test_a_stage_that_cannot_run_here_is_refused_before_any_job(done, words, said):
    ran = snakemake(*TINY, *words, cwd=done[0])
    assert ran.returncode == 1
    assert said in ran.stdout and "Job stats" not in ran.stdout
    assert not (done[0] / "results/tiny/sm_75").exists()


def test_cross_compiling_runs_what_can_run_here_and_names_the_rest(make_checkout):
    folder = make_checkout("cross", cases={"depth": 8, "rows": 64, "cols": 64, "dtype": "float16"})
    ran = snakemake(*TINY, "--cores", "2", "--config", "device=sm_75", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    assert "verify, time, profile, aggregate and figures are not run" in ran.stdout
    out = folder / "results/tiny/sm_75"
    assert len(list(out.rglob("kernels.cubin"))) == 3
    assert len(list((out / "rebuild").rglob("*.json"))) == 3
    assert len(list((out / "audit").rglob("*.sass"))) == 3
    assert "| OFF |" in (out / "tables/audit.md").read_text()
    assert not (out / "time").exists()


def test_without_resources_trials_still_do_not_overlap(make_checkout):
    """Nobody passes --resources, two cores: the records' stamps are disjoint."""
    folder = make_checkout("overlap")
    tiny = yaml.safe_load((folder / "tiny.yaml").read_text())
    tiny["llvm"]["timing"]["threads"] = 1
    (folder / "tiny.yaml").write_text(yaml.safe_dump(tiny))
    ran = snakemake(*TINY, "--cores", "4", "time", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    held = []
    for path in (folder / "results/tiny/llvm/time").rglob("trial-*.json"):
        record = json.loads(path.read_text())
        held.append((record["started"], record["started"] + record["held_s"]))
        assert record["waited_s"] == 0  # Snakemake itself kept them apart
    held.sort()
    assert len(held) == 4
    assert all(a[1] <= b[0] + 0.1 for a, b in itertools.pairwise(held))
