"""Compare two runs of one configuration: what got slower or faster, and what changed in the code.

Takes the results folders of both (such as results/before/sm_90), or their tables/summary.json;
needs no GPU. Writes comparison.md and comparison.csv into --out, or one .md file. The runs must
agree in cases, variants, architecture, inputs and protocol: anything else is refused.
"""

import argparse
from pathlib import Path

from fusion import change_tables, changes, comparing_runs, records
from fusion.errors import FusionError, run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=Path, help="a results folder, or its tables/summary.json")
    parser.add_argument("second", type=Path, help="the other's")
    parser.add_argument("--out", required=True, type=Path, help="the folder, or .md file, to write")
    parser.add_argument(
        "--any-protocol", action="store_true", help="compare though the protocols differ"
    )
    args = parser.parse_args()
    paths = [summary_of(path) for path in (args.first, args.second)]
    first, second = (read(path) for path in paths)
    if first["digest"] == second["digest"]:
        raise FusionError("the two files are one and the same run", found=str(args.second))
    rows = comparing_runs.compare(first, second, any_protocol=args.any_protocol)
    found = changes.between_runs(
        first, second, tuple(audits(p, s) for p, s in zip(paths, (first, second), strict=True))
    )
    target = args.out if args.out.suffix == ".md" else args.out / "comparison.md"
    records.write_text(target, comparing_runs.document(first, second, rows, found))
    frame = change_tables.frame(found)
    if target != args.out:
        records.write_text(args.out / "comparison.csv", frame.to_csv(index=False))
    overlapping = sum(row["overlap"] for row in rows)
    words = ", ".join(f"{n} {v}" for v, n in frame["verdict"].value_counts().items())
    print(f"{words}; {overlapping} of {len(rows)} ratios have overlapping intervals; see {target}")


def summary_of(path: Path) -> Path:
    return path / "tables" / "summary.json" if path.is_dir() else path


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


def audits(path: Path, summary: dict) -> dict:
    """The run's audits by (case, entry), as far as they are there."""
    folder, found = path.parents[1] / "audit", {}
    for case in summary["cases"]:
        for name in summary["variants"]:
            record = folder / case["case"]["name"] / f"{name}.json"
            if record.exists():
                found[case["case"]["name"], name] = records.read(record, "audit")
    return found


if __name__ == "__main__":
    run_program(main)
