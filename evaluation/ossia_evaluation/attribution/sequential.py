"""Does a repair raise the chance of success? A paired sequential test with stated error rates."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

ERROR: Final = 0.05
"""Most chance of each of the two wrong conclusions, for one repair, however long it is sampled."""

LARGE: Final = 0.5
"""A repair with a large effect raises the chance of success by at least so much."""

BET: Final = 5 / 6
"""How much of the evidence one pair may cost. At this value five pairs of one kind decide, and one
pair against three more are needed: 5 to 0, 8 to 1, 11 to 2."""

MOST_PAIRS: Final = 15
"""Without a decision after so many pairs there is none."""


class Conclusion(StrEnum):
    """What pairs of samples show of a repair."""

    HELPS = "helps"
    """It raises the chance of success."""
    NO_LARGE_EFFECT = "no large effect"
    """It raises the chance of success by less than `LARGE`, if at all."""
    UNDECIDED = "undecided"
    """Neither is shown."""


Pair = tuple[bool, bool]
"""Whether an episode succeeded with the repair, and whether it did with the fault held."""


def conclude(pairs: Sequence[Pair]) -> Conclusion:
    """Return what pairs show, by two sequential tests that each look at every pair.

    With x = 1 for a pair in which only the repaired sample succeeds, -1 where only the held one
    does, and 0 otherwise, d = E[x] is the difference of the two chances of success. The two sets
    of hypotheses are tested by

        helps:            product of 1 + BET * x                               against d <= 0
        no large effect:  product of 1 + BET / (1 - LARGE) * (LARGE - x)       against d >= LARGE

    Under its hypothesis each product is a nonnegative supermartingale that starts at 1, so it ever
    reaches 1 / ERROR with a chance of at most ERROR (Ville's inequality), whatever the two chances
    of success are and whenever sampling stops. The first product to reach it decides.

    Sources: the first product is the sequential test of A. Wald, "Sequential Analysis" (1947),
    chapter 6 (double dichotomies: only pairs that differ count), for an odds ratio of
    (1 + BET) / (1 - BET) = 11. Both are the bets of I. Waudby-Smith and A. Ramdas, "Estimating
    means of bounded random variables by betting", JRSS B 86 (2024), with one fixed bet.

    Args:
        pairs: in the order in which they were sampled; those after a decision play no part.
    """
    helps = small = 1.0
    for repaired, held in pairs[:MOST_PAIRS]:
        x = int(repaired) - int(held)
        helps *= 1 + BET * x
        small *= 1 + BET / (1 - LARGE) * (LARGE - x)
        if helps >= 1 / ERROR:
            return Conclusion.HELPS
        if small >= 1 / ERROR:
            return Conclusion.NO_LARGE_EFFECT
    return Conclusion.UNDECIDED


def fewest_more(pairs: Sequence[Pair]) -> int:
    """Return how many more pairs a decision takes, at least, of a repair that never does harm.

    It is 0 where no further pair is sampled.

    Args:
        pairs: those that are sampled.
    """
    if conclude(pairs) is not Conclusion.UNDECIDED:
        return 0
    left = MOST_PAIRS - len(pairs)
    for more in range(1, left):
        for best in ((True, False), (False, False)):
            if conclude([*pairs, *[best] * more]) is not Conclusion.UNDECIDED:
                return more
    return max(0, left)
