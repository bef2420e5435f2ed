"""The published embedder's library itself, with a small model of random weights."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from ossia_evaluation.worfbench.measures.embedding import (
    EmbedderError,
    KeptVectors,
    SentenceModel,
    Similarities,
)

pytest.importorskip(
    "sentence_transformers",
    reason="sentence-transformers is not installed: pip install 'ossia[embeddings]'",
)

# The library alone takes half a minute to import on a busy machine.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), pytest.mark.filterwarnings("ignore")]

GOLD = "Node:\n1: wash the cup\n2: dry the cup\nEdge: (START,1) (1,2) (2,END)"

NETWORK = """
import sys

def told(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("asked the network", arguments)

sys.addaudithook(told)
from ossia_evaluation.worfbench.measures.embedding import EmbedderError, SentenceModel
for name in ("all-mpnet-base-v2", "no/such-model", "../x y"):
    try:
        SentenceModel(name)
    except EmbedderError as error:
        print(error)
"""


def made(folder, seed):
    """A model of two small layers, whose word pieces are letters."""
    import torch
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel, BertTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + x for x in letters)]
    base = folder / "base"
    base.mkdir(parents=True)
    (base / "vocab.txt").write_text("\n".join(pieces))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(base)
    BertTokenizerFast(vocab=str(base / "vocab.txt")).save_pretrained(base)
    parts = [models.Transformer(str(base), max_seq_length=64), models.Pooling(32)]
    SentenceTransformer(modules=parts).save(str(folder / "tiny"))
    return folder / "tiny"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return made(tmp_path_factory.mktemp("one"), 1)


def test_a_text_of_any_kind_gets_a_vector_of_length_1(model):
    texts = ["wash the cup", "", "\ud800", "\0", "x" * 10_000, "日本語"]
    rows = SentenceModel(str(model)).embed(texts)
    assert rows.shape == (len(texts), 32) and rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)


def test_plans_are_scored_with_it_and_a_later_run_embeds_no_text_again(model, tmp_path):
    plans = tmp_path / "p.jsonl"
    plans.write_text(json.dumps({"id": "a", "workflow": GOLD}), "utf-8")
    asked = ["--embedder", f"sentence-transformers:{model}", "--embeddings", tmp_path / "kept"]
    score = [sys.executable, "-m", "ossia", "score", "worfeval", plans, plans, *asked, "--json"]
    for embedded in (4, 0):
        done = subprocess.run(score, capture_output=True, text=True, check=False, timeout=400)
        assert (done.returncode, done.stderr) == (0, "")
        found = json.loads(done.stdout)
        assert found["similarities"] == "sentence-transformers:tiny" and not found["comparable"]
        assert (found["means"]["true_graph"], found["embedded"]) == (1.0, embedded)


def test_other_weights_of_the_same_name_take_no_vector_that_was_kept(model, tmp_path):
    one, other = SentenceModel(str(model)), SentenceModel(str(made(tmp_path / "two", 2)))
    assert one.name == other.name
    for embedder in (one, other):
        alike = Similarities(embedder, KeptVectors(tmp_path / "kept", embedder))
        alike.learn(["wash the cup"])
        assert alike.embedded == 1


def test_broken_models_are_one_line(model, tmp_path):
    for number, (file, text) in enumerate(
        [
            ("config.json", "{"),
            ("modules.json", "[]"),
            ("model.safetensors", "no weights"),
            ("1_Pooling/config.json", '{"x": 1}'),
        ]
    ):
        broken = tmp_path / str(number)
        shutil.copytree(model, broken)
        (broken / file).write_text(text)
        with pytest.raises(EmbedderError, match="cannot be loaded") as error:
            SentenceModel(str(broken))
        assert "\n" not in str(error.value)


def test_a_model_of_no_numbers_is_told(model, tmp_path):
    from safetensors.numpy import load_file, save_file

    broken = tmp_path / "nan"
    shutil.copytree(model, broken)
    weights = load_file(broken / "model.safetensors")
    weights["embeddings.LayerNorm.weight"][:] = np.nan
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EmbedderError, match="not a finite number"):
        SentenceModel(str(broken)).embed(["wash the cup"])


def test_a_name_is_looked_up_on_this_machine_alone(tmp_path):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", NETWORK],
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
        env=clean | {"HF_HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and all("nothing is downloaded" in line for line in lines)
