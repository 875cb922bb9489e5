"""STAGED: its bits on LLVM, what it declines, and the machine code that it makes for GPUs."""

import json

import numpy as np
import pytest
from broadcasts import NOT_REUSED, REUSED, compiled, module, run
from conftest import compile_case, program
from tvm import tirx

from fusion.staging_graph import Graph, Stage
from fusion.staging_tile import tile_for


@pytest.mark.parametrize("name", REUSED)
def test_bits_on_llvm_are_those_of_the_unfused_graph(name):
    graph = REUSED[name]
    staged, decisions = run(graph[0], "float16", graph[1], "STAGED", "llvm")
    plain, _ = run(graph[0], "float16", graph[1], "OFF", "llvm")
    assert [decision["staged"] for decision in decisions] == [True]
    assert staged.tobytes() == plain.tobytes()


@pytest.mark.parametrize("name", ["row", "column", "scalar into row into matrix"])
def test_float32_too(name):
    graph = REUSED[name]
    staged, _ = run(graph[0], "float32", graph[1], "STAGED", "llvm")
    plain, _ = run(graph[0], "float32", graph[1], "OFF", "llvm")
    assert staged.tobytes() == plain.tobytes()


def test_bfloat16_within_its_rounding():
    """LLVM has no bfloat16: TVM lets a whole expression run in float32 and rounds once. The chain's
    three roundings, each of 2^-9 at most and halved by the next step, stay under 2^-7 of the sum.
    """
    shapes, function = REUSED["row"]
    staged, decisions = run(shapes, "bfloat16", function, "STAGED", "llvm")
    plain, _ = run(shapes, "bfloat16", function, "OFF", "llvm")
    assert decisions[0]["staged"]
    difference = np.abs(staged.astype(np.float32) - plain.astype(np.float32))
    assert difference.max() <= 2**-7 * np.abs(plain.astype(np.float32)).max()


@pytest.mark.parametrize("reason", NOT_REUSED)
def test_what_it_cannot_do_it_declines_and_the_stock_rules_take(reason):
    shapes, function = NOT_REUSED[reason]
    _, decisions = compiled(module(shapes, "float16", function), "STAGED", "sm_90")
    assert [(d["staged"], d["reason"]) for d in decisions] == [(False, reason)]
    staged, _ = run(shapes, "float16", function, "STAGED", "llvm")
    plain, _ = run(shapes, "float16", function, "OFF", "llvm")
    np.testing.assert_allclose(staged, plain, rtol=0.02)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_dtype_is_staged_on_a_gpu(dtype):
    for name, (shapes, function) in REUSED.items():
        executable, decisions = compiled(module(shapes, dtype, function), "STAGED", "sm_90")
        assert [d["staged"] for d in decisions] == [True], (name, decisions)
        modules = executable.mod._collect_from_import_tree(lambda _: True)
        (source,) = [m.inspect_source("cuda") for m in modules if m.kind == "cuda"]
        assert "__shared__" in source or decisions[0]["stages"][0]["scope"] == "local"


def test_dynamic_shapes_are_declined():
    rows = tirx.Var("n", "int64")
    shapes, function = [(rows, 1), (rows, 64)], REUSED["row"][1]
    _, decisions = compiled(module(shapes, "float16", function), "STAGED", "sm_90")
    assert [(d["staged"], d["reason"]) for d in decisions] == [
        (False, "its shapes are known at run time only")
    ]


def test_a_record_says_what_was_staged_and_why(tmp_path):
    record = json.loads(compile_case(tmp_path, "STAGED", "sm_90", rows=64, cols=512).read_text())
    (decision,) = record["decisions"]
    assert decision["function"] == record["functions"][0]["name"]
    assert record["functions"][0]["rule"] == "Staged"
    assert decision["stages"] == [{"shape": [64, 1], "elements_a_block": 4, "scope": "shared"}]
    assert "[64, 1] (24 operations, each element reused 512 times)" in decision["reason"]


@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_90"])
def test_machine_code(tmp_path, arch):
    """Rows of 4096 float16 are two tiles of 256 threads x 8 values; each computes its 4 rows'
    chains, so 16 exp run for 2 x 4096 elements, where ON runs them for 4096 x 4096.
    """
    compiled = compile_case(tmp_path, "STAGED", arch, depth=16, rows=4096, cols=4096)
    out = tmp_path / "audit.json"
    done = program("audit_variant.py", "--record", compiled, "--out", out)
    assert done.returncode == 0, done.stdout
    record = json.loads(out.read_text())
    (kernel,) = record["kernels"]
    assert kernel["mufu_executed"] == {"EX2": 16 * 2 * 4096}
    assert (kernel["grid"], kernel["block"]) == ([2048, 1, 1], [256, 1, 1])
    opcodes = kernel["opcodes"]
    wide = {
        kind: sum(n for o, n in opcodes.items() if o.startswith(kind) and ".128" in o)
        for kind in ("LDG", "STG")
    }
    assert wide == {"LDG": 4, "STG": 4}  # four rows a thread, 8 values = 16 bytes each
    loads = sum(n for o, n in opcodes.items() if o.startswith("LDG"))
    stores = sum(n for o, n in opcodes.items() if o.startswith("STG"))
    assert (loads, stores) == (5, 4)  # the fifth reads x
    own = 1024 if arch == "sm_90" else 0  # the driver's own bytes of a block from sm_90 on
    assert kernel["shared_bytes"] - own == 4 * 2
    assert kernel["local_bytes"] == kernel["stack_bytes"] == 0
    assert set(kernel["spills"].values()) == {0}


@pytest.mark.parametrize(
    ("extents", "axes", "itemsize", "sizes", "threads", "rows", "vector"),
    [
        # A row of 4096 halves is 512 vectors of 8: two tiles of 256 threads, 4 rows each.
        ((4096, 4096), (0,), 2, (4, 2048), 256, 4, 8),
        ((4096, 4096), (0,), 4, (4, 1024), 256, 4, 4),
        # 256 rows: with 4 a thread 128 blocks would not fill a GPU, with 1 there are 512.
        ((256, 4096), (0,), 2, (1, 2048), 256, 1, 8),
        # 1000 columns are 125 vectors: 128 threads, two rows of them.
        ((4099, 1000), (0,), 2, (8, 1024), 256, 4, 8),
        # 129 columns are odd: single elements, one row of 160 threads.
        ((4096, 129), (0,), 2, (4, 160), 160, 4, 1),
        # A value a column: narrow and high tiles.
        ((4096, 4096), (1,), 2, (128, 128), 256, 8, 8),
    ],
)
def test_tiles(extents, axes, itemsize, sizes, threads, rows, vector):
    stages = (Stage(None, (), axes, 1),)
    tile = tile_for(Graph(None, extents, len(extents) - 1, (), stages, itemsize))
    assert (tile.sizes, tile.threads, tile.rows, tile.vector) == (sizes, threads, rows, vector)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", REUSED)
def test_bits_on_the_gpu(name, dtype):
    from fusion.devices import resolve

    graph, arch = REUSED[name], resolve("cuda").arch
    staged, decisions = run(graph[0], dtype, graph[1], "STAGED", arch)
    plain, _ = run(graph[0], dtype, graph[1], "OFF", arch)
    assert decisions[0]["staged"]
    assert staged.tobytes() == plain.tobytes()
