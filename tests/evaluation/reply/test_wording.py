"""Marked thoughts, entities and hidden characters decide nothing."""

from datetime import datetime
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.clauses import clauses
from ossia_evaluation.reply.judgement import MAX_REPLY
from ossia_evaluation.reply.mentions import read_mentions
from ossia_evaluation.reply.units import addresses_in
from ossia_evaluation.reply.wording import wording

from ..support import WAKE, gold_play


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("<think>I could not set it ... or could I?</think>\nIt is set.", "\nIt is set."),
        ("<Thinking>\nhm\n</Thinking>It is set.", "It is set."),
        ("<think>It is set, I think", ""),
        ("I couldn&#39;t set the alarm.", "I couldn't set the alarm."),
        ("I couldn&apos;t set it &amp; left.", "I couldn't set it & left."),
        ("I could\u200bn't.", "I couldn't."),
        ("AT&T, R&D; 3 < 4 and <b>bold</b>", "AT&T, R&D; 3 < 4 and <b>bold</b>"),
        ("&nosuchname; &#99999999;", "&nosuchname; &#99999999;"),
    ],
)
def test_a_reply_is_read_as_its_reader_sees_it(reply, read):
    assert wording(reply) == read


@given(st.text(st.characters(exclude_characters="<&", exclude_categories=("Cf",))))
def test_plain_words_stay(text):
    assert wording(text) == text


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("<think>I could not set it. Or could I?</think>Your alarm is set for 7:30.", "success"),
        ("<think>Your alarm is set for 7:30.", "failure"),
        ("I couldn&#39;t set the alarm.", "failure"),
        ("I could\u200bn't set the alarm.", "failure"),
    ],
)
def test_the_verdict_rests_on_what_the_user_reads(reply, verdict):
    play = gold_play(WAKE, until="response").response(reply)
    assert play.score().verdict.value == verdict


def test_a_model_that_repeats_one_token_is_read_soon():
    # Forms that search on from each place took minutes, in which nothing else was answered.
    begun = process_time()
    for token in ("x", "1 ", " ", "not ", "-"):
        reply = (token * MAX_REPLY)[:MAX_REPLY]
        addresses_in(reply), clauses(reply), read_mentions(reply, datetime(2026, 3, 13, 10))
    assert process_time() - begun < 20
    assert addresses_in("write to me@home.example or +49.me@work.example") == [
        "me@home.example",
        "+49.me@work.example",
    ]


def test_of_an_endless_reply_nothing_is_read():
    assert wording("a" * MAX_REPLY) and not wording("a" * (MAX_REPLY + 1))


def test_long_thoughts_do_not_make_a_reply_too_long():
    thoughts = "<think>" + "Or could I? " * (MAX_REPLY // 10) + "</think>"
    set_now = "Your alarm is set for 7:30."
    assert gold_play(WAKE, until="response").response(thoughts + set_now).score().verdict.value == (
        "success"
    )
    reply = thoughts + set_now + " " * MAX_REPLY
    assert gold_play(WAKE, until="response").response(reply).score().verdict.value == "failure"
