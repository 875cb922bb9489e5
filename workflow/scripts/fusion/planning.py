"""From a configuration to what is to be made: all that Snakemake is told, without running it.

The Snakefile's rules are filled from a plan and from nothing else of the configuration, so a
configuration that gives a plan is one that can be run.
"""

from dataclasses import dataclass

from . import config as settings
from . import devices, figure_names
from .cases import Case
from .devices import Device
from .errors import FusionError
from .plain import LONGEST_NAME


@dataclass(frozen=True)
class Plan:
    """checked: the configuration. settings: as it is meant for the device. cases: by name.

    variants: what is compiled and timed, such as ON, or ON@tvm-0.26 of several TVMs. tvms: the
    toolchains' names, or [None] for the pipeline's own. folder: where this run's results go.
    figures: their names. protocol, passing, judging, profile, inputs, tolerance: sections of the
    configuration as programs' words.
    """

    checked: dict
    settings: dict
    device: Device
    cases: dict[str, Case]
    variants: list[str]
    tvms: list[str | None]
    folder: str
    figures: list[str]
    has_crossings: bool
    protocol: list[str]
    passing: list[str]
    judging: list[str]
    profile: list[str]
    inputs: list[str]
    tolerance: list[str]


def plan(config: dict) -> Plan:
    """The plan of a configuration; a FusionError that names the key where there is none."""
    checked = settings.check(config)
    device = devices.resolve(str(checked["device"]), checked["gpu"]["devices"])
    meant = settings.for_device(checked, device)
    cases = settings.cases_of(meant, device.kind)
    _require_short(cases)
    settings.set_environment(meant)  # says, too, where the toolchains are
    settings.require_runnable(meant, device, cases)
    variants = settings.entries_of(meant)
    return Plan(
        checked=checked,
        settings=meant,
        device=device,
        cases=cases,
        variants=variants,
        tvms=settings.tvms_of(meant),
        folder=f"{meant['results']}/{meant['experiment']}/{device.arch}",
        figures=figure_names.figures(list(cases.values()), meant, device.kind),
        has_crossings=figure_names.has_crossings(list(cases.values()), variants),
        protocol=as_words(meant["timing"], without=("trials", "threads")),
        passing=as_words(meant["passing"]),
        judging=as_words(meant["judging"]),
        profile=as_words(meant["profile"]),
        inputs=as_words(meant["inputs"]),
        tolerance=as_words(meant["verify"], without=("seeds",)),
    )


def as_words(section: dict, without: tuple[str, ...] = ()) -> list[str]:
    """A section of the configuration as a program's words: --min-blocks=8 and the like.

    With the equals sign argparse takes -1e-05 for the number that it is.
    """
    words = []
    for key, value in section.items():
        option = f"--{key.replace('_', '-')}"
        if key not in without:
            words += (
                [option, *map(str, value)] if isinstance(value, list) else [f"{option}={value}"]
            )
    return words


def _require_short(cases: dict[str, Case]) -> None:
    """A case's name is a folder's, and a file's with something after it."""
    longest = max(cases, key=lambda name: len(name.encode()))
    if len(longest.encode()) > LONGEST_NAME - 20:
        raise FusionError(
            f"the name of a case of workload {cases[longest].definition.name[:60]!r} is too long",
            expected=f"at most {LONGEST_NAME - 20} bytes, as a folder's name",
            found=f"{longest[:60]}… of {len(longest.encode())}",
            do="shorten the names or values in cases, or the workload's name",
        )
