"""Put the trials of an experiment into tables: summary.json, .csv and .md, and trials.csv."""

import argparse
from pathlib import Path

from fusion import records, summary, tables
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiment", required=True, help="its name, for the headings")
    parser.add_argument("--trials", nargs="+", required=True, type=Path, help="time records")
    parser.add_argument("--verified", nargs="+", required=True, type=Path, help="verify records")
    parser.add_argument("--compiled", nargs="+", required=True, type=Path, help="compile records")
    parser.add_argument("--max-cv", type=float, required=True, help="bound on CV for passing")
    parser.add_argument(
        "--min-slowdown", type=float, required=True, help="least ON/OFF for passing"
    )
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    args = parser.parse_args()
    passing = {"max_cv": args.max_cv, "min_slowdown": args.min_slowdown}
    body = summary.summarize(args.experiment, args.trials, args.verified, args.compiled, passing)
    records.write(args.out / "summary.json", "summary", body)
    records.write_text(args.out / "summary.csv", tables.summary_frame(body).to_csv(index=False))
    records.write_text(args.out / "trials.csv", tables.trials_frame(body).to_csv(index=False))
    records.write_text(args.out / "summary.md", tables.markdown(body))
    for case in body["cases"]:
        ratios = ", ".join(f"{k} {v['median']:.4f}" for k, v in case["ratios"].items())
        passed = case["trials_passing"]
        print(f"{case['case']['name']}: {ratios}; {passed['passing']}/{passed['of']} trials pass")


if __name__ == "__main__":
    run_program(main)
