"""The built-in workloads on LLVM, at small size: which variants compile, run and verify."""

import pytest
from conftest import snakemake

from fusion import records
from fusion.cases import expand

NAMES = [
    "max_pool_add",
    "rsqrt_mean",
    "mish_divide",
    "tuple_projection",
    "cheap_ops_add",
    "softmax",
    "layer_norm",
    "rms_norm",
    "int4_matmul",
    "row_chain",
    "two_consumers",
    "gemv",
]
VARIANTS = ["OFF", "PARTIAL", "ON", "SPLIT", "STAGED"]
# TVM issue 20194: FuseOps names a function of projections just `fused`, and FuseTIR aborts.
FAILS = {("tuple_projection", v): "compile" for v in VARIANTS if v != "OFF"}
MARKED = {"max_pool_add", "cheap_ops_add", "int4_matmul", "row_chain", "two_consumers"}


@pytest.fixture(scope="module")
def ran(make_checkout):
    cases = [
        {"workload": "max_pool_add", "channels": 4, "height": 8, "width": 8},
        {"workload": ["softmax", "layer_norm", "rms_norm"], "rows": 16, "cols": 64},
        {"workload": "int4_matmul", "depth": 64, "cols": 16},
        {"workload": "cheap_ops_add", "rows": 32, "cols": 16},
        {"workload": ["row_chain", "two_consumers"], "depth": 3, "rows": 16, "cols": 32},
        {"workload": ["rsqrt_mean", "mish_divide", "tuple_projection", "gemv"]},
    ]
    llvm = {"cases": {}, "variants": VARIANTS}
    folder = make_checkout(
        "builtin",
        workload=NAMES,
        cases=cases,
        llvm=llvm,
        on_failure="record",
        verify={"seeds": [0]},
    )
    done = snakemake(
        "--cores", "2", "--configfile", "tiny.yaml", "--", "verify", cwd=folder, timeout=600
    )
    assert done.returncode == 0, done.stdout
    return folder / "results/tiny/llvm", {
        case.definition.name: case for case in expand(NAMES, cases, small=True)
    }


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_are_per_variant(ran, name):
    out, cases = ran
    record = records.read(out / f"verify/{cases[name].name}.json", "verify")
    wanted = {v: FAILS[name, v] for v in VARIANTS if (name, v) in FAILS}
    assert {v: why["stage"] for v, why in record["failed"].items()} == wanted
    assert set(record["modules"]) == set(VARIANTS) - set(wanted)
    against = [c for c in record["comparisons"] if c["against"] == "reference"]
    assert {c["variant"] for c in against if c["passed"]} == set(record["modules"])
    for variant in wanted:
        assert 'global_name != "fused"' in record["failed"][variant]["message"]


@pytest.mark.parametrize("name", [n for n in NAMES if n != "tuple_projection"])
def test_where_partial_is_cut_is_recorded(ran, name):
    out, cases = ran
    record = records.read(out / f"compile/{cases[name].name}/PARTIAL/record.json", "compile")
    assert record["partition"] == ("cut marks" if name in MARKED else "every broadcast edge")


def test_the_reports_are_named_where_there_are_some():
    reports = {
        "max_pool_add": "20401", "rsqrt_mean": "20061", "mish_divide": "20061",
        "tuple_projection": "20194", "cheap_ops_add": "57829", "int4_matmul": "2405",
        "gemv": "20118",
    }  # fmt: skip
    import fusion.workloads as package

    for name, number in reports.items():
        assert number in getattr(package, name).__doc__


def test_a_long_sum_has_a_tolerance_that_follows_its_length(ran):
    """The rule as the README words it: sqrt(64) x 2^-11 for softmax's sum of 64 values."""
    out, cases = ran
    record = records.read(out / f"verify/{cases['softmax'].name}.json", "verify")
    (noted,) = record["reference"]["reductions"]
    assert (noted["name"], noted["length"], noted["dtype"]) == ("sum", 64, "float16")
    stated, given = record["tolerance"]["stated"], record["tolerance"]
    assert given["rtol"] - stated["rtol"] == pytest.approx(8 * 2**-11)
    assert given["atol"] - stated["atol"] == pytest.approx(8 * 2**-11 * noted["magnitude"])
    exact = records.read(out / f"verify/{cases['mish_divide'].name}.json", "verify")
    assert exact["tolerance"]["rtol"] == exact["tolerance"]["stated"]["rtol"]
