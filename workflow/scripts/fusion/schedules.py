"""Which of dlight's rules scheduled each PrimFunc, and how: noted while the rules run."""

import re
from dataclasses import dataclass
from pathlib import Path

import tvm
from tvm import s_tir, tirx

from . import disks
from .names import shorten

SCHEDULING = "ApplyDefaultSchedule"


def write(folder: Path, schedules: dict) -> dict[str, str]:
    """Write each function's trace as NNN_name.py; returns the file's name by function."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for number, (function, schedule) in enumerate(schedules.items(), 1):
        files[function] = f"{number:03d}_{re.sub(r'[^A-Za-z0-9_]', '_', function)[:40]}.py"
        text = f"# {schedule.rule} scheduled {shorten(function)}\n{schedule.trace}\n"
        with disks.writing(folder / files[function]):
            (folder / files[function]).write_text(text)
    return files


@dataclass(frozen=True)
class Schedule:
    """rule: the class of the rule that took a PrimFunc. trace: what it did, as Python."""

    rule: str
    trace: str


@tvm.instrument.pass_instrument
class RuleNotes:
    """An instrument of one build. `schedules` maps a PrimFunc's name to its Schedule.

    The names come from the module that a scheduling pass is about to see: a rule itself is given
    the function without its name. A PrimFunc that no rule took is not in `schedules`. `decisions`
    holds what rules with an `explanation` say of each PrimFunc that they saw, taken or not.
    """

    def __init__(self):
        self.schedules: dict[str, Schedule] = {}
        self.decisions: list[dict] = []
        self._functions: list[tuple[str, tirx.PrimFunc]] = []

    def attach(self, passes: list) -> None:
        """Wrap the rules of the scheduling passes among these, which belong to this build alone."""
        for scheduling in passes:
            if scheduling.info.name == SCHEDULING:
                scheduling.rules[:] = [_NotedRule(rule, self) for rule in scheduling.rules]

    def note(self, function: tirx.PrimFunc, rule: str, schedule: s_tir.Schedule) -> None:
        """Keep the schedule under every name that this function has."""
        kept = Schedule(rule, str(schedule.trace))
        self.schedules |= dict.fromkeys(self._names(function), kept)

    def note_decision(self, function: tirx.PrimFunc, explanation: dict) -> None:
        """Keep a rule's explanation, with the function's name."""
        self.decisions += [{"function": name, **explanation} for name in self._names(function)]

    def _names(self, function: tirx.PrimFunc) -> list[str]:
        return [name for name, known in self._functions if known.same_as(function)]

    def run_before_pass(self, mod, info):
        if info.name == SCHEDULING:
            self._functions = [
                (name.name_hint, function)
                for name, function in mod.functions.items()
                if isinstance(function, tirx.PrimFunc)
            ]


class _NotedRule:
    """A rule that does as the one it holds, and notes what came of it."""

    def __init__(self, rule, notes: RuleNotes):
        self._rule, self._notes = rule, notes

    def apply(self, function, target, tunable):
        space = self._rule.apply(function, target, tunable)
        if hasattr(self._rule, "explanation"):
            self._notes.note_decision(function, self._rule.explanation)
        if space is not None:
            schedule = space if isinstance(space, s_tir.Schedule) else space[0]
            self._notes.note(function, type(self._rule).__name__, schedule)
        return space
