"""What the array namespace refuses, what its Relax graphs look like, and what its sums note."""

import time

import ml_dtypes
import numpy as np
import pytest
import tvm
from tvm import relax

from fusion.errors import FusionError
from fusion.namespace_numpy import NumpyNamespace, Reduction, RoundedArray
from fusion.namespace_relax import build_graph
from fusion.targets import cpu_target
from fusion.workloads import Input

INPUTS = {
    "x": Input((2, 3), "float16"),
    "y": Input((2, 3), "float32"),
    "n": Input((2, 3), "uint8"),
    "b": Input((2, 3), "bool"),
}


def script(function, inputs=INPUTS, *, cut=False) -> str:
    return build_graph(function, inputs, cut=cut).module.script(show_meta=True)


def by_numpy(function, inputs=INPUTS):
    ones = [np.ones(i.shape, i.dtype).view(RoundedArray) for i in inputs.values()]
    return function(NumpyNamespace(), *ones)


def run(function, inputs: dict[str, Input], arrays: list[np.ndarray]):
    module = build_graph(function, inputs, cut=True).module
    vm = relax.VirtualMachine(tvm.compile(module, cpu_target()), tvm.cpu())
    return vm["main"](*(tvm.runtime.tensor(array) for array in arrays))


@pytest.mark.parametrize("read", [by_numpy, script])
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda xp, x, y, n, b: x + y, "different dtypes.*float16 and float32.*xp.astype one"),
        (lambda xp, x, y, n, b: xp.concat([x, y]), "xp.concat of arrays of different dtypes"),
        (lambda xp, x, y, n, b: x @ xp.transpose(y), "xp.matmul of arrays of different dtypes"),
        (lambda xp, x, y, n, b: xp.sigmoyd(x), "no xp.sigmoyd.*did you mean 'sigmoid'"),
        (lambda xp, x, y, n, b: xp.exp(n), "xp.exp of an array of uint8.*float16, bfloat16"),
        (lambda xp, x, y, n, b: n / 2, "xp.divide of an array of uint8"),
        (lambda xp, x, y, n, b: -n, "xp.negative of an array of uint8"),
        (lambda xp, x, y, n, b: b + b, "xp.add of an array of bool"),
        (lambda xp, x, y, n, b: xp.mean(n), "xp.mean of an array of uint8"),
        (lambda xp, x, y, n, b: x & 1, "xp.bitwise_and of an array of float16"),
        (lambda xp, x, y, n, b: n * 0.5, "uint8 and the number 0.5.*from 0 to 255"),
        (lambda xp, x, y, n, b: 256 - n, "uint8 and the number 256"),
        (lambda xp, x, y, n, b: xp.clip(n, -1, 3), "uint8 and the number -1"),
        (lambda xp, x, y, n, b: x + np.ones(3), "xp.add .*(ndarray|float16 and float64)"),
        (lambda xp, x, y, n, b: np.float32(2) * x, "Python's numbers.*found: *float32"),
        (lambda xp, x, y, n, b: xp.maximum(1, 2), "xp.maximum of numbers alone"),
        (lambda xp, x, y, n, b: xp.where(x, x, x), "condition of xp.where is no array of bool"),
        (lambda xp, x, y, n, b: xp.sum(x, axis=2), "axis=2 of an array of 2 dimensions"),
        (lambda xp, x, y, n, b: xp.max(x, axis=(0, -2)), "different axes from -2 to 1"),
        (lambda xp, x, y, n, b: xp.reshape(x, (4, -1)), r"reshape .* \(2, 3\) to \(4, -1\)"),
        (lambda xp, x, y, n, b: xp.astype(x, "float12"), "astype to float12.*did you mean"),
        (lambda xp, x, y, n, b: xp.max_pool2d(x, 2), "xp.max_pool2d .*4 dimensions, NCHW"),
        (
            lambda xp, x, y, n, b: xp.avg_pool2d(xp.reshape(x, (1, 1, 2, 3)), 2, padding=2),
            "padded by at most half a window",
        ),
        (
            lambda xp, x, y, n, b: xp.max_pool2d(xp.reshape(x, (1, 1, 2, 3)), 3),
            "a window that fits into the padded array",
        ),
    ],
)
def test_both_readings_refuse(read, function, said):
    with pytest.raises(FusionError, match=f"(?s){said}"):
        read(function)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda xp, x, y, n, b: xp.exp(xp.reshape(x, (3, 2)) + x), r"TVM refuses xp.add of shape"),
        (lambda xp, x, y, n, b: x.T, r"an array has no .T"),
        (lambda xp, x, y, n, b: x.sum(), "do: +xp.sum"),
        (lambda xp, x, y, n, b: x[0], "cannot be indexed"),
        (lambda xp, x, y, n, b: x if x > 0 else y, "a branch on an array's values"),
        (lambda xp, x, y, n, b: xp.tuple(x, 1), "xp.tuple takes the workload's arrays"),
        (lambda xp, x, y, n, b: 3, "the workload's result is no array"),
        (lambda xp, x, y, n, b: (x, None), "the workload's result is no array"),
    ],
)
def test_the_relax_reading_refuses(function, said):
    with pytest.raises(FusionError, match=f"(?s){said}"):
        script(function)
    # A graph that failed leaves nothing behind on which the next could stumble.
    assert "R.exp(y)" in script(lambda xp, x, y, n, b: xp.exp(y))


def test_after_a_cut_only_what_went_through_it_may_be_used():
    def crossing(xp, x, y, n, b):
        early = x + 1
        late, other = xp.cut(x * 2, y * 2)
        return late + early if early.shape == other.shape else late

    for function in (crossing, lambda xp, x, y, n, b: [t := xp.tuple(x, x), xp.cut(x), t[0]][2]):
        with pytest.raises(FusionError, match="uses an array from before a cut"):
            build_graph(function, INPUTS, cut=True)
        assert build_graph(function, INPUTS, cut=False).cuts == 1


def test_cuts_are_counted_and_end_blocks_where_they_are_meant():
    def function(xp, x, y, n, b):
        z, w = xp.cut(x + 1, y + 1)
        z = xp.cut(z * 2)
        return z, w, x

    # TVM's printer, or its block builder, shows the blocks as one with the outputs of all.
    for cut, outputs in ((True, "gv, gv1, gv2, gv3, gv4, gv5"), (False, "gv, gv1, gv2")):
        graph = build_graph(function, INPUTS, cut=cut)
        assert graph.cuts == 2
        assert f"R.output({outputs})" in graph.module.script()
    assert build_graph(lambda xp, x, y, n, b: x, INPUTS, cut=True).cuts == 0


def test_a_nested_tuple_is_one_in_the_graph_with_its_projections():
    found = script(lambda xp, x, y, n, b: xp.tuple(xp.tuple(x, x), y)[0][1])
    bindings = [line.split(" = ")[1] for line in found.splitlines() if " = " in line]
    assert bindings == ["x, x", "lv, y", "lv1[0]", "lv2[1]", "lv3"]
    assert found.rstrip().endswith("return gv")


def test_each_operator_binds_one_variable_in_the_order_of_evaluation():
    found = script(lambda xp, x, y, n, b: xp.exp(x - 0.5 * x) + x.shape[1])
    operators = [line.split("R.")[-1].split("(")[0] for line in found.splitlines() if "lv" in line]
    assert operators[:4] == ["const", "subtract", "exp", "const"]
    assert found.count("float32") == 1  # y: no number has made anything of another dtype


def test_a_bare_array_stays_a_tensor_and_tuples_become_tuples():
    def returned(function) -> str:
        return script(function).split("-> ")[1].split(":\n")[0]

    tensor = 'R.Tensor((2, 3), dtype="float16")'
    assert returned(lambda xp, x, y, n, b: x + 1) == tensor
    for made in (lambda xp, x: (x,), lambda xp, x: xp.tuple(x)):
        assert returned(lambda xp, x, y, n, b, made=made: made(xp, x + 1)) == f"R.Tuple({tensor})"


def test_inputs_tuples_and_cut_arrays_can_be_outputs():
    inputs = {"x": Input((2, 3), "float32")}
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def plain(xp, x):
        z = xp.cut(x + 1)
        return z, x, x, z * 2

    found = [output.numpy() for output in run(plain, inputs, [x])]
    for given, wanted in zip(found, [x + 1, x, x, 2 * x + 2], strict=True):
        assert np.array_equal(given, wanted)
    for function in (lambda xp, x: xp.tuple(x, -x), lambda xp, x: tuple(xp.tuple(x, -x))):
        first, second = (output.numpy() for output in run(function, inputs, [x]))
        assert np.array_equal(first, x) and np.array_equal(second, -x)
    assert np.array_equal(run(lambda xp, x: x, inputs, [x]).numpy(), x)


def test_numpy_operators_keep_the_dtype_and_leave_their_operands_alone():
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32):
        x = np.ones((2, 2), dtype).view(RoundedArray)
        z = x
        z += 1
        z **= 2
        assert np.asarray(x).tolist() == [[1, 1], [1, 1]] and np.asarray(z).tolist() == [[4, 4]] * 2
        for result in (z, 0.1 * x, x @ x, NumpyNamespace().sum(x), NumpyNamespace().sum(x) * 0.1):
            assert isinstance(result, RoundedArray) and result.dtype == dtype
        assert NumpyNamespace().astype(x, "int32").dtype == np.int32


def test_sums_note_their_length_and_magnitude():
    xp = NumpyNamespace()
    x = np.array([[3, -4], [6, 8]], np.float16).view(RoundedArray)
    image = np.ones((1, 2, 3, 3), np.float32).view(RoundedArray)
    xp.sum(x, axis=1)
    xp.mean(x)
    xp.prod(x, axis=0)
    _ = x @ x
    xp.conv2d(image, image[:, :, :2, :2].view(RoundedArray))
    xp.avg_pool2d(image, 3, stride=1, padding=1)
    xp.max_pool2d(image, 3)
    xp.max(x)
    xp.sum(np.ones(3, np.int32).view(RoundedArray))
    assert xp.reductions == [
        Reduction("sum", 2, "float16", 14 + 10),
        Reduction("mean", 4, "float16", (13 + np.sqrt(125)) / 4),
        Reduction("prod", 2, "float16", 32),
        Reduction("matmul", 2, "float16", 66 + np.sqrt(18**2 + 48**2)),
        Reduction("conv2d", 8, "float32", 8 + np.sqrt(8)),
        Reduction("avg_pool2d", 9, "float32", (9 + 3) / 9),
    ]
    assert NumpyNamespace().reductions == []


def test_the_reference_is_fast():
    """1024 x 1024: under a second of the processor each, the convolution included."""
    xp = NumpyNamespace()
    x = np.random.default_rng(0).uniform(-1, 1, (1024, 1024)).astype(np.float16)
    x = x.view(RoundedArray)
    whole = xp.astype(x * 100, "int8")
    image = xp.reshape(x, (1, 64, 128, 128))
    kernels = xp.reshape(x.ravel()[: 64 * 64 * 9], (64, 64, 3, 3))
    for call in (
        lambda: xp.exp(x),
        lambda: x * x,
        lambda: x @ x,
        lambda: whole @ whole,
        lambda: xp.mean(x, axis=0),
        lambda: xp.conv2d(image, kernels, padding=1),
        lambda: xp.avg_pool2d(image, 3),
    ):
        begun = time.process_time()
        call()
        assert time.process_time() - begun < 2
