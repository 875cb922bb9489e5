"""Comparison of outputs, and the reference."""

import time

import numpy as np
import pytest

from fusion.cases import make_case
from fusion.comparing import compare, non_finite
from fusion.inputs import draw, numpy_dtype
from fusion.references import by_numpy

RTOL, ATOL = 0.02, 0.002


def test_equal_bits_pass():
    a = np.linspace(-1, 1, 1000, dtype=np.float16).reshape(10, 100)
    result = compare(a, a.copy(), RTOL, ATOL)
    assert result.passed and result.bit_equal
    assert result.max_abs_error == 0


@pytest.mark.parametrize(("error", "passes"), [(0.019, True), (0.025, False)])
def test_tolerance_is_absolute_plus_relative(error, passes):
    # At 1.0 the bound is 0.002 + 0.02 x 1.0 = 0.022.
    wanted = np.ones(100_000, np.float32)
    actual = wanted.copy()
    actual[77_777] += error
    result = compare(actual, wanted, RTOL, ATOL)
    assert result.passed is passes
    assert not result.bit_equal
    assert result.differing == 1
    assert result.beyond_tolerance == (0 if passes else 1)
    assert result.max_abs_error == pytest.approx(error, rel=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_fails_even_if_both_have_it(dtype, bad):
    a = np.ones(70_000, numpy_dtype(dtype))
    a[69_999] = bad
    assert non_finite(a) == 1
    assert not compare(a, a.copy(), RTOL, ATOL).passed
    assert not compare(a, np.ones_like(a), RTOL, ATOL).passed
    assert compare(a, np.ones_like(a), RTOL, ATOL).beyond_tolerance == 1


def test_another_shape_or_dtype_fails():
    a = np.ones((4, 4), np.float16)
    assert not compare(a, np.ones((16,), np.float16), RTOL, ATOL).passed
    assert not compare(a, np.ones((4, 4), np.float32), RTOL, ATOL).passed


def test_negative_zero_differs_in_bits_and_passes():
    zero = np.zeros(8, np.float16)
    result = compare(-zero, zero, RTOL, ATOL)
    assert result.passed and not result.bit_equal and result.max_abs_error == 0


@pytest.mark.parametrize("different", [False, True])
def test_sixteen_million_elements_take_well_under_a_second(different):
    a = np.random.default_rng(0).uniform(-1, 1, 1 << 24).astype(np.float16)
    b = a + np.float16(0.001) if different else a.copy()
    start = time.perf_counter()
    compare(a, b, RTOL, ATOL)
    assert time.perf_counter() - start < 0.9


def test_the_reference_rounds_after_every_operator():
    case = make_case("exp_chain_add", {"depth": 2, "rows": 50, "cols": 3}, "float16")
    x, b = draw(case.inputs, 1, -0.25, 0.25)
    f16 = np.float16
    expected = np.empty((50, 3), f16)
    for i in range(50):
        z = x[i, 0]
        for _ in range(2):
            half = f16(f16(0.5) * z)
            z = f16(np.exp(float(f16(x[i, 0] - half))))
        for j in range(3):
            expected[i, j] = f16(b[i, j] + z)
    (found,), _ = by_numpy(case, [x, b])
    assert found.view(np.uint16).tolist() == expected.view(np.uint16).tolist()


def test_draws_are_fixed_by_their_seed_and_lie_in_the_interval():
    case = make_case("exp_chain_add", {"depth": 2, "rows": 500, "cols": 30}, "float16")
    x, b = draw(case.inputs, 0, -0.25, 0.25)
    again, _ = draw(case.inputs, 0, -0.25, 0.25)
    other, _ = draw(case.inputs, 1, -0.25, 0.25)
    assert x.shape == (500, 1) and b.shape == (500, 30) and x.dtype == np.float16
    assert np.array_equal(x, again) and not np.array_equal(x, other)
    assert -0.25 <= b.min() < -0.24 and 0.24 < b.max() <= 0.25
