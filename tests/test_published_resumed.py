"""The run on an H200 that was killed in the middle of a trial: what it had stayed as it was."""

import hashlib
import itertools
import json
import re

from conftest import ROOT

from fusion import records

PUBLISHED = ROOT / "results/published/nvidia-h200"
RUN = PUBLISHED / "issue-20342-resumed"
KILLED = json.loads((RUN / "killed.json").read_text())


def test_what_was_finished_before_the_kill_is_what_lies_there_now():
    kept = KILLED["kept_files_sha256"]
    assert KILLED["changed_or_lost"] == {} and KILLED["finished_files_before"] == 633
    assert sum(name.startswith("time/") for name in kept) == KILLED["trials_before"] == 3
    for name, digest in kept.items():
        assert hashlib.sha256((RUN / "sm_90" / name).read_bytes()).hexdigest() == digest, name


def test_the_orphan_and_the_resumed_run_never_timed_together():
    assert KILLED["orphan_went_on"] is True
    trials = [records.read(p, "time") for p in (RUN / "sm_90/time").rglob("trial-*.json")]
    assert len(trials) == 10 == KILLED["trials_after"]
    spans = sorted((t["started"], t["started"] + t["held_s"]) for t in trials)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))
    (waited,) = [t for t in trials if t["waited_s"] > 0]
    trial, case = re.match(r"trial (\d) of (.*)", KILLED["in_the_middle_of"]).groups()
    assert (str(waited["trial"]), waited["case"]["name"]) == (trial, case)
    readme = (ROOT / "README.md").read_text()
    assert f"for another {waited['waited_s']:.1f} s" in readme and "633 files" in readme


def test_its_table_is_equal_in_form_to_that_of_an_undisturbed_run():
    """The same headings, the same heads of tables, the same cases in the same order."""

    def form(name):
        text = (PUBLISHED / name / "sm_90/tables/summary.md").read_text()
        kept = [line for line in text.splitlines() if line.startswith(("## ", "| depth", "|---"))]
        depths = re.findall(r"^\| (8|16) \| (\S+)", text, re.MULTILINE)
        return kept, [depth for depth, _ in depths]

    assert form("issue-20342-resumed") == form("issue-20342-precision")
    assert len(form("issue-20342-resumed")[0]) >= 6
