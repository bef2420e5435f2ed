import pytest

from ossia.finetune import intent_examples
from ossia.tasks import find_tasks
from ossia_servers.local import missing_extra, prompt_text


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """A folder with a tiny language model of random weights, and a tokenizer for our prompts."""
    if (lacking := missing_extra()) is not None:
        pytest.skip(f"{lacking} `make test-finetune` runs these tests.")
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    examples = intent_examples(find_tasks("train", "assistant")[:200])
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        special_tokens=["<end>", "<pad>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    plain = type("Plain", (), {"chat_template": None})()
    texts = [prompt_text(plain, example.messages) + example.answer for example in examples]
    backend.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend, eos_token="<end>", pad_token="<pad>"
    )
    torch.manual_seed(1)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=48,
            intermediate_size=96,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=2048,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    folder = tmp_path_factory.mktemp("tiny")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
