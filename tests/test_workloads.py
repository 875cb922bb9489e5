"""The chains: their calls, their reference, and what TVM makes of them."""

import itertools

import ml_dtypes
import numpy as np
import pytest
import scipy.special
from conftest import ROOT, program

from fusion import records
from fusion.cases import make_case
from fusion.inputs import draw, numpy_dtype
from fusion.namespace_numpy import NumpyNamespace, RoundedArray
from fusion.references import by_numpy
from fusion.workloads import WORKLOADS

CHAINS = ("exp", "tanh", "sqrt", "sigmoid", "erf", "cheap")
DTYPES = ("float16", "bfloat16", "float32")
EXACT = {
    "exp": np.exp,
    "tanh": np.tanh,
    "sqrt": np.sqrt,
    "sigmoid": scipy.special.expit,
    "erf": scipy.special.erf,
}


def test_every_chain_is_there():
    chains = [name for name in WORKLOADS if name.endswith("_chain_add")]
    assert sorted(chains) == sorted(f"{chain}_chain_add" for chain in CHAINS)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EXACT)
def test_a_function_is_rounded_once_from_its_exact_value(name, dtype):
    """The exact value is SciPy's in float64; both are rounded to the dtype."""
    low = 0 if name == "sqrt" else -40
    array = np.linspace(low, 10, 4001).astype(numpy_dtype(dtype))
    found = getattr(NumpyNamespace, name)(array)
    wanted = EXACT[name](array.astype(np.float64)).astype(array.dtype)
    assert found.dtype == array.dtype
    if dtype == "float32":  # two float64 algorithms may differ where a float32 rounds either way
        np.testing.assert_array_max_ulp(found, wanted, maxulp=1)
    else:
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_does_not_change_the_dtype(dtype):
    array = np.array([-1.0, 0.5], numpy_dtype(dtype)).view(RoundedArray)
    for result in (0.5 * array, 1 + array, array - 0.25, NumpyNamespace.maximum(array, 0.0)):
        assert result.dtype == array.dtype and isinstance(result, RoundedArray)
    assert np.asarray(NumpyNamespace.maximum(array, 0.0)).tolist() == [0.0, 0.5]


def test_the_reference_in_bfloat16_rounds_after_every_operator():
    """1 + 2^-7 times itself is 1 + 2^-6 + 2^-14: the last part is under half a bfloat16 step."""
    one = np.array([1 + 2**-7], ml_dtypes.bfloat16).view(RoundedArray)
    assert np.asarray(one * one, np.float64).tolist() == [1 + 2**-6]
    case = make_case("exp_chain_add", {"depth": 1, "rows": 1, "cols": 1}, "bfloat16")
    x, b = np.zeros((1, 1), ml_dtypes.bfloat16), np.ones((1, 1), ml_dtypes.bfloat16)
    found = by_numpy(case, [x, b])[0][0]
    assert found.dtype == x.dtype and type(found) is np.ndarray and float(found[0, 0]) == 2


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("chain", CHAINS)
def test_64_steps_stay_finite_and_away_from_zero_roots(chain, dtype):
    case = make_case(f"{chain}_chain_add", {"depth": 64, "rows": 512, "cols": 2}, dtype)
    result = by_numpy(case, draw(case.inputs, 0, -0.25, 0.25))[0][0].astype(np.float64)
    assert np.isfinite(result).all() and np.abs(result).max() < 2


@pytest.mark.parametrize(
    ("chain", "off", "deepest_on_in_one"),
    [("exp", 49, 85), ("tanh", 49, 85), ("sqrt", 50, 84), ("erf", 49, 85), ("cheap", 33, 127)],
)
def test_expected_calls_count_the_operators_of_a_step(chain, off, deepest_on_in_one):
    """At depth 16: operators and the Add. FuseOps takes 256 operators into one function."""
    calls = WORKLOADS[f"{chain}_chain_add"].expected_calls
    assert calls("OFF", {"depth": 16}) == calls("OFF_GRAPH", {"depth": 16}) == off
    assert calls("ON", {"depth": deepest_on_in_one}) == 1
    assert calls("ON", {"depth": deepest_on_in_one + 1}) == 2
    assert calls("SPLIT", {"depth": 16}) is None


def compile_chain(out, chain, dtype, variant, arch):
    sizes = {"depth": 2, "rows": 64, "cols": 32}
    words = [word for key, value in sizes.items() for word in ("--size", f"{key}={value}")]
    done = program(
        "compile_variant.py", "--workload", f"{chain}_chain_add", *words, "--dtype", dtype,
        "--variant", variant, "--arch", arch, "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return out / "record.json"


@pytest.mark.parametrize(
    ("chain", "dtype"), [*zip(CHAINS[1:], itertools.cycle(DTYPES), strict=False)]
)
def test_a_chain_compiles_and_verifies_on_a_cpu(chain, dtype, tmp_path):
    """Each chain but exp, which other tests have, and each dtype at least once."""
    made = compile_chain(tmp_path / "ON", chain, dtype, "ON", "llvm")
    done = program(
        "verify_case.py", "--records", made, "--out", tmp_path / "verify.json", "--seeds", "0",
        "--low", "-0.25", "--high", "0.25", "--rtol", "0.02", "--atol", "0.002",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert records.read(tmp_path / "verify.json", "verify")["passed"] is True


def test_a_function_in_float16_compiles_for_a_gpu(tmp_path):
    record = records.read(compile_chain(tmp_path, "erf", "float16", "ON", "sm_90"), "compile")
    assert record["code"]["format"] == "cubin"


def test_the_configurations_readme_names_every_workload():
    text = (ROOT / "config" / "README.md").read_text()
    assert [name for name in WORKLOADS if f"`{name}`" not in text] == []
