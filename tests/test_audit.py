"""Static evidence: TVM issue 20342's own numbers, from code compiled on a machine without a GPU."""

import csv
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import compile_case, program

from fusion import artifacts, audit, audit_tables, records, sass
from fusion.errors import FusionError
from fusion.names import shorten

TRIO = ("OFF", "PARTIAL", "ON")


def audited(folder: Path, variant: str, arch: str, **case) -> dict:
    """Compile and audit by the programs; the record is at folder/variant.json."""
    record = compile_case(folder / variant, variant, arch, **case)
    words = ["--record", record, "--out", folder / f"{variant}.json"]
    done = program("audit_variant.py", *words)
    assert done.returncode == 0, done.stdout
    return records.read(folder / f"{variant}.json", "audit")


@pytest.fixture(scope="module")
def issue(tmp_path_factory):
    """The folder with the issue's case at depth 16 for sm_86, and its audits."""
    folder = tmp_path_factory.mktemp("issue")
    sizes = {"depth": 16, "rows": 4096, "cols": 4096}
    with ThreadPoolExecutor(2) as pool:
        audits = pool.map(lambda variant: audited(folder, variant, "sm_86", **sizes), TRIO)
        return folder, dict(zip(TRIO, audits, strict=True))


@pytest.fixture(scope="module")
def tables(issue, tmp_path_factory):
    folder, out = issue[0], tmp_path_factory.mktemp("tables")
    done = program(
        "audit_table.py", "--records", *(folder / f"{v}.json" for v in TRIO), "--out", out
    )
    assert done.returncode == 0, done.stdout
    return out


def by_function(record: dict, ending: str) -> dict:
    return next(k for k in record["kernels"] if k["function"].endswith(ending))


def test_registers_as_in_the_issue(issue):
    _, audits = issue
    assert [k["registers"] for k in audits["ON"]["kernels"]] == [13]
    assert by_function(audits["PARTIAL"], "exp")["registers"] == 11
    assert by_function(audits["PARTIAL"], "add")["registers"] == 10


def test_no_stack_local_shared_or_spill_anywhere(issue):
    for record in issue[1].values():
        for kernel in record["kernels"]:
            memory = ("stack_bytes", "local_bytes", "shared_bytes", "dynamic_shared_bytes")
            assert [kernel[key] for key in memory] == [0, 0, 0, 0]
            assert kernel["spills"] == {"LDL": 0, "STL": 0}
            assert not any(name.startswith(("LDL", "STL")) for name in kernel["opcodes"])
            assert kernel["backward_branches"] == 0


def test_launches_and_rules_as_in_the_issue(issue):
    folder, audits = issue
    assert by_function(audits["PARTIAL"], "exp")["grid"] == [4, 1, 1]
    assert by_function(audits["PARTIAL"], "add")["grid"] == [16384, 1, 1]
    assert by_function(audits["ON"], "add")["grid"] == [16384, 1, 1]
    assert [audits[v]["totals"]["kernels"] for v in TRIO] == [4, 2, 1]
    assert [audits[v]["totals"]["launches"] for v in TRIO] == [49, 2, 1]
    for variant, record in audits.items():
        for kernel in record["kernels"]:
            assert kernel["block"] == [1024, 1, 1]
            assert kernel["rule"] == "Fallback"
            trace = (folder / variant / kernel["schedule"]).read_text()
            assert f"# Fallback scheduled {shorten(kernel['function'])}\n" in trace
            assert 'thread_axis="blockIdx.x"' in trace
            compile(trace, kernel["schedule"], "exec")  # it is Python
    inlined = (folder / "ON" / audits["ON"]["kernels"][0]["schedule"]).read_text()
    assert inlined.count("sch.compute_inline") == 48  # the whole chain goes into the Add


def test_executed_exponentials_tell_partial_from_on(issue):
    _, audits = issue
    sites = {v: sum(k["mufu_sites"].get("EX2", 0) for k in audits[v]["kernels"]) for v in TRIO}
    assert sites == {"OFF": 1, "PARTIAL": 16, "ON": 16}
    assert audits["ON"]["kernels"][0]["opcodes"]["MUFU.EX2"] == 16
    executed = {v: audits[v]["totals"]["mufu_executed"] for v in TRIO}
    assert executed == {
        "OFF": {"EX2": 65_536},
        "PARTIAL": {"EX2": 65_536},
        "ON": {"EX2": 268_435_456},
    }


def test_bytes_moved_are_those_counted_by_hand(issue):
    column, matrix = 4096 * 2, 4096 * 4096 * 2  # float16
    least = {v: issue[1][v]["totals"]["bytes_moved"]["at_least"] for v in TRIO}
    assert least == {
        # Of OFF's 3 x 16 + 1 calls all but the Add write a column that the next calls read.
        "OFF": column + matrix + matrix + 2 * 48 * column,
        "PARTIAL": column + matrix + matrix + 2 * 1 * column,
        "ON": column + matrix + matrix,
    }


def test_the_listing_is_the_sass_that_was_counted(issue):
    folder, audits = issue
    text = (folder / "ON.sass").read_text()
    assert audits["ON"]["listing"] == {
        "file": "ON.sass",
        "sha256": records.file_sha256(folder / "ON.sass"),
    }
    assert len(re.findall(r"\bMUFU\.EX2\b", text)) == 16
    assert audits["ON"]["tools"] == ["nvdisasm 13.2.86", "cuobjdump 13.2.86"]


@pytest.mark.parametrize(("arch", "registers"), [("sm_80", 12), ("sm_90", 14)])
def test_other_architectures_audit_too(tmp_path, arch, registers):
    record = audited(tmp_path, "ON", arch, depth=16, rows=4096, cols=4096)
    assert record["kernels"][0]["registers"] == registers
    assert record["totals"]["mufu_executed"] == {"EX2": 268_435_456}


def test_the_markdown_table_is_whole_and_readable(tables):
    text = (tables / "audit.md").read_text()
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE)
    rows = [[line.strip("|").split("|") for line in block.splitlines()] for block in blocks]
    assert [len(block) for block in rows] == [2 + 3, 2 + 7]  # variants, kernels
    for block in rows:
        assert len({len(row) for row in block}) == 1
        assert all(cell.strip() for row in block for cell in row)
    assert "| 16 | PARTIAL | 2 | 2 | EX2 65,536 | 8,192 | 67,133,440 |" in text
    assert "| 16 | ON | 1 | 1 | EX2 268,435,456 | 0 | 67,117,056 |" in text
    assert "| 16,384 × 1,024 | Fallback | 13 | 0 | 0 | 0 | 0/0 |" in text
    assert max(len(name) for name in re.findall(r"`([^`]+)`", text)) <= 60
    assert "_add_kernel`" in text


def test_the_csv_has_a_row_a_kernel_with_plain_numbers(tables):
    with open(tables / "audit.csv") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["variant"] for row in rows] == ["OFF"] * 4 + ["PARTIAL"] * 2 + ["ON"]
    assert rows[-1]["EX2 executed"] == "268435456" and rows[-1]["registers"] == "13"
    with open(tables / "audit_totals.csv") as stream:
        assert [row["bytes_at_least"] for row in csv.DictReader(stream)] == [
            "67903488",
            "67133440",
            "67117056",
        ]


def test_on_a_cpu_what_a_cpu_has_not_is_a_dash(tmp_path):
    record = audited(tmp_path, "PARTIAL", "llvm")
    assert [k["calls"] for k in record["kernels"]] == [1, 1]
    for kernel in record["kernels"]:
        assert kernel["rule"] == "none" and kernel["schedule"] is None
        assert all(kernel[key] is None for key in audit.ON_A_GPU)
        assert sum(kernel["opcodes"].values()) > 50
    assert record["totals"]["calls"] == 2 and record["totals"]["mufu_executed"] is None
    assert (tmp_path / "PARTIAL/schedules").is_dir()
    assert "__tvm_ffi_add:" in (tmp_path / "PARTIAL.s").read_text()
    assert "| `add` | 1 | – | none | – |" in audit_tables.markdown([record])


def test_a_cpus_fused_function_keeps_the_chain_in_memory_until_it_is_inlined(tmp_path):
    """TVM's CPU pipeline fuses and inlines nothing: 3 x 8 columns are written and read."""
    column, matrix = 64 * 2, 64 * 32 * 2
    moved = {
        v: audited(tmp_path, v, "llvm")["totals"]["bytes_moved"]["at_least"]
        for v in ("ON", "INLINED")
    }
    least = column + 2 * matrix
    assert moved == {"ON": least + 2 * 24 * column, "INLINED": least}


def test_without_a_disassembler_one_message_says_what_to_install(issue, tmp_path):
    (tmp_path / "nvidia").mkdir()  # hides the packages' own
    (tmp_path / "nvidia" / "__init__.py").touch()
    done = program(
        "audit_variant.py",
        "--record",
        issue[0] / "ON" / "record.json",
        "--out",
        tmp_path / "ON.json",
        PYTHONPATH=str(tmp_path),
        PATH=str(tmp_path),
        CUDA_PATH="",
        CUDA_HOME="",
    )
    assert done.returncode == 1
    assert "NVIDIA's program nvdisasm is missing" in done.stdout
    assert "pip install -r envs/requirements.txt" in done.stdout
    assert "Traceback" not in done.stdout
    assert not list(tmp_path.glob("ON.*"))


def test_code_that_is_not_the_recorded_one_is_not_audited(issue, tmp_path):
    artifact = artifacts.read_artifacts([issue[0] / "ON" / "record.json"])[0]
    (tmp_path / "record.json").write_bytes((artifact.folder / "record.json").read_bytes())
    (tmp_path / "module.so").write_bytes((artifact.folder / "module.so").read_bytes())
    (tmp_path / "kernels.cubin").write_bytes(b"other code")
    done = program(
        "audit_variant.py", "--record", tmp_path / "record.json", "--out", tmp_path / "a.json"
    )
    assert done.returncode == 1 and "is not what the compile stage recorded" in done.stdout


def test_extents_that_only_a_run_knows_are_shown_as_such():
    """A PrimFunc with two nests over n rows: two kernels, named and launched in this order."""
    from symbolic import compiled_launches

    launches = compiled_launches()
    assert [launch.kernel for launch in launches] == ["rowsums_kernel", "rowsums_kernel_1"]
    assert [launch.grid[0] for launch in launches] == [
        "(n + 1023) // 1024",
        "(n + 15) // 16",
    ]
    assert [launch.block for launch in launches] == [(1024, 1, 1)] * 2
    launch, code = launches[0].as_record(), sass.Instructions(Counter({"MUFU.EX2": 16}))
    assert audit.launched_threads(launch) == audit.executed(code, launch, 1)["EX2"] == "symbolic"


def test_a_loop_in_a_kernel_is_seen(tmp_path):
    from fusion import cuda_compiler, sass, targets

    source = """extern "C" __global__ void k(float* a, int n) {
      float s = 0; for (int i = 0; i < n; ++i) s += __expf(a[i] * s); a[threadIdx.x] = s; }"""
    path = tmp_path / "loop.cubin"
    path.write_bytes(cuda_compiler.compile_cubin(source, targets.target_for("sm_86")).data)
    code = sass.instructions(path)["k"]
    assert code.backward and sass.mufu(code.opcodes)["EX2"] >= 1


def test_a_foreign_file_is_an_error_in_words(tmp_path):
    from fusion import sass

    (tmp_path / "k.cubin").write_bytes(b"no cubin")
    with pytest.raises(FusionError, match=r"nvdisasm cannot read .*k\.cubin"):
        sass.listing(tmp_path / "k.cubin")


def test_recomputation_without_a_transcendental_shows_in_the_instructions(tmp_path):
    """20 steps of z = x - 0.5 z, a fused multiply-add each, on 64 rows, read by 64 x 2048: ON runs
    them for 131,072 elements, PARTIAL in 1,024 launched threads.
    """
    found = {}
    for variant in ("ON", "PARTIAL"):
        words = ["--workload", "cheap_chain_add", "--dtype", "float32", "--variant", variant]
        words += ["--size", "depth=20", "--size", "rows=64", "--size", "cols=2048"]
        done = program("compile_variant.py", *words, "--arch", "sm_86", "--out", tmp_path / variant)
        assert done.returncode == 0, done.stdout
        out = tmp_path / f"{variant}.json"
        done = program(
            "audit_variant.py", "--record", tmp_path / variant / "record.json", "--out", out
        )
        assert done.returncode == 0, done.stdout
        totals = records.read(out, "audit")["totals"]
        assert totals["mufu_executed"] == {}
        found[variant] = totals["instructions_executed"]
    assert found["ON"] - found["PARTIAL"] >= 20 * (131_072 - 1_024)
