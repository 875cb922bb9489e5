"""Relax graphs for SPLIT and what they compute in NumPy, at sizes where a GPU would cut or not.

Each graph is a function of a block builder and its inputs; `emit` binds one operator.
"""

from dataclasses import dataclass, replace

import numpy as np
import tvm
from tvm import relax

op = relax.op


@dataclass(frozen=True)
class Graph:
    """build(emit, *inputs): the result. shapes: of the inputs, by name."""

    build: object
    shapes: dict
    dtype: str = "float32"

    def module(self) -> tvm.IRModule:
        bb = relax.BlockBuilder()
        inputs = [relax.Var(n, relax.TensorType(s, self.dtype)) for n, s in self.shapes.items()]
        with bb.function("main", inputs):
            with bb.dataflow():
                result = bb.emit_output(self.build(bb.emit, *inputs))
            bb.emit_func_output(result)
        return bb.get()

    def small(self):
        """The same graph with no dimension above 64."""
        shapes = {n: tuple(min(e, 64) for e in shape) for n, shape in self.shapes.items()}
        return replace(self, shapes=shapes)

    def draw(self) -> list[np.ndarray]:
        stream = np.random.default_rng(0)
        return [stream.uniform(0.25, 1, s).astype(self.dtype) for s in self.shapes.values()]


def chain(emit, x, depth=16):
    """z = exp(x - 0.5 z), `depth` times."""
    z = x
    for _ in range(depth):
        half = emit(op.multiply(relax.const(0.5, x.ty.dtype), z))
        z = emit(op.exp(emit(op.subtract(x, half))))
    return z


def row_broadcast(emit, x, b):
    return emit(op.add(b, chain(emit, x)))


def chain_then_relu(emit, x, b):
    return emit(op.nn.relu(emit(op.add(b, chain(emit, x)))))


def two_consumers(emit, x, b, c):
    z = chain(emit, x)
    return emit(op.multiply(emit(op.add(b, z)), emit(op.add(c, z))))


def broadcast_to(emit, x, b):
    wide = emit(op.broadcast_to(chain(emit, x), b.ty.shape))
    return emit(op.add(wide, b))


def reshape_between(emit, x, b):
    z = emit(op.reshape(chain(emit, x), (b.ty.shape[0], 1)))
    return emit(op.add(b, z))


def cheap_chain(emit, x, b):
    z = x
    for _ in range(240):
        z = emit(op.add(z, x))
    return emit(op.add(b, z))


def cheap_sibling(emit, w, x):
    scaled = emit(op.nn.relu(emit(op.multiply(relax.const(2.0, "float32"), w))))
    return emit(op.add(scaled, chain(emit, x)))


def row_bias(emit, x, b):
    return emit(op.add(b, x))


def cheap_row_sum(emit, x, c, b):
    return emit(op.add(b, emit(op.add(x, c))))


def two_chains(emit, x, y, b):
    return emit(op.add(emit(op.add(b, chain(emit, x))), chain(emit, y)))


def chain_into_sum(emit, x, b):
    return emit(op.sum(emit(op.add(b, chain(emit, x))), axis=[1]))


def softmax(emit, x):
    highest = emit(op.max(x, axis=-1, keepdims=True))
    e = emit(op.exp(emit(op.subtract(x, highest))))
    return emit(op.divide(e, emit(op.sum(e, axis=-1, keepdims=True))))


def layer_norm(emit, x, gamma, beta):
    mean = emit(op.mean(x, axis=-1, keepdims=True))
    off = emit(op.subtract(x, mean))
    var = emit(op.mean(emit(op.multiply(off, off)), axis=-1, keepdims=True))
    scale = emit(op.rsqrt(emit(op.add(var, relax.const(1e-5, "float32")))))
    normal = emit(op.multiply(off, scale))
    return emit(op.add(emit(op.multiply(normal, gamma)), beta))


def concatenated(emit, x, b):
    return emit(op.concat([chain(emit, x), b], axis=1))


MATRIX, WIDE = (1024, 512), (4096, 4096)
GRAPHS = {
    "row broadcast": Graph(row_broadcast, {"x": (4096, 1), "b": WIDE}),
    "column broadcast": Graph(row_broadcast, {"x": (1, 4096), "b": WIDE}),
    "scalar broadcast": Graph(row_broadcast, {"x": (1, 1), "b": WIDE}),
    "chain then relu": Graph(chain_then_relu, {"x": (4096, 1), "b": WIDE}),
    "two consumers": Graph(two_consumers, {"x": (4096, 1), "b": WIDE, "c": WIDE}),
    "broadcast_to": Graph(broadcast_to, {"x": (4096, 1), "b": WIDE}),
    "reshape between": Graph(reshape_between, {"x": (1024,), "b": (1024, 16384)}),
    "cheap chain": Graph(cheap_chain, {"x": (1024, 1), "b": MATRIX}),
    "cheap sibling": Graph(cheap_sibling, {"w": WIDE, "x": (4096, 1)}),
    "row bias": Graph(row_bias, {"x": (1, 4096), "b": WIDE}),
    "cheap row sum": Graph(cheap_row_sum, {"x": (1, 4096), "c": (1, 4096), "b": WIDE}),
    "two chains": Graph(two_chains, {"x": (4096, 1), "y": (1, 4096), "b": WIDE}),
    "chain into sum": Graph(chain_into_sum, {"x": (4096, 1), "b": WIDE}),
    "softmax": Graph(softmax, {"x": MATRIX}),
    "layer norm": Graph(layer_norm, {"x": MATRIX, "gamma": (512,), "beta": (512,)}),
    "concatenation": Graph(concatenated, {"x": (64, 8), "b": (64, 56)}),
}
