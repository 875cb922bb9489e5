"""A whole graph from a file: a Relax module or an ONNX model. Told from workloads without TVM."""

import ast
import re
from functools import cache
from pathlib import Path

from ..errors import FusionError
from ._base import Workload

RELAX, ONNX = "relax", "onnx"


def kind_of(path: str) -> str | None:
    """relax for a TVMScript file or a saved JSON module, onnx, or None for a function's file.

    A Python file that imports TVM, or has a class with @I.ir_module, is TVMScript: a workload's
    file never does.
    """
    suffix = Path(path).suffix
    if suffix == ".onnx":
        return ONNX
    if suffix == ".json":
        return RELAX
    try:
        tree = ast.parse(Path(path).read_text())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # what reads it says what is wrong
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and "ir_module" in map(_name, node.decorator_list):
            return RELAX
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.split(".")[0] == "tvm" for name in names):
            return RELAX
    return None


def _name(decorator: ast.expr) -> str:
    return ast.unparse(decorator).rpartition(".")[2]


@cache
def read_model(path: str, kind: str) -> Workload:
    """The facts of a model's file; its inputs are known once TVM has read it."""
    if not Path(path).is_file():
        raise FusionError(
            f"no workload at {path}",
            expected="a file; a relative path starts at the folder that Snakemake runs in",
            found="no such file",
        )
    words = {RELAX: "Relax module", ONNX: "ONNX model"}[kind]
    name = Path(path).stem
    if not re.fullmatch(r"\w[\w .+-]*", name):
        raise FusionError(
            f"the workload {path} has a name that no folder gets",
            expected="letters, digits, spaces, dots, dashes and underscores",
            found=repr(name),
            do="rename the file",
        )
    return Workload(name, f"the {words} {Path(path).name}", None, None, {}, kind=kind)
