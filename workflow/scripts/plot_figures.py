"""Draw the figures of an experiment from its summary and its trials; needs no GPU and no TVM.

Writes, as PNG and SVG: ratios_by_depth, latency_by_depth, samples/CASE for each case, and
breakdown where profiles are given.
"""

import argparse
from pathlib import Path

from fusion import records
from fusion.errors import FusionError, run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary", required=True, type=Path, help="tables/summary.json")
    parser.add_argument("--trials", nargs="+", required=True, type=Path, help="time records")
    parser.add_argument(
        "--profiles", nargs="*", default=[], type=Path, help="profile records, if there are any"
    )
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    args = parser.parse_args()
    summary = records.read(args.summary, "summary")
    trials = sorted((records.read(p, "time") for p in args.trials), key=lambda r: r["trial"])

    from fusion.plotting import breakdown, latency, ratios, samples, style

    style.save(ratios.draw(summary), args.out, "ratios_by_depth")
    style.save(latency.draw(summary), args.out, "latency_by_depth")
    if args.profiles:
        profiles = [records.read(path, "profile") for path in args.profiles]
        style.save(breakdown.draw(summary, profiles), args.out, "breakdown")
    for case in summary["cases"]:
        name = case["case"]["name"]
        own = [record for record in trials if record["case"]["name"] == name]
        if [r["trial"] for r in own] != [t["trial"] for t in case["trials"]]:
            raise FusionError(
                f"the trials given are not those of {args.summary}",
                expected=f"{name}: trials {[t['trial'] for t in case['trials']]}",
                found=str([r["trial"] for r in own]),
                do="run the aggregate stage again",
            )
        style.save(samples.draw(summary, own), args.out / "samples", name)


if __name__ == "__main__":
    run_program(main)
