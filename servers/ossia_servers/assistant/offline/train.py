"""Train the offline model: `python -m ossia_servers.assistant.offline.train`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ossia_servers.assistant.offline.understanding.artefact import default_path, dump
from ossia_servers.assistant.offline.understanding.corpus import load_corpus
from ossia_servers.assistant.offline.understanding.training import Settings, cross_validate, train


def main(arguments: Sequence[str] | None = None) -> int:
    """Train on the training utterances and write the model file.

    Args:
        arguments: The command line's arguments, or None to read them from the process.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m ossia_servers.assistant.offline.train",
        description="Train the offline model on the training utterances and write its file.",
    )
    parser.add_argument(
        "--output", type=Path, default=default_path(), help="the model file to write"
    )
    parser.add_argument(
        "--folds",
        type=int,
        default=0,
        help="cross-validate with this many folds (at least 2) and write nothing",
    )
    options = parser.parse_args(arguments)
    corpus = load_corpus()
    sys.stdout.write(f"{len(corpus.examples)} utterances\n")
    if options.folds:
        if options.folds < 2:
            parser.error("--folds must be at least 2")
        result = cross_validate(corpus, Settings(), options.folds)
        sys.stdout.write(
            f"{options.folds}-fold cross-validation on {result.examples} utterances: "
            f"intent {result.intent:.3f}, slots {result.slots:.3f}, "
            f"intent and slots {result.frame:.3f}\n"
        )
        return 0
    text = dump(train(corpus, Settings()))
    options.output.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{options.output}: {len(text.encode())} bytes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
