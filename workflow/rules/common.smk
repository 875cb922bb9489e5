import functools
import os
import re
import sys

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(os.path.relpath(workflow.basedir)) / "workflow" / "scripts"
sys.path.insert(0, str(Path(workflow.basedir) / "workflow" / "scripts"))

from fusion import announce, config as settings, config_file, entries, figure_names, planning
from fusion import disks, run_lock, session, sources, workloads
from fusion.errors import FusionError
from fusion.variants import ESTIMATING, VARIANTS as VARIANT

try:
    if workflow.is_main_process:  # Snakemake's own records, which it needs even for -n
        elsewhere = "run with --directory in another folder"
        disks.require_writable(".snakemake", ".snakemake", elsewhere)
    for path in workflow.overwrite_configfiles:
        config_file.require_data(path)
    PLAN = planning.plan(config)
except FusionError as error:
    raise WorkflowError(str(error))

SETTINGS, DEVICE, CASES = PLAN.settings, PLAN.device, PLAN.cases
ARCH = DEVICE.arch
VARIANTS = PLAN.variants  # such as ON, or ON@tvm-0.26 of several TVMs
TVMS = PLAN.tvms
PEERS = SETTINGS["peers"]
TRIALS = range(1, SETTINGS["timing"]["trials"] + 1)
KERNELS = {
    "llvm": ["kernels.ll", "kernels.s", "kernels.o"],
    "cuda": ["kernels.cu", "kernels.cubin"],
}
TENV = "../../envs/tvm.yaml"

# One trial at a time, also where nobody passes --resources; the command line still wins.
workflow.global_resources.setdefault("gpu", 1)
ASKED = workflow.global_resources["gpu"]
AT_ONCE = max(1, min(getattr(ASKED, "value", ASKED), len(DEVICE.gpus)))


# All paths of the rules start at one of these.
OUT = PLAN.folder


pathvars:
    results=OUT,
    logs=f"{OUT}/logs",
    benchmarks=f"{OUT}/benchmarks",
    toolchains=f"{SETTINGS['results']}/toolchains",


wildcard_constraints:
    case="[^/]+",
    variant="|".join(map(re.escape, VARIANTS)),
    peer="|".join(PEERS) or "-",
    toolchain="|".join(map(re.escape, SETTINGS["toolchains"])),
    trial=r"\d+",


@functools.cache
def code(*programs):
    """The SHA-256 of what programs and the modules that they import say: a parameter of their rule,
    so that it runs again when any of them changes. The first is the rule's own, the others it starts.

    As inputs they would be fifty files a job, which Snakemake looks at for every job of a sweep.
    """
    return sources.digest([SCRIPTS / program for program in programs])


LISTS_MADE = {
    name: f"{OUT}/logs/lists/{name}.txt"
    for name in ("compiled", "verified", "trials", "audited", "profiled")
}

# Where there are peers, what serves them is an input too.
SERVERS = ["serve_peer.py"] if PEERS else []
WITH_PEERS = ["--peers", *PEERS] if PEERS else []


def case_arguments(wildcards):
    return CASES[wildcards.case].arguments()


def file_of_case(wildcards):
    """The file of a case's workload; none where it is built in."""
    path = workloads.file_of(CASES[wildcards.case].workload)
    return [path] if path else []


def toolchain_of(wildcards):
    """The name of a variant's TVM, or None for the pipeline's own."""
    return entries.toolchain_of(wildcards.variant) or TVMS[0]


def toolchain_words(wildcards):
    named = toolchain_of(wildcards)
    return ["--toolchain", named] if named else []


def variant_words(wildcards):
    """The words for a variant and for its TVM; --several where its name says which TVM it is.

    The workload's expected calls bind the first TVM; of another, a change is what is asked for.
    """
    words = ["--variant", entries.variant_of(wildcards.variant), *toolchain_words(wildcards)]
    words += ["--several"] if entries.toolchain_of(wildcards.variant) else []
    words += ["--any-calls"] if toolchain_of(wildcards) != TVMS[0] else []
    return words


def toolchain_records(names):
    """The records of these toolchains; the pipeline's own, None, has none."""
    return expand("<toolchains>/{toolchain}.json", toolchain=[n for n in names if n])


def toolchain_of_variant(wildcards):
    return toolchain_records([toolchain_of(wildcards)])


def requirements_of(wildcards):
    """The requirements file of a toolchain; none where the configuration names an interpreter."""
    given = SETTINGS["toolchains"][wildcards.toolchain]
    return [given["requirements"]] if "requirements" in given and isinstance(given, dict) else []


def requirements_words(wildcards):
    return [word for path in requirements_of(wildcards) for word in ("--requirements", path)]


# What measures needs every TVM; of the peers' toolchains those that the pipeline makes.
MADE = [
    n for n in settings.peer_toolchains(SETTINGS) if isinstance(SETTINGS["toolchains"][n], dict)
]
ALL_TOOLCHAINS = toolchain_records([*TVMS, *MADE])


def rates_of(wildcards):
    """The record of rates that a variant is compiled with; none where the table's are meant."""
    variant = entries.variant_of(wildcards.variant)
    model = CASES[wildcards.case].definition.kind != "function"
    estimates = variant in ESTIMATING or (model and VARIANT[variant].cut)
    given = SETTINGS["rates"] if estimates else "table"
    return [] if given == "table" else [given]


def rates_words(wildcards):
    return [word for path in rates_of(wildcards) for word in ("--rates", path)]


def on_device(wildcards):
    """No file; an error before any job starts, if nothing runs what is compiled."""
    if not DEVICE.can_run and not elsewhere():
        raise WorkflowError(str(session.cannot_run(DEVICE)))
    return by_name(wildcards)


def on_gpu(wildcards):
    """No file; an error before any job starts, if the device is a CPU."""
    if DEVICE.kind != "cuda":
        raise WorkflowError(
            "profile is not run: there is nothing to profile on a CPU; run it on a machine with a GPU"
        )
    if len(TVMS) > 1:
        raise WorkflowError(
            "profile is not run for several TVMs at once; leave one of them in toolchains"
        )
    return on_device(wildcards)


def two_runs(wildcards):
    """No file; an error before any job starts, if the configuration names no runs."""
    if not SETTINGS["compare"]:
        raise WorkflowError(
            "compare: no runs to compare\n  expected: two results folders\n"
            "  to do:    --config 'compare=[results/before/sm_90, results/after/sm_90]'"
        )
    return []


onstart:
    try:
        disks.require_writable("results", OUT, "set results to another folder")
    except FusionError as error:
        raise WorkflowError(str(error))


def hold_results():
    """Let no other run change these results, until this process ends; not where nothing changes."""
    if workflow.output_settings.dryrun or not run_lock.is_wanted(sys.argv[1:]):
        return
    made = any(chain.requirements for chain in settings.known_toolchains(SETTINGS))
    folders = [f"{SETTINGS['experiment']}/{ARCH}", *(["toolchains"] if made else [])]
    purpose = f"a run of {SETTINGS['experiment']}"
    run_lock.hold_until_exit(Path(SETTINGS["results"]), folders, purpose)


if workflow.is_main_process:
    announce.announce(SETTINGS, DEVICE, CASES)
    hold_results()
