"""The array namespace: every function in the readings of NumPy, Relax, JAX and PyTorch."""

from collections.abc import Callable, Iterable
from types import SimpleNamespace

import jax
import namespace_cases
import numpy as np
import pytest
import tvm
from namespace_cases import FLOATS, KNOWN, NARROW, WHOLE
from tvm import relax

from fusion import namespace
from fusion.namespace_jax import JaxNamespace
from fusion.namespace_numpy import NumpyNamespace, RoundedArray
from fusion.namespace_relax import build_graph
from fusion.targets import cpu_target
from fusion.workloads import Input

# Relative, and absolute: a few roundings of the dtype, of values up to about 10.
CLOSE = {"float32": (2e-6, 2e-6), "float16": (4e-3, 4e-3), "bfloat16": (3e-2, 3e-2)}


def by_numpy(cases: dict[str, Callable], arrays: dict) -> dict[str, np.ndarray]:
    xp = NumpyNamespace()
    t = SimpleNamespace(**{name: array.view(RoundedArray) for name, array in arrays.items()})
    return {name: np.asarray(case(xp, t)) for name, case in cases.items()}


def by_known(cases: dict[str, Callable], arrays: dict) -> dict[str, np.ndarray]:
    floating = namespace.FLOATING
    wide = {n: a.astype(float) if a.dtype.name in floating else a for n, a in arrays.items()}
    return {n: np.asarray(case(KNOWN, SimpleNamespace(**wide))) for n, case in cases.items()}


def as_workload(cases: Iterable[Callable], names: Iterable[str]) -> Callable:
    """A workload's function, whose outputs are the cases'."""

    def function(xp, *arrays):
        t = SimpleNamespace(**dict(zip(names, arrays, strict=True)))
        return tuple(case(xp, t) for case in cases)

    return function


def by_relax(cases: dict[str, Callable], arrays: dict) -> dict[str, np.ndarray]:
    inputs = {name: Input(array.shape, array.dtype.name) for name, array in arrays.items()}
    graph = build_graph(as_workload(cases.values(), arrays), inputs, cut=False)
    vm = relax.VirtualMachine(tvm.compile(graph.module, cpu_target()), tvm.cpu())
    outputs = vm["main"](*(tvm.runtime.tensor(array) for array in arrays.values()))
    return {name: output.numpy() for name, output in zip(cases, outputs, strict=True)}


def by_jax(cases: dict[str, Callable], arrays: dict) -> dict[str, np.ndarray]:
    function = as_workload(cases.values(), arrays)
    outputs = jax.jit(lambda *given: function(JaxNamespace(), *given))(*arrays.values())
    return {name: np.asarray(output) for name, output in zip(cases, outputs, strict=True)}


def by_torch(cases: dict[str, Callable], arrays: dict) -> dict[str, np.ndarray]:
    import torch

    from fusion.namespace_torch import TorchNamespace

    def tensor(array: np.ndarray):
        if array.dtype.name == "bfloat16":  # NumPy's own dtypes are all that torch takes
            return torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16)
        return torch.from_numpy(array)

    def array(tensor) -> np.ndarray:
        if tensor.dtype == torch.bfloat16:
            return tensor.to(torch.float32).numpy().astype("bfloat16")
        return tensor.numpy()

    outputs = as_workload(cases.values(), arrays)(TorchNamespace(), *map(tensor, arrays.values()))
    return {name: array(output) for name, output in zip(cases, outputs, strict=True)}


def assert_same(found: dict, wanted: dict, dtype: str | None = None) -> None:
    """Equal dtypes and shapes, and values that are close for the dtype, or equal for None."""
    rtol, atol = CLOSE[dtype] if dtype else (0, 0)
    for name, expected in wanted.items():
        given = found[name]
        assert (given.dtype, given.shape) == (expected.dtype, expected.shape), name
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(
                given.astype(float), expected.astype(float), rtol, atol, err_msg=name
            )


# The machine with a GPU is the one that has PyTorch.
BY_TORCH = pytest.param(by_torch, marks=pytest.mark.gpu)


def test_the_cases_call_every_function_of_the_namespace():
    called = set()

    class Recorder:
        def __getattr__(self, name):
            called.add(name)
            return getattr(KNOWN, name)

    given = namespace_cases.arrays("float64"), namespace_cases.whole_arrays("int32")
    for cases, arrays in zip((FLOATS, WHOLE), given, strict=True):
        for case in cases.values():
            case(Recorder(), SimpleNamespace(**arrays))
    assert called == set(namespace.TAKES)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_reference_is_the_exact_result_rounded_once(dtype):
    arrays = namespace_cases.arrays(dtype)
    found = by_numpy(FLOATS, arrays)
    with np.errstate(invalid="ignore"):
        exact = by_known(FLOATS, arrays)
    for name, array in exact.items():
        given = found[name]
        assert given.dtype == (arrays["x"].dtype if array.dtype == float else array.dtype), name
        assert np.array_equal(given, array.astype(given.dtype), equal_nan=array.dtype == float), (
            name
        )


@pytest.mark.parametrize("dtype", ["int32", "int8", "uint8"])
@pytest.mark.parametrize("read", [by_numpy, by_relax, by_jax, BY_TORCH])
def test_whole_numbers_wrap_around_in_every_reading(read, dtype):
    arrays = namespace_cases.whole_arrays(dtype)
    wanted = by_known(WHOLE, arrays)
    wanted["astype"] = wanted["astype"].astype("float32")
    assert_same(read(WHOLE, arrays), wanted)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("read", [by_relax, by_jax, BY_TORCH])
def test_the_other_readings_agree_with_the_reference(read, dtype):
    """In float32 for every function, in the narrower dtypes for some."""
    arrays = namespace_cases.arrays(dtype)
    cases = {n: case for n, case in FLOATS.items() if dtype == "float32" or n in NARROW}
    assert_same(read(cases, arrays), by_numpy(cases, arrays), dtype)
