"""The tokens that `ossia serve` demands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

import typer

from ossia.errors import UserError

TokenEnv = Annotated[
    str | None,
    typer.Option(
        "--token-env",
        envvar="OSSIA_TOKEN_ENV",
        help="Name of the environment variable with the token that requests must carry"
        " (`Authorization: Bearer`); demanded outside loopback.",
    ),
]

AdminTokenEnv = Annotated[
    str | None,
    typer.Option(
        "--admin-token-env",
        envvar="OSSIA_ADMIN_TOKEN_ENV",
        help="Name of the environment variable with the token for making, reading and deleting"
        " worlds; when left out, one is made and printed.",
    ),
]


@dataclass(frozen=True)
class Tokens:
    """What requests have to carry."""

    every: str | None
    """Each request; None where none is demanded."""
    admin: str
    """Requests that make, read and delete worlds; it does for every other, too."""
    admin_made: bool
    """Whether the admin token was made here, so that nobody knows it yet."""


def tokens_of(host: str, variable: str | None, admin_variable: str | None) -> Tokens:
    """Return the tokens to demand; on loopback each request needs one only where one is named.

    Raises:
        UserError: the address is not loopback and no token is given, a variable that is named
            holds none, or both hold the same.
    """
    from ossia_servers.http.guard import is_loopback
    from ossia_servers.http.token import new_token

    every, admin = _held_in(variable), _held_in(admin_variable)
    if every is None and not is_loopback(host):
        raise UserError(
            f"{host} can be reached from elsewhere: give --token-env with the name of a variable"
            " that holds a token"
        )
    if every is not None and every == admin:
        raise UserError(f"{variable} and {admin_variable} hold the same token")
    return Tokens(every, admin or new_token(), admin_made=admin is None)


def _held_in(variable: str | None) -> str | None:
    token = os.environ.get(variable) if variable is not None else None
    if variable is not None and not token:
        raise UserError(f"the environment variable {variable} holds no token")
    return token
