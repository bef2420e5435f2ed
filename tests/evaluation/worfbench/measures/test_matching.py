"""The heaviest pairing, held against all pairings."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ossia_evaluation.worfbench.measures.matching import heaviest, pair

# Values that make ties likely.
VALUES = st.sampled_from([0.0, 0.3, 0.6, 0.61, 0.7, 0.8, 0.9, 1.0])
SIZES = st.tuples(st.integers(1, 4), st.integers(1, 4))


def weight(matrix, gold_of) -> float:
    return sum(matrix[row, column] for row, column in enumerate(gold_of) if column >= 0)


@given(matrix=SIZES.flatmap(lambda size: arrays.arrays(np.float64, size, elements=VALUES)))
def test_the_pairing_is_heaviest_and_knows_whether_it_is_alone(matrix):
    weights = np.where(matrix > 0.6, matrix, 0.0)
    rows, columns = weights.shape
    places = [*range(columns), *[-1] * rows]
    every = {
        tuple(-1 if c < 0 or weights[r, c] == 0 else c for r, c in enumerate(choice))
        for choice in permutations(places, rows)
    }
    best = max(weight(weights, choice) for choice in every)
    heavy = [choice for choice in every if weight(weights, choice) > best - 1e-9]
    for found in (pair(matrix), heaviest(weights)):
        assert found.gold_of in heavy
        assert found.unique == (len(heavy) == 1)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_nothing_is_paired_with_nothing(shape):
    found = pair(np.zeros(shape))
    assert found.gold_of == (-1,) * shape[0] and found.unique and found.pairs == ()
