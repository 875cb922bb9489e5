"""The workload of an issue: its formula, its shapes, and the very source that was compiled."""

import ast
import inspect
import textwrap
import types
from pathlib import Path

from .cases import from_record
from .errors import FusionError
from .issue_markdown import Room, cell, code_span, span
from .records import sha256
from .workloads import WORKLOADS

LANGUAGES = {".py": "python", ".json": "json"}


def lines(summary: dict, compiled: list[dict], room: Room) -> list[str]:
    """Of each workload what it is and its source; then every case's inputs and outputs."""
    cases = [case["case"] for case in summary["cases"]]
    found = []
    for case in {case["workload"]: case for case in cases}.values():
        found += _source(case, room)
    rows = [_shapes(case, compiled) for case in cases]
    low, high = (summary["protocol"].get(bound) for bound in ("low", "high"))
    if low is not None:
        found += [
            f"Inputs are drawn uniformly from [{low:g}, {high:g}), unless a range stands beside "
            f"them, with fixed seeds (timing: {summary['protocol']['seed']}).",
            "",
        ]
    return found + room.table(rows, "compile/<case>/<variant>/record.json")


def _source(case: dict, room: Room) -> list[str]:
    if "file" in case:
        return _file(case, room)
    workload = WORKLOADS[case["workload"]]
    text = function_source(workload.function)
    return [
        f"`{workload.name}`: {span(workload.summary)}. It is built in; this is its function over "
        "an array namespace `xp` (`xp.cut` marks where PARTIAL cuts, else it is the identity):",
        "",
        *room.listing(text, "python"),
        f"SHA-256 of that text: `{sha256(text.encode())}`.",
        "",
    ]


def _file(case: dict, room: Room) -> list[str]:
    """A user's file as it stands, if it still is the one that was compiled."""
    path, wanted = Path(case["file"]["path"]), case["file"]["sha256"]
    said = f"{span(case['workload'])}, from the file {code_span(path.name)}, SHA-256 `{wanted}`"
    try:
        data = path.read_bytes()
    except OSError:
        return [f"{said}. The file is not kept here.", ""]
    if sha256(data) != wanted:
        return [f"{said}. The file has changed since, so its text is left out.", ""]
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return [f"{said}, {len(data):,} bytes, which are no text. Attach it.", ""]
    return [f"{said}:", "", *room.listing(text, LANGUAGES.get(path.suffix, "")), ""]


def function_source(function: types.FunctionType) -> str:
    """The source of a function, after that of the functions that it takes from around it."""
    around = inspect.getclosurevars(function).nonlocals
    parts = []
    for name, value in around.items():
        if inspect.isfunction(value):
            words = textwrap.dedent(inspect.getsource(value)).strip()
            parts.append(f"{name} = {_lambda(words)}" if value.__name__ == "<lambda>" else words)
    own = textwrap.dedent(inspect.getsource(function)).rstrip()
    return "\n".join([*parts, *([""] if parts else []), own])


def _lambda(line: str) -> str:
    """The lambda alone, of a line of the call that it stands in."""
    text = line[line.index("lambda") :]
    for end in range(len(text), 0, -1):
        try:
            tree = ast.parse(text[:end], mode="eval").body
        except SyntaxError:
            continue
        # What follows the lambda in a call parses too, as a tuple: the first item is meant.
        first = tree.elts[0] if isinstance(tree, ast.Tuple) else tree
        return ast.get_source_segment(text[:end], first) or text[:end]
    return text


def _shapes(case: dict, compiled: list[dict]) -> dict:
    """A row: the case, its inputs with their shapes and dtypes, and what comes out."""
    found = next((r for r in compiled if r["case"]["name"] == case["name"] and "signature" in r), 0)
    row = {"case": cell(case["name"])}
    if found:
        signature = found["signature"]
        row["inputs"] = ", ".join(map(_input, signature["inputs"]))
        return row | {"outputs": ", ".join(map(_tensor, signature["outputs"]))}
    try:
        inputs = {} if "file" in case else from_record(case).inputs
    except FusionError:
        inputs = {}
    given = [{"name": n, "shape": i.shape, "dtype": i.dtype} for n, i in inputs.items()]
    return row | {"inputs": ", ".join(map(_input, given)) or "not kept here"}


def _input(given: dict) -> str:
    bounds = ""
    if given.get("low") is not None:
        bounds = f" in [{given['low']:g}, {given['high']:g})"
    return f"{cell(given['name'])} {_tensor(given)}{bounds}"


def _tensor(given: dict) -> str:
    return f"[{', '.join(map(str, given['shape']))}] {given['dtype']}"
