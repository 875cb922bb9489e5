"""The configuration: what it means, and what a mistake in it is answered with."""

import copy
from dataclasses import asdict

import pytest
import yaml
from conftest import ROOT
from thresholds import THRESHOLDS

from fusion import config
from fusion.devices import Device, Gpu
from fusion.errors import FusionError
from fusion.peers import PEERS
from fusion.variants import VARIANTS

CPU = Device("llvm", None, "none")
H200 = Device("sm_90", Gpu("GPU-1", "NVIDIA H200", "sm_90", 139 * 2**30, "580"))


@pytest.fixture
def default():
    return yaml.safe_load((ROOT / "config" / "config.yaml").read_text())


def changed(settings: dict, path: str, value) -> dict:
    settings = copy.deepcopy(settings)
    *parents, key = path.split(".")
    place = settings
    for parent in parents:
        place = place[parent]
    place[key] = value
    return settings


def test_the_default_is_the_issue(default):
    settings = config.for_device(config.check(default), H200)
    cases = config.cases_of(settings)
    assert [dict(case.sizes) for case in cases.values()] == [
        {"depth": depth, "rows": 4096, "cols": 4096} for depth in (8, 16)
    ]
    assert {case.dtype for case in cases.values()} == {"float16"}
    assert settings["variants"] == ["OFF", "PARTIAL", "ON"]
    assert settings["inputs"] == {"low": -0.25, "high": 0.25}
    assert settings["verify"] == {"seeds": [0, 1, 2], "rtol": 0.02, "atol": 0.002}
    timing = settings["timing"]
    assert (timing["trials"], timing["blocks"], timing["number"]) == (5, 40, 10)
    assert (timing["repeat"], timing["min_repeat_ms"]) == (5, 50)
    assert (timing["warmup_calls"], timing["warmup_seconds"], timing["seed"]) == (75, 2, 0)
    assert settings["passing"] == {"max_cv": 0.05, "min_slowdown": 1.10}
    assert list(config.cases_of(settings)) == [
        "exp_chain_add-depth8-rows4096-cols4096-float16",
        "exp_chain_add-depth16-rows4096-cols4096-float16",
    ]


def test_doubt_is_on_by_default(default):
    settings = config.for_device(config.check(default), H200)
    assert settings["control"] == "ON"
    timing, judging = settings["timing"], settings["judging"]
    assert (timing["stop"], timing["precision"], timing["min_blocks"]) == ("fixed", 0.005, 8)
    assert (judging["slower"], judging["max_flagged"]) == (1.10, 0.10)
    assert judging == asdict(THRESHOLDS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"control": "INLINED"}, ["control 'INLINED' is not among the variants", "none, or one"]),
        ({"control": False}, ["'control'", "in quotes", "False"]),
        ({"timing.stop": "soon"}, ["'timing.stop'", "fixed or precision"]),
        ({"timing.stop": "precison"}, ["'timing.stop'", "did you mean 'precision'?"]),
        ({"timing.precision": 0}, ["'timing.precision'", "above 0 and below 1"]),
        ({"timing.precision_pairs": ["ON/INLINED"]}, ["'ON/INLINED' is no ratio"]),
        ({"timing.precision_pairs": "ON/OFF"}, ["'timing.precision_pairs'", "'all', or a list"]),
        ({"timing.stop": "precision", "timing.min_blocks": 41}, ["min_blocks is above", "40"]),
        ({"judging.confidence": 95}, ["'judging.confidence'", "above 0 and below 1"]),
        ({"profile.calls": 2}, ["'profile.calls'", "3 or more"]),
    ],
)
def test_a_wrong_word_about_doubt_is_answered(default, changes, words):
    settings = default
    for path, value in changes.items():
        settings = changed(settings, path, value)
    with pytest.raises(FusionError) as error:
        config.check(settings)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_an_unquoted_on_is_the_variant(default):
    assert config.check(changed(default, "control", True))["control"] == "ON"
    assert config.check(changed(default, "control", "none"))["control"] == "none"


@pytest.mark.parametrize("path", sorted((ROOT / "config/experiments").glob("*.yaml")))
def test_every_overlay_is_understood(default, path):
    overlay = yaml.safe_load(path.read_text())
    for key, value in overlay.items():
        default[key] = {**default[key], **value} if isinstance(value, dict) else value
    settings = config.for_device(config.check(default), H200)
    of_the_issue = "exp_chain_add" in {case.workload for case in config.cases_of(settings).values()}
    assert settings["experiment"] == ("issue-20342-" if of_the_issue else "") + path.stem


def test_a_cpu_gets_the_llvm_section(default):
    settings = config.for_device(config.check(default), CPU)
    assert settings["variants"] == ["OFF", "PARTIAL", "ON", "INLINED"]
    assert list(config.cases_of(settings, "llvm")) == [
        f"exp_chain_add-depth{depth}-rows2048-cols256-float16" for depth in (8, 16)
    ]
    assert settings["timing"]["min_repeat_ms"] < 50 and settings["timing"]["repeat"] == 5


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("timing.blcoks", 3, ["timing.blcoks", "'blocks'"]),
        ("exprimnt", "x", ["exprimnt", "'experiment'"]),
        ("llvm.timing.trails", 3, ["llvm.timing.trails", "'trials'"]),
        ("gpu.bussy", "fail", ["gpu.bussy", "'busy'"]),
        ("cases.depht", 3, ["depht", "'depth'"]),
        ("cases.depth", 0, ["cases.depth", "1 or more", "0"]),
        ("cases.depth", [8, -1], ["cases.depth.1", "1 or more", "-1"]),
        ("cases.depth", "deep", ["cases.depth", "'deep'"]),
        ("cases.depth", 1.5, ["cases.depth", "1.5"]),
        ("cases.dtype", "flaot16", ["flaot16", "'float16'"]),
        ("variants", ["OFF", "PARTAIL"], ["PARTAIL", "'PARTIAL'"]),
        ("variants", [], ["variants", "two or more", "[]"]),
        ("variants", ["ON"], ["variants", "two or more"]),
        ("variants", ["ON", "ON"], ["variants"]),
        ("workload", "exp_chain_ad", ["exp_chain_ad", "'exp_chain_add'"]),
        ("timing.trials", 0, ["timing.trials", "1 or more"]),
        ("timing.threads", "some", ["timing.threads", "'some'"]),
        ("gpu.busy", "ignore", ["gpu.busy", "fail, warn or wait"]),
        ("gpu.device", 0, ["gpu.device", "'devices'"]),
        ("gpu.devices", 0, ["gpu.devices", "all, or a list"]),
        ("gpu.devices", [0, 0], ["gpu.devices", "all, or a list"]),
        ("gpu.devices", ["H200"], ["gpu.devices", "'H200'"]),
        ("experiment", "a/b", ["experiment", "a/b"]),
        ("experiment", "$(id)", ["experiment"]),
        ("inputs.low", 0.3, ["inputs.high", "0.25"]),
        ("verify.rtol", -1, ["verify.rtol", "0 or more"]),
        ("timing", "{repeat: 9}", ["timing", "{repeat: 9}"]),
        ("timing.repeat", "9", ["timing.repeat", "--configfile"]),
        ("llvm", None, ["llvm", "None"]),
    ],
)
def test_a_mistake_is_answered_with_the_key_and_what_was_expected(default, path, value, words):
    with pytest.raises(FusionError) as caught:
        config.check(changed(default, path, value))
    for word in words:
        assert word in str(caught.value)


def test_a_missing_key_is_named(default):
    del default["timing"]["blocks"]
    with pytest.raises(FusionError, match=r"'timing\.blocks' is missing"):
        config.check(default)


def test_unquoted_off_and_on_are_the_variants(default):
    unquoted = changed(default, "variants", yaml.safe_load("[OFF, PARTIAL, ON]"))
    assert unquoted["variants"] == [False, "PARTIAL", True]
    assert config.check(unquoted)["variants"] == ["OFF", "PARTIAL", "ON"]


def test_a_cpu_variant_on_a_gpu_is_refused(default):
    checked = config.check(changed(default, "variants", ["ON", "INLINED"]))
    with pytest.raises(FusionError, match="'INLINED' is not for sm_90"):
        config.for_device(checked, H200)


def test_rows_beyond_memory_are_refused_before_anything_runs(default):
    checked = config.check(changed(default, "cases.rows", 40_000_000))
    settings = config.for_device(checked, H200)
    with pytest.raises(FusionError, match=r"does not fit into the memory of NVIDIA H200"):
        config.require_runnable(settings, H200, config.cases_of(settings))


def test_an_arch_that_the_compiler_does_not_know_is_refused(default):
    device = Device("sm_77", None, "none")
    settings = config.for_device(config.check(default), device)
    with pytest.raises(FusionError, match=r"unknown arch 'sm_77'[\s\S]*sm_86"):
        config.require_runnable(settings, device, config.cases_of(settings))


def test_every_key_variant_and_peer_is_explained_in_the_configurations_readme():
    schema = yaml.safe_load(config.SCHEMA.read_text())
    text = (ROOT / "config" / "README.md").read_text()
    parts = {**schema["properties"], **schema["$defs"]}
    keys = list(schema["properties"])
    for name, part in parts.items():
        keys += [f"{name}.{key}" for key in part.get("properties", {}) if name != "llvm"]
    missing = [key for key in [*keys, *VARIANTS, *PEERS] if f"`{key}`" not in text]
    assert missing == []
