"""Guards by the thread's number, on instruction lists as nvdisasm gives them."""

import pytest

from fusion.guards import Guard, active, of_instructions


def listing(*lines: str) -> list[dict]:
    """'@P0 BRA 0x40' and the like as nvdisasm's JSON has them; addresses go up by 16."""
    found = []
    for line in lines:
        words = line.split(" ")
        predicate = {"predicate": words.pop(0)} if line.startswith("@") else {}
        found.append({"opcode": words[0], "operands": "".join(words[1:]), **predicate})
    return found


def of_exp(*lines: str) -> list[tuple[Guard, ...]]:
    listed = listing(*lines)
    behind = of_instructions(listed, 0, 16)
    return [b for b, i in zip(behind, listed, strict=True) if i["opcode"] == "MUFU.EX2"]


TID = "S2R R2, SR_TID.X"
EXP = "MUFU.EX2 R5, R5"


def test_a_branch_past_the_work():
    found = of_exp(TID, "ISETP.GT.AND P0, PT, R2, 0x3, PT", "@P0 BRA 0x40", EXP, EXP)
    assert found == [(Guard("LE", 3),), ()]  # the second lies at 0x40
    assert [active(guards, 256) for guards in found] == [4, 256]


def test_a_predicate_on_the_work():
    assert of_exp(TID, "ISETP.GT.AND P0, PT, R2, 0x3, PT", f"@!P0 {EXP}") == [(Guard("LE", 3),)]


def test_threads_that_leave_do_none_of_what_follows():
    found = of_exp(TID, "ISETP.GT.AND P0, PT, R2, 0x3f, PT", "@P0 EXIT ", EXP)
    assert [active(guards, 1024) for guards in found] == [64]


def test_nested_guards_are_both_kept():
    found = of_exp(
        TID,
        "ISETP.GE.U32.AND P0, PT, R2, 0x10, PT",
        "@P0 BRA 0x70",
        "ISETP.NE.AND P1, PT, R2, 0x5, PT",
        "@P1 BRA 0x70",
        EXP,
    )
    assert [active(guards, 64) for guards in found] == [1]


@pytest.mark.parametrize("word", ["AND", "OR"])
def test_a_second_condition_leaves_only_what_it_still_implies(word):
    """Past `tid > 3 or row > n` tid is at most 3; past `tid > 3 and row > n` nothing is known."""
    first = (TID, "ISETP.GT.AND P0, PT, R2, 0x3, PT")
    found = of_exp(*first, f"ISETP.GT.{word} P0, PT, R9, 0x1002, P0", "@P0 BRA 0x50", EXP)
    assert [active(guards, 256) for guards in found] == [{"OR": 4, "AND": 256}[word]]


def test_the_second_condition_may_be_the_threads():
    first = (TID, "ISETP.GT.AND P1, PT, R9, 0x1002, PT")
    found = of_exp(*first, "ISETP.GT.OR P1, PT, R2, 0x7, P1", "@P1 BRA 0x50", EXP)
    assert [active(guards, 256) for guards in found] == [8]


@pytest.mark.parametrize(
    "lines",
    [
        # another value than the thread's number
        (TID, "IADD3 R2, R2, 0x1, RZ", "ISETP.GT.AND P0, PT, R2, 0x3, PT", "@P0 BRA 0x60", EXP),
        (TID, "LDG.E.128 R0, [R8]", "ISETP.GT.AND P0, PT, R2, 0x3, PT", "@P0 BRA 0x60", EXP),
        # another predicate
        (TID, "ISETP.GT.AND P0, PT, R2, 0x3, PT", "FSETP.GT.AND P0, PT, R7, R8, PT", f"@!P0 {EXP}"),
        # compared with what a run decides
        (TID, "ISETP.GT.AND P0, PT, R2, R3, PT", "@P0 BRA 0x50", EXP),
        # in a loop
        (TID, "ISETP.GT.AND P0, PT, R2, 0x3, PT", "@P0 BRA 0x50", EXP, "@P1 BRA 0x30"),
    ],
)
def test_what_is_not_known_runs_in_every_thread(lines):
    assert of_exp(*lines) == [()]
