"""Configurations, records and names from elsewhere run nothing, and are shown as they are."""

import ast
import re

import pandas as pd
import pytest
import yaml
from conftest import ROOT, program, snakemake
from test_rates_record import write as write_rates
from test_summary import blocks, write_trial

from fusion import records, summary_text, tables
from fusion.errors import FusionError

# The two places where a workload's file is run, which is code and which the README calls code.
RUN_WORKLOADS = {"workloads/_files.py": {"exec", "compile"}, "graphs.py": {"exec", "compile"}}
NEVER = {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "runpy", "code"}
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
METHODS = {("os", "system"), ("os", "popen"), ("yaml", "load"), ("yaml", "unsafe_load")}
METHODS |= {("yaml", "full_load"), ("np", "fromfile"), ("pd", "read_pickle"), ("pd", "eval")}
HOSTILE = "a b $(touch pwned) ; touch pwned & `touch pwned` 'q' \"d\" %s *"


def unsafe(tree: ast.AST) -> set[str]:
    """Calls and imports by which data could become code."""
    found = set()
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found |= {n for n in names if n.split(".")[0] in NEVER}
        if not isinstance(node, ast.Call):
            continue
        words = {k.arg: getattr(k.value, "value", None) for k in node.keywords}
        found |= {k for k in ("shell", "allow_pickle") if words.get(k)}
        function = node.func
        if isinstance(function, ast.Name) and function.id in CALLS:
            found.add(function.id)
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            pair = function.value.id, function.attr
            found |= {".".join(pair)} if pair in METHODS else set()
    return found


def test_no_program_makes_code_of_data():
    fusion = ROOT / "workflow" / "scripts" / "fusion"
    paths = list((ROOT / "workflow").rglob("*.py"))
    found = {p: unsafe(ast.parse(p.read_text())) for p in paths}
    allowed = {fusion / name: calls for name, calls in RUN_WORKLOADS.items()}
    assert {p: calls for p, calls in found.items() if calls} == allowed
    assert len(paths) > 100
    assert unsafe(ast.parse("import pickle; run('x', shell=True); eval('1')")) == {
        "pickle",
        "shell",
        "eval",
    }


def test_every_word_of_every_command_is_quoted():
    seen = 0
    for path in (ROOT / "workflow").rglob("*.smk"):
        text = path.read_text()
        assert not re.search(r"\b(eval|exec|os\.system)\(", text), path
        for block in re.findall(r"\n    shell:\n((?: {8}.*\n)+)", text):
            fields = re.findall(r"(?<!\{)\{([^{}]+)\}", block)
            assert all(f.endswith(":q") for f in fields), f"{path.name}: {fields}"
            seen += len(fields)
    assert seen > 50


@pytest.fixture(scope="module")
def hostile(make_checkout, tmp_path_factory):
    """A run in which every path is hostile and allowed; the checkout and the results folder."""
    here = tmp_path_factory.mktemp("hostile") / HOSTILE
    here.mkdir()
    workload = here / "scale.py"
    workload.write_text(
        'inputs = {"x": ("rows", "cols")}\n'
        'defaults = {"rows": 8, "cols": 4, "dtype": "float32"}\n'
        "def scale(xp, x, **sizes):\n    return xp.exp(x) * 2\n"
    )
    write_rates(here / "rates.json", "llvm")
    (here / "python3").write_text('#!/bin/sh\nexec python3 "$@"\n')
    (here / "python3").chmod(0o755)
    folder = make_checkout(
        "hostile",
        results=str(here / "results"),
        gpu={"lock_folder": str(here / "locks")},
        workload=str(workload),
        rates=str(here / "rates.json"),
        toolchains={"torch": "python3", "jax": "python3", "own": str(here / "python3")},
        llvm={
            "cases": {},
            "variants": ["ON", "SPLIT"],
            "control": "none",
            "timing": {"trials": 1, "blocks": 2, "number": 2, "repeat": 2, "min_repeat_ms": 1}
            | {"warmup_calls": 2, "warmup_seconds": 0.01},
            "inputs": {"low": -1e-05},
        },
    )
    ran = snakemake("--configfile", "tiny.yaml", "--", "figures", "rebuild", "audit", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    return folder, here / "results"


def test_a_run_among_hostile_names_runs_right_and_runs_nothing_else(hostile):
    folder, results = hostile
    out = results / "tiny" / "llvm"
    assert list((out / "figures").rglob("*.png")) and (out / "tables" / "audit.md").exists()
    (trial,) = out.glob("time/*/trial-1.json")
    record = records.read(trial, "time")
    assert record["protocol"]["low"] == -1e-05
    assert record["case"]["file"]["path"] == str(results.parent / "scale.py")
    assert not list(folder.rglob("pwned*")) and not list(results.parent.parent.rglob("pwned*"))


def test_runs_in_hostile_folders_are_compared(hostile):
    folder, results = hostile
    one = results / "tiny" / "llvm"
    body = records.read(one / "tables" / "summary.json", "summary")
    other = results / "other $(touch pwned)"
    records.write(other / "tables" / "summary.json", "summary", {**body, "experiment": "other"})
    settings = yaml.safe_load((folder / "tiny.yaml").read_text())
    settings["compare"] = [str(one), str(other)]
    (folder / "compare.yaml").write_text(yaml.safe_dump(settings))
    ran = snakemake("--configfile", "compare.yaml", "--", "compare", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    assert list((results / "compare").rglob("comparison.md"))
    assert not list(folder.rglob("pwned*"))


REFUSED = {
    "results": ["{params.x}", "<results>", "-x", "@file", "a\nb", "a\0b"],
    "experiment": ["$(touch pwned)", "; touch pwned;", "a b", "-x", "x\n", "{params.x}", "../x"],
    "rates": ["{x}", "@file", "$(touch pwned)"],
    "workload": ["$(touch pwned)", "`touch pwned`.py", "-x.onnx", "a{b}.json", "@x.py"],
    "gpu.lock_folder": ["$(touch pwned)", "-x", "/tmp/{x}"],
    "gpu.busy": ["; touch pwned;"],
    "device": ["$(touch pwned)", "sm_90; touch pwned"],
    "control": ["ON; touch pwned"],
    "floor": ["`touch pwned`"],
    "variants": [["ON", "$(touch pwned)"]],
    "peers": [["XLA; touch pwned"]],
    "cases": [{"$(touch pwned)": 1}, {"depth": "$(touch pwned)"}, {"dtype": "`touch pwned`"}],
    "compare": [["{x}", "b"], ["-x", "b"]],
    "timing.precision_pairs": [["ON/OFF; touch pwned"]],
    "toolchains.own": ["-x", "@x", {"requirements": "$(touch pwned)"}],
    "toolchains.a;b": ["python3"],
}


@pytest.mark.parametrize("key", REFUSED)
def test_what_cannot_be_meant_is_refused_with_its_key(key):
    from fusion.planning import plan

    default = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    default["device"] = "sm_90"
    section, _, name = key.rpartition(".")
    for value in REFUSED[key]:
        place = default[section] if section else default
        kept, place[name] = place.get(name), value
        with pytest.raises(FusionError) as error:
            plan(default)
        said = str(error.value)
        own = ("size '$(touch", "dtype '`touch") if name == "cases" else ()  # the inner key
        assert any(word in said for word in (name.rstrip("s"), *own)), said
        place[name] = kept
        if kept is None:
            del place[name]
    assert not list(ROOT.glob("pwned*"))


def test_snakemake_refuses_on_the_command_line_too(hostile):
    words = ["experiment=$(touch pwned)", "results={params.x}", "workload=`touch pwned`"]
    for word in words:
        ran = snakemake("-n", "--config", word, cwd=hostile[0])
        assert ran.returncode == 1 and word.partition("=")[0] in ran.stdout
        assert "Traceback" not in ran.stdout
    assert not list(hostile[0].rglob("pwned*"))


MARKUP = ["<script>alert(1)</script>", "a|b", "`touch pwned`", "$\\frac{1}{0}$", "a\nb", "\x1b[31m"]


@pytest.mark.parametrize("word", MARKUP)
@pytest.mark.parametrize("place", ["variant", "case", "toolchain", "device", "environment"])
def test_a_record_with_markup_in_its_names_is_refused(tmp_path, place, word):
    """Written with its right digest: only its text is wrong."""
    samples = blocks(100, 80, 120)
    changes = {
        "variant": {"variants": ["OFF", "PARTIAL", word]},
        "case": {"case": {"name": word, "workload": "exp_chain_add", "sizes": {}, "dtype": "x"}},
        "toolchain": {"toolchains": {word: {"tvm": "0.27"}}},
        "device": {"device": {"kind": "cuda", "name": word}},
        "environment": {"environment": {"tvm": word}},
    }[place]
    path = write_trial(tmp_path, 1, samples, **changes)
    with pytest.raises(FusionError, match="foreign record") as error:
        records.read(path, "time")
    assert "without markup" in str(error.value)


def test_a_record_that_lacks_keys_is_refused_by_the_program_that_needs_them(tmp_path):
    """At any depth, though its digest is right."""
    bodies = [
        {},
        {"case": {}, "arch": "llvm"},
        {"experiment": "x", "cases": [{"case": {"name": "c"}}]},
    ]
    for number, body in enumerate(bodies):
        path = tmp_path / f"{number}.json"
        records.write(path, "summary", body)
        done = program("crossing_table.py", "--summary", path, "--out", tmp_path)
        assert done.returncode == 1 and "foreign record" in done.stdout, done.stdout
        assert "Traceback" not in done.stdout


def test_a_compilers_message_is_shown_as_it_is():
    """Free text stays what it was, in Markdown and in figures."""
    hostile = "<img src=x onerror=alert(1)> | `a` $x^2$ & more\nand more"
    shown = tables.escaped(hostile)
    assert "<" not in shown and "\n" not in shown and "&lt;img" in shown and "\\|" in shown
    case = {"case": {"workload": "w", "sizes": {"depth": 1}, "dtype": "float16"}}
    case |= {"failed": {"ON": {"stage": "compile", "message": hostile}}, "median_us": {}}
    lines = summary_text._failure_lines({"cases": [case]})
    assert sum(line.count("&lt;img") for line in lines) == 1


def test_a_dollar_in_a_figure_is_a_dollar(tmp_path):
    import matplotlib.pyplot as plt

    from fusion.plotting import style

    figure, ax = plt.subplots()
    ax.set_title(r"$\nonsense{ and <b>")
    style.save(figure, pd.DataFrame({"us": [1.5]}), tmp_path, "odd")
    assert "&lt;b&gt;" in (tmp_path / "odd.svg").read_text()
