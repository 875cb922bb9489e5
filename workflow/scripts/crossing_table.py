"""Where fusing stops paying: crossings.md and crossings.csv from an experiment's summary."""

import argparse
from pathlib import Path

from fusion import crossing_tables, records
from fusion.crossings import words
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--summary", required=True, type=Path, help="tables/summary.json")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    args = parser.parse_args()
    summary = records.read(args.summary, "summary")
    records.write_text(args.out / "crossings.md", crossing_tables.markdown(summary))
    table = crossing_tables.frame(summary).to_csv(index=False)
    records.write_text(args.out / "crossings.csv", table)
    for line in crossing_tables.lines_of(summary):
        print(f"{crossing_tables.name(line)}: {words(line.crossing)}")


if __name__ == "__main__":
    run_program(main)
