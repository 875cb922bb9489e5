"""The first lines of a run: what is measured where, and what cannot run here."""

import sys

from . import toolchains
from .cases import Case
from .devices import Device, cpu_name


def announce(settings: dict, device: Device, cases: dict[str, Case]) -> None:
    """Print them to standard error, which leaves standard output to Snakemake's own reports."""
    print("\n".join(lines(settings, device, cases)), file=sys.stderr, flush=True)


def lines(settings: dict, device: Device, cases: dict[str, Case]) -> list[str]:
    where = f"{settings['results']}/{settings['experiment']}/{device.arch}"
    workloads = ", ".join(dict.fromkeys(case.workload for case in cases.values()))
    names = [*settings["variants"], *({settings["floor"]} - {"none"}), *settings["peers"]]
    what = f"{len(cases)} cases of {workloads}: {', '.join(names)}"
    tvms = toolchains.tvms(settings["toolchains"])
    what += f", under {', '.join(tvms)}" if tvms else ""
    inlined = " (compare INLINED with ON)" if "INLINED" in settings["variants"] else ""
    if device.kind == "llvm":
        first = [
            f"fuse-or-not: THIS IS A CPU, NOT A GPU: LLVM on {cpu_name()} ({device.why_no_gpu}).",
            "The configuration's llvm section applies: a smaller shape and a shorter protocol. It"
            f" shows the mechanism{inlined} and measures no GPU. profile, which"
            " needs one, is not run.",
        ]
    elif device.gpu:
        gpu = device.gpu
        names = ", ".join(g.uuid for g in device.gpus)
        count = f"{len(device.gpus)} GPUs" if device.others else "GPU"
        first = [f"fuse-or-not: {count} {gpu.name} ({gpu.arch}, {names}), driver {gpu.driver}."]
    else:
        first = [
            f"fuse-or-not: compiling for {device.arch}, which cannot run here"
            f" ({device.why_no_gpu}).",
        ]
    return [*first, f"{what}; results in {where}"]
