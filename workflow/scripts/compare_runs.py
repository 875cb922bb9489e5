"""Compare two runs of one configuration: do the intervals of each ratio overlap?

Writes a Markdown table. The runs must agree in cases, variants and protocol.
"""

import argparse
from pathlib import Path

from fusion import comparing_runs, records
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=Path, help="tables/summary.json of one run")
    parser.add_argument("second", type=Path, help="tables/summary.json of the other")
    parser.add_argument("--out", required=True, type=Path, help="the Markdown file to write")
    args = parser.parse_args()
    first, second = (records.read(path, "summary") for path in (args.first, args.second))
    rows = comparing_runs.compare(first, second)
    records.write_text(args.out, comparing_runs.markdown(first, second, rows))
    overlapping = sum(row["overlap"] for row in rows)
    print(f"{overlapping} of {len(rows)} ratios have overlapping intervals; see {args.out}")


if __name__ == "__main__":
    run_program(main)
