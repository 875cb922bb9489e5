"""A user's own Relax module and an ONNX file, through the pipeline."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import snakemake

from fusion import records
from fusion.cases import make_case
from fusion.errors import FusionError

SAVED = Path(__file__).parent / "data" / "halves.json"
SCRIPT = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((64, 1), "float16"), b: R.Tensor((64, 32), "float16")):
        with R.dataflow():
            half = R.multiply(x, R.const(0.5, "float16"))
            y = R.add(b, R.exp(half))
            R.output(y)
        return y
"""


def onnx_file(path: Path) -> str:
    """relu(exp(x W) / mean) of x [batch, 8], whose batch is left open."""
    import onnx
    from onnx import TensorProto, helper

    values = np.linspace(-1, 1, 32).reshape(8, 4).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "W"], ["m"]),
        helper.make_node("Exp", ["m"], ["e"]),
        helper.make_node("ReduceMean", ["e"], ["r"], axes=[1], keepdims=1),
        helper.make_node("Div", ["e", "r"], ["d"]),
        helper.make_node("Relu", ["d"], ["y"]),
    ]
    x, y = (
        helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", size])
        for n, size in (("x", 8), ("y", 4))
    )
    graph = helper.make_graph(nodes, "net", [x], [y], [onnx.numpy_helper.from_array(values, "W")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, path)
    return str(path)


def test_modules_and_an_onnx_file_run_through_the_pipeline(make_checkout, tmp_path):
    script = tmp_path / "scripted.py"
    script.write_text(SCRIPT)
    shutil.copy(SAVED, tmp_path / "saved.json")
    files = [str(script), str(tmp_path / "saved.json"), onnx_file(tmp_path / "net.onnx")]
    llvm = {"cases": {}, "variants": ["OFF", "PARTIAL", "ON", "SPLIT"]}
    cases = [{"workload": files[:2]}, {"workload": files[2], "batch": 6}]
    folder = make_checkout("models", workload=files, cases=cases, llvm=llvm)
    ran = snakemake("--configfile", "tiny.yaml", "--", "aggregate", "figures", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    out = folder / "results/tiny/llvm"
    by = {}
    for name in ("scripted", "saved", "net-batch6"):
        verified = records.read(out / f"verify/{name}.json", "verify")
        assert verified["passed"] and set(verified["modules"]) == {"OFF", "PARTIAL", "ON", "SPLIT"}
        by[name] = (verified["reference"]["by"].split(" 1")[0], verified["reference"]["how"])
        compiled = records.read(out / f"compile/{name}/PARTIAL/record.json", "compile")
        assert compiled["partition"] == "where SPLIT cuts"
        split = records.read(out / f"compile/{name}/SPLIT/record.json", "compile")
        assert compiled["code"]["sha256"] == split["code"]["sha256"]
        assert compiled["case"]["file"]["sha256"]
    assert by["scripted"] == by["saved"] == ("OFF on LLVM", "in float32")
    assert by["net-batch6"] == ("ONNX Runtime", "on the CPU")
    summary = (out / "tables/summary.md").read_text()
    assert "OFF on LLVM" in summary and "ONNX Runtime" in summary
    assert "net PARTIAL: where SPLIT cuts" in summary


def test_without_onnx_runtime_the_reference_is_off_on_llvm(tmp_path, monkeypatch):
    from fusion import artifacts, graphs, inputs, references

    case = make_case(onnx_file(tmp_path / "net.onnx"), {"batch": 3}, None)
    signature = graphs.source_of(case, cut=False).signature
    assert signature.inputs["x"].shape == (3, 8) and signature.outputs[0].shape == (3, 4)
    assert isinstance(signature, artifacts.Signature)
    draws = {0: inputs.draw(signature.inputs, 0, -1, 1)}
    with_runtime = references.of(case, signature, draws, None, 120)
    monkeypatch.setattr(references.importlib.util, "find_spec", lambda name: None)
    without = references.of(case, signature, draws, None, 120)
    assert without.described == {"by": "OFF on LLVM", "how": "in float32"}
    assert with_runtime.described["by"].startswith("ONNX Runtime")
    np.testing.assert_allclose(without.outputs[0][0], with_runtime.outputs[0][0], rtol=1e-5)


def test_a_module_that_cannot_be_made_float32_says_why(tmp_path):
    from fusion import float32

    path = tmp_path / "own.py"
    path.write_text(
        SCRIPT.replace(
            "R.add(b, R.exp(half))",
            'R.call_dps_packed("f", (b, half), out_ty=R.Tensor((64, 32), "float16"))',
        )
    )
    case = make_case(str(path), {}, None)
    with pytest.raises(ValueError, match=r"a call of relax\.call_dps_packed"):
        from fusion import graphs

        float32._widened(graphs.source_of(case, cut=False).module)


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("{}", "broken.json", "cannot be read as a Relax module"),
        ("import tvm\n", "empty.py", "does not say which module is meant"),
        ("no model", "broken.onnx", "cannot be read as an ONNX model"),
    ],
)
def test_a_wrong_model_is_one_message(tmp_path, text, name, said):
    from fusion import graphs

    (tmp_path / name).write_text(text)
    case = make_case(str(tmp_path / name), {}, None)
    with pytest.raises(FusionError, match=said):
        graphs.source_of(case, cut=False)


def test_open_dimensions_of_an_onnx_file_must_be_named(tmp_path):
    from fusion import graphs

    path = onnx_file(tmp_path / "net.onnx")
    for sizes, found in (({}, "none"), ({"batch": 2, "rows": 3}, "batch, rows")):
        with pytest.raises(FusionError, match=f"expected: batch\n  found:    {found}"):
            graphs.source_of(make_case(path, sizes, None), cut=False)
    (tmp_path / "scripted.py").write_text(SCRIPT)
    with pytest.raises(FusionError, match="has its own shapes"):
        make_case(str(tmp_path / "scripted.py"), {"rows": 2}, None)
    with pytest.raises(FusionError, match="has its own dtypes"):
        make_case(str(tmp_path / "scripted.py"), {}, "float16")
