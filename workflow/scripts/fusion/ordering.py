"""In which order the variants of a block are timed."""

import itertools
import math


def order(variants: list[str], block: int, trial: int) -> list[str]:
    """The variants' order in a block (from 0) of a trial (from 1).

    Successive blocks cycle through all n! permutations and each trial starts one further on. They
    come as rotations: any n blocks that start at a multiple of n, counted along the cycle, put
    every variant at every position once, so positions are balanced long before n! blocks.
    """
    n = len(variants)
    index = (block + trial - 1) % math.factorial(n)
    group, turn = divmod(index, n)
    rest = next(itertools.islice(itertools.permutations(variants[1:]), group, None))
    line = [variants[0], *rest]
    return line[turn:] + line[:turn]
