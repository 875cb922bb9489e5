"""The answer of a case, from a summary's numbers."""

import pytest

from fusion.answers import answer


def case(medians: dict, low: float, high: float, rival: str = "PARTIAL") -> dict:
    ratio = medians["ON"] / medians[rival] if "ON" in medians else 1.0
    over = {"median": ratio, "interval": {"low": low, "high": high}}
    return {
        "median_us": {name: {"median": us} for name, us in medians.items()},
        "ratios": {f"ON/{rival}": over},
    }


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(1.9, 2.1, "slower"), (0.90, 0.95, "cannot be told"), (0.9, 2.2, "cannot be told")],
)
def test_on_against_the_fastest_of_what_else_tvm_offers(low, high, words):
    """The second: the interval is of the trials' means, and the median contradicts it."""
    row = answer(case({"OFF": 100.0, "PARTIAL": 50.0, "ON": 100.0}, low, high))
    assert row["fused or not"].startswith(f"{words}: ON/PARTIAL 2.000")
    assert row["fastest of OFF, PARTIAL, ON"] == "PARTIAL, 50 µs"


def test_fusing_can_be_faster():
    row = answer(case({"PARTIAL": 100.0, "ON": 90.0}, 0.85, 0.95))
    assert row["fused or not"].startswith("faster: ON/PARTIAL 0.900")


def test_remedies_stand_over_the_best_choice_even_where_they_are_faster():
    medians = {"OFF": 30.0, "PARTIAL": 60.0, "ON": 40.0, "SPLIT": 33.0, "STAGED": 15.0}
    row = answer(case(medians, 1.2, 1.4, "OFF"))
    assert (row["SPLIT over it"], row["STAGED over it"]) == ("1.100", "0.500")
    assert row["fused or not"].startswith("slower: ON/OFF 1.333")


def test_without_on_there_is_no_question():
    assert answer(case({"OFF": 1.0, "PARTIAL": 2.0}, 1, 1)) == {}
