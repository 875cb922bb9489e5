import os
import shlex
import sys

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(os.path.relpath(workflow.basedir)) / "workflow" / "scripts"
sys.path.insert(0, str(Path(workflow.basedir) / "workflow" / "scripts"))

from fusion import announce, config as settings, devices, figure_names, session, sources
from fusion.errors import FusionError
from fusion.variants import ESTIMATING

try:
    CHECKED = settings.check(config)
    DEVICE = devices.resolve(str(CHECKED["device"]), CHECKED["gpu"]["device"])
    SETTINGS = settings.for_device(CHECKED, DEVICE)
    CASES = settings.cases_of(SETTINGS)
    settings.set_environment(SETTINGS)  # says, too, where the peers' interpreters are
    settings.require_runnable(SETTINGS, DEVICE, CASES)
except FusionError as error:
    raise WorkflowError(str(error))

ARCH = DEVICE.arch
VARIANTS = SETTINGS["variants"]
PEERS = SETTINGS["peers"]
TRIALS = range(1, SETTINGS["timing"]["trials"] + 1)
KERNELS = {
    "llvm": ["kernels.ll", "kernels.s", "kernels.o"],
    "cuda": ["kernels.cu", "kernels.cubin"],
}
INPUTS = f"--low {SETTINGS['inputs']['low']} --high {SETTINGS['inputs']['high']}"
TENV = "../../envs/tvm.yaml"

# One trial at a time, also where nobody passes --resources; the command line still wins.
workflow.global_resources.setdefault("gpu", 1)


# All paths of the rules start at one of these.
OUT = f"{SETTINGS['results']}/{SETTINGS['experiment']}/{ARCH}"


pathvars:
    results=OUT,
    logs=f"{OUT}/logs",
    benchmarks=f"{OUT}/benchmarks",


wildcard_constraints:
    case="[^/]+",
    variant="|".join(VARIANTS),
    peer="|".join(PEERS) or "-",
    trial=r"\d+",


def modules(name, *starts):
    """The modules that a program imports: inputs too, so that its rule runs again with them.

    starts: the programs that it starts, which are inputs with their modules as well.
    """
    programs = [SCRIPTS / program for program in (name, *starts)]
    found = {path for program in programs for path in sources.modules(program)}
    return sorted(map(str, found.union(programs[1:])))


# Where there are peers, what serves them is an input too.
SERVERS = ["serve_peer.py"] if PEERS else []
WITH_PEERS = " ".join(["--peers", *PEERS]) if PEERS else ""


def as_options(section, without=()):
    """A section of the configuration as a program's options: --min-blocks 8 and the like."""
    words = []
    for key, value in section.items():
        if key not in without:
            values = value if isinstance(value, list) else [value]
            words += [f"--{key.replace('_', '-')}", *map(str, values)]
    return " ".join(words)


def case_arguments(wildcards):
    return CASES[wildcards.case].arguments()


def rates_of(wildcards):
    """The record of rates that a variant is compiled with; none where the table's are meant."""
    given = SETTINGS["rates"] if wildcards.variant in ESTIMATING else "table"
    return [] if given == "table" else [given]


def rates_words(wildcards):
    return "".join(f"--rates {shlex.quote(path)}" for path in rates_of(wildcards))


def on_device(wildcards):
    """No file; an error before any job starts, if nothing here runs what is compiled."""
    if not DEVICE.can_run:
        raise WorkflowError(str(session.cannot_run(DEVICE)))
    return []


def on_gpu(wildcards):
    """No file; an error before any job starts, if the device is a CPU."""
    if DEVICE.kind != "cuda":
        raise WorkflowError(
            "profile is not run: there is nothing to profile on a CPU; run it on a machine with a GPU"
        )
    return on_device(wildcards)


if workflow.is_main_process:
    announce.announce(SETTINGS, DEVICE, CASES)
