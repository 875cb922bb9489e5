"""Put what the TVMs of one run make of each case side by side: toolchains.md and toolchains.csv."""

import argparse
from pathlib import Path

from fusion import change_tables, changes, records, tables
from fusion.errors import FusionError, run_program
from fusion.words import percent


def main() -> None:
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@", description=__doc__)
    parser.add_argument("--summary", required=True, type=Path, help="tables/summary.json")
    parser.add_argument("--audits", nargs="*", default=[], type=Path, help="audit records")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    args = parser.parse_args()
    summary = records.read(args.summary, "summary")
    names = changes.several(summary)
    if len(names) < 2:
        raise FusionError(
            "this run has one TVM", expected="two or more TVMs in toolchains", found=str(names)
        )
    audits = {
        (a["case"]["name"], a["variant"]): a
        for a in (records.read(path, "audit") for path in args.audits)
    }
    found = changes.between_toolchains(summary, audits)
    records.write_text(args.out / "toolchains.csv", change_tables.frame(found).to_csv(index=False))
    records.write_text(args.out / "toolchains.md", markdown(summary, found, names))
    for one in found:
        where = f"{one.case['case']['name']} {one.variant}"
        ratio = "–" if one.ratio is None else f"{one.ratio:.4f}"
        print(f"{where}, {one.after} over {one.before}: {ratio} {one.verdict} ({one.reason})")


def markdown(summary: dict, found: list, names: list[str]) -> str:
    judging = summary["judging"]
    interval = (
        f"Student's {percent(judging['confidence'])} interval over the trials, paired by block"
    )
    lines = [f"# {summary['experiment']}: {' against '.join(names)}", ""]
    lines += [f"{tables.subtitle(summary)}.", ""]
    for name in names:
        said = summary["toolchains"].get(name, {})
        if said:
            lines.append(
                f"- {name}: TVM {said['tvm']} (commit {said['tvm_commit']}), tvm-ffi "
                f"{said['tvm_ffi']}, Python {said['python']}"
            )
    lines.append("")
    keys = tables.varying_sizes(summary)
    lines += change_tables.tables(found, keys, names[0], interval, judging["same"])
    return "\n".join(lines)


if __name__ == "__main__":
    run_program(main)
