"""Rows of a published file as training utterances."""

import pytest

from ossia_servers.assistant.offline.understanding.corpus import Corpus, load_corpus
from ossia_servers.assistant.offline.understanding.frames import Understander
from ossia_servers.assistant.offline.understanding.markup import render_utterance
from ossia_servers.assistant.offline.understanding.published import STYLE, published_examples
from ossia_servers.assistant.offline.understanding.training import Settings, digest, train

ROWS = """id,sentence,intent,slots
1,ring me at six for the gym,alarm_set,"['time : six', 'event_name : gym']"
2,buy bread and also jam for the party list,lists_createoradd,"['item_name : bread', 'item_name : jam', 'list_name : party list']"
3,go on with the story,play_audiobook,"['player_setting : resume']"
4,is it wet and mail jo,weather_query;email_sendemail,"[], ['to_person : jo']"
"""  # noqa: E501


def examples(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text(ROWS, "utf-8")
    return published_examples(file)


def test_values_are_marked_where_they_stand(tmp_path):
    told = [(e.intent, render_utterance(e.text, e.spans)) for e in examples(tmp_path)]
    assert told == [
        ("alarm_set", "ring me at [six](time) for the [gym](event_name)"),
        (
            "lists_createoradd",
            "buy [bread](item_name) and also [jam](item_name) for the [party list](list_name)",
        ),
        ("play_audiobook", "go on with the story"),
    ]


@pytest.mark.slow
def test_a_model_answers_in_the_style_of_what_it_learnt_beside(tmp_path):
    corpus = load_corpus()
    wanted = ("lists", "alarm", "audiobook")
    own = Corpus(
        tuple(e for e in corpus.examples if e.domain in wanted), {"list_name": ("shopping",)}
    )
    rows = examples(tmp_path) * 5
    settings = Settings(copies=0, intent_epochs=3, slot_epochs=4)
    models = train(own, settings, rows)
    assert models.style == STYLE
    assert models.corpus == digest(own, rows) != own.digest
    said = "buy bread and also jam for the party list"
    assert Understander(models).understand(said).slots["list_name"] == "party list"
    plain = train(own, settings)
    assert plain.style == ""
    assert Understander(plain).understand(said).slots.get("list_name") == "party"
