"""A user's own workload: one file that the configuration points at, and what is wrong with it."""

import re

import pytest
from conftest import ROOT, snakemake

from fusion import records
from fusion.cases import Case, expand, make_case
from fusion.errors import FusionError
from fusion.workloads import WORKLOADS, Input, find

GOOD = '''"""Scale and shift."""

inputs = {"x": ("rows", "cols"), "shift": {"shape": ("cols",), "low": 1, "high": 2}}
defaults = {"rows": 8, "cols": 4, "dtype": "float32"}


def scale(xp, x, shift, *, rows, cols):
    return xp.exp(x) * 0.5 + shift
'''


def example() -> str:
    """The example of config/README.md."""
    text = (ROOT / "config" / "README.md").read_text()
    return re.search(r"```python\n(.*?)```", text, re.S)[1]


def test_the_readmes_example_runs_when_pasted(make_checkout, tmp_path):
    """From a folder of its own, with nothing else edited but the configuration's pointer to it."""
    path = tmp_path / "gated_softmax.py"
    path.write_text(example())
    assert len(example().strip().splitlines()) <= 12
    llvm = {"cases": {"rows": 16, "cols": 24}, "variants": ["OFF", "PARTIAL", "ON", "SPLIT"]}
    folder = make_checkout("own", workload=str(path), llvm=llvm)
    ran = snakemake("--configfile", "tiny.yaml", "--", "aggregate", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    out = folder / "results/tiny/llvm"
    name = "gated_softmax-rows16-cols24-float16"
    verified = records.read(out / f"verify/{name}.json", "verify")
    assert verified["passed"] and set(verified["modules"]) == set(llvm["variants"])
    reductions = verified["reference"]["reductions"]
    assert [(r["name"], r["length"], r["dtype"]) for r in reductions] == [("sum", 24, "float16")]
    compiled = records.read(out / f"compile/{name}/PARTIAL/record.json", "compile")
    assert compiled["partition"] == "every broadcast edge"
    assert any(decision["cut"] for decision in compiled["decisions"])
    assert compiled["calls"]["expected"] is None and compiled["calls"]["found"] > 1
    assert compiled["case"]["file"]["path"] == str(path)
    assert "gated_softmax PARTIAL: every broadcast edge" in (out / "tables/summary.md").read_text()
    path.write_text(example().replace("sigmoid", "tanh"))  # another graph: all of it is made anew
    again = snakemake("--configfile", "tiny.yaml", "-n", cwd=folder)
    assert "compile variant" in again.stdout


def test_a_file_states_its_inputs_and_defaults(tmp_path):
    (tmp_path / "scale.py").write_text(GOOD)
    case = make_case(str(tmp_path / "scale.py"), {"cols": 6}, None)
    assert case.name == "scale-rows8-cols6-float32"
    assert case.inputs == {
        "x": Input((8, 6), "float32"),
        "shift": Input((6,), "float32", 1, 2),
    }
    assert case.definition.summary == "Scale and shift"
    assert case.expected_calls("OFF") is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("defaults = ", "default = "), "defaults of the workload is not as it must be"),
        (('"rows": 8', '"rows": 0'), "defaults['rows']"),
        (('"dtype": "float32"', '"dtype": "float23"'), "defaults['dtype']"),
        (('("rows", "cols")', '("rows", "colls")'), "the shape of 'x'"),
        (("def scale(xp, x, shift", "def scale(xp, shift, x"), "the function's arguments"),
        (("def scale(xp, x,", "def scale(xp,"), "the arguments of scale"),
        (("def scale", "def _scale"), "its function of the workload"),
        (("* 0.5", "* 0.5)"), "cannot be read as a workload"),
        (("inputs = ", "import nothing_of_the_kind\ninputs = "), "line 3: ModuleNotFoundError"),
    ],
)
def test_a_wrong_file_is_one_message_that_says_what_and_where(tmp_path, change, said):
    path = tmp_path / "scale.py"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(FusionError) as error:
        find(str(path))
    assert said in str(error.value) and str(path) in str(error.value)


def test_a_missing_file_is_one_message(make_checkout):
    folder = make_checkout("missing", workload="nowhere/my_own.py")
    ran = snakemake("-n", "--configfile", "tiny.yaml", cwd=folder)
    assert ran.returncode == 1
    assert "no workload at nowhere/my_own.py" in ran.stdout and "Traceback" not in ran.stdout


def test_an_unknown_function_of_the_namespace_is_named(tmp_path):
    path = tmp_path / "scale.py"
    path.write_text(GOOD.replace("xp.exp", "xp.expp"))
    case = make_case(str(path), {}, None)
    from fusion.inputs import draw
    from fusion.references import by_numpy

    with pytest.raises(FusionError, match=r"no xp\.expp[\s\S]*'exp'"):
        by_numpy(case, draw(case.inputs, 0, -1, 1))


def test_cases_may_be_for_one_of_several_workloads():
    """What an object leaves out is the workload's default; without an object, all of it."""
    found = expand(
        ["gemv", "softmax", "row_chain"],
        [{"workload": "gemv", "rows": [4, 8]}, {"workload": ["softmax"], "dtype": "float32"}],
        small=True,
    )
    assert [case.name for case in found] == [
        "gemv-rows4-cols2-float32",
        "gemv-rows8-cols2-float32",
        "softmax-rows128-cols256-float32",
        "row_chain-depth16-rows256-cols256-float16",
    ]
    with pytest.raises(FusionError, match="unknown workload 'gemm' in cases"):
        expand(["gemv"], {"workload": "gemm"}, small=False)


def test_two_files_of_one_name_are_refused(tmp_path):
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "scale.py").write_text(GOOD)
    with pytest.raises(FusionError, match="two workloads are named scale"):
        expand([str(tmp_path / p / "scale.py") for p in ("a", "b")], {}, small=False)


def test_every_workload_states_a_case_that_exists():
    for name, workload in WORKLOADS.items():
        (case, *_) = expand(name, {}, small=True)
        assert isinstance(case, Case) and case.inputs, name
        assert set(workload.small) <= set(workload.defaults)
