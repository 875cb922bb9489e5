"""Which of a block's threads reach an instruction, where the code says so by the thread's number.

A schedule that lets few threads do some work guards it by `threadIdx.x < n`; the compiler turns
this into a comparison of SR_TID.X with a constant and a forward branch, or a predicate. Such guards
are recognised here. All else is taken to run in every thread, so a count is never too low, but for
loops, which are not followed (of a kernel with one no guard is recognised either).
"""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass

# ISETP's comparisons, and what holds where one does not.
HOLDS = {
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
    "EQ": operator.eq,
    "NE": operator.ne,
}
OPPOSITE = {"LT": "GE", "LE": "GT", "GT": "LE", "GE": "LT", "EQ": "NE", "NE": "EQ"}
COPIES = ("MOV", "IMAD.MOV.U32")


@dataclass(frozen=True)
class Guard:
    """threadIdx.x stands in this relation to a constant."""

    comparison: str
    bound: int

    def admits(self, thread: int) -> bool:
        return HOLDS[self.comparison](thread, self.bound)


def active(guards: tuple[Guard, ...], threads: int) -> int:
    """How many of the threads 0, 1, ... threads - 1 all the guards admit."""
    return sum(all(guard.admits(t) for guard in guards) for t in range(threads))


def of_instructions(listed: list[dict], start: int, width: int) -> list[tuple[Guard, ...]]:
    """For each instruction the guards that it stands behind.

    listed: nvdisasm's "sass-instructions" of one function. start: the function's address. width:
    bytes of an instruction.
    """
    known = _Known()
    regions: list[tuple[float, Guard]] = []  # until which address which guard holds
    found = []
    for number, instruction in enumerate(listed):
        address = start + width * number
        regions = [(end, guard) for end, guard in regions if address < end]
        own = known.guard_of(instruction.get("predicate", ""))
        target = _target(instruction)
        behind = tuple(guard for _, guard in regions)
        if target is not None and target <= address and instruction.get("predicate"):
            return [()] * len(listed)  # a loop
        past = known.guard_of(_negated(instruction.get("predicate", "")))
        if past is not None and instruction["opcode"] == "EXIT":
            regions.append((math.inf, past))  # who leaves here does none of what follows
        if past is not None and target is not None:
            regions.append((target, past))
        found.append(behind if target is not None or own is None else (*behind, own))
        known.see(instruction)
    return found


def _negated(predicate: str) -> str:
    return predicate.replace("!", "") if "!" in predicate else predicate.replace("@", "@!")


class _Known:
    """Registers that hold the thread's number, and predicates that compare it.

    `when` maps '@P0' and '@!P0' to what is known of the thread's number if that holds.
    """

    def __init__(self):
        self.registers: set[str] = set()
        self.when: dict[str, Guard] = {}

    def guard_of(self, predicate: str) -> Guard | None:
        return self.when.get(predicate)

    def see(self, instruction: dict) -> None:
        opcode = instruction["opcode"]
        operands = [
            word.removesuffix(".reuse") for word in instruction.get("operands", "").split(",")
        ]
        if opcode.startswith("ISETP."):
            self._compare(opcode.split("."), operands, instruction.get("predicate", ""))
            return
        copied = opcode in COPIES and operands[-1] in self.registers
        for register in _written(opcode, operands[0]):
            self.registers.discard(register)
        for word in operands:  # a predicate is written by other instructions too
            self._forget(word)
        unconditional = not instruction.get("predicate")
        if unconditional and (copied or operands[1:] == ["SR_TID.X"]):
            self.registers.add(operands[0])

    def _compare(self, words: list[str], operands: list[str], predicate: str) -> None:
        """ISETP.<comparison>[.U32].<AND or OR> P, P', left, right, P''."""
        target, _, left, right, third = operands[:5]
        true, false = f"@{target}", f"@!{target}"
        # "tid < 4 and more" still implies tid < 4; "not (tid > 3 or more)" implies tid <= 3.
        implies, is_plain = (true, third == "PT") if words[-1] == "AND" else (false, third == "!PT")
        kept = self.when.get(implies) if third == target else None
        self._forget(target)
        if predicate:
            return
        if left in self.registers and re.fullmatch(r"0x[0-9a-f]+", right):
            bound = int(right, 16)
            found = {true: Guard(words[1], bound), false: Guard(OPPOSITE[words[1]], bound)}
            self.when |= found if is_plain else {implies: found[implies]}
        elif kept:
            self.when[implies] = kept

    def _forget(self, predicate: str) -> None:
        self.when.pop(f"@{predicate}", None)
        self.when.pop(f"@!{predicate}", None)


def _written(opcode: str, register: str) -> list[str]:
    """The registers that an instruction writes, as far as its first operand and width tell."""
    match = re.fullmatch(r"R(\d+)", register)
    if not match:
        return []
    words = opcode.split(".")
    count = 4 if "128" in words else 2 if "64" in words or "WIDE" in words else 1
    return [f"R{int(match[1]) + offset}" for offset in range(count)]


def _target(instruction: dict) -> int | None:
    """The address that a branch goes to."""
    if instruction["opcode"].split(".")[0] != "BRA":
        return None
    match = re.search(r"0x([0-9a-f]+)$", instruction.get("operands", ""))
    return int(match[1], 16) if match else None
