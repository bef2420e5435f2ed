"""`ossia score worfeval` and `ossia score worfeval-variants`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ossia.cli import options
from ossia.errors import UserError
from ossia.outputs import require_file

_Embedder = Annotated[
    str,
    typer.Option(
        help="How texts are compared: hashed-words, which is built in and not comparable with"
        " published figures, or sentence-transformers[:MODEL], with weights of your own."
    ),
]

_Similarities = Annotated[
    Path | None,
    typer.Option(
        help="Recorded similarities instead: JSON Lines of id and sim, a row for each predicted"
        " node."
    ),
]

_Embeddings = Annotated[
    Path | None,
    typer.Option(
        help="Keep the embeddings in this file, so that no later run embeds the same text again."
    ),
]

_PlansCsv = Annotated[
    Path | None,
    typer.Option(help="Also write one line for each plan to this file: status, reason and scores."),
]


def worfeval_command(
    predictions: Annotated[
        Path | None,
        typer.Argument(
            help="Predicted plans: a published file, or JSON Lines of id and workflow or graph."
        ),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Argument(help="Gold plans: the published folder or one of its files, or as above."),
    ] = None,
    oracle: Annotated[
        Path | None,
        typer.Option(
            help="Recorded cases with the published evaluator's scores; a difference is an error."
        ),
    ] = None,
    embedder: _Embedder = "hashed-words",
    embeddings: _Embeddings = None,
    similarities: _Similarities = None,
    plans_csv: _PlansCsv = None,
    json: options.Json = False,
) -> None:
    """Score workflow graphs by two measures.

    The published one and the corrected one; plans that need no model are shown next to them. With
    --oracle, check recorded cases instead.
    """
    # Loaded when asked for: numpy, scipy and networkx take longer than other commands altogether.
    from ossia.cli.worfbench import scoring

    if oracle is not None:
        if predictions is not None:
            raise UserError("give either predictions and gold plans, or --oracle")
        scoring.check(oracle, as_json=json)
        return
    if predictions is None or gold is None:
        raise UserError("give the predictions and the gold plans, or a file with --oracle")
    if plans_csv is not None:
        require_file(plans_csv)
    alike = scoring.alike(embedder, embeddings, similarities)
    scoring.score(predictions, gold, alike, plans_csv=plans_csv, as_json=json)


def variants_command(
    gold: Annotated[
        Path, typer.Argument(help="Gold plans: the published folder, or a file of plans.")
    ],
    json: options.Json = False,
) -> None:
    """Print how each measure scores changed gold plans.

    Texts match only if they are the same, so nothing depends on an embedder.
    """
    from ossia.cli.worfbench import scoring

    scoring.variants(gold, as_json=json)
