import pytest

from ossia_servers.local import (
    CARD_FILE,
    CardError,
    DataFacts,
    ModelCard,
    TrainingFacts,
    read_card,
    write_card,
)

CARD = ModelCard(
    base="some/model",
    role="intent",
    data=DataFacts(name="train", version="1.0", hash="0123", trained=9, held_out=1),
    training=TrainingFacts(
        seed=0,
        epochs=3,
        batch=16,
        learning_rate=2e-4,
        rank=16,
        alpha=32,
        dropout=0.05,
        steps=3,
        loss=0.5,
        held_out_before=2.0,
        held_out_after=0.6,
        libraries={"torch": "2.0"},
    ),
)


def test_a_card_is_read_as_it_was_written(tmp_path):
    write_card(tmp_path, CARD)
    assert read_card(tmp_path) == CARD


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", CARD.model_dump_json().replace('"version":1', '"version":2')]
)
def test_what_is_no_card_is_refused_in_one_sentence(tmp_path, content):
    (tmp_path / CARD_FILE).write_text(content)
    with pytest.raises(CardError, match="no card of version 1") as caught:
        read_card(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_card_is_no_tuned_model(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    for folder in (tmp_path, tmp_path / "nowhere", file):
        with pytest.raises(CardError, match="holds no tuned model"):
            read_card(folder)
