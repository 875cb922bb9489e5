"""The published runs: whole records, tables that come out of them again, the README's numbers."""

import shutil
from datetime import datetime, timedelta

import pytest
from conftest import ROOT, program, snakemake

from fusion import changes, comparing_runs, records, stopping, trial_statistics

PUBLISHED = ROOT / "results/published/nvidia-h200"
RUN = PUBLISHED / "issue-20342/sm_90"
PRECISE = PUBLISHED / "issue-20342-precision/sm_90"
AGAIN = PUBLISHED / "again/issue-20342-precision/sm_90"
DEPTHS = {d: f"exp_chain_add-depth{d}-rows4096-cols4096-float16" for d in (8, 16)}
README = (ROOT / "README.md").read_text()


@pytest.fixture(scope="module")
def summary():
    return records.read(RUN / "tables/summary.json", "summary")


def test_every_record_is_whole():
    counts = {"compile": 6, "rebuild": 6, "audit": 6, "verify": 2, "time": 10, "profile": 6}
    for kind, count in counts.items():
        found = list((RUN / kind).rglob("record.json" if kind == "compile" else "*.json"))
        assert len(found) == count
        for path in found:
            records.read(path, kind)
    for run in (PRECISE, AGAIN):
        assert len([records.read(p, "time") for p in (run / "time").rglob("*.json")]) == 10


def test_it_is_the_issues_protocol_on_an_h200(summary):
    assert summary["device"]["name"] == "NVIDIA H200" and summary["arch"] == "sm_90"
    protocol = summary["protocol"]
    assert (protocol["blocks"], protocol["repeat"], protocol["min_repeat_ms"]) == (40, 5, 50)
    assert [case["case"]["sizes"]["depth"] for case in summary["cases"]] == [8, 16]
    for case in summary["cases"]:
        assert case["case"]["sizes"]["rows"] == case["case"]["sizes"]["cols"] == 4096
        assert len(case["trials"]) == 5
        depth = case["case"]["sizes"]["depth"]
        assert case["calls"] == {"OFF": 3 * depth + 1, "PARTIAL": 2, "ON": 1}
        assert case["control"]["n"] == 5 and case["flagged"] == {
            **case["flagged"],
            "blocks": 0,
            "of": 200,
        }
    for path in (RUN / "time").rglob("*.json"):
        blocks = records.read(path, "time")["blocks"]
        for variant in ("OFF", "PARTIAL", "ON"):
            assert sum(len(block["samples_us"][variant]) for block in blocks) == 200


def test_the_tables_come_out_of_the_records_again(tmp_path):
    def listed(kind, name):
        return sorted((RUN / kind).rglob(name), key=lambda p: ("depth16" in str(p), str(p)))

    done = program(
        "aggregate_trials.py",
        "--experiment",
        "issue-20342",
        "--trials",
        *listed("time", "*.json"),
        "--verified",
        *listed("verify", "*.json"),
        "--compiled",
        *listed("compile", "record.json"),
        *("--max-cv", 0.05, "--min-slowdown", 1.10, "--confidence", 0.95, "--slower", 1.10),
        *("--max-flagged", 0.1, "--min-trials", 5, "--min-sample-ms", 1),
        *("--max-half-width", 0.05, "--out"),
        tmp_path,
    )
    assert done.returncode == 0, done.stdout
    for name in ("summary.md", "summary.csv", "trials.csv"):
        assert (tmp_path / name).read_text() == (RUN / "tables" / name).read_text()


def test_the_readme_shows_these_numbers(summary):
    for case in summary["cases"]:
        for pair in ("ON/OFF", "PARTIAL/OFF", "ON/PARTIAL"):
            over = case["ratios"][pair]
            bounds = f"[{over['interval']['low']:.4f}, {over['interval']['high']:.4f}]"
            assert f"| {over['median']:.4f} {bounds} |" in README
        control = case["control"]
        assert f"{control['ratio']:.6f} [{control['low']:.6f}, {control['high']:.6f}]" in README
        assert control["drifting"] is False
        passing = case["trials_passing"]
        assert f"{passing['passing']}/{passing['of']}" in README
        for variant in ("OFF", "PARTIAL", "ON"):
            assert f"{case['median_us'][variant]['median']:.2f}" in README
        for variant in ("OFF", "ON"):
            assert f"{case['regret'][variant]['ratio']:.3f}" in README
        verdicts = {pair: found["verdict"] for pair, found in case["verdicts"].items()}
        assert verdicts == {
            "ON/OFF": "NOT SLOWER",
            "PARTIAL/OFF": "NOT SLOWER",
            "ON/PARTIAL": "SLOWER",
        }
    for number in ("1.301768", "1.595166", "0.793551", "0.646946", "1.641148", "2.444368"):
        assert number in README  # the issue's own table
    held = [case["held_s"] for case in summary["cases"]]
    fastest, slowest = min(h["min"] for h in held), max(h["max"] for h in held)
    assert f"| {fastest:.1f} to {slowest:.1f} s |" in README


def test_the_readmes_answer_is_what_audit_and_profile_found(summary):
    profiles, audits = (
        {
            (depth, variant): records.read(RUN / kind / case / f"{variant}.json", kind)
            for depth, case in DEPTHS.items()
            for variant in ("OFF", "PARTIAL", "ON")
        }
        for kind in ("profile", "audit")
    )
    on = {d: profiles[d, "ON"]["counters"]["kernels"][0] for d in DEPTHS}
    assert on[16]["xu_instructions"] == 8_388_608
    for key, found in audits.items():
        counted = 32 * sum(k["xu_instructions"] for k in profiles[key]["counters"]["kernels"])
        assert counted == found["totals"]["mufu_executed"]["EX2"]
        executed = f"{counted:,}"
        assert key[0] == 8 or executed in README
    more = audits[16, "ON"]["totals"]["mufu_executed"]["EX2"]
    more -= audits[8, "ON"]["totals"]["mufu_executed"]["EX2"]
    longer = on[16]["duration_us"] - on[8]["duration_us"]
    assert f"executes {more:,} more" in README and f"takes {longer:.1f} µs longer" in README
    for value in (on[16]["xu_percent_of_peak"], on[16]["dram_percent_of_peak"]):
        assert f"| {value:.1f} |" in README
    trace = profiles[16, "OFF"]["trace"]
    total = trace["kernels_us"] + trace["gaps_us"] + trace["rest_us"]
    assert (
        f"{total:.1f} µs: {trace['kernels_us']:.1f} of\nkernels, {trace['gaps_us']:.1f}" in README
    )
    timed = summary["cases"][1]["median_us"]["OFF"]["median"]
    assert f"at least {timed - trace['kernels_us']:.1f} of these are not kernels" in README
    both = [
        sum(k["duration_us"] for k in profiles[d, "PARTIAL"]["counters"]["kernels"]) for d in DEPTHS
    ]
    assert f"two kernels take {both[1] - both[0]:.1f} µs longer" in README
    partial = profiles[16, "PARTIAL"]["trace"]["kernels_us"]
    assert f"take {partial:.1f} µs\nwhile traced" in README


def test_the_readmes_count_of_instructions():
    """11 a step and 194 in all; 4 issued a cycle by each of an H200's 132 SMs."""
    counts = {}
    for depth, case in DEPTHS.items():
        (kernel,) = records.read(RUN / "audit" / case / "ON.json", "audit")["kernels"]
        counts[depth] = sum(n for opcode, n in kernel["opcodes"].items() if opcode != "NOP")
    assert counts[16] == 194 and counts[16] - counts[8] == 8 * 11
    warps = 16384 * 1024 // 32
    microseconds = counts[16] * warps / (132 * 4 * 1980)
    assert f"{warps:,} warps" in README and f"need {microseconds:.0f} µs of the 139.4" in README


def test_precision_costs_a_fifth_and_all_intervals_overlap(summary):
    precise, again = (records.read(r / "tables/summary.json", "summary") for r in (PRECISE, AGAIN))
    share = precise["measured"]["held_s"] / summary["measured"]["held_s"]
    assert share <= 0.2 and f"({100 * share:.1f} %)" in README
    for run in (precise, again):
        assert all(t["blocks"] == 8 for case in run["cases"] for t in case["trials"])
    for one, other in ((summary, precise), (precise, again)):
        rows = comparing_runs.compare(one, other, any_protocol=one is summary)
        assert len(rows) == 6 and all(row["overlap"] for row in rows)
    deep = [
        value for case in precise["cases"][:1] for value in case["ratios"]["ON/PARTIAL"]["values"]
    ]
    assert f"from {min(deep):.4f} to {max(deep):.4f} at depth 8" in README
    held = [case["held_s"] for run in (precise, again) for case in run["cases"]]
    assert f"{min(h['min'] for h in held):.1f} to {max(h['max'] for h in held):.1f} s" in README
    assert precise["measured"]["devices"] != again["measured"]["devices"]
    ended, began = (
        datetime.fromisoformat(s["measured"][k]) for s, k in ((precise, "last"), (again, "first"))
    )
    assert began - ended > timedelta(minutes=10)
    for name, pair in (
        ("precision-against-fixed.md", (summary, precise)),
        ("two-runs.md", (precise, again)),
    ):
        rows = comparing_runs.compare(*pair, any_protocol=name.startswith("precision"))
        found = changes.between_runs(*pair, ({}, {}))
        assert (PUBLISHED / name).read_text() == comparing_runs.document(*pair, rows, found)


def test_what_would_have_stopped_a_full_trial():
    """The stopping rule on the blocks of the full protocol: 2 of 10 for all ratios, 10 of 10 for
    ON/PARTIAL, as the README says."""
    stops = {"all": [], "one": []}
    for path in (RUN / "time").rglob("*.json"):
        record = records.read(path, "time")
        for key, pairs in (
            ("all", trial_statistics.ratio_pairs(record["variants"])),
            ("one", [("ON", "PARTIAL")]),
        ):
            stops[key].append(
                next(
                    (
                        n
                        for n in range(8, 41)
                        if stopping.enough(record["blocks"][:n], pairs, 0.005, 8)
                    ),
                    None,
                )
            )
    assert sorted(stops["all"], key=str) == [8, 8] + [None] * 8
    assert stops["one"] == [8] * 10
    assert "2 of the ten full trials" in README


def test_figures_issue_and_report_are_made_without_a_gpu_by_the_readmes_commands(make_checkout):
    folder = make_checkout("redraw")
    shutil.copytree(ROOT / "results/published", folder / "results/published")
    lines = [line.strip() for line in README.splitlines() if "results=results/published" in line]
    assert len(lines) == 2 and "--report report.html" in lines[1]
    new = folder / "results/published/nvidia-h200/issue-20342/sm_90"
    for name in ("figures/ratios_by_depth.svg", "figures/latency_by_depth.csv", "issue.md"):
        (new / name).write_text("old")
    for line in lines:
        done = snakemake(*line.split()[1:], cwd=folder)
        assert done.returncode == 0, done.stdout
    assert (new / "issue.md").read_text() == (RUN / "issue.md").read_text()
    for name in ("figures/ratios_by_depth.svg", "figures/latency_by_depth.csv"):
        assert (new / name).read_text() == (RUN / name).read_text()
    page = (folder / "report.html").read_text()
    assert "overview.html" in page and len(page) > 1_000_000
    made = ("logs", "report")
    kept = sorted(p.relative_to(RUN) for p in RUN.rglob("*") if p.is_file())
    assert kept == sorted(
        p.relative_to(new)
        for p in new.rglob("*")
        if p.is_file() and not set(made) & set(p.relative_to(new).parts)
    )
