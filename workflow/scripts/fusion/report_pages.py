"""The pages of the HTML report: where each stands in it, and the Markdown that it shows."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Page:
    """markdown: its path in the folder of results. compiled: whether it needs no device."""

    name: str
    category: str
    label: str
    markdown: str
    compiled: bool = False


VERDICTS, EVIDENCE = "1 Verdicts", "3 Evidence"
PAGES = (
    Page("overview", VERDICTS, "overview", "issue.md"),
    Page("verdicts", VERDICTS, "verdicts", "tables/summary.md"),
    Page("toolchains", VERDICTS, "versions of TVM side by side", "tables/toolchains.md"),
    Page("crossings", VERDICTS, "where fusing stops paying", "tables/crossings.md"),
    Page("audit", EVIDENCE, "the compiled code", "tables/audit.md", compiled=True),
    Page("decisions", EVIDENCE, "what SPLIT and STAGED decided", "tables/decisions.md", True),
    Page("profile", EVIDENCE, "where the time goes", "tables/profile.md"),
)


def measured_elsewhere(results: str, can_run: bool) -> bool:
    """Whether a folder of results has tables of trials that nothing here could run."""
    return not can_run and Path(results, "tables/summary.json").is_file()


def pages_of(results: str, can_run: bool, without: set[str]) -> list[Page]:
    """The pages of an experiment. without: the names of those that it does not have.

    What was measured elsewhere has the pages whose Markdown lies there; what is only compiled has
    those that need no device.
    """
    found = [page for page in PAGES if page.name not in without]
    if measured_elsewhere(results, can_run):
        return [page for page in found if Path(results, page.markdown).is_file()]
    return [page for page in found if can_run or page.compiled]
