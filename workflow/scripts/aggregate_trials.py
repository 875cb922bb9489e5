"""Put the trials of an experiment into tables: summary.json, .csv and .md, and trials.csv."""

import argparse
from pathlib import Path

from fusion import records, summary, summary_text, tables
from fusion.errors import run_program
from fusion.judging import Thresholds


def main() -> None:
    args = parse()
    passing = {"max_cv": args.max_cv, "min_slowdown": args.min_slowdown}
    thresholds = Thresholds(**{key: getattr(args, key) for key in Thresholds.__dataclass_fields__})
    body = summary.summarize(
        args.experiment, args.trials, args.verified, args.compiled, passing, thresholds
    )
    records.write(args.out / "summary.json", "summary", body)
    records.write_text(args.out / "summary.csv", tables.summary_frame(body).to_csv(index=False))
    records.write_text(args.out / "trials.csv", tables.trials_frame(body).to_csv(index=False))
    records.write_text(args.out / "summary.md", summary_text.markdown(body))
    for case in body["cases"]:
        print(case["case"]["name"])
        for pair, over in case["ratios"].items():
            found = case["verdicts"][pair]
            print(f"  {pair} {over['median']:.4f}: {found['verdict']}, {found['reason']}")
        for warning in case["warnings"]:
            print(f"  warning: {warning}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__)
    parser.add_argument("--experiment", required=True, help="its name, for the headings")
    parser.add_argument("--trials", nargs="+", required=True, type=Path, help="time records")
    parser.add_argument("--verified", nargs="+", required=True, type=Path, help="verify records")
    parser.add_argument("--compiled", nargs="+", required=True, type=Path, help="compile records")
    parser.add_argument("--max-cv", type=float, required=True, help="bound on CV for passing")
    parser.add_argument(
        "--min-slowdown", type=float, required=True, help="least ON/OFF for passing"
    )
    parser.add_argument("--confidence", type=float, required=True, help="of the intervals")
    parser.add_argument("--slower", type=float, required=True, help="ratio that is SLOWER")
    parser.add_argument(
        "--same", type=float, default=0.02, help="ratio minus 1 that another TVM may have for SAME"
    )
    parser.add_argument(
        "--max-flagged", type=float, required=True, help="share of flagged blocks for UNSTABLE"
    )
    parser.add_argument("--min-trials", type=int, required=True, help="fewer give a warning")
    parser.add_argument(
        "--min-sample-ms", type=float, required=True, help="a shorter sample gives a warning"
    )
    parser.add_argument(
        "--max-half-width", type=float, required=True, help="a wider interval gives a warning"
    )
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    return parser.parse_args()


if __name__ == "__main__":
    run_program(main)
