"""LLVM's assembly of a CPU build: how many instructions of each kind a PrimFunc became."""

import re
from collections import Counter

LABEL = re.compile(r"^\"?([A-Za-z_$][^\s\"]*)\"?:")
INSTRUCTION = re.compile(r"^\t([A-Za-z]\S*)")


def opcodes(text: str) -> dict[str, Counter[str]]:
    """Each symbol's instructions by mnemonic, as written; local labels (.L...) end no symbol."""
    found: dict[str, Counter[str]] = {}
    symbol = None
    for line in text.splitlines():
        label, instruction = LABEL.match(line), INSTRUCTION.match(line)
        if label:
            symbol = label[1]
        elif instruction and symbol is not None:
            found.setdefault(symbol, Counter())[instruction[1]] += 1
    return found


def of_function(function: str, symbols: dict[str, Counter[str]]) -> Counter[str]:
    """What a PrimFunc became: the function that checks its arguments, and its computation.

    TVM names the first __tvm_ffi_NAME, and the second NAME_compute_ unless LLVM has inlined it.
    """
    return symbols.get(f"__tvm_ffi_{function}", Counter()) + symbols.get(
        f"{function}_compute_", Counter()
    )
