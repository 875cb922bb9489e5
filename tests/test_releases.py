"""Each name of releases.py, used with a real object of the release at hand."""

import importlib
from pathlib import Path

import numpy as np
import pytest
import tvm
import tvm_ffi
from tvm import relax, tirx

from fusion import geometry, passes, releases, schedules, targets
from fusion.variants import FUSION_PASSES

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def graph() -> tvm.IRModule:
    """exp(x) * exp(x) + b, with b broadcast over the rows, as PrimFuncs."""
    x = relax.Var("x", releases.tensor_type((8, 4), "float16"))
    b = relax.Var("b", releases.tensor_type((4,), "float16"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x, b]):
        with builder.dataflow():
            exp = builder.emit(relax.op.exp(x))
            square = builder.emit(relax.op.multiply(exp, exp))
            result = builder.emit_output(relax.op.add(square, b))
        builder.emit_func_output(result)
    return relax.transform.LegalizeOps()(builder.get())


def bindings(function: relax.Function) -> list:
    return [binding for block in function.body.blocks for binding in block.bindings]


def called(graph: tvm.IRModule, place: int) -> tirx.PrimFunc:
    """The PrimFunc of one of the graph's calls."""
    return graph[bindings(graph["main"])[place].value.args[0]]


def found(root, kinds, walk=releases.walk) -> list:
    nodes = []
    walk(root, kinds, nodes.append)
    return nodes


def store_of(function: tirx.PrimFunc) -> tirx.BufferStore:
    (store,) = found(function.body, tirx.BufferStore)
    return store


def test_types_of_relax(graph):
    kind = releases.type_of(graph["main"].params[0])
    assert isinstance(kind, releases.TensorType)
    assert ([int(e) for e in kind.shape.values], str(kind.dtype)) == ([8, 4], "float16")
    x, b = graph["main"].params
    both = relax.BlockBuilder().normalize(relax.Tuple([x, b]))
    assert isinstance(releases.type_of(both), releases.TupleType)
    assert len(releases.type_of(both).fields) == 2
    bound = relax.MatchCast(relax.Var("y", kind), x, kind)
    assert tvm_ffi.structural_equal(releases.type_of(bound), kind)


def test_a_new_expression_is_given_its_type(graph):
    callee = bindings(graph["main"])[0].value.args[0]
    label = tvm.ir.GlobalVar("label")
    releases.set_type(label, releases.type_of(callee))
    assert tvm_ffi.structural_equal(releases.type_of(label), releases.type_of(callee))


def test_names_of_variables(graph):
    assert [releases.name_of(p) for p in graph["main"].params] == ["x", "b"]
    assert releases.name_of(tirx.Var("i", "int64")) == "i"
    callee = bindings(graph["main"])[0].value.args[0]
    assert releases.name_of(callee) == callee.name_hint


def test_a_call_with_other_arguments_keeps_its_type(graph):
    call = bindings(graph["main"])[2].value
    made = releases.with_arguments(call, [*call.args])
    assert not made.same_as(call)
    assert tvm_ffi.structural_equal(made, call)
    assert tvm_ffi.structural_equal(releases.type_of(made), releases.type_of(call))


def test_a_function_with_another_body_keeps_what_it_returns(graph):
    main = graph["main"]
    made = releases.with_body(main, main.body)
    assert not made.same_as(main)
    assert tvm_ffi.structural_equal(made, main)
    assert tvm_ffi.structural_equal(releases.type_of(made), releases.type_of(main))


def test_buffers_of_a_primfunc_and_of_its_loads(graph):
    add = called(graph, 2)
    buffers = releases.buffers_of(add)
    assert [[int(e) for e in buffer.shape] for buffer in buffers] == [[8, 4], [4], [8, 4]]
    loads = found(store_of(add).value, releases.TensorLoad)
    assert [releases.buffer_of(load).same_as(b) for load, b in zip(loads, buffers, strict=False)]
    assert [releases.buffer_of(load).name for load in loads] == [b.name for b in buffers[:2]]
    (block,) = (b for b in found(add.body, releases.SBlock) if b.iter_vars)
    assert releases.buffer_of(block.writes[0]).same_as(buffers[2])


def test_dtypes_of_a_primfuncs_nodes(graph):
    value = store_of(called(graph, 0)).value
    assert releases.dtype_of(value) == "float16"
    (call,) = found(value, releases.Call)
    assert call.same_as(value) and call.op.name == "tirx.exp"
    (load,) = found(value, releases.TensorLoad)
    assert [releases.dtype_of(index) for index in load.indices] == ["int64", "int64"]


@pytest.mark.parametrize("walk", [releases.walk, releases._walk], ids=["walk", "0.25"])
def test_a_walk_sees_every_occurrence_inner_ones_first(graph, walk):
    one = tirx.Var("i", "int64") + tirx.const(1, "int64")
    names = [type(node).__name__ for node in found(one * one, releases.Node, walk)]
    assert names == ["Var", "IntImm", "Add"] * 2 + ["Mul"]


@pytest.mark.parametrize("kinds", [releases.TensorLoad, releases.Call, tirx.Var])
def test_both_walks_see_the_same_nodes_of_a_primfunc(graph, kinds):
    for place in range(3):
        value = store_of(called(graph, place)).value
        nodes, others = found(value, kinds), found(value, kinds, releases._walk)
        assert len(nodes) == len(others)
        assert all(a.same_as(b) for a, b in zip(nodes, others, strict=True))


class WithoutAddress:
    """A tensor as 0.25 has it."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self):
        return self.tensor.__dlpack__()


@pytest.mark.parametrize("wrap", [lambda tensor: tensor, WithoutAddress], ids=["own", "DLPack"])
def test_the_address_of_a_tensor(wrap):
    tensor = tvm.runtime.tensor(np.zeros((3, 3), np.float32), tvm.cpu())
    address = releases.address_of(wrap(tensor))
    assert address == np.from_dlpack(tensor).ctypes.data


def test_launches_stand_where_the_host_calls_a_kernel(graph):
    seen = []

    @tvm.instrument.pass_instrument
    class Watch:
        def run_after_pass(self, mod, info):
            if info.name == geometry.SPLITTING:
                hosts = [f for f in mod.functions.values() if isinstance(f, tirx.PrimFunc)]
                names = [c.op.name for f in hosts for c in found(f.body, releases.Call)]
                seen.append([name for name in names if name in releases.LAUNCHES])
                seen.append(geometry.launches(mod))

    with tvm.transform.PassContext(instruments=[Watch()]):
        relax.build(graph, targets.target_for("sm_90"))
    names, launches = seen
    assert len(names) == 1 and set(names) <= set(releases.LAUNCHES)
    (launch,) = launches["fused_tir_exp_multiply_add"]
    assert (launch.grid, launch.block) == ((1, 1, 1), (1024, 1, 1))


@pytest.mark.parametrize("backend", ["cuda", "cpu_generic"])
def test_the_pipelines_have_the_passes_that_the_variants_edit(backend):
    pipeline = importlib.import_module(f"tvm.relax.backend.{backend}.pipeline")
    target = targets.target_for("sm_90" if backend == "cuda" else "llvm")
    legalize = [p.info.name for p in pipeline.legalize_passes(target)]
    expected = [*FUSION_PASSES, schedules.SCHEDULING] if backend == "cuda" else [*FUSION_PASSES]
    assert [name for name in legalize if name in expected] == expected
    lowering = [p.info.name for p in pipeline.dataflow_lower_passes(target)]
    assert passes.VM_LOWERING in lowering


@pytest.mark.parametrize("release", ["0.25", "0.26", "0.27"])
def test_a_toolchains_requirements_are_pinned(release):
    lines = (ROOT / "envs" / f"tvm-{release}.txt").read_text().splitlines()
    assert lines[0].startswith("# ")
    pinned = dict(line.partition(" #")[0].split("==") for line in lines[1:])
    assert pinned["apache-tvm[cuda]"].startswith(release)
    own = (ROOT / "envs" / "requirements.txt").read_text()
    shared = [n for n in pinned if not n.startswith("apache-tvm")]
    assert all(f"\n{name}=={pinned[name]}" in own for name in shared)
