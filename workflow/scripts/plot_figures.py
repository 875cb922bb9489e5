"""Draw the figures of an experiment from its summary and its trials; needs no GPU and no TVM.

Writes each figure that --figures names, as PNG and SVG, and what it plots as CSV.
"""

import argparse
from pathlib import Path

from fusion import records
from fusion.errors import FusionError, choose, run_program


def main() -> None:
    args = parse()
    summary = records.read(args.summary, "summary")
    cases = {case["case"]["name"]: case for case in summary["cases"]}

    from fusion.plotting import (
        breakdown,
        crossing,
        fastest_map,
        latency,
        nothing,
        over_floor,
        ratios,
        samples,
        style,
    )

    of_summary = {
        "ratios_by_depth": ratios,
        "latency_by_depth": latency,
        "over_floor_by_depth": over_floor,
        "fastest_map": fastest_map,
        "crossing": crossing,
    }
    known = [*of_summary, "breakdown", *(f"samples/{name}" for name in cases)]
    trials = sorted((records.read(p, "time") for p in args.trials), key=lambda r: r["trial"])
    for name in args.figures:
        choose("figure", name, known)
        if name in of_summary:
            drawn = of_summary[name].draw(summary)
        elif name == "breakdown":
            profiles = [records.read(path, "profile") for path in args.profiles]
            drawn = breakdown.draw(summary, profiles)
        else:
            case = cases[name.removeprefix("samples/")]
            own = _trials_of(case, trials, args.summary) if case["trials"] else []
            drawn = samples.draw(summary, case, own) if own else nothing.draw(summary, case)
        style.save(*drawn, args.out / Path(name).parent, Path(name).name)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__.splitlines()[0])
    parser.add_argument("--summary", required=True, type=Path, help="tables/summary.json")
    parser.add_argument("--trials", nargs="+", required=True, type=Path, help="time records")
    parser.add_argument(
        "--profiles", nargs="*", default=[], type=Path, help="profile records, for breakdown"
    )
    parser.add_argument(
        "--figures",
        nargs="+",
        required=True,
        help="what to draw: ratios_by_depth, latency_by_depth, over_floor_by_depth, fastest_map, "
        "crossing, breakdown, samples/CASE",
    )
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    return parser.parse_args()


def _trials_of(case: dict, trials: list[dict], summary: Path) -> list[dict]:
    name = case["case"]["name"]
    own = [record for record in trials if record["case"]["name"] == name]
    if [r["trial"] for r in own] != [t["trial"] for t in case["trials"]]:
        raise FusionError(
            f"the trials given are not those of {summary}",
            expected=f"{name}: trials {[t['trial'] for t in case['trials']]}",
            found=str([r["trial"] for r in own]),
            do="run the aggregate stage again",
        )
    return own


if __name__ == "__main__":
    run_program(main)
