"""Parameters of a request that are set or dropped on the way to an upstream model."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Self

import orjson
from pydantic import BaseModel, ConfigDict, JsonValue, model_validator

from ossia_servers.gateway.prices import is_priced
from ossia_servers.gateway.specification import Specification

_OWN: Final = frozenset(
    {
        *("model", "messages", "tools", "functions", "n", "stream", "stream_options", "api_key"),
        # What the framework reads the answer by.
        *("tool_choice", "response_format"),
    }
)
"""What no parameter may change: it is the framework's part, or the gateway's."""

_PLAIN = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)

_REASONING = re.compile(r"openai/(?:o1|o3|o4-mini|gpt-5)(?!-chat)(?:[-.].*)?")
_REFUSED_BY_REASONING = ("temperature", "top_p", "presence_penalty", "frequency_penalty")


class Parameter(BaseModel):
    """One parameter that requests to a model get or lose.

    Attributes:
        name: Its name in the body of a request.
        value: What it is set to.
        dropped: Whether it is taken out of the request.
        model: The upstream model, or the whole specification, that it is for; empty for all.
        known: Whether Ossia set it itself, since this model refuses the parameter.

    Raises:
        ValueError: If it is not for the user to set, or both dropped and set.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: JsonValue = None
    dropped: bool = False
    model: str = ""
    known: bool = False

    @model_validator(mode="after")
    def _may_be_changed(self) -> Self:
        if self.name in _OWN:
            raise ValueError(f"the parameter {self.name!r} cannot be changed")
        if self.dropped and self.value is not None:
            raise ValueError("a dropped parameter has no value")
        return self

    def __str__(self) -> str:
        """Write it as `MODEL:name=value`; a dropped one has no value."""
        value = "" if self.dropped else orjson.dumps(self.value).decode()
        return f"{self.model}:{self.name}={value}" if self.model else f"{self.name}={value}"


def read_parameter(text: str, models: Sequence[Specification]) -> Parameter:
    """Read what a user wrote for `--model-param`.

    Args:
        text: `name=value` with JSON or plain text as value, `name=` to drop the parameter, either
            after `MODEL:` where it is for one model: a specification as given for `--model`, the
            upstream model in it, or m1, m2 and so on as `models` counts them.
        models: The models of the run.

    Returns:
        The parameter; its model is written as the specification writes it.

    Raises:
        ValueError: If it cannot be read, names no model, or may not be changed; one clause.
    """
    model, rest = "", text
    if _PLAIN.fullmatch(text) is None:
        named = _names(models)
        # The longest first: a model's name may be the beginning of another's.
        for name in sorted(named, key=len, reverse=True):
            if text.startswith(f"{name}:"):
                model, rest = named[name], text.removeprefix(f"{name}:")
                break
    found = _PLAIN.fullmatch(rest)
    if found is None:
        raise ValueError(
            f"{text!r} is not name=value, name=, or one of these after MODEL: where MODEL is one of"
            f" {', '.join(_names(models))}"
        )
    name, value = found[1], found[2]
    if name in _OWN:
        raise ValueError(
            f"{text!r}: {name} is set by the framework or the gateway, and cannot be changed"
        )
    if not value:
        return Parameter(name=name, dropped=True, model=model)
    try:
        return Parameter(name=name, value=_value(value), model=model)
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} is not in UTF-8") from None
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None


def known_parameters(models: Sequence[Specification]) -> tuple[Parameter, ...]:
    """Return what has to be dropped for models that refuse it.

    OpenAI's reasoning models answer HTTP 400 to `temperature` and the like. They are known by name
    where the price data knows the model.

    Args:
        models: The models of a run.
    """
    targets = {
        spec.target: None for model in models for spec in model.specs if spec.kind == "upstream"
    }
    return tuple(
        Parameter(name=name, dropped=True, model=target, known=True)
        for target in targets
        if _REASONING.fullmatch(target) and is_priced(target)
        for name in _REFUSED_BY_REASONING
    )


def parameters_of(
    parameters: Collection[Parameter], whole: str, target: str
) -> tuple[Parameter, ...]:
    """Return the parameters of one upstream model; of two with one name the closer one.

    What a user sets goes before what Ossia knows of the model, and what is set for a model before
    what is set for all.

    Args:
        parameters: All parameters of the run.
        whole: The specification that the upstream model is named in.
        target: The upstream model.
    """
    found: dict[str, Parameter] = {}
    known = [each for each in parameters if each.known and each.model == target]
    given = [each for each in parameters if not each.known]
    for model in ("", target, whole):
        known += [each for each in given if each.model == model]
    for each in known:
        found[each.name] = each
    return tuple(found.values())


def with_parameters(body: Mapping[str, Any], parameters: Collection[Parameter]) -> dict[str, Any]:
    """Return the body of a request with parameters set and dropped."""
    changed = dict(body)
    for each in parameters:
        if each.dropped:
            changed.pop(each.name, None)
        else:
            changed[each.name] = each.value
    return changed


def _names(models: Sequence[Specification]) -> dict[str, str]:
    """What a user may call a model, and what is meant by it."""
    named: dict[str, str] = {}
    for number, model in enumerate(models, start=1):
        for spec in model.specs:
            if spec.kind == "upstream":
                named[spec.target] = spec.target
        named[str(model)] = str(model)
        named[f"m{number}"] = str(model)
    return named


def _value(text: str) -> JsonValue:
    """Read JSON or plain text; what only looks like JSON would reach the endpoint as a text."""
    raw = text.encode()
    try:
        value: JsonValue = orjson.loads(raw)
    except orjson.JSONDecodeError:
        if text.lstrip()[:1] in ("{", "[", '"') or _is_number(text):
            raise ValueError(
                "the value is not valid JSON; put a text that looks like JSON in quotes"
            ) from None
        return text
    if isinstance(value, float) and text.strip().lstrip("-").isdigit():
        raise ValueError("the number is too large")
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
