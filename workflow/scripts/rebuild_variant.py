"""Build a compiled variant once more and compare the code's hash with the record's."""

import argparse
import subprocess
import tempfile
from pathlib import Path

from fusion import artifacts, entries, failures, records, supervise, toolchains
from fusion.errors import FusionError, run_program

PROGRAM = Path(__file__).with_name("build_variant.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", required=True, type=Path, help="record.json of the compile")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    parser.add_argument("--rates", type=Path, help="what the compile was given with --rates")
    parser.add_argument("--toolchain", help="what the compile was given with --toolchain")
    failures.add_arguments(parser, "compile_s")
    args = parser.parse_args()
    compiled = artifacts.read_artifacts([args.record])
    first, case = compiled[0].record, artifacts.case_of(compiled)
    name = f"{case.name} {first['variant']} for {first['arch']}"
    body = {k: first[k] for k in ("case", "variant", "arch")}
    if compiled[0].failed:
        records.write(args.out, "rebuild", {**body, "failed": compiled[0].failed})
        print(f"{name} was not compiled, so it is not built again")
        return
    with tempfile.TemporaryDirectory(prefix="fuse-or-not-") as folder:
        words = [*case.arguments(), "--variant", entries.variant_of(first["variant"])]
        words += ["--arch", first["arch"], "--out", folder, "--any-calls"]
        words += ["--rates", str(args.rates)] if args.rates else []
        why = supervise.run(
            toolchains.find(args.toolchain), PROGRAM, words, args.limit, subprocess.DEVNULL
        )
        if why:
            raise FusionError(why)
        second = records.read(Path(folder) / "record.json", "compile")
    pair = [first["code"]["sha256"], second["code"]["sha256"]]
    report = f"{name}, {first['code']['format']} of two builds: {pair[0][:12]} and {pair[1][:12]}"
    if pair[0] != pair[1]:
        raise FusionError(
            f"two builds of the same input differ: {report}",
            expected=f"SHA-256 {pair[0]} again",
            found=f"{pair[1]} (compiler {second['compiler']['version']}, before "
            f"{first['compiler']['version']})",
            do="compile again; if they still differ, this compiler is not deterministic",
        )
    body |= {"sha256": pair, "equal": True, "environment": second["environment"]}
    records.write(args.out, "rebuild", body)
    print(f"{report}: equal")


if __name__ == "__main__":
    run_program(main)
