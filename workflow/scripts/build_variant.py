"""Build one variant of one case with the TVM of this interpreter; needs no GPU.

What compile_variant.py starts under the toolchain's interpreter; its words are the same. Writes
into --out: ir/NNN_Pass.py (000 is the input), schedules/NNN_function.py (each PrimFunc's schedule,
as a trace), the kernels (kernels.cu and kernels.cubin, or kernels.ll, kernels.s and kernels.o on
LLVM), module.so, and record.json, which says how all of it was made.
"""

import shutil
import tempfile
from pathlib import Path

from fusion import artifacts, compiling, records, supervise
from fusion.errors import run_program
from fusion.variants import VARIANTS


def main() -> None:
    supervise.end_with_parent()
    args = compiling.parse(__doc__.splitlines()[0])
    case, variant = compiling.checked(args)

    from fusion import build, provenance, schedules

    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.out, prefix=compiling.BUILDING) as folder:
        kept = args.out / "failed-ir"
        expected = None if args.any_calls else case.expected_calls(variant.name)
        made = build.build(
            case, variant, args.arch, Path(folder), kept, args.rates, expected=expected
        )
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
    name = compiling.entry_of(args)
    records.write(
        args.out / "record.json",
        "compile",
        {
            "case": case.as_record(),
            "variant": name,
            "summary": VARIANTS[variant.name].summary,
            "arch": args.arch,
            "signature": artifacts.as_record(made.signature),
            "partition": made.partition,
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
        f"{case.name} {name} for {args.arch}: {sum(made.calls.values())} calls, "
        f"{code.format} {records.sha256(code.data)[:12]}, {seconds:.1f} s",
        flush=True,
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
