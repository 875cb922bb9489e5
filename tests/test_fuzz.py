"""Configurations that nobody meant: each gives a plan, or one message that names the key."""

import contextlib
import copy
import os
import random

import pytest
import yaml
from conftest import ROOT, snakemake
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fusion.errors import FusionError
from fusion.planning import plan

DEFAULT = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
STEADY = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def places(config: dict, above: tuple = ()) -> list[tuple]:
    """The path of every key, sections before what is in them."""
    found = []
    for key, value in config.items():
        found.append((*above, key))
        found += places(value, (*above, key)) if isinstance(value, dict) else []
    return found


PLACES = [*places(DEFAULT), ("cases", "depth"), ("cases", "dtype"), ("llvm", "cases")]
# As YAML reads them; the words after ! and & are in the files of the second half.
ODD_YAML = [
    "2024-01-01",
    "2001-12-14t21:59:43.10-05:00",
    "0o17",
    "017",
    "0x1F",
    "1_000",
    "190:20:30",
    "1e3",
    "-1e-05",
    ".inf",
    "-.inf",
    ".nan",
    "~",
    "yes",
    "off",
    "ON",
    "!!binary aGVsbG8=",
    "!!set {a, b}",
    "!!omap [a: 1]",
    "{1: 2}",
    "{null: 1}",
    "{true: [x]}",
    "[[[[[[[[[[[[]]]]]]]]]]]]",
    "&a [*a]",
    "&b {x: *b}",
    '"\\0"',
    '"\\ud800"',
    '"a\\nb"',
]
SIZES = ("depth", "rows")
ODD_TEXT = [
    "",
    " ",
    "-x",
    "@x",
    "a/b.py",
    "../../etc/passwd",
    "/dev/null",
    "/dev/zero/x",
    "/",
    ".",
    "~",
    "{x}",
    "<results>",
    "$(touch pwned)",
    "`touch pwned`",
    "a'b\"c",
    "ünïcödé",
    "日本語",
    "\u202eabc",
    "x" * 300,
    "x/" * 3000,
    "sm_٩٠",
    "sm_9",
    "ON/OFF",
    "nowhere.onnx",
    "nowhere.json",
    "http://x/y.py",
]
NUMBERS = [0, -1, 5.0, 1.5, 2**31, 2**63, 10**30, 1e308, 5e-324, True, False]
simple = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(ODD_TEXT),
    st.sampled_from(NUMBERS),
    st.integers(4300, 4400).map(lambda digits: 10**digits),  # more than Python puts into words
    st.sampled_from(ODD_YAML).map(yaml.safe_load),
)
values = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.text(max_size=6), st.integers()), inner, max_size=3),
    ),
    max_leaves=6,
)
names = st.one_of(st.text(max_size=8), st.integers(), st.none(), st.sampled_from(ODD_TEXT))
changes = st.tuples(
    st.sampled_from(PLACES), st.sampled_from(["set", "set", "set", "delete", "rename", "add"])
)


def changed(config: dict, path: tuple, how: str, name, value) -> tuple[dict, list[str]]:
    """A changed configuration, and the words of which its message must have one."""
    config = copy.deepcopy(config)
    *parents, key = path
    place = config
    for parent in parents:
        place = place[parent] if isinstance(place, dict) and parent in place else {}
    words = list(path)
    if how == "set":
        place[key] = value
    elif how == "delete":
        place.pop(key, None)
    else:
        place[name] = value if how == "add" else place.pop(key, None)
        words.append(repr(name[:40])[1:-1] if isinstance(name, str) else str(name))
    return config, words


def answer(config: dict) -> str | None:
    """What is said where there is no plan; the environment stays as it is."""
    before = dict(os.environ)
    try:
        made = plan(config)
    except FusionError as error:
        return str(error)
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert made.cases and len(made.variants) > 1 and made.figures
    words = [*made.protocol, *made.passing, *made.judging, *made.inputs, *made.tolerance]
    words += [word for case in made.cases.values() for word in case.arguments()]
    assert all(isinstance(word, str) and word for word in words)
    return None


@pytest.mark.parametrize("device", ["llvm", "sm_90"])
@STEADY
@given(change=changes, name=names, value=values)
@example(change=(("timing", "trials"), "set"), name="", value=5.0)
@example(change=(("inputs", "low"), "set"), name="", value=float("nan"))
@example(change=(("gpu", "busy"), "set"), name="", value=":")
@example(change=(("gpu", "lock_folder"), "set"), name="", value="9" * 5000)
@example(change=(("toolchains",), "set"), name="", value={"torch": "a", "jax": "b", 26: "c"})
@example(
    change=(("cases",), "set"), name="", value={k: [*range(1, 150)] for k in ("depth", "rows")}
)
def test_a_changed_configuration_gives_a_plan_or_a_message_that_names_the_key(
    device, change, name, value
):
    config, words = changed({**DEFAULT, "device": device}, *change, name, value)
    said = answer(config)
    if said is not None:
        assert any(word in said for word in words), said
        assert len(said) < 2000


@STEADY
@given(changed_twice=st.lists(st.tuples(changes, names, values), min_size=2, max_size=4))
def test_several_changes_at_once_give_a_plan_or_one_of_their_keys(changed_twice):
    config, words = DEFAULT, []
    for change, name, value in changed_twice:
        with contextlib.suppress(TypeError, AttributeError):  # an earlier one has taken its place
            config, more = changed(config, *change, name, value)
            words += more
    said = answer(config)
    if said is not None:
        assert any(word in said for word in words), said


def test_the_default_is_a_plan():
    for device in ("llvm", "sm_90"):
        assert answer({**DEFAULT, "device": device}) is None


# Files as Snakemake is given them, and what it or the pipeline says.
FILES = {
    "syntax": ("timing: [1, 2\n  : {", "not valid JSON or YAML"),
    "list": ("- a\n- b\n", "with keys at top level"),
    "empty": ("", "with keys at top level"),
    "command": ('experiment: !!python/object/apply:os.system ["touch pwned"]', "not valid JSON"),
    "function": ("experiment: !!python/name:os.system", "the tag !!python/name:os.system"),
    "template": ("__use_yte__: true\nexperiment: x\n", "data and no template"),
    "twice": ("timing: {trials: 5}\ntiming: {trials: 6}\n", "'timing' a second time"),
    "null byte": ('results: "\\0a"', "'results'"),
    "braces": ("results: 'a{params.x}'", "'results'"),
    "laugh": (
        "a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
        "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c]\n"
        "cases: [*d, *d, *d, *d]",
        "at most 20000 values",
    ),
}
# Snakemake reads files before any of the pipeline's code, and ends with a trace of its own here.
READ_BY_SNAKEMAKE = {
    "binary": (b"\xff\xfe\x00\x80" * 90, "UnicodeDecodeError"),
    "cycle": (b"cases: &a {x: *a}", "RecursionError"),
    "missing": (None, "missing.yaml"),
}


@pytest.fixture(scope="module")
def folder(make_checkout):
    return make_checkout("fuzz")


@pytest.mark.parametrize("name", FILES)
def test_snakemake_answers_a_bad_file_with_one_message(folder, name):
    text, wanted = FILES[name]
    (folder / "bad.yaml").write_text(text)
    ran = snakemake("-n", "--configfile", "bad.yaml", cwd=folder)
    assert ran.returncode == 1 and wanted in ran.stdout, ran.stdout
    assert "Traceback" not in ran.stdout and "Job stats" not in ran.stdout
    assert not list(folder.rglob("pwned*"))


@pytest.mark.parametrize("name", READ_BY_SNAKEMAKE)
def test_a_file_that_snakemake_cannot_read_ends_the_run_before_anything(folder, name):
    data, wanted = READ_BY_SNAKEMAKE[name]
    if data is not None:
        (folder / f"{name}.yaml").write_bytes(data)
    ran = snakemake("-n", "--configfile", f"{name}.yaml", cwd=folder)
    assert ran.returncode == 1 and wanted in ran.stdout, ran.stdout
    assert "Job stats" not in ran.stdout and not (folder / "results").exists()


@pytest.mark.parametrize("seed", range(2))
def test_snakemake_answers_a_changed_default_as_the_plan_does(folder, seed):
    """The same mutations as above, of which the answer is compared with the plan's."""
    chosen = random.Random(seed)
    path, how = chosen.choice(PLACES[20:]), chosen.choice(["set", "rename", "add"])
    value = chosen.choice([None, -1, 5.0, [], {}, "x", [[1]], {"a": {"b": 2}}])
    config, words = changed({**DEFAULT, "device": "llvm"}, path, how, "odd", value)
    (folder / "config" / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    said = answer(config)
    ran = snakemake("-n", cwd=folder)
    assert ran.returncode == (said is not None), ran.stdout
    assert "Traceback" not in ran.stdout
    if said is not None:
        assert said.splitlines()[0] in ran.stdout and any(word in said for word in words)
