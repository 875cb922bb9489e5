"""Check a configuration and read it for a device. Runs on Snakemake's side; needs jsonschema."""

import copy
import functools
import os
import re
import sys
from pathlib import Path

import jsonschema
import yaml

from . import failures, toolchains
from .artifacts import Signature
from .cases import Case, expand
from .devices import ALL, Device
from .entries import entry
from .errors import FusionError, choose, suggestion
from .memory import require_memory
from .pairs import named_pairs, require_control
from .peers import PEERS, by_toolchain, require_installed
from .plain import require_paths, require_plain
from .rates_record import read_rates
from .variants import VARIANTS

LIMITS = {"maximum": "at most", "maxLength": "of a length of at most", "maxItems": "at most"}
NESTED = "--config delivers nested values as text; put them into a file and pass --configfile FILE"
SCHEMA = Path(__file__).parents[2] / "schemas" / "config.schema.yaml"
# JSON has one kind of number, so the schema's own reading takes 5.0 for a whole one.
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def check(config: dict) -> dict:
    """A checked copy of the configuration, or a FusionError that names the key."""
    require_plain(config)
    config = _unquoted_names(copy.deepcopy(config))
    errors = list(_validator().iter_errors(config))
    if errors:  # an unknown key first: it is the likely cause of a missing one
        raise _explain(min(errors, key=lambda e: e.validator != "additionalProperties"))
    require_paths(config)
    for kind, section in (("cuda", config), ("llvm", with_llvm(config))):
        for name in section["variants"]:
            choose("variant", name, VARIANTS)
        _check_pairs(section)
        for name in section["peers"]:
            choose("peer", name, PEERS)
        _check_peers_read(section, cases_of(section, kind))
        low, high = section["inputs"]["low"], section["inputs"]["high"]
        if low >= high:
            raise FusionError(
                "inputs.high is not above inputs.low",
                expected=f"inputs.high above {low}",
                found=str(high),
            )
    return config


@functools.cache
def _validator() -> jsonschema.protocols.Validator:
    return Validator(yaml.safe_load(SCHEMA.read_text()))


def _check_pairs(section: dict) -> None:
    """The control and the pairs that end a trial must be of the variants that are compared."""
    variants, timing = section["variants"], section["timing"]
    require_control(section["control"], variants)
    words = timing["precision_pairs"]
    named_pairs([words] if isinstance(words, str) else words, variants)
    if timing["stop"] == "precision" and timing["min_blocks"] > timing["blocks"]:
        raise FusionError(
            "timing.min_blocks is above timing.blocks",
            expected=f"at most {timing['blocks']}",
            found=str(timing["min_blocks"]),
        )


def with_llvm(config: dict) -> dict:
    """The configuration with its `llvm` section laid over it."""
    config = copy.deepcopy(config)
    for key, value in config["llvm"].items():
        config[key] = _laid_over(config[key], value)
    return config


def _laid_over(under, over):
    """An object replaces the keys that it names, in each object where there is a list of them."""
    if isinstance(over, dict) and isinstance(under, list):
        return [{**each, **over} for each in under]
    return {**under, **over} if isinstance(over, dict) else over


def for_device(config: dict, device: Device) -> dict:
    """What a checked configuration means on a device: with its `llvm` section on a CPU."""
    config = with_llvm(config) if device.kind == "llvm" else config
    for name in config["variants"]:
        if device.kind not in VARIANTS[name].targets:
            raise FusionError(
                f"variant {name!r} is not for {device.arch}",
                expected=f"a {' or '.join(VARIANTS[name].targets)} device",
                do="take it out of variants, or set device to llvm",
            )
    for name in config["peers"]:
        if PEERS[name].needs_gpu and device.kind != "cuda":
            raise FusionError(
                f"peer {name!r} is not for {device.arch}",
                expected="a GPU",
                do="take it out of peers in the llvm section",
            )
    return config


def _check_peers_read(section: dict, cases: dict[str, Case]) -> None:
    """Peers read functions: a model's graph is TVM's alone."""
    models = [c.definition for c in cases.values() if c.definition.kind != "function"]
    if models and section["peers"]:
        raise FusionError(
            f"peers cannot run {models[0].summary}",
            expected="a workload that is a function over the array namespace",
            do="take peers out, or the workload",
        )


def cases_of(config: dict, kind: str = "cuda") -> dict[str, Case]:
    """The experiment's cases by name. kind: of the device, cuda or llvm."""
    cases = expand(config["workload"], config["cases"], small=kind == "llvm")
    return {case.name: case for case in cases}


def tvms_of(config: dict) -> list[str | None]:
    """The TVM toolchains by name; [None] where the pipeline's own is the only one."""
    return toolchains.tvms(config["toolchains"]) or [None]


def peer_toolchains(config: dict) -> list[str]:
    """The toolchains of the configuration's peers."""
    return list(by_toolchain(config["peers"]))


def entries_of(config: dict) -> list[str]:
    """What is compiled and timed: each variant under each TVM, the first TVM's first."""
    names = tvms_of(config)
    suffixes = names if len(names) > 1 else [None]
    return [entry(v, t) for t in suffixes for v in config["variants"]]


def set_environment(config: dict) -> None:
    """Give the jobs what says where they run and not what they measure.

    It goes by the environment and not by the rules' params, so that kept results do not count as
    outdated on a machine where Python lies elsewhere or the GPU has another index. `python3` is
    Snakemake's own, unless conda's activation puts another before it.
    """
    beside = Path(sys.executable).parent
    os.environ["PATH"] = os.pathsep.join([str(beside), os.environ.get("PATH", os.defpath)])
    gpus = config["gpu"]["devices"]
    os.environ["FUSE_OR_NOT_GPU"] = gpus if gpus == ALL else ",".join(map(str, gpus))
    os.environ["FUSE_OR_NOT_BUSY"] = config["gpu"]["busy"]
    os.environ["FUSE_OR_NOT_LOCK_FOLDER"] = config["gpu"]["lock_folder"]
    toolchains.publish(known_toolchains(config))
    failures.publish(config)


def known_toolchains(config: dict) -> list[toolchains.Toolchain]:
    """All of the configuration's, the peers' among them."""
    results = config["results"]
    return [toolchains.from_config(n, g, results) for n, g in config["toolchains"].items()]


def _unquoted_names(config: dict) -> dict:
    """YAML 1.1 reads unquoted OFF and ON as false and true; only the names can be meant."""
    names = {False: "OFF", True: "ON"}
    for section in (config, config.get("llvm")):
        if isinstance(section, dict) and section.get("control") is True:
            section["control"] = "ON"  # false could mean OFF or none: the schema asks
        if isinstance(section, dict) and isinstance(section.get("variants"), list):
            section["variants"] = [
                names[v] if isinstance(v, bool) else v for v in section["variants"]
            ]
    return config


def _explain(error: jsonschema.ValidationError) -> FusionError:
    where = ".".join(str(part) for part in error.absolute_path)
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        unknown = [key for key in error.instance if key not in known]
        name = f"{where}.{unknown[0]}" if where else str(unknown[0])
        return FusionError(
            f"unknown key {name!r} in the configuration",
            expected=f"one of {', '.join(known)}",
            do=suggestion(unknown[0], known) or "see config/README.md",
        )
    if error.validator == "required":
        missing = re.match(r"'(.*?)'", error.message)[1]
        name = f"{where}.{missing}" if where else missing
        return FusionError(
            f"the key {name!r} is missing in the configuration", do="see config/config.yaml"
        )
    expected = error.schema.get("description") or f"{_short(error.message)} (see config/README.md)"
    if error.validator in LIMITS:
        expected += f", {LIMITS[error.validator]} {error.validator_value}"
    return FusionError(
        f"the value of {where!r} in the configuration is not understood",
        expected=expected,
        found=_short(repr(error.instance)),
        do=_advice(error, where),
    )


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"


def _advice(error: jsonschema.ValidationError, where: str) -> str:
    value = error.instance
    if error.validator == "enum":
        return suggestion(value, error.schema["enum"])
    if not isinstance(value, str) or "." not in where:
        return ""
    try:
        return "" if isinstance(yaml.safe_load(value), str) else NESTED
    except (yaml.YAMLError, ValueError):  # a text that is no YAML
        return ""


def require_runnable(config: dict, device: Device, cases: dict[str, Case]) -> None:
    """Raise a FusionError if nvrtc does not know the arch, the rates are not of it, a case cannot
    fit into memory, or a peer is missing.
    """
    if device.kind == "cuda":
        from .nvrtc import require_arch

        require_arch(device.arch)
    if config["rates"] != "table":
        read_rates(config["rates"], device.arch)
    if device.can_run:
        for case in cases.values():
            if case.definition.kind == "function":
                known = Signature(case.inputs, ())
                require_memory(case.name, known, device, _entries(config))
        made = {t.name for t in known_toolchains(config) if t.requirements}
        for toolchain in by_toolchain(config["peers"]):
            if toolchain not in made:
                require_installed(toolchain)


def _entries(config: dict) -> int:
    """How many outputs a trial holds."""
    beside = (config["control"] != "none") + (config["floor"] != "none")
    return len(entries_of(config)) + beside + len(config["peers"])
