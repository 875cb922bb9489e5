"""A workload read as its reference: NumPy, rounding to the dtype after every operator.

NumPy's own float16 and bfloat16 arithmetic computes each sum, difference and product in float32
and rounds once, which is exact rounding (float32 has more than 2p+2 significand bits). Functions
that are not exact go through float64, so that the reference's only error is that one rounding.
"""

import math

import numpy as np


class RoundedArray(np.ndarray):
    """An array whose dtype a number does not change: 0.5 * z is of z's dtype.

    NumPy keeps to that for its own dtypes, and makes float32 of bfloat16, which is not its own.
    """

    def __array_ufunc__(self, ufunc, method, *operands, **options):
        plain = [np.asarray(operand, self.dtype) for operand in operands]
        return getattr(ufunc, method)(*plain, **options).view(RoundedArray)


def _through_float64(function):
    def apply(array: np.ndarray) -> np.ndarray:
        exact = function(np.asarray(array).astype(np.float64))
        return exact.astype(array.dtype).view(type(array))

    return apply


def _sigmoid(array: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) for x >= 0 and exp(x) / (1 + exp(x)) below: neither overflows."""
    small = np.exp(-np.abs(array))
    return np.where(array >= 0, 1.0, small) / (1.0 + small)


class NumpyNamespace:
    """The array namespace over NumPy arrays; every function returns its argument's dtype."""

    exp = staticmethod(_through_float64(np.exp))
    tanh = staticmethod(_through_float64(np.tanh))
    sqrt = staticmethod(_through_float64(np.sqrt))
    sigmoid = staticmethod(_through_float64(_sigmoid))
    erf = staticmethod(_through_float64(np.vectorize(math.erf, otypes=[np.float64])))

    @staticmethod
    def maximum(array: np.ndarray, other) -> np.ndarray:
        """The larger of each two elements; `other` is an array or a number. Exact."""
        return np.maximum(array, np.asarray(other, array.dtype))

    @staticmethod
    def cut(array: np.ndarray) -> np.ndarray:
        """The identity: only PARTIAL's graph has a cut."""
        return array
