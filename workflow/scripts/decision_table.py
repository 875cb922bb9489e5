"""Put what the remedies decided while they compiled into tables: decisions.md and decisions.csv."""

import argparse
from pathlib import Path

from fusion import decision_tables, records
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__)
    parser.add_argument("--records", nargs="+", required=True, type=Path, help="compile records")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    args = parser.parse_args()
    compiled = [records.read(path, "compile") for path in args.records]
    records.write_text(args.out / "decisions.csv", decision_tables.to_csv(compiled))
    records.write_text(args.out / "decisions.md", decision_tables.markdown(compiled))
    decided = len(decision_tables.rows(compiled))
    print(f"{decided} decisions of {len(compiled)} builds: {args.out / 'decisions.md'}")


if __name__ == "__main__":
    run_program(main)
