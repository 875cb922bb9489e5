"""A configuration file as it lies on the disk: data, each key once. Told without loading it."""

from collections.abc import Iterator
from pathlib import Path

import yaml

from .errors import FusionError

TEMPLATE = "__use_yte__"  # lets Snakemake evaluate a file as a template, with Python in it
PYTHON = "tag:yaml.org,2002:python/"


def require_data(path: Path | str) -> None:
    """Raise a FusionError if a YAML file asks for code, or holds a key twice (the last would win).

    Snakemake has read the file by then, and evaluated a template; nothing else has been done.
    """
    try:
        top = yaml.compose(Path(path).read_text(), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise FusionError(f"{path} cannot be read", found=" ".join(str(error).split())) from None
    for node in _nodes(top):
        if node.tag.startswith(PYTHON):
            raise _wrong(path, node, "data", f"the tag !!{node.tag[len(PYTHON) - 7 :]}")
        keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
        known = set()
        for key in keys:
            if key.value == TEMPLATE:
                raise _wrong(path, key, "data and no template", TEMPLATE)
            if isinstance(key, yaml.ScalarNode) and key.value in known:
                raise _wrong(path, key, "each key once", f"{key.value!r} a second time")
            known.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))


def _nodes(top: yaml.Node | None) -> Iterator[yaml.Node]:
    """Every node once, though anchors may lead to it many times."""
    todo, seen = [top] if top else [], set()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            todo += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            todo += node.value


def _wrong(path: Path | str, node: yaml.Node, expected: str, found: str) -> FusionError:
    return FusionError(
        f"{path}, line {node.start_mark.line + 1}, is not as a configuration must be",
        expected=expected,
        found=found,
    )
