"""`ossia model`: models of one's own."""

from __future__ import annotations

import typer

from ossia.cli import model_examples, model_offline


def register(parent: typer.Typer) -> None:
    """Add the commands to the application."""
    app = typer.Typer(
        help="Models of one's own: the offline model, and what others may learn from.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    model_offline.register(app)
    model_examples.register(app)
    parent.add_typer(app, name="model")
