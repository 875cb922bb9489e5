"""Graphs in which a producer's elements are reused, and some in which none are, for STAGED."""

import numpy as np
import tvm
from tvm import relax

from fusion import schedules, targets
from fusion.device_rates import rates_for
from fusion.inputs import numpy_dtype
from fusion.variants import VARIANTS


class Graph:
    """Emits operators into one dataflow block."""

    def __init__(self, builder):
        self._builder = builder

    def __getattr__(self, name):
        operator = getattr(relax.op, name, None) or getattr(relax.op.nn, name)
        return lambda *arguments: self._builder.emit(operator(*arguments))

    def chain(self, x, steps=3):
        """z = x; `steps` times z = exp(x - 0.5 z)."""
        z, half = x, relax.const(0.5, x.ty.dtype)
        for _ in range(steps):
            z = self.exp(self.subtract(x, self.multiply(z, half)))
        return z


# name: the inputs' shapes, and the result from them.
REUSED = {
    "row": ([(37, 1), (37, 64)], lambda g, x, b: g.add(b, g.chain(x))),
    "columns that no tile divides": ([(37, 1), (37, 1000)], lambda g, x, b: g.add(b, g.chain(x))),
    "an odd number of columns": ([(37, 1), (37, 129)], lambda g, x, b: g.add(b, g.chain(x))),
    "more columns than a tile": ([(7, 1), (7, 8200)], lambda g, x, b: g.add(b, g.chain(x))),
    "rows that no tile divides": ([(4099, 1), (4099, 72)], lambda g, x, b: g.add(b, g.chain(x))),
    "a row within a thread": ([(300, 1), (300, 8)], lambda g, x, b: g.add(b, g.chain(x))),
    "column": ([(1, 72), (100, 72)], lambda g, x, b: g.add(b, g.chain(x))),
    "few rows": ([(1, 4096), (3, 4096)], lambda g, x, b: g.add(b, g.chain(x))),
    "scalar": ([(1, 1), (33, 72)], lambda g, x, b: g.add(b, g.chain(x))),
    "rank 1": ([(1,), (1000,)], lambda g, x, b: g.add(b, g.chain(x))),
    "row and column": (
        [(50, 1), (1, 72), (50, 72)],
        lambda g, x, y, b: g.add(g.add(b, g.chain(x)), g.chain(y)),
    ),
    "outer product": ([(50, 1), (1, 72)], lambda g, x, y: g.multiply(g.chain(x), g.chain(y))),
    "scalar into row into matrix": (
        [(1, 1), (50, 1), (50, 72)],
        lambda g, s, x, b: g.add(b, g.chain(g.add(x, g.chain(s)))),
    ),
    "chain, then relu": ([(50, 1), (50, 72)], lambda g, x, b: g.relu(g.add(g.relu(b), g.chain(x)))),
    "broadcast_to": (
        [(50, 1), (50, 72)],
        lambda g, x, b: g.add(b, g.broadcast_to(g.chain(x), (50, 72))),
    ),
    "reshape between": (
        [(50,), (50, 72)],
        lambda g, x, b: g.add(b, g.reshape(g.chain(x), (50, 1))),
    ),
    "3-d, last axis": ([(5, 7, 1), (5, 7, 24)], lambda g, x, b: g.add(b, g.chain(x))),
    "3-d, middle axis": ([(5, 1, 24), (5, 7, 24)], lambda g, x, b: g.add(b, g.chain(x))),
    "3-d, first axis": ([(1, 7, 24), (5, 7, 24)], lambda g, x, b: g.add(b, g.chain(x))),
    "4-d, a value a channel": ([(2, 5, 1, 1), (2, 5, 6, 8)], lambda g, x, b: g.add(b, g.chain(x))),
    "4-d, two axes": ([(1, 5, 1, 8), (2, 5, 6, 8)], lambda g, x, b: g.add(b, g.chain(x))),
    "4-d, ends in 1": ([(2, 5, 1, 1), (2, 5, 9, 1)], lambda g, x, b: g.add(b, g.chain(x))),
    "three streams": (
        [(50, 1), (50, 72), (50, 72), (50, 72)],
        lambda g, x, b, c, d: g.add(g.add(g.add(b, c), d), g.chain(x)),
    ),
    "a transposed stream": (
        [(50, 1), (72, 50)],
        lambda g, x, b: g.add(g.permute_dims(b, [1, 0]), g.chain(x)),
    ),
    "used twice": (
        [(50, 1), (50, 72)],
        lambda g, x, b: (lambda z: g.multiply(g.add(b, z), z))(g.chain(x)),
    ),
}
NOT_REUSED = {
    "it has a reduction": ([(50, 72)], lambda g, b: g.softmax(b, -1)),
    "no producer's elements are reused": ([(50, 1), (50, 72)], lambda g, x, b: g.add(b, x)),
}


def module(shapes, dtype: str, function) -> tvm.IRModule:
    """The IRModule whose `main` is the graph. shapes may hold relax.Var's symbolic sizes."""
    builder = relax.BlockBuilder()
    inputs = [relax.Var(f"a{n}", relax.TensorType(shape, dtype)) for n, shape in enumerate(shapes)]
    with builder.function("main", inputs):
        with builder.dataflow():
            result = builder.emit_output(function(Graph(builder), *inputs))
        builder.emit_func_output(result)
    return builder.get()


def compiled(graph: tvm.IRModule, variant: str, arch: str):
    """The executable of a variant of a graph, and what its passes and rules decided."""
    notes, decisions = schedules.RuleNotes(), []
    target = targets.target_for(arch)
    pipeline = targets.pipeline_for(VARIANTS[variant], target, notes, rates_for(arch), decisions)
    with tvm.transform.PassContext(instruments=[notes]):
        executable = tvm.compile(graph, target, relax_pipeline=pipeline)
    return executable, decisions + notes.decisions


def run(shapes, dtype: str, function, variant: str, arch: str) -> tuple[np.ndarray, list[dict]]:
    """A variant's output for one draw of [-0.25, 0.25), and its decisions."""
    stream = np.random.default_rng(0)
    arrays = [stream.uniform(-0.25, 0.25, shape).astype(numpy_dtype(dtype)) for shape in shapes]
    executable, decisions = compiled(module(shapes, dtype, function), variant, arch)
    machine = relax.VirtualMachine(executable, targets.device_for(arch))
    return machine["main"](*targets.to_device(arrays, arch)).numpy(), decisions
