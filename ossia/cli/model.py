"""`ossia model`: models of one's own."""

from __future__ import annotations

import typer

from ossia.cli import finetune, model_offline


def register(parent: typer.Typer) -> None:
    """Add the commands to the application."""
    app = typer.Typer(
        help="Models of one's own: make them and serve them.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    model_offline.register(app)
    finetune.register(app)
    parent.add_typer(app, name="model")
