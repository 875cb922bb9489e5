"""Verification: what passes, what fails, and what an unwritten element does."""

import json
import shutil

import numpy as np
import pytest
from conftest import case_words, compile_case, program

from fusion import records
from fusion.artifacts import Signature
from fusion.workloads import Input

VERIFY = ["--seeds", 0, 1, 2, "--low", -0.25, "--high", 0.25, "--rtol", 0.02, "--atol", 0.002]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """OFF, PARTIAL, ON and INLINED of a small case, for LLVM."""
    folder = tmp_path_factory.mktemp("built")
    for variant in ("OFF", "PARTIAL", "ON", "INLINED"):
        compile_case(folder / variant, variant, "llvm")
    return folder


def verify(folder, tmp_path, *variants, words=VERIFY):
    paths = [folder / variant / "record.json" for variant in variants]
    return program(
        "verify_case.py",
        "--records",
        *paths,
        "--out",
        tmp_path / "verify.json",
        "--lock-folder",
        tmp_path / "locks",
        *words,
    )


def test_every_variant_against_numpy_and_every_other(built, tmp_path):
    done = verify(built, tmp_path, "OFF", "PARTIAL", "ON", "INLINED")
    assert done.returncode == 0, done.stdout
    record = records.read(tmp_path / "verify.json", "verify")
    # 3 draws x (4 against NumPy + 6 pairs)
    assert len(record["comparisons"]) == 30
    assert all(c["passed"] for c in record["comparisons"])
    assert all(c["max_abs_error"] <= 0.002 + 0.02 * 1.5 for c in record["comparisons"])
    assert record["outputs_poisoned"] is True
    assert set(record["modules"]) == {"OFF", "PARTIAL", "ON", "INLINED"}


def test_a_variant_that_computes_something_else_fails_and_says_what(built, tmp_path):
    """ON's record with the module of a deeper chain."""
    done = program(
        "compile_variant.py",
        *case_words(depth=1),
        "--variant",
        "ON",
        "--arch",
        "llvm",
        "--out",
        tmp_path / "other",
    )
    assert done.returncode == 0, done.stdout
    shutil.copytree(built / "ON", tmp_path / "wrong")
    record = json.loads((tmp_path / "wrong/record.json").read_text())
    for part in ("module", "code"):
        name = record[part]["file"]
        shutil.copy(tmp_path / "other" / name, tmp_path / "wrong" / name)
        record[part]["sha256"] = records.file_sha256(tmp_path / "wrong" / name)
    body = {k: v for k, v in record.items() if k not in ("schema", "written", "digest")}
    records.write(tmp_path / "wrong/record.json", "compile", body)
    shutil.copytree(built / "OFF", tmp_path / "OFF")
    done = verify(tmp_path, tmp_path, "OFF", "wrong")
    assert done.returncode == 1
    assert "fails verification; nothing of it is timed" in done.stdout
    assert "ON against reference" in done.stdout and "Traceback" not in done.stdout
    assert not (tmp_path / "verify.json").exists()
    failed = records.read(tmp_path / "verify.failed.json", "verify")
    against = {(c["variant"], c["against"]): c["passed"] for c in failed["comparisons"]}
    assert against["OFF", "reference"] is True
    assert against["ON", "reference"] is False and against["OFF", "ON"] is False


@pytest.mark.parametrize("name", ["module.so", "kernels.o"])
def test_a_changed_file_is_refused_before_it_runs(built, tmp_path, name):
    shutil.copytree(built / "ON", tmp_path / "ON")
    with open(tmp_path / "ON" / name, "ab") as stream:
        stream.write(b"\0")
    done = verify(tmp_path, tmp_path, "ON")
    assert done.returncode == 1
    assert "is not what the compile stage recorded" in done.stdout
    assert "Traceback" not in done.stdout


def test_tolerance_is_what_decides(built, tmp_path):
    """A tolerance of zero passes exactly where the bits (or zero errors) are equal."""
    words = [*VERIFY[:-4], "--rtol", 0, "--atol", 0]
    done = verify(built, tmp_path, "OFF", "ON", words=words)
    name = "verify.json" if done.returncode == 0 else "verify.failed.json"
    record = records.read(tmp_path / name, "verify")
    for comparison in record["comparisons"]:
        assert comparison["passed"] == (comparison["max_abs_error"] == 0)


def test_an_element_that_is_not_written_shows_as_not_finite():
    """A module that writes all rows but the last: the poison stays there."""
    import tvm
    from tvm import relax
    from tvm.script import ir as I
    from tvm.script import relax as R
    from tvm.script import tirx as T

    from fusion import poison, targets
    from fusion.comparing import non_finite
    from fusion.loading import Loaded

    @I.ir_module
    class Careless:
        @T.prim_func(private=True)
        def copy(
            x: T.Buffer((8, 1), "float16"),
            b: T.Buffer((8, 4), "float16"),
            y: T.Buffer((8, 4), "float16"),
        ):
            for i, j in T.grid(7, 4):
                y[i, j] = b[i, j] + x[i, 0]

        @R.function
        def main(x: R.Tensor((8, 1), "float16"), b: R.Tensor((8, 4), "float16")):
            cls = Careless
            with R.dataflow():
                y = R.call_tir(cls.copy, (x, b), out_ty=R.Tensor((8, 4), "float16"))
                R.output(y)
            return y

    vm = relax.VirtualMachine(tvm.compile(Careless, "llvm"), tvm.cpu())
    wanted = Signature({}, (Input((8, 4), "float16"),))
    arrays = [np.ones((8, 1), np.float16), np.ones((8, 4), np.float16)]
    given = targets.to_device(arrays, "llvm")
    (output,) = poison.run(Loaded("ON", vm, "", ""), given, wanted)
    assert non_finite(output) == 4
    assert np.isnan(output[7]).all() and (output[:7] == 2).all()


def test_code_for_another_device_is_one_message(tmp_path):
    done = program(
        "compile_variant.py",
        *case_words(),
        "--variant",
        "ON",
        "--arch",
        "sm_75",
        "--out",
        tmp_path / "ON",
    )
    assert done.returncode == 0, done.stdout
    done = verify(tmp_path, tmp_path, "ON")
    assert done.returncode == 1
    assert "nothing here can run code for sm_75" in done.stdout
    assert "Traceback" not in done.stdout
