"""The order of variants in a block."""

from collections import Counter

import pytest

from fusion.ordering import order

THREE = ["OFF", "PARTIAL", "ON"]
FOUR = [*THREE, "INLINED"]


@pytest.mark.parametrize(("variants", "permutations"), [(THREE, 6), (FOUR, 24), (["ON"], 1)])
def test_blocks_cycle_through_all_permutations(variants, permutations):
    seen = [tuple(order(variants, block, 1)) for block in range(permutations)]
    assert len(set(seen)) == permutations
    assert all(sorted(line) == sorted(variants) for line in seen)
    assert tuple(order(variants, permutations, 1)) == seen[0]


def test_each_trial_starts_at_another_permutation():
    starts = {tuple(order(THREE, 0, trial)) for trial in range(1, 6)}
    assert len(starts) == 5


def test_positions_are_balanced_over_every_group_of_blocks():
    for start in range(0, 24, 4):
        lines = [order(FOUR, block, 1) for block in range(start, start + 4)]
        for position in range(4):
            assert sorted(line[position] for line in lines) == sorted(FOUR)


def test_many_variants_are_balanced_long_before_all_permutations():
    names = [f"V{i}" for i in range(9)]
    first = Counter(order(names, block, 1)[0] for block in range(45))
    assert set(first.values()) == {5}
