"""The table of word vectors: its file, and what it says about an utterance."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_servers.assistant.offline.distil import ORIGIN
from ossia_servers.assistant.offline.understanding.text import tokenise
from ossia_servers.assistant.offline.understanding.vectors import (
    VectorsError,
    default_vectors_path,
    dump_vectors,
    load_vectors,
    parse_vectors,
)

WORDS = st.text("abcdefghijklmnopqrstuvwxyz'", min_size=1, max_size=12)
TABLES = st.integers(1, 8).flatmap(
    lambda dims: st.dictionaries(
        WORDS,
        st.lists(st.integers(-127, 127), min_size=dims, max_size=dims),
        min_size=1,
        max_size=20,
    )
)


@given(TABLES)
def test_what_was_written_is_read(table):
    vectors = parse_vectors(dump_vectors(table, "a test"))
    assert set(vectors.index) == set(table)
    for word, numbers in table.items():
        place = vectors.index[word] * vectors.dims
        assert [byte - 128 for byte in vectors.table[place : place + vectors.dims]] == numbers


def test_the_file_names_the_module_that_makes_it():
    head = json.loads(default_vectors_path().read_bytes().partition(b"\n")[0])
    assert head["origin"] == ORIGIN


@given(TABLES, st.binary(max_size=200), st.integers(0, 400))
def test_a_damaged_file_is_refused_or_read(table, noise, cut):
    content = dump_vectors(table, "a test")
    for damaged in (content[:cut], noise, content + b"x"):
        if damaged == content:
            continue
        with pytest.raises(VectorsError):
            parse_vectors(damaged)


def test_the_direction_of_an_utterance_has_length_one():
    vectors = parse_vectors(dump_vectors({"a": [3, 0], "b": [0, 4]}, "a test"))
    assert vectors.meaning(tokenise("a b")) == pytest.approx([0.6, 0.8])
    assert vectors.meaning(tokenise("a nothing")) == pytest.approx([1.0, 0.0])
    assert vectors.meaning(tokenise("nothing")) == [0.0, 0.0]
    assert vectors.meaning(()) == [0.0, 0.0]


def test_utterances_that_mean_alike_lie_near():
    vectors = load_vectors()

    def nearness(first, second):
        one, other = (vectors.meaning(tokenise(text)) for text in (first, second))
        return math.fsum(a * b for a, b in zip(one, other, strict=True))

    assert nearness("dim the lamp", "lower the light") > nearness("dim the lamp", "order a pizza")
    assert nearness("will it rain", "any showers ahead") > nearness("will it rain", "buy stocks")
