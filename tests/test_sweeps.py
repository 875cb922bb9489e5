"""The sweeps: what each overlay expands to, and the figures and tables of one on the CPU."""

import copy
import csv
import itertools

import pytest
import yaml
from conftest import ROOT, snakemake

from fusion import config, figure_names, records
from fusion.cases import make_case
from fusion.devices import Device, Gpu
from fusion.errors import FusionError
from fusion.fastest import fastest
from fusion.workloads.chain_add import CHAINS

CPU = Device("llvm", None, "none")
H200 = Device("sm_90", Gpu("GPU-1", "NVIDIA H200", "sm_90", 139 * 2**30, "580"))
SWEEPS = ("depths", "shapes", "operators", "map")


@pytest.fixture
def default():
    return yaml.safe_load((ROOT / "config" / "config.yaml").read_text())


def laid_over(under: dict, over: dict) -> dict:
    """As Snakemake lays a --configfile over: object by object, all else replaced."""
    found = copy.deepcopy(under)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(found.get(key), dict)
        found[key] = laid_over(found[key], value) if both else value
    return found


def sweep(default, name, device):
    overlay = yaml.safe_load((ROOT / f"config/experiments/{name}.yaml").read_text())
    settings = config.for_device(config.check(laid_over(default, overlay)), device)
    return settings, list(config.cases_of(settings).values())


def figures(default, name, device):
    settings, cases = sweep(default, name, device)
    names = figure_names.figures(cases, settings, device.kind)
    return [figure for figure in names if not figure.startswith("samples/")]


def sizes(cases, *keys):
    return {tuple(dict(case.sizes)[key] for key in keys) for case in cases}


def test_the_depth_sweep_has_all_variants_the_floor_and_the_peers(default):
    settings, cases = sweep(default, "depths", H200)
    depths = [dict(case.sizes)["depth"] for case in cases]
    assert depths == [1, 2, 3, 4, 6, 8, 16, 32, 64]
    assert sizes(cases, "rows", "cols") == {(4096, 4096)}
    assert settings["variants"] == ["OFF", "PARTIAL", "ON", "SPLIT", "STAGED"]
    assert settings["floor"] == "COPY"
    assert settings["peers"] == ["EAGER", "EAGER_GRAPH", "INDUCTOR", "INDUCTOR_GRAPH", "XLA"]


def test_the_shape_sweep_is_pairs_and_not_their_product(default):
    _, cases = sweep(default, "shapes", H200)
    shapes = sizes(cases, "rows", "cols")
    assert {(256, 4096), (4096, 256), (16384, 16384)} <= shapes and (256, 16384) not in shapes
    assert {case.dtype for case in cases} == {"float16", "bfloat16", "float32"}
    assert len(cases) == 3 * len(shapes) == 21


def test_the_operator_sweep_has_every_workload(default):
    _, cases = sweep(default, "operators", H200)
    assert {case.workload for case in cases} == {chain.name for chain in CHAINS}
    assert len(cases) == 48 and cases[0].name.startswith("exp_chain_add-depth1-")


@pytest.mark.parametrize("name", SWEEPS)
def test_a_trial_is_short(default, name):
    """Seconds of samples a name, and few enough of them that a GPU is held for minutes."""
    settings, cases = sweep(default, name, H200)
    timing = settings["timing"]
    seconds = timing["blocks"] * timing["repeat"] * timing["min_repeat_ms"] / 1000
    assert seconds == pytest.approx(0.24) and timing["warmup_seconds"] == 0.1
    assert len(cases) * timing["trials"] <= 150
    assert settings["judging"]["min_trials"] == timing["trials"] == 3


@pytest.mark.parametrize("name", SWEEPS)
def test_on_a_cpu_a_sweep_is_a_demonstration(default, name):
    settings, cases = sweep(default, name, CPU)
    assert 2 <= len(cases) <= 6 and settings["peers"] == []
    assert max(rows * cols for rows, cols in sizes(cases, "rows", "cols")) <= 512 * 256


def test_each_figure_is_made_where_its_data_make_sense(default):
    always = ["ratios_by_depth", "latency_by_depth"]
    assert figures(default, "depths", H200) == [*always, "over_floor_by_depth", "crossing"]
    assert figures(default, "shapes", H200) == [*always, "over_floor_by_depth"]
    assert figures(default, "operators", H200) == [*always, "crossing"]
    assert figures(default, "map", H200) == [*always, "fastest_map", "crossing"]
    assert figures(default, "map", CPU) == [*always, "fastest_map"]
    assert figures(default, "precision", H200) == [*always, "breakdown"]


def test_every_sample_is_drawn_for_few_cases_only(default):
    few = [
        make_case("exp_chain_add", {"depth": d, "rows": 1, "cols": 1}, "float16") for d in (1, 2)
    ]
    names = figure_names.figures(few, default, "llvm")
    assert names[-1] == "samples/exp_chain_add-depth2-rows1-cols1-float16"
    _, many = sweep(default, "operators", H200)
    assert not any(n.startswith("samples/") for n in figure_names.figures(many, default, "llvm"))


def test_several_workloads_and_a_list_of_cases(default):
    settings = {**default, "workload": ["exp_chain_add", "cheap_chain_add"]}
    wide = {"depth": 2, "rows": 4, "cols": [8, 16], "dtype": "float32"}
    settings["cases"] = [wide, {**wide, "rows": 16, "cols": 16}, {**wide, "cols": 16}]
    names = list(config.cases_of(config.check(settings)))
    assert names == [
        f"{workload}-depth2-{shape}-float32"
        for workload in ("exp_chain_add", "cheap_chain_add")
        for shape in ("rows4-cols8", "rows4-cols16", "rows16-cols16")
    ]
    # The llvm section's are laid over each object; what neither names is small on a CPU.
    settings["cases"] = [{"depth": 2, "rows": 4}, {"depth": 3}]
    settings["llvm"] = {**settings["llvm"], "cases": {"cols": 16, "dtype": "float32"}}
    on_cpu = config.cases_of(config.with_llvm(settings), "llvm")
    assert list(on_cpu)[:2] == [
        "exp_chain_add-depth2-rows4-cols16-float32",
        "exp_chain_add-depth3-rows2048-cols16-float32",
    ]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("workload", ["exp_chain_add", "exp_chain"], ["'exp_chain'", "'exp_chain_add'"]),
        ("workload", [], ["'workload'", "or a list of them"]),
        ("workload", ["exp_chain_add"] * 2, ["'workload'", "without repetition"]),
        ("workload", 3, ["'workload'", "the name of a workload"]),
        ("cases", [], ["'cases'", "or a list of such objects"]),
        ("cases", ["256x4096"], ["'cases.0'", "an object with dtype", "256x4096"]),
        (
            "cases",
            [{"depth": 1, "rows": [1, 0], "cols": 1, "dtype": "float16"}],
            ["'cases.0.rows.1'", "1 or more", "0"],
        ),
        (
            "cases",
            [{"depth": 1, "rwos": 1, "cols": 1, "dtype": "float16"}],
            ["'rwos'", "'rows'"],
        ),
    ],
)
def test_a_mistake_in_a_list_is_answered_with_its_place(default, key, value, words):
    with pytest.raises(FusionError) as caught:
        config.check({**default, key: value})
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_the_fastest_is_tied_with_what_may_be_equal():
    regret = {"OFF": (3.0, 2.9), "PARTIAL": (1.01, 0.99), "ON": (1.5, 1.4), "SPLIT": (1.0, None)}
    case = {
        "median_us": {v: {"median": ratio} for v, (ratio, _) in regret.items()},
        "regret": {
            v: {"ratio": ratio, "interval": low and {"low": low, "high": 2 * ratio - low}}
            for v, (ratio, low) in regret.items()
        },
    }
    found = fastest(case, list(regret))
    assert (found.variant, found.over_on, found.tied) == ("SPLIT", 1.5, ("PARTIAL",))
    without = fastest(case, ["OFF", "SPLIT"])
    assert (without.over_on, without.tied) == (None, ())


@pytest.fixture(scope="module")
def swept(make_checkout):
    """The tables and figures of a sweep of three depths and two widths of two variants."""
    folder = make_checkout(
        "swept",
        control="none",
        floor="COPY",
        verify={"seeds": [0], "rtol": 0.02, "atol": 0.002},
        variants=["PARTIAL", "ON"],
        llvm={
            "cases": {"depth": [1, 2, 3], "rows": 64, "cols": [8, 32]},
            "variants": ["PARTIAL", "ON"],
            "timing": {
                "trials": 2,
                "blocks": 2,
                "number": 1,
                "repeat": 2,
                "min_repeat_ms": 1,
                "warmup_calls": 1,
                "warmup_seconds": 0.01,
                "min_blocks": 2,
            },
        },
    )
    words = ("--configfile", "tiny.yaml", "--cores", "2", "--")
    ran = snakemake(*words, "aggregate", "crossings", "figures", cwd=folder)
    assert ran.returncode == 0, ran.stdout
    return folder / "results/tiny/llvm"


def test_a_sweep_draws_its_figures_from_real_trials(swept):
    for name in ("over_floor_by_depth", "fastest_map", "crossing", "ratios_by_depth"):
        assert (swept / f"figures/{name}.png").stat().st_size > 10_000
        svg = (swept / f"figures/{name}.svg").read_text()
        assert "CPU, NOT A GPU" in svg and "depth" in svg
    assert "cols 8" in (swept / "figures/crossing.svg").read_text()
    assert len(list((swept / "figures/samples").glob("*.svg"))) == 6


def test_a_sweeps_crossings_are_those_of_its_summary(swept):
    summary = records.read(swept / "tables/summary.json", "summary")
    with open(swept / "tables/crossings.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["cols"] for row in rows] == ["8", "32"]
    for row in rows:
        own = [c for c in summary["cases"] if str(c["case"]["sizes"]["cols"]) == row["cols"]]
        above = [c["ratios"]["ON/PARTIAL"]["block_means"][0] > 1 for c in own]
        changes = sum(a != b for a, b in itertools.pairwise(above))
        first = row["by_trial"].split(" | ")[0]
        assert len([word for word in first.split("; ") if word]) == changes
        assert (row["first_depth"], row["last_depth"]) == ("1", "3")
    assert "| cols |" in (swept / "tables/crossings.md").read_text()
