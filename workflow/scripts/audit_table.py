"""Put the audits of an experiment into tables: audit.md, audit.csv and audit_totals.csv."""

import argparse
from pathlib import Path

from fusion import audit_tables, records
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__)
    parser.add_argument("--records", nargs="+", required=True, type=Path, help="audit records")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    args = parser.parse_args()
    audits = [records.read(path, "audit") for path in args.records]
    kernels, totals = audit_tables.kernels_frame(audits), audit_tables.totals_frame(audits)
    records.write_text(args.out / "audit.csv", kernels.to_csv(index=False))
    records.write_text(args.out / "audit_totals.csv", totals.to_csv(index=False))
    records.write_text(args.out / "audit.md", audit_tables.markdown(audits))
    print(f"{len(kernels)} kernels of {len(totals)} variants: {args.out / 'audit.md'}")


if __name__ == "__main__":
    run_program(main)
