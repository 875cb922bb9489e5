"""A cubin's kernels as NVIDIA's own programs read them: instructions, registers, memory.

A site is one instruction in the code. A site inside a loop counts once, however often it runs; so
does one in a subroutine, such as a 64-bit division's, which counts for the kernel it was linked to.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from . import guards
from .cuda_tools import run_tool
from .errors import FusionError

INSTRUCTION_BYTES = 16  # from sm_70 on
RESOURCES = {
    "registers": "REG",
    "stack_bytes": "STACK",
    "shared_bytes": "SHARED",
    "local_bytes": "LOCAL",
}


def listing(cubin: Path) -> str:
    """The disassembly, code alone, for a person to read."""
    return run_tool("nvdisasm", "--print-code", cubin)


def instructions(cubin: Path) -> dict[str, Instructions]:
    """Each kernel's instructions, its subroutines' among them."""
    _, functions = json.loads(run_tool("nvdisasm", "--emit-json", cubin))
    found: dict[str, Instructions] = {}
    for function in functions:
        # A section holds a kernel from its start on, and behind it the kernel's subroutines.
        if function["start"] == 0:
            kernel = found[function["function-name"]] = Instructions()
        listed = function["sass-instructions"]
        kernel.opcodes.update(instruction["opcode"] for instruction in listed)
        behind = guards.of_instructions(listed, function["start"], INSTRUCTION_BYTES)
        for instruction, found_guards in zip(listed, behind, strict=True):
            kernel.guarded[found_guards][instruction["opcode"]] += 1
        kernel.backward.extend(
            instruction["operands"]
            for number, instruction in enumerate(listed)
            if _goes_back(instruction, function["start"] + INSTRUCTION_BYTES * number)
        )
    return found


def _goes_back(instruction: dict, address: int) -> bool:
    """A branch to an earlier address; the branch to itself that ends a kernel is none."""
    target = re.search(r"0x([0-9a-f]+)$", instruction.get("operands", ""))
    is_branch = instruction["opcode"].split(".")[0] == "BRA"
    return is_branch and target is not None and int(target[1], 16) < address


def resources(cubin: Path) -> dict[str, dict[str, int]]:
    """Each kernel's registers a thread, and bytes of stack and local (a thread), shared (a block).

    Shared is what the code fixes; what a launch asks for on top is in the launch's geometry.
    """
    text = run_tool("cuobjdump", "--dump-resource-usage", cubin)
    found = {}
    for name, usage in re.findall(r"^ *Function (.+):\n(.*)$", text, flags=re.MULTILINE):
        values = dict(re.findall(r"(\w+):(\d+)", usage))
        missing = [word for word in RESOURCES.values() if word not in values]
        if missing:
            raise FusionError(
                f"cuobjdump does not tell {', '.join(missing)} of {name[:60]}", found=usage.strip()
            )
        found[name] = {key: int(values[word]) for key, word in RESOURCES.items()}
    return found


def starting_with(counts: Counter[str], opcode: str) -> int:
    """Sites of an opcode with any modifiers: LDL counts LDL.64 and not LDLX."""
    return sum(n for name, n in counts.items() if name.split(".")[0] == opcode)


def mufu(counts: Counter[str]) -> dict[str, int]:
    """Sites of MUFU, the unit for transcendental functions, by function: EX2, LG2, RCP, ..."""
    sites: Counter[str] = Counter()
    for name, number in counts.items():
        words = name.split(".")
        if words[0] == "MUFU":
            sites[words[1] if len(words) > 1 else "MUFU"] += number
    return dict(sorted(sites.items()))


@dataclass(frozen=True)
class Instructions:
    """A kernel's sites by opcode with its modifiers, such as MUFU.EX2 or LDG.E.U16.CONSTANT, and
    the targets of its branches to an earlier address: without any, no site runs twice in a thread.
    guarded: the same sites by what is known of the threads that reach them.
    """

    opcodes: Counter[str] = field(default_factory=Counter)
    backward: list[str] = field(default_factory=list)
    guarded: dict[tuple[guards.Guard, ...], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
