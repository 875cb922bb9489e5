"""Faults of what lies on the disk: full, read-only, damaged, changed, of another run."""

import json
import shutil

import pytest
import yaml
from conftest import program, run, snakemake

from fusion import records
from fusion.errors import FusionError

TIMING = {"trials": 2, "blocks": 2, "number": 2, "repeat": 2, "min_repeat_ms": 1}
TIMING |= {"warmup_calls": 2, "warmup_seconds": 0.01}
LLVM = {
    "cases": {"depth": 2, "rows": 64, "cols": 32},
    "variants": ["OFF", "ON"],
    "timing": TIMING,
}
TINY = ("--configfile", "tiny.yaml")
CASE = "exp_chain_add-depth2-rows64-cols32-float16"
# A mount namespace of its own: what is mounted there ends with the shell, and needs no root.
ALONE = ("unshare", "--map-root-user", "--mount", "bash", "-c")
RUN = "python3 -m snakemake --cores 1 --configfile tiny.yaml --"


def one_error(said: str) -> bool:
    """One message that says what to do (the log and the terminal each have it), and no trace."""
    starts = {line for line in said.splitlines() if line.startswith("error: ")}
    return len(starts) == 1 and "to do:" in said and "Traceback" not in said


@pytest.fixture(scope="module")
def done(make_checkout):
    """A checkout in which two trials have run to tables and audits."""
    folder = make_checkout("faults", llvm=LLVM)
    ran = snakemake(*TINY, "--", "aggregate", "audit", "rebuild", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    return folder


@pytest.fixture
def out(done, tmp_path):
    """A copy of those results, to be damaged; the checkout's records name no folder."""
    return shutil.copytree(done / "results" / "tiny" / "llvm", tmp_path / "llvm")


def test_a_disk_that_fills_up_is_one_error_a_stage_and_then_the_run_goes_on(done):
    """A tmpfs with so few KiB left, again and again; once there is room, the run finishes."""
    script = f"""
    mount -t tmpfs -o size=300k tmpfs results
    {RUN} compile > compile.txt 2>&1; echo compile $?
    mount -o remount,size=20m results
    {RUN} compile > /dev/null 2>&1; echo again $?
    sha256sum results/tiny/llvm/compile/*/*/module.so > before.txt
    for left in 0 60; do
        rm -f results/filler
        dd if=/dev/zero of=results/filler bs=1k > /dev/null 2>&1
        truncate -s -${{left}}k results/filler
        {RUN} figures > left$left.txt 2>&1; echo $left $?
    done
    rm results/filler
    {RUN} figures > /dev/null 2>&1; echo finished $?
    sha256sum --status -c before.txt && ls results/tiny/llvm/figures/*.png results/tiny/llvm/tables
    """
    (done / "results").rename(done / "kept")
    (done / "results").mkdir()
    try:
        said = run(*ALONE, script, cwd=done)
    finally:
        (done / "results").rmdir()
        (done / "kept").rename(done / "results")
    codes = dict(line.split() for line in said.stdout.splitlines() if line.count(" ") == 1)
    assert codes.pop("again") == codes.pop("finished") == "0", said.stdout
    assert set(codes.values()) == {"1"} and len(codes) == 3, said.stdout
    assert "latency_by_depth.png" in said.stdout and "summary.md" in said.stdout
    for name in ("compile", "left0", "left60"):
        text = (done / f"{name}.txt").read_text()
        assert "No space left on device" in text and "Traceback" not in text, text
        assert "the file system at " in text and "results" in text
    for name in ("compile", "left0"):
        text = (done / f"{name}.txt").read_text()
        assert f"the file system at {done / 'results'} is full" in text
        assert "what is finished is kept" in text and "expected: room for results/" in text


def test_a_full_disk_is_no_failure_of_a_variant(done):
    """Though failures are recorded, this one stops the program, and nothing is written down."""
    words = [
        "--workload",
        "exp_chain_add",
        "--size",
        "depth=2",
        "--variant",
        "ON",
        "--arch",
        "llvm",
    ]
    words += ["--on-failure", "record", "--out", "small"]
    command = f"python3 workflow/scripts/compile_variant.py {' '.join(words)}"
    script = f"mkdir small; mount -t tmpfs -o size=200k tmpfs small; {command}; ls -A small"
    said = run(*ALONE, script, cwd=done)
    assert one_error(said.stdout) and "record.json" not in said.stdout, said.stdout


def test_a_read_only_results_folder_is_named_before_any_job(done):
    script = f"""
    mount --bind results results; mount -o remount,bind,ro results
    {RUN} aggregate; echo nothing $?
    {RUN} figures; echo figures $?
    python3 -m snakemake -n --configfile tiny.yaml -- figures > /dev/null 2>&1; echo dry $?
    """
    said = run(*ALONE, script, cwd=done).stdout
    assert "nothing 0" in said and "figures 1" in said and "dry 0" in said, said
    assert "results: nothing can be written to" in said and "Read-only file system" in said
    assert "Traceback" not in said and "Failed " not in said


def test_a_checkout_that_snakemake_cannot_keep_its_records_in_is_named(done):
    script = f"""
    mount -t tmpfs -o size=64k tmpfs .snakemake
    dd if=/dev/zero of=.snakemake/filler bs=1k > /dev/null 2>&1
    {RUN} figures; echo full $?
    mount -o remount,ro .snakemake
    {RUN} figures; echo read-only $?
    """
    said = run(*ALONE, script, cwd=done).stdout
    full, read_only = said.split("full 1")  # of the full disk Snakemake's own logger complains too
    assert "read-only 1" in read_only and "Traceback" not in read_only, said
    assert f"the file system at {done / '.snakemake'} is full" in full
    assert ".snakemake: nothing can be written to" in said and "--directory" in said


DAMAGES = {
    "cut": lambda data: data[: len(data) // 2],
    "a byte": lambda data: data.replace(b'"case"', b'"cabe"', 1).replace(b"llvm", b"lllm", 1),
    "a number": lambda data: data.replace(b"0", b"1", 1),
    "empty": lambda data: b"",
    "binary": lambda data: bytes(range(256)) * 8,
    "other": lambda data: b'{"schema": "fuse-or-not/other/1"}',
    "list": lambda data: b"[1, 2]",
    "deep": lambda data: b"[" * 100_000,
    "folder": None,
}
RECORDS = {
    "compile": f"compile/{CASE}/ON/record.json",
    "verify": f"verify/{CASE}.json",
    "time": f"time/{CASE}/trial-1.json",
    "audit": f"audit/{CASE}/ON.json",
    "rebuild": f"rebuild/{CASE}/ON.json",
    "summary": "tables/summary.json",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", RECORDS)
def test_a_damaged_record_is_one_message_that_names_it(out, kind, damage):
    path = out / RECORDS[kind]
    data = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(DAMAGES[damage](data))
        assert path.read_bytes() != data
    with pytest.raises(FusionError) as error:
        records.read(path, kind)
    said = str(error.value)
    assert str(path) in said and "found:" in said and "delete it and run again" in said


@pytest.mark.parametrize("kind", RECORDS)
def test_records_that_have_changed_places_are_told_apart(out, kind):
    for other in RECORDS:
        if other != kind:
            with pytest.raises(FusionError, match="foreign record"):
                records.read(out / RECORDS[other], kind)


def reading(out) -> dict[str, tuple]:
    """A program that reads each kind of record, with its words."""
    on, off = (out / f"compile/{CASE}/{v}/record.json" for v in ("ON", "OFF"))
    trials = [out / f"time/{CASE}/trial-{n}.json" for n in (1, 2)]
    verified = out / RECORDS["verify"]
    aggregate = ("aggregate_trials.py", "--experiment", "tiny", "--trials", *trials)
    aggregate += ("--verified", verified, "--compiled", off, on, "--out", out / "again")
    aggregate += ("--max-cv", 0.05, "--min-slowdown", 1.1, "--confidence", 0.95, "--slower", 1.1)
    aggregate += ("--max-flagged", 0.1, "--min-trials", 1, "--min-sample-ms", 1)
    aggregate += ("--max-half-width", 0.05)
    return {
        "compile": ("audit_variant.py", "--record", on, "--out", out / "again.json"),
        "verify": aggregate,
        "time": aggregate,
        "audit": ("audit_table.py", "--records", out / RECORDS["audit"], "--out", out / "again"),
        "summary": ("crossing_table.py", "--summary", out / RECORDS["summary"], "--out", out),
    }


@pytest.mark.parametrize("kind", ["compile", "verify", "time", "audit", "summary"])
def test_a_program_that_reads_a_damaged_record_says_so_and_ends(out, kind):
    words = reading(out)[kind]
    path = out / RECORDS[kind]
    path.write_bytes(path.read_bytes()[:-40])
    ran = program(*words)
    assert ran.returncode == 1 and one_error(ran.stdout), ran.stdout
    assert f"damaged record {path}" in ran.stdout and not (out / "again").exists()


def trial(out, number, **changes):
    """A trial's record, changed, with its right digest."""
    path = out / f"time/{CASE}/trial-{number}.json"
    body = json.loads(path.read_text())
    for key in ("schema", "written", "digest"):
        del body[key]
    records.write(path, "time", {**body, **changes})


OTHERS = {
    "protocol": lambda body: {"protocol": {**body["protocol"], "blocks": 40}},
    "device": lambda body: {"device": {"kind": "cuda", "name": "NVIDIA H200"}},
    "TVM": lambda body: {"environment": {**body["environment"], "tvm": "0.26.0"}},
    "arch": lambda body: {"arch": "sm_90"},
    "entries": lambda body: {"entries": ["OFF", "SPLIT"]},
    "code of ON": lambda body: {
        "modules": {
            v: {**m, "code_sha256": "0" * 64} for v, m in body["modules"].items() if v == "ON"
        }
    },
    "control": lambda body: {"control": None},
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_trial_of_another_run_is_refused_with_the_difference(out, what):
    """Another configuration, GPU, TVM, or code: the files lie alike, and no table is made."""
    words = reading(out)["time"]
    body = records.read(out / f"time/{CASE}/trial-2.json", "time")
    trial(out, 2, **OTHERS[what](body))
    ran = program(*words)
    assert ran.returncode == 1 and one_error(ran.stdout), ran.stdout
    assert f"they differ in {what}" in ran.stdout and not (out / "again").exists()


def test_half_a_run_of_another_configuration_is_not_mixed_in(make_checkout, done):
    """The configuration changes, one trial is made anew, the old one is kept by force."""
    folder = make_checkout("mixed", llvm=LLVM)
    shutil.copytree(done / "results", folder / "results")
    shutil.copytree(done / ".snakemake", folder / ".snakemake")
    changed = yaml.safe_load((folder / "tiny.yaml").read_text())
    changed["llvm"]["timing"]["blocks"] = 3
    (folder / "tiny.yaml").write_text(yaml.safe_dump(changed))
    first = f"results/tiny/llvm/time/{CASE}/trial-1.json"
    ran = snakemake(*TINY, "--", first, cwd=folder)
    assert ran.returncode == 0 and len(records.read(folder / first, "time")["blocks"]) == 3
    only = ("-R", "aggregate", "--allowed-rules", "aggregate", "list_records")
    ran = snakemake(*TINY, *only, "--", "aggregate", cwd=folder)
    assert ran.returncode == 1 and one_error(ran.stdout), ran.stdout
    assert "they differ in protocol" in ran.stdout
    planned = snakemake(*TINY, "-n", "--", "aggregate", cwd=folder)
    assert "time trial" in planned.stdout  # without force the old one is made anew


def test_code_that_changed_after_it_was_verified_is_not_timed(out):
    words = ["--trial", 1, "--seed", 0, "--low", -0.25, "--high", 0.25, "--number", 2]
    words += ["--repeat", 2, "--blocks", 2, "--min-repeat-ms", 1, "--warmup-calls", 2]
    words += ["--warmup-seconds", 0.01, "--headroom", 0.02, "--lock-folder", out / "locks"]
    given = [out / f"compile/{CASE}/{v}/record.json" for v in ("OFF", "ON")]
    words = ["--records", *given, "--verified", out / RECORDS["verify"], *words]
    for name in ("module.so", "kernels.o"):
        path = out / f"compile/{CASE}/ON" / name
        kept = path.read_bytes()
        path.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
        ran = program("time_trial.py", *words, "--out", out / "again.json")
        assert ran.returncode == 1 and one_error(ran.stdout), ran.stdout
        assert "is not what the compile stage recorded" in ran.stdout and name in ran.stdout
        assert not (out / "again.json").exists()
        path.write_bytes(kept)


def test_a_damaged_table_is_made_again(done):
    csv, markdown = (done / f"results/tiny/llvm/tables/summary.{end}" for end in ("csv", "md"))
    whole = csv.read_bytes()
    csv.write_bytes(whole[:20])
    markdown.unlink()
    ran = snakemake(*TINY, "--", "aggregate", cwd=done)
    assert ran.returncode == 0 and csv.read_bytes() == whole and markdown.exists(), ran.stdout
