"""A script of TVM alone that builds and times OFF, PARTIAL and ON of one case, for a report.

Only for built-in functions of elementwise operators that Relax has under the same names and that
return one array: a few lines make their graph. For anything else there is no script, and none for a
file that a record names: it would have to be run, and a record can run nothing.
"""

import ast
import types

from .cases import Case, from_record
from .entries import toolchain_of
from .errors import FusionError
from .issue_workload import function_source

# TVM has code for these in every dtype of a case.
ELEMENTWISE = {"exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "erf", "sin", "cos", "abs"}
SCRIPT = """\
from types import SimpleNamespace

import numpy as np
import tvm
from tvm import relax

DTYPE, SIZES = "{dtype}", {sizes}
INPUTS = {inputs}
TARGET, DEVICE = tvm.target.Target({target}), {device}
const = lambda value: relax.const(value, DTYPE)
{source}

def cut(z):  # PARTIAL ends its first dataflow block here
    if variant == "PARTIAL":
        z = bb.emit_output(z)
        block.__exit__(None, None, None)
        block.__enter__()
    return z

xp = SimpleNamespace(**vars(relax.op), cut=cut)
draw = np.random.default_rng(0).uniform
data = [tvm.runtime.tensor(draw({low}, {high}, s).astype(DTYPE), DEVICE) for s in INPUTS.values()]
for variant in {variants}:
    bb = relax.BlockBuilder()
    args = [relax.Var(name, relax.TensorType(s, DTYPE)) for name, s in INPUTS.items()]
    with bb.function("main", args):
        with (block := bb.dataflow()):
            y = bb.emit_output({function}(xp, *args, **SIZES))
        bb.emit_func_output(y)
    off = ["FuseOps", "FuseTIR"] if variant == "OFF" else []
    with tvm.transform.PassContext(disabled_pass=off):
        vm = relax.VirtualMachine(tvm.compile(bb.get(), TARGET), DEVICE)
    vm.set_input("main", *data)
    time = vm.time_evaluator("invoke_stateful", DEVICE, number=10, repeat=20, min_repeat_ms=50)
    print(variant, time("main").median * 1e6, "us")
"""


def script(summary: dict, record: dict) -> str | None:
    """The script for the case of a record; None where there can be none."""
    if "file" in record:
        return None
    try:
        case = from_record(record)
        if case.definition.kind != "function" or any(map(toolchain_of, summary["variants"])):
            return None
        source = _source(case.definition.function)
        cuts = _cuts(case)
    except (FusionError, OSError, TypeError, ValueError, NameError, AttributeError):
        return None
    gpu = summary["device"]["kind"] == "cuda"
    return SCRIPT.format(
        source=source,
        dtype=case.dtype,
        sizes=_plain(dict(case.sizes)),
        inputs=_plain({name: given.shape for name, given in case.inputs.items()}),
        target=_plain({"kind": "cuda", "arch": summary["arch"]} if gpu else {"kind": "llvm"}),
        device="tvm.cuda()" if gpu else "tvm.cpu()",
        low=summary["protocol"]["low"],
        high=summary["protocol"]["high"],
        variants=_plain(("OFF", "PARTIAL", "ON") if cuts else ("OFF", "ON")),
        function=case.definition.function.__name__,
    )


def _plain(value) -> str:
    return repr(value).replace("'", '"')


def _source(function: types.FunctionType) -> str:
    """The function's source, in which numbers beside arrays are constants of Relax."""
    return ast.unparse(_Constants().visit(ast.parse(function_source(function))))


class _Constants(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.BinOp:
        self.generic_visit(node)
        node.left, node.right = (_constant(side) for side in (node.left, node.right))
        return node


def _constant(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return ast.Call(ast.Name("const", ast.Load()), [node], [])
    return node


def _cuts(case: Case) -> int:
    """How often the function cuts. An error of some kind if the script could not run it."""
    for given in case.inputs.values():
        if given.dtype != case.dtype or given.low is not None:
            raise ValueError("an input with a dtype or a range of its own")
    namespace = _Names()
    arrays = [_Value() for _ in case.inputs]
    result = case.definition.function(namespace, *arrays, **dict(case.sizes))
    if not isinstance(result, _Value):
        raise ValueError("not one array")
    return namespace.cuts


class _Value:
    """Stands for an array: takes the four operators with arrays and numbers, and nothing else."""

    def _operate(self, other):
        if not isinstance(other, _Value | int | float):
            raise TypeError(type(other).__name__)
        return _Value()

    __add__ = __sub__ = __mul__ = __truediv__ = _operate
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = _operate


class _Names:
    """Stands for the array namespace, with the functions that the script has."""

    def __init__(self):
        self.cuts = 0

    def cut(self, value: _Value) -> _Value:
        self.cuts += 1
        return value

    def __getattr__(self, name: str):
        if name not in ELEMENTWISE:
            raise AttributeError(name)
        return lambda value: value._operate(value)
