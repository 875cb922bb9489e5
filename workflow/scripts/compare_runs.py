"""Compare two runs of one configuration: do the intervals of each ratio overlap?

Writes a Markdown table. The runs must agree in cases, variants and protocol.
"""

import argparse
from pathlib import Path

from fusion import comparing_runs, records
from fusion.errors import FusionError, run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=Path, help="tables/summary.json of one run")
    parser.add_argument("second", type=Path, help="tables/summary.json of the other")
    parser.add_argument("--out", required=True, type=Path, help="the Markdown file to write")
    args = parser.parse_args()
    first, second = (read(path) for path in (args.first, args.second))
    if first["digest"] == second["digest"]:
        raise FusionError("the two files are one and the same run", found=str(args.second))
    rows = comparing_runs.compare(first, second)
    records.write_text(args.out, comparing_runs.markdown(first, second, rows))
    overlapping = sum(row["overlap"] for row in rows)
    print(f"{overlapping} of {len(rows)} ratios have overlapping intervals; see {args.out}")


def read(path: Path) -> dict:
    """A summary; a FusionError that advises to delete nothing, since the file is the user's."""
    try:
        return records.read(path, "summary")
    except FusionError as error:
        raise FusionError(
            f"{path} is not the summary of a run",
            expected="tables/summary.json, as the aggregate stage writes it",
            found=error.found or error.problem,
        ) from None


if __name__ == "__main__":
    run_program(main)
