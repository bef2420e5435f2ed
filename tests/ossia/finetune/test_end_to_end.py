"""Tuning, serving and comparing with a tiny model of random weights, as a user does it."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from ossia.adapters import find_adapter, install, ossia_home
from ossia.finetune import intent_examples
from ossia.runner.store import RunStore
from ossia.tasks import find_tasks
from ossia_servers.local import read_card

# Loading the libraries alone takes long on a busy machine.
pytestmark = pytest.mark.timeout(900)

FEW = ("--limit", "8", "--epochs", "3", "--batch", "2", "--learning-rate", "0.03")


def command(*arguments, home=None, **variables):
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    if home is not None:
        kept["OSSIA_HOME"] = str(home)
    return {
        "args": [sys.executable, "-m", "ossia", *map(str, arguments)],
        "env": {**kept, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", **variables},
        "text": True,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }


def ossia(*arguments, **options):
    return subprocess.run(**command(*arguments, **options), timeout=600)


@pytest.fixture(scope="module")
def tuned(base, tmp_path_factory):
    """The folder of a tuned model, and what the command printed."""
    folder = tmp_path_factory.mktemp("tuned") / "model"
    done = ossia("model", "finetune", "--base", base, "--out", folder, *FEW, "--check", "1")
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_the_loss_falls_and_the_card_tells_how(tuned, base):
    folder, printed = tuned
    means = [float(text) for text in re.findall(r"mean loss ([\d.]+)", printed)]
    assert len(means) == 3
    assert means[-1] < means[0] - 0.1
    card = read_card(folder)
    assert card.base == str(base)
    assert card.role == "intent"
    assert (card.data.trained, card.data.held_out) == (7, 1)
    assert card.data.hash
    assert card.training.steps == 12
    assert card.training.held_out_after < card.training.held_out_before
    assert set(card.training.libraries) == {"torch", "transformers", "peft"}
    # The matrices alone are stored, not the base model.
    assert (folder / "adapter_model.safetensors").is_file()
    assert not (folder / "model.safetensors").exists()
    assert "held-out frames: 0 of 1 exact" in printed


def test_the_same_seed_gives_the_same_model(tuned, base, tmp_path):
    folder, printed = tuned
    again = ossia(
        "model", "finetune", "--base", base, "--out", tmp_path / "b", *FEW, "--check", "0"
    )
    assert re.findall(r"loss [\d.]+", again.stdout) == re.findall(r"loss [\d.]+", printed)
    other = tmp_path / "c"
    ossia("model", "finetune", "--base", base, "--out", other, *FEW, "--check", "0", "--seed", "9")
    assert read_card(other).training.loss != read_card(folder).training.loss


def test_it_is_served_over_http(tuned):
    folder, _ = tuned
    example = intent_examples(find_tasks("train", "assistant")[:1])[0]
    with subprocess.Popen(
        **command("model", "serve", folder, "--port", "0"),
        # Whoever runs the tests in the background may have had interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            line = process.stdout.readline()
            url = re.search(r"http://127\.0\.0\.1:\d+/v1", line)[0]
            assert httpx.get(f"{url}/models").json()["data"]
            body = {"model": "any", "messages": list(example.messages), "max_tokens": 12}
            answers = [
                httpx.post(f"{url}/chat/completions", json=body, timeout=300).json()
                for _ in range(2)
            ]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(120)
    first, second = answers
    assert first["choices"] == second["choices"]
    assert first["choices"][0]["message"]["content"]
    assert first["usage"]["prompt_tokens"] > 200
    assert first["usage"]["completion_tokens"] <= 12


def test_a_comparison_uses_it_for_the_intent_role_alone(tuned, tmp_path):
    folder, _ = tuned
    environments = ossia_home(os.environ)
    install(find_adapter("control", environments))
    home = tmp_path / "home"
    home.mkdir()
    (home / "envs").symlink_to(environments / "envs")
    model = f"intent=local:{folder},*=offline"
    done = ossia(
        "compare", "-f", "control", "--limit", "2", "--model", "offline", "--model", model,
        "--json", home=home,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["models"] == ["offline", model]
    assert result["finished"] == 4
    assert result["invalid"] == {}
    before, after = result["intents"]
    assert after["exact"]["of"] == before["exact"]["of"] == 2
    (run,) = (home / "runs").iterdir()
    with RunStore(run) as store:
        exchanges = [
            exchange
            for trace in store.traces()
            if trace.episode.model == model
            for exchange in trace.gateway.exchanges
        ]
    assert exchanges
    for exchange in exchanges:
        expected = f"local:{folder.name}" if exchange.role == "intent" else "offline"
        assert exchange.model == expected
        assert exchange.status == "ok"


def test_prompts_are_learnt_as_a_run_words_them(tuned, base, tmp_path):
    environments = ossia_home(os.environ)
    install(find_adapter("control", environments))
    home = tmp_path / "home"
    home.mkdir()
    (home / "envs").symlink_to(environments / "envs")
    assert ossia("compare", "-f", "control", "--limit", "1", home=home).returncode == 0
    out = tmp_path / "model"
    done = ossia(
        "model", "finetune", "--base", base, "--out", out, *FEW, "--check", "0",
        "--prompts-of", "assistant", home=home,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert read_card(out).data.frameworks == ("control",)
    # The control adapter adds nothing, so this is what was learnt from plain prompts.
    assert read_card(out).training.loss == read_card(tuned[0]).training.loss


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--base", "/nowhere/model"), "cannot be loaded"),
        (("--data", "test"), "are test tasks"),
        (("--held-out", "1.5"), "--held-out"),
        (("--data", "nowhere"), "nowhere"),
    ],
)
def test_bad_input_is_one_line_and_code_2(base, tmp_path, arguments, sentence):
    options = {"--base": str(base), "--limit": "8", **dict([arguments])}
    flat = [part for option in options.items() for part in option]
    done = ossia("model", "finetune", "--out", tmp_path / "out", *flat)
    assert done.returncode == 2
    assert sentence in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def test_a_tuned_model_is_not_written_over_by_accident(tuned, base, tmp_path):
    folder, _ = tuned
    done = ossia("model", "finetune", "--base", base, "--out", folder, *FEW)
    assert done.returncode == 2
    assert "--force" in done.stderr
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to-anna.txt").write_text("dear anna")
    for force in ((), ("--force",)):
        done = ossia(
            "model", "finetune", "--base", base, "--out", tmp_path / "letters", *FEW, *force
        )
        assert done.returncode == 2
        assert "no tuned model" in done.stderr


def test_a_folder_without_a_model_cannot_be_served(base, tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        done = ossia("model", "serve", folder)
        assert done.returncode == 2
        assert "holds no tuned model" in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_damaged_model_ends_the_comparison_with_one_line(tuned, tmp_path):
    folder = tmp_path / "broken"
    folder.mkdir()
    for file in Path(tuned[0]).iterdir():
        if file.name != "adapter_model.safetensors":
            (folder / file.name).write_bytes(file.read_bytes())
    done = ossia(
        "compare", "-f", "control", "--limit", "1", "--model", f"intent=local:{folder},*=offline"
    )
    assert done.returncode == 2
    assert "cannot be loaded" in done.stderr.splitlines()[-1]


def test_a_whole_model_serves_untuned_and_says_what_does_not_fit(base):
    from ossia_servers.local.generation import LocalGenerator, TooLong

    generator = LocalGenerator.load(base, "cpu")
    message = {"role": "user", "content": "hello"}
    first = generator.answer([message], 4)
    assert first == generator.answer([message], 4)
    assert first.completion_tokens <= 4
    with pytest.raises(TooLong, match="the model reads 2048"):
        generator.answer([{"role": "user", "content": "wake me up " * 3000}])
