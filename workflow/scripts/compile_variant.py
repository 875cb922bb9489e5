"""Compile one variant of one case, for this machine's device or for another's; needs no GPU.

Writes into --out: ir/NNN_Pass.py (000 is the input), schedules/NNN_function.py (each PrimFunc's
schedule, as a trace), the kernels (kernels.cu and kernels.cubin, or kernels.ll, kernels.s and
kernels.o on LLVM), module.so, and record.json, which says how all of it was made.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from fusion import nvrtc, records
from fusion.cases import add_arguments, case_from
from fusion.errors import FusionError, choose, run_program
from fusion.variants import VARIANTS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    parser.add_argument("--variant", required=True, help=f"one of {', '.join(VARIANTS)}")
    parser.add_argument("--arch", required=True, help="llvm, or an architecture such as sm_86")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    parser.add_argument("--rates", type=Path, help="calibrate_device.py's record, for SPLIT")
    args = parser.parse_args()
    case = case_from(args)
    choose("variant", args.variant, VARIANTS)
    variant = VARIANTS[args.variant]
    kind = "llvm" if args.arch == "llvm" else "cuda"
    if kind not in variant.targets:
        raise FusionError(
            f"variant {variant.name} is not for {args.arch}",
            expected=f"a {' or '.join(variant.targets)} target",
        )

    if kind == "cuda":
        nvrtc.require_arch(args.arch)

    from fusion import build, provenance, schedules

    args.out.mkdir(parents=True, exist_ok=True)
    for leftover in args.out.glob(".building-*"):  # of a killed job
        shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=args.out, prefix=".building-") as folder:
        kept = args.out / "failed-ir"
        made = build.build(case, variant, args.arch, Path(folder), kept, args.rates)
        code = made.code
        records.write_text(args.out / code.source_file, code.source)
        records.write_bytes(args.out / code.file, code.data)
        if code.assembly is not None:
            records.write_text(args.out / "kernels.s", code.assembly())
        records.write_bytes(args.out / "module.so", made.module.read_bytes())
        traces = schedules.write(Path(folder) / "schedules", made.schedules)
        for made_folder in ("ir", "schedules"):
            shutil.rmtree(args.out / made_folder, ignore_errors=True)
            (Path(folder) / made_folder).rename(args.out / made_folder)
    shutil.rmtree(args.out / "failed-ir", ignore_errors=True)
    records.write(
        args.out / "record.json",
        "compile",
        {
            "case": case.as_record(),
            "variant": variant.name,
            "summary": variant.summary,
            "arch": args.arch,
            "calls": {
                "expected": case.expected_calls(variant.name),
                "found": sum(made.calls.values()),
                "functions": made.calls,
            },
            "functions": _functions(made, traces),
            "bytes_moved": made.bytes_moved,
            "decisions": made.decisions,
            "passes": made.passes,
            "code": {
                "format": code.format,
                "file": code.file,
                "source_file": code.source_file,
                "sha256": records.sha256(code.data),
                "bytes": len(code.data),
                "source_sha256": records.sha256(code.source.encode()),
                "assembly_file": None if code.assembly is None else "kernels.s",
            },
            "module": {
                "file": "module.so",
                "sha256": records.file_sha256(args.out / "module.so"),
                "linker": made.linker,
            },
            "compiler": code.compiler,
            "llvm": build.llvm_version(),
            "target": made.target,
            "environment": provenance.environment(),
            "seconds": made.seconds,
        },
    )
    seconds = sum(made.seconds.values())
    print(
        f"{case.name} {variant.name} for {args.arch}: {sum(made.calls.values())} calls, "
        f"{code.format} {records.sha256(code.data)[:12]}, {seconds:.1f} s"
    )


def _functions(made, traces: dict[str, str]) -> list[dict]:
    """Every PrimFunc that is called: its full name, calls, schedule rule and trace, kernels."""
    return [
        {
            "name": name,
            "calls": calls,
            "rule": made.schedules[name].rule if name in made.schedules else "none",
            "schedule": f"schedules/{traces[name]}" if name in traces else None,
            "kernels": [launch.as_record() for launch in made.launches[name]],
        }
        for name, calls in made.calls.items()
    ]


if __name__ == "__main__":
    run_program(main)
