"""Option groups: a command's options as the fields of a dataclass, so that commands share them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Turn each parameter that is a dataclass into one parameter for each of its fields.

    Args:
        command: a command as typer takes it. The fields of a group are annotated like parameters
            of a command, and their defaults are the options' defaults.

    Returns:
        The command as typer is to see it: the fields stand where the group stood. When it is
        called, the group is made of them.

    Raises:
        ValueError: two groups, or a group and the command, have a parameter of the same name.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[Parameter] = []
    groups: dict[str, type] = {}
    for parameter in signature(command).parameters.values():
        annotation = hints[parameter.name]
        if is_dataclass(annotation) and isinstance(annotation, type):
            groups[parameter.name] = annotation
            parameters += _parameters(annotation)
        else:
            # By keyword alone, so that one without a default may follow one with a default.
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=annotation))

    @wraps(command)
    def call(**given: Any) -> None:
        made = {
            name: group(**{each.name: given.pop(each.name) for each in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **made)

    seen = Signature(parameters, return_annotation=None)
    # typer asks for both.
    vars(call)["__signature__"] = seen
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _parameters(group: type) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        yield Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
