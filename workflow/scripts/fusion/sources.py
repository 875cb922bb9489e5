"""Which modules of this package a program uses, so that a rule runs again when one changes.

Snakemake reruns a rule when its inputs or parameters change; a helper module that is only imported
is neither unless it is named. Standard library only: this runs whenever a workflow is read.
"""

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# A line that begins as an import does, to the end of its parentheses if it has any.
IMPORT = re.compile(r"^[ \t]*((?:from|import) [^\n(]*(?:\([^)]*\))?)", re.MULTILINE)


def modules(program: Path) -> list[Path]:
    """Every module beside the program that it imports, directly or not, wherever in the file."""
    folder = program.parent
    found: list[Path] = []
    todo = [program]
    while todo:
        path = todo.pop()
        if path not in found:
            found.append(path)
            todo += _imported(path, folder)
    return sorted(set(found) - {program})


def digest(programs: list[Path]) -> str:
    """SHA-256 of the contents of programs and of all modules beside them that they import."""
    files = {path for program in programs for path in [program, *modules(program)]}
    found = hashlib.sha256()
    for path in sorted(files):
        found.update(path.relative_to(programs[0].parent).as_posix().encode() + b"\0")
        found.update(path.read_bytes() + b"\0")
    return found.hexdigest()


@cache
def _imported(path: Path, folder: Path) -> list[Path]:
    names: set[tuple[str, ...]] = set()
    package = path.relative_to(folder).parts[:-1]
    for node in _imports(path.read_text()):
        if isinstance(node, ast.Import):
            names |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = (*above, *(node.module.split(".") if node.module else ()))
            names |= {base} | {(*base, alias.name) for alias in node.names}
    files = []
    for name in names:
        for length in range(1, len(name) + 1):
            stem = folder.joinpath(*name[:length])
            files += [f for f in (stem.with_suffix(".py"), stem / "__init__.py") if f.is_file()]
    return files


def _imports(text: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements. To parse those alone takes a tenth of what the whole text would."""
    for found in IMPORT.findall(text):
        try:
            yield from ast.parse(found).body
        except SyntaxError:  # words of a docstring
            continue
