"""Compile one variant of one case, for this machine's device or for another's; needs no GPU.

Starts build_variant.py under the toolchain's interpreter, in a process of its own: what that writes
into --out stands there. If it fails, crashes or takes longer than --limit, so does this program; or
with --on-failure record, record.json says at which stage and with which words.
"""

import argparse
import shutil
from pathlib import Path

from fusion import compiling, disks, failures, locks, records, supervise, toolchains
from fusion.cases import Case
from fusion.errors import FusionError, run_program
from fusion.toolchains import Toolchain
from fusion.variants import Variant

PROGRAM = Path(__file__).with_name("build_variant.py")
FILES = {
    "llvm": ("kernels.ll", "kernels.s", "kernels.o"),
    "cuda": ("kernels.cu", "kernels.cubin"),
}


def main() -> None:
    args = compiling.parse(__doc__.splitlines()[0])
    case, variant = compiling.checked(args)
    toolchain = toolchains.find(args.toolchain)
    args.out.mkdir(parents=True, exist_ok=True)
    purpose = f"{case.name} {compiling.entry_of(args)}"
    with locks.hold(["build"], args.out, purpose):
        compile_into(args, case, variant, toolchain)


def compile_into(
    args: argparse.Namespace, case: Case, variant: Variant, toolchain: Toolchain
) -> None:
    """Let the build write into --out, which nobody else does meanwhile."""
    clean(args.out)
    words = [*case.arguments(), "--variant", variant.name, "--arch", args.arch]
    words += ["--out", str(args.out)]
    words += ["--rates", str(args.rates)] if args.rates else []
    words += ["--toolchain", args.toolchain] if args.toolchain else []
    words += ["--several"] if args.several else []
    words += ["--any-calls"] if args.any_calls else []
    why = supervise.run(toolchain, PROGRAM, words, args.limit)
    if why is None:
        return
    clean(args.out)
    if disks.is_full(why):  # no failure of the variant's
        raise disks.restated(why, args.out)
    if args.on_failure == "stop":
        raise FusionError(why)
    name = compiling.entry_of(args)
    # Empty files, since the workflow's rule names them; the record says that there is nothing.
    for file in ("module.so", *FILES[compiling.kind_of(args.arch)]):
        records.write_bytes(args.out / file, b"")
    for folder in ("ir", "schedules"):
        (args.out / folder).mkdir(exist_ok=True)
    body = {"case": case.as_record(), "variant": name, "summary": variant.summary}
    body |= {"arch": args.arch, "failed": failures.failed("compile", why)}
    records.write(args.out / "record.json", "compile", body)
    print(f"{case.name} {name} for {args.arch} does not compile: {failures.words(body['failed'])}")


def clean(out: Path) -> None:
    """Take away what a killed build left."""
    for leftover in out.glob(compiling.BUILDING + "*"):
        shutil.rmtree(leftover, ignore_errors=True)


if __name__ == "__main__":
    run_program(main)
