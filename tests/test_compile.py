"""Compiling for a GPU on a machine that has none: real cubins, and what goes wrong in words."""

import json
import re
import sys
from pathlib import Path

import pytest
from conftest import case_words, compile_case, program, run

from fusion import records
from fusion.errors import FusionError
from fusion.workloads import WORKLOADS


def compiled(out: Path, variant: str, arch: str, **case) -> dict:
    return records.read(compile_case(out, variant, arch, **case), "compile")


@pytest.mark.parametrize(
    ("depth", "variant", "calls"),
    [
        (8, "OFF", 25),
        (8, "PARTIAL", 2),
        (8, "ON", 1),
        (16, "OFF", 49),
        (16, "PARTIAL", 2),
        (16, "ON", 1),
    ],
)
def test_the_issues_cases_cross_compile_for_sm_86(tmp_path, depth, variant, calls):
    record = compiled(tmp_path, variant, "sm_86", depth=depth, rows=4096, cols=4096)
    assert record["calls"]["found"] == record["calls"]["expected"] == calls
    assert sum(record["calls"]["functions"].values()) == calls
    assert record["compiler"]["name"] == "nvrtc"
    assert "--gpu-architecture=sm_86" in record["compiler"]["options"]
    assert "--use_fast_math" in record["compiler"]["options"]
    cubin = (tmp_path / "kernels.cubin").read_bytes()
    assert cubin[:4] == b"\x7fELF"
    assert records.sha256(cubin) == record["code"]["sha256"]
    assert "__global__" in (tmp_path / "kernels.cu").read_text()
    assert (tmp_path / "module.so").read_bytes()[:4] == b"\x7fELF"
    files = sorted(p.name for p in (tmp_path / "ir").iterdir())
    assert files[0] == "000_input.py"
    assert [int(name[:3]) for name in files] == list(range(record["passes"] + 1))
    names = {re.sub(r"^\d+_|\.py$", "", name) for name in files}
    assert ("FuseOps" in names) == ("FuseTIR" in names) == (variant != "OFF")
    environment = record["environment"]
    assert environment["tvm"] == "0.27.0.post1" and environment["tvm_commit"]
    assert environment["python"] == ".".join(map(str, sys.version_info[:3]))


@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_90"])
def test_the_cubin_is_for_the_architecture_that_was_asked_for(tmp_path, arch):
    compiled(tmp_path, "ON", arch)
    tool = next(Path(sys.prefix).rglob("nvidia/cu*/bin/cuobjdump"))
    words = run(tool, "--dump-sass", tmp_path / "kernels.cubin")
    assert f"code for {arch}" in words.stdout
    assert "MUFU.EX2" in words.stdout  # the chain's exp, in machine code


def test_a_second_build_has_the_same_cubin_and_the_pair_is_reported(tmp_path):
    first = compiled(tmp_path / "a", "PARTIAL", "sm_90")
    done = program(
        "rebuild_variant.py", "--record", tmp_path / "a/record.json", "--out", tmp_path / "b.json"
    )
    assert done.returncode == 0, done.stdout
    pair = records.read(tmp_path / "b.json", "rebuild")["sha256"]
    assert pair == [first["code"]["sha256"]] * 2
    assert done.stdout.count(pair[0][:12]) == 2 and "equal" in done.stdout


def test_a_second_build_that_differs_is_an_error_with_both_hashes(tmp_path):
    compiled(tmp_path / "a", "ON", "sm_90")
    record = json.loads((tmp_path / "a/record.json").read_text())
    body = {k: v for k, v in record.items() if k not in ("schema", "written", "digest")}
    body["code"]["sha256"] = "0" * 64
    records.write(tmp_path / "a/record.json", "compile", body)
    done = program(
        "rebuild_variant.py", "--record", tmp_path / "a/record.json", "--out", tmp_path / "b.json"
    )
    assert done.returncode == 1
    assert "two builds of the same input differ" in done.stdout and "0" * 64 in done.stdout
    assert not (tmp_path / "b.json").exists()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_dtype_compiles_for_a_gpu(tmp_path, dtype):
    assert compiled(tmp_path, "ON", "sm_80", dtype=dtype)["calls"]["found"] == 1


@pytest.mark.parametrize(
    ("depth", "variant", "calls"),
    # FuseOps stops at 256 operators: 3 x 85 + 1 = 256 still fit, 3 x 86 + 1 do not.
    [(85, "ON", 1), (85, "PARTIAL", 2), (86, "ON", 2), (86, "PARTIAL", 3), (86, "OFF", 259)],
)
def test_depths_around_the_limit_of_fuse_ops_compile(tmp_path, depth, variant, calls):
    expected = WORKLOADS["exp_chain_add"].expected_calls(variant, {"depth": depth})
    assert expected == calls
    assert compiled(tmp_path, variant, "sm_86", depth=depth)["calls"]["found"] == calls


def test_a_call_count_that_is_not_expected_fails_with_the_calls_and_the_ir(tmp_path):
    from fusion import build
    from fusion.cases import make_case
    from fusion.variants import VARIANTS

    case = make_case("exp_chain_add", {"depth": 2, "rows": 8, "cols": 8}, "float16")
    (tmp_path / "work").mkdir()
    with pytest.raises(FusionError) as caught:
        build.build(
            case, VARIANTS["PARTIAL"], "llvm", tmp_path / "work", tmp_path / "kept", expected=3
        )
    message = str(caught.value)
    assert "expected: 3 calls" in message and "found:    2 calls" in message
    assert "1 x fused_multiply_subtract_tir_exp" in message and "1 x add" in message
    assert str(tmp_path / "kept") in message
    assert (tmp_path / "kept" / "000_input.py").exists()


def test_off_fails_if_a_fusion_pass_runs(tmp_path):
    import dataclasses

    from fusion import build
    from fusion.cases import make_case
    from fusion.variants import VARIANTS

    case = make_case("exp_chain_add", {"depth": 2, "rows": 8, "cols": 8}, "float16")
    careless = dataclasses.replace(VARIANTS["OFF"], legalize=VARIANTS["ON"].legalize)
    (tmp_path / "work").mkdir()
    with pytest.raises(FusionError, match=r"a pass ran that this variant forbids[\s\S]*FuseOps"):
        build.build(case, careless, "llvm", tmp_path / "work", tmp_path / "kept")


def test_source_that_does_not_compile_is_an_error_at_compile(tmp_path):
    from fusion import cuda_compiler, targets

    with pytest.raises(FusionError, match=r"nvrtc 13\.0 rejects the CUDA source[\s\S]*undeclared"):
        cuda_compiler.compile_cubin(
            'extern "C" __global__ void k() { undeclared = 1; }', targets.target_for("sm_86")
        )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--arch", "sm_77", "--variant", "ON"], "unknown arch 'sm_77'"),
        (["--arch", "sm_86", "--variant", "INLINED"], "INLINED is not for sm_86"),
        (["--arch", "sm_86", "--variant", "FUSE"], "unknown variant 'FUSE'"),
        (["--arch", "sm_86", "--variant", "ON", "--size", "depth=0"], "1 or more"),
        (["--arch", "sm_86", "--variant", "ON", "--size", "depth=x"], "KEY=VALUE"),
    ],
)
def test_bad_words_are_one_message(tmp_path, words, said):
    done = program("compile_variant.py", *case_words(), *words, "--out", tmp_path)
    assert done.returncode == 1
    assert said in done.stdout and "Traceback" not in done.stdout


def test_a_missing_nvrtc_is_one_message_that_says_what_to_install(tmp_path):
    (tmp_path / "cuda").mkdir()  # hides cuda.bindings
    (tmp_path / "cuda" / "__init__.py").write_text("")
    done = program(
        "compile_variant.py",
        *case_words(),
        "--variant",
        "ON",
        "--arch",
        "sm_86",
        "--out",
        tmp_path / "out",
        PYTHONPATH=str(tmp_path),
    )
    assert done.returncode == 1
    assert "the CUDA compiler nvrtc is missing" in done.stdout
    assert "pip install -r envs/requirements.txt" in done.stdout
    assert "Traceback" not in done.stdout


def test_without_a_c_compiler_the_locked_linker_is_used(tmp_path):
    """PATH holds nothing; the module still links, loads and passes verification."""
    (tmp_path / "bin").mkdir()
    records_of = []
    for variant in ("OFF", "ON"):
        out = tmp_path / variant
        done = program(
            "compile_variant.py",
            *case_words(),
            "--variant",
            variant,
            "--arch",
            "llvm",
            "--out",
            out,
            PATH=str(tmp_path / "bin"),
            CXX="",
            CC="",
        )
        assert done.returncode == 0, done.stdout
        assert "LLD" in records.read(out / "record.json", "compile")["module"]["linker"]
        records_of.append(out / "record.json")
    done = program(
        "verify_case.py",
        "--records",
        *records_of,
        "--out",
        tmp_path / "v.json",
        "--seeds",
        0,
        "--low",
        -0.25,
        "--high",
        0.25,
        "--rtol",
        0.02,
        "--atol",
        0.002,
        "--lock-folder",
        tmp_path / "locks",
    )
    assert done.returncode == 0, done.stdout


def test_pytorch_is_not_imported_where_it_is_installed(tmp_path):
    """TVM would import it, for seconds; here its import ends the program."""
    (tmp_path / "torch.py").write_text("raise SystemExit('PyTorch was imported')\n")
    plain = run(sys.executable, "-c", "import tvm", PYTHONPATH=str(tmp_path))
    assert "PyTorch was imported" in plain.stdout
    words = ["--variant", "ON", "--arch", "llvm", "--out", tmp_path / "out"]
    done = program("compile_variant.py", *case_words(), *words, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stdout
