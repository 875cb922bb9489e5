"""Build a compiled variant once more and compare the code's hash with the record's."""

import argparse
import tempfile
from pathlib import Path

from fusion import artifacts, records
from fusion.errors import FusionError, run_program
from fusion.variants import VARIANTS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", required=True, type=Path, help="record.json of the compile")
    parser.add_argument("--out", required=True, type=Path, help="the record to write (JSON)")
    parser.add_argument("--rates", type=Path, help="what the compile was given with --rates")
    args = parser.parse_args()
    compiled = artifacts.read_artifacts([args.record])
    first, case = compiled[0].record, artifacts.case_of(compiled)

    from fusion import build, provenance

    with tempfile.TemporaryDirectory() as folder:
        kept = args.out.parent / f"{first['variant']}-failed-ir"
        variant = VARIANTS[first["variant"]]
        second = build.build(case, variant, first["arch"], Path(folder), kept, args.rates)
    pair = [first["code"]["sha256"], records.sha256(second.code.data)]
    report = (
        f"{case.name} {first['variant']} for {first['arch']}, {first['code']['format']} of two "
        f"builds: {pair[0][:12]} and {pair[1][:12]}"
    )
    if pair[0] != pair[1]:
        raise FusionError(
            f"two builds of the same input differ: {report}",
            expected=f"SHA-256 {pair[0]} again",
            found=f"{pair[1]} (compiler {second.code.compiler['version']}, before "
            f"{first['compiler']['version']})",
            do="compile again; if they still differ, this compiler is not deterministic",
        )
    body = {k: first[k] for k in ("case", "variant", "arch")}
    body |= {"sha256": pair, "equal": True, "environment": provenance.environment()}
    records.write(args.out, "rebuild", body)
    print(f"{report}: equal")


if __name__ == "__main__":
    run_program(main)
