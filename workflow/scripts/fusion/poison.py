"""Run a variant so that an element that it does not write shows.

The virtual machine allocates a call's outputs itself, from a pool that hands freed buffers out
again. So each output is filled with NaN and given back, until a call returns buffers that were
filled before: what is not NaN in them then, that call wrote. Whole numbers, which have no NaN, are
filled with their largest value. An output that is an input handed on is left as it is.
"""

import ml_dtypes
import numpy as np
import tvm

from .artifacts import Signature
from .errors import FusionError
from .inputs import numpy_dtype
from .loading import Loaded
from .releases import address_of
from .workloads import Input

ATTEMPTS = 8  # the pool alternates between two buffers; more are taken by unusual graphs


def run(loaded: Loaded, arrays: list[tvm.runtime.Tensor], wanted: Signature) -> list[np.ndarray]:
    """The variant's outputs for these inputs, from buffers that were poisoned before the call."""
    poison = [np.full(o.shape, _poison(o), numpy_dtype(o.dtype)) for o in wanted.outputs]
    given = {address_of(array) for array in arrays}
    poisoned: set[int] = set()
    for _ in range(ATTEMPTS):
        result = loaded.vm["main"](*arrays)
        outputs = [result] if isinstance(result, tvm.runtime.Tensor) else list(result)
        fresh = [o for o in outputs if address_of(o) not in poisoned | given]
        if not fresh:
            return [output.numpy() for output in outputs]
        for output, values in zip(outputs, poison, strict=False):
            own = address_of(output) not in given
            if own and tuple(output.shape) == values.shape and str(output.dtype) == values.dtype:
                output.copyfrom(values)
        poisoned |= {address_of(output) for output in outputs}
        del output, outputs, fresh, result
    raise FusionError(
        f"{loaded.variant}: no poisoned output after {ATTEMPTS} calls",
        expected="the allocator to hand out a buffer again",
        do="report this: the variant's outputs cannot be checked for unwritten elements",
    )


def _poison(output: Input):
    dtype = numpy_dtype(output.dtype)
    if dtype == np.bool_:
        return True
    if np.issubdtype(dtype, np.integer):
        return np.iinfo(dtype).max
    return ml_dtypes.bfloat16(np.nan) if output.dtype == "bfloat16" else np.nan
