"""Put profiles beside what was timed: profile.md, breakdown.csv and profile_kernels.csv."""

import argparse
from pathlib import Path

from fusion import profile_tables, records
from fusion.errors import run_program


def main() -> None:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__)
    parser.add_argument("--profiles", nargs="+", required=True, type=Path, help="profile records")
    parser.add_argument("--summary", required=True, type=Path, help="tables/summary.json")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    args = parser.parse_args()
    profiles = [records.read(path, "profile") for path in args.profiles]
    summary = records.read(args.summary, "summary")
    calls = profile_tables.breakdown_frame(profiles, summary)
    kernels = profile_tables.kernels_frame(profiles)
    records.write_text(args.out / "profile.md", profile_tables.markdown(profiles, summary))
    records.write_text(args.out / "breakdown.csv", calls.to_csv(index=False))
    records.write_text(args.out / "profile_kernels.csv", kernels.to_csv(index=False))
    print(calls[["variant", "sum_us", "timed_us", "difference_us"]].to_string(index=False))
    for line in profile_tables.not_run(profiles):
        print(line)


if __name__ == "__main__":
    run_program(main)
