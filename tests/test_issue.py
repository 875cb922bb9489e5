"""The stage issue: a run as a bug report that holds all of it, and nothing that is not recorded."""

import copy
import re
import sys

import pytest
import yaml
from conftest import ROOT, program, run, snakemake
from markdown_it import MarkdownIt

from fusion import issue_reproduction, issue_text, issue_traces, records

PUBLISHED = ROOT / "results/published/nvidia-h200"
RUN = PUBLISHED / "issue-20342/sm_90"
KINDS = {
    "compiled": ("compile", "*/*/record.json"),
    "verified": ("verify", "*.json"),
    "trials": ("time", "*/*.json"),
    "audits": ("audit", "*/*.json"),
    "profiles": ("profile", "*/*.json"),
}


def paths(folder) -> dict:
    return {name: sorted((folder / k).glob(glob)) for name, (k, glob) in KINDS.items()}


def kept(folder) -> issue_text.Records:
    """The records of a results folder, read as the program reads them."""
    found = {n: [records.read(p, KINDS[n][0]) for p in ps] for n, ps in paths(folder).items()}
    traces = issue_traces.read(paths(folder)["compiled"])
    summary = records.read(folder / "tables/summary.json", "summary")
    return issue_text.Records(summary, **found, traces=traces, overlay={"experiment": "it"})


def write(folder, out, *words) -> str:
    """What the program writes of a results folder."""
    given = [w for n, ps in paths(folder).items() if ps for w in (f"--{n}", *ps)]
    summary = ["--summary", folder / "tables/summary.json"]
    done = program("write_issue.py", *summary, *given, "--out", out, *words)
    assert done.returncode == 0, done.stdout
    return out.read_text()


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(text: str, language: str) -> list[str]:
    """The contents of the fenced blocks of a language."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [t.content for t in tokens if t.type == "fence" and t.info == language]


@pytest.fixture(scope="module")
def tiny(make_checkout):
    """A checkout in which a tiny run on the CPU has been made into an issue."""
    llvm = {"cases": {"depth": 3, "rows": 64, "cols": 32}, "floor": "COPY"}
    llvm["variants"] = ["OFF", "PARTIAL", "ON", "SPLIT"]
    folder = make_checkout("issue", llvm=llvm)
    ran = snakemake("--configfile", "tiny.yaml", "--", "issue", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    return folder


@pytest.fixture(scope="module")
def text(tiny):
    return (tiny / "results/tiny/llvm/issue.md").read_text()


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    return write(RUN, tmp_path_factory.mktemp("published") / "issue.md", "--overlay", "{}")


def test_a_cpu_is_called_one_and_nothing_is_said_of_a_gpu(text):
    assert "(a CPU, LLVM)" in text.splitlines()[0]
    assert "**This is a CPU, not a GPU**" in text and "- Any GPU: not run." in text
    assert "Per-kernel timings and counters: not run (a CPU has no GPU kernels)." in text
    assert "sm_" not in text and "resources gpu" not in text


def test_its_numbers_are_those_of_the_records(tiny, text):
    out = tiny / "results/tiny/llvm"
    summary = records.read(out / "tables/summary.json", "summary")
    (case,) = summary["cases"]
    for pair, over in case["ratios"].items():
        found = case["verdicts"][pair]["verdict"]
        row = f"| {pair} | **{found}** | {over['median']:.6f} | {over['min']:.4f} to "
        assert row in text
    for name, over in case["median_us"].items():
        if name != "COPY":
            assert f"{over['median']:.2f} [{over['min']:.2f}, {over['max']:.2f}]" in text
    verified = records.read(out / f"verify/{case['case']['name']}.json", "verify")
    parts = sections(text)
    assert len(verified["comparisons"]) == 3 * (4 + 6)
    assert parts["Correctness"].count("| 3 | 3 | 3 |") == 4  # draws, passed, depth 3
    helped = parts["What would help"]
    assert f"{case['median_us']['SPLIT']['median']:.2f}" in helped and "Decisions" in helped
    assert "Over the floor:" in parts["Results"] and "- The floor" not in parts["What is not known"]
    environment = summary["environment"]
    for key in ("tvm", "tvm_commit", "python", "numpy", "os"):
        assert f"| {environment[key]} |" in parts["Environment"]


def test_its_configuration_gives_exactly_this_experiment(tiny, text):
    """Pasted into the checkout, the overlay leaves nothing of the run to be done."""
    (overlay,) = (yaml.safe_load(block) for block in blocks(text, "yaml"))
    assert overlay["device"] == "llvm" and not {"gpu", "results"} & set(overlay)
    (tiny / "issue.yaml").write_text(yaml.safe_dump(overlay))
    command = re.search(r"^ *snakemake (.*) -- issue$", text, re.MULTILINE)[1]
    again = snakemake(*command.split(), "-n", "--", "issue", cwd=tiny)
    assert again.returncode == 0 and "Nothing to be done" in again.stdout, again.stdout
    overlay["llvm"]["timing"]["blocks"] = 4
    (tiny / "issue.yaml").write_text(yaml.safe_dump(overlay))
    other = snakemake(*command.split(), "-n", "--", "issue", cwd=tiny)
    assert "time_trial" in other.stdout


def test_its_script_runs_with_tvm_alone(text, tmp_path):
    script = blocks(text, "python")[-1]
    (tmp_path / "alone.py").write_text(script)
    done = run(sys.executable, "alone.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["OFF", "PARTIAL", "ON"]
    assert len(script.splitlines()) < 50 and "const(0.5)" in script


def test_without_a_device_it_is_refused_before_any_job(tiny):
    asked = ("--configfile", "tiny.yaml", "--config", "device=sm_86", "--", "issue")
    ran = snakemake(*asked, cwd=tiny)
    assert ran.returncode == 1 and "nothing here can run code for sm_86" in ran.stdout
    assert not (tiny / "results/tiny/sm_86/compile").exists()


def test_the_published_one_is_what_the_records_give(published):
    assert (RUN / "issue.md").read_text() == published


def test_the_title_is_the_worst_confirmed_slowdown(published):
    assert published.splitlines()[0] == (
        "# [Bug][Relax] exp_chain_add float16, depth 16: FuseOps/FuseTIR makes ON 2.35x slower "
        "than PARTIAL on NVIDIA H200 (sm_90)"
    )
    assert "ON is not slower there: ON/OFF 0.7338 [0.6068, 0.8145]" in published


def test_it_holds_all_that_issue_20342_held(published):
    parts = sections(published)
    for words in (
        "z = x; depth times z = exp(x - 0.5 z); y = b + z",
        "x [4096, 1] float16, b [4096, 4096] float16",
        "[-0.25, 0.25)",
        "step = lambda xp, x, z: xp.exp(x - 0.5 * z)",
    ):
        assert words in parts["Workload"], words
    for words in (
        "- **OFF**: no fusion: the target's pipeline without FuseOps and FuseTIR.",
        "- **PARTIAL**: the producer in its own dataflow block",
        "- **ON**: one dataflow block, the full pipeline.",
        "| depth | ON/OFF | PARTIAL/OFF | ON/PARTIAL | trials passing |",
        "| 8 | 0.7887 [0.7609, 0.7978] | 0.5708 [0.5519, 0.5767] | 1.3853 [1.3766, 1.3855] | 0/5 |",
        "| 16 | ON/PARTIAL | **SLOWER** | 2.346296 | 2.3365 to 2.3616 | [2.3408, 2.3562] |",
        "| 16 | ON/OFF | **NOT SLOWER** |",
        "Protocol: 5 trials a case",
        "a warm-up of 75 calls and 2 s of timed batches",
        "at least 10 calls and 50 ms a sample",
        "40 blocks a trial; in each, every variant once, in an order that cycles",
        "200 samples a variant and trial",
        "if the CV of both ON and OFF is at most 5% and ON/OFF is at least 1.10",
        "| 16 | 0.999977 [0.999911, 1.000044] | no | 0 of 200 | 0 |",  # the control
        "| 16 | 3.198 [2.874, 3.883] | best | 2.346 [2.341, 2.356] |",  # regret
    ):
        assert words in parts["Results"], words
    assert "seeds 0, 1, 2" in parts["Correctness"]
    assert "rtol 0.02, atol 0.002" in parts["Correctness"] and "NumPy" in parts["Correctness"]
    assert "Of the 18 comparisons of variants with each other, 18 are bit-equal" in published
    for words in (
        "| 16 | 49 (expected 49) | 2 (expected 2) | 1 (expected 1) |",
        "| 16 | ON | 1 | 1 | EX2 268,435,456 | 0 | 67,117,056 |",
        "| 16,384 × 1,024 | Fallback | 14 | 0 | 0 | 0 | 0/0 | 194 | EX2 16 | EX2 268,435,456 |",
        "| 4 × 1,024 | Fallback | 12 | 0 | 0 | 0 | 0/0 | 189 | EX2 16 | EX2 65,536 |",
        "| Fallback | 48 |",  # what its trace inlined into the Add of ON
        "`--use_fast_math`",
        "| 16 | ON | 1 | 139.74 | 0.00 | 1.67 | 141.41 | 140.05 | -1.36 |",
        "| 139.42 | 268,435,456 | 47.0 |",
        "4,096 times as many",
    ):
        assert words in parts["Evidence"], words
    for words in ("NVIDIA H200", "580.159.04", "nvrtc 13.0", "0.27.0.post1", "3.12.3", "Linux-6."):
        assert words in parts["Environment"], words
    for name in ("Expected behavior", "Actual behavior", "Steps to reproduce", "What is not known"):
        assert parts[name].strip()
    assert "nothing differs from `config/config.yaml`" in parts["Steps to reproduce"]
    assert '{"kind": "cuda", "arch": "sm_90"}' in parts["Steps to reproduce"]
    assert "* needs-triage\n* type: bug" in parts["Triage"]
    assert "139.4 µs with the XU pipe at 47.0%" in parts["What is not known"]
    for file in re.findall(r"^From `([^`<]+)`", published, re.MULTILINE):
        assert (RUN / file).exists(), file


def test_every_profile_that_is_missing_is_called_not_run(tmp_path):
    out = tmp_path / "issue.md"
    done = program("write_issue.py", "--summary", RUN / "tables/summary.json", "--out", out)
    assert done.returncode == 0, done.stdout
    text = out.read_text()
    assert "Per-kernel timings and counters: not run, or not kept here." in text
    assert "Static evidence (audit): not run, or not kept here." in text
    assert "Compile records: not kept here" in text and "Verify records: not kept here" in text
    assert "the configuration is not known here" in text


def test_a_failure_is_the_point_of_the_report():
    text = issue_text.issue(kept(PUBLISHED / "workloads/sm_90"))
    assert text.startswith(
        "# [Bug][Relax] tuple_projection float32: ON does not compile for sm_90\n"
    )
    failed = sections(text)["What fails"]
    assert 'Check failed: (func_info_.global_name != "fused") is false' in failed
    assert failed.count("| rsqrt_mean | float32 |") == 5
    assert "Beside that, ON takes 5.7615 [3.8758, 9.3908] times as long as PARTIAL" in text


def test_where_nothing_is_slower_it_is_no_bug():
    text = issue_text.issue(kept(PUBLISHED / "cheap-chain/sm_90"))
    assert text.startswith("# [Relax] cheap_chain_add float16: fusing is not slower on NVIDIA H200")
    assert "[Bug]" not in text and "Triage" not in text and "This is no report of a bug." in text


def test_several_tvms_are_told_apart():
    text = issue_text.issue(kept(PUBLISHED / "issue-20342-releases/sm_90"))
    assert " under tvm-0.2" in text.splitlines()[0]
    assert "`ON@tvm-0.26/ON@tvm-0.25` | **NOT SLOWER**" in text
    assert "- Each under the TVMs tvm-0.25, tvm-0.26, tvm-0.27." in text
    assert not re.search(r"(?<![`/\w])\w+@tvm", text)  # GitHub would read an address


NAME = "a|b`c<script>@all __x__"
CONTENT = "# ```` <script>alert(1)</script> | @all\n"


def test_names_and_contents_become_no_markup(tmp_path):
    """A model's file may be named and hold anything."""
    given = kept(PUBLISHED / "cheap-chain/sm_90")
    path = tmp_path / f"{NAME}.json"
    path.write_text(CONTENT)
    file = {"path": str(path), "sha256": records.file_sha256(path)}
    summary = copy.deepcopy(given.summary)
    name = summary["cases"][0]["case"]["name"]
    hostile = {"name": name, "workload": NAME, "dtype": None, "file": file, "sizes": {"n|<b>": 1}}
    summary["cases"][0]["case"] = hostile
    other = copy.deepcopy(summary["cases"][0])
    other["case"] = {**hostile, "name": "other", "workload": "plain"}
    other["failed"] = {"ON": {"stage": "compile", "message": f"no | {NAME}\n```\n# title"}}
    summary["cases"].append(other)
    text = issue_text.issue(issue_text.Records(summary, overlay={"workload": f"{NAME}.json"}))
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inner = [t for token in tokens for t in (token, *(token.children or []))]
    assert not {"html_block", "html_inline"} & {t.type for t in inner}
    assert [t.content for t in tokens if t.type == "fence" and "````" in t.content] == [
        CONTENT,
        CONTENT,
    ]
    assert sum(t.type == "heading_open" and t.tag == "h1" for t in tokens) == 1
    shown = [t for t in inner if t.type == "text" and "@all" in t.content]
    assert not shown  # only in code, where GitHub notifies nobody
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(counts) == 1, table


@pytest.mark.parametrize("times", [1, 8])
def test_it_fits_into_a_post_and_says_what_is_cut(times):
    given = kept(PUBLISHED / "issue-20342-map/sm_90")
    cases = given.summary["cases"] * times
    long = issue_text.issue(issue_text.Records({**given.summary, "cases": cases}, given.compiled))
    assert len(long) < issue_text.LIMIT == 65_536
    assert "more rows are cut here; all are in `tables/summary.csv`." in long
    assert "4.86x slower than PARTIAL" in long and "## What is not known" in long


def test_an_overlay_holds_what_differs_and_no_path():
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    given = copy.deepcopy(default)
    given |= {"workload": ["/home/me/mine.py", "softmax"], "results": "/else", "device": "sm_90"}
    given["cases"] = [{"workload": "/home/me/mine.py", "rows": [1, 2]}]
    given["timing"]["blocks"] = 7
    assert issue_reproduction.overlay(given, "cuda") == {
        "workload": ["mine.py", "softmax"],
        "cases": [{"workload": "mine.py", "rows": [1, 2]}],
        "timing": {"blocks": 7},
    }
    assert issue_reproduction.overlay(default, "llvm") == {"device": "llvm"}
