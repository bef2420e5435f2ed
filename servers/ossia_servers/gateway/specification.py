"""What `--model` may say: one model for all roles, or one for each.

    MODEL  = SPEC | ROLE=SPEC{,ROLE=SPEC},*=SPEC
    SPEC   = offline[:OPTION{,OPTION}] | scripted:FILE | replay:FILE | PROVIDER/MODEL
    OPTION = noise=PROBABILITY | seed=NUMBER | file=FILE | delay=SECONDS | policy=POLICY
    POLICY = persistent | literal | gullible

A comma begins another role's part exactly when a role's name (or `*`, all other roles) and an
equals sign follow it. Names of options are never names of roles, so both may be mixed:
`intent=offline:noise=0.1,seed=3,*=offline`. A path may hold commas, but not a comma, a word and an
equals sign.

`local:FOLDER`, of earlier versions, is read too, since it stands in stored runs; it opens no more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ossia_servers.wire.policy import Policy

REST = "*"
"""Stands for all roles that are not named."""

Kind = Literal["offline", "scripted", "replay", "local", "upstream"]

_FILES: Mapping[str, Kind] = {"scripted": "scripted", "replay": "replay", "local": "local"}
LONGEST_DELAY = 60.0
"""More seconds before an answer would spend the usual budget of an episode in three calls."""

_TARGET = re.compile(r"^\s*(\*|[A-Za-z][\w-]*)\s*=")
_OPTIONS = ("file", "noise", "seed", "delay", "policy")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model.

    Attributes:
        kind: What sort of model it is.
        target: The file that it reads, or the upstream model's name; may be empty for
            `offline`, which then reads what comes with the package.
        noise: Probability with which a turn of the offline model errs.
        seed: Decides on these errors.
        delay: Seconds for which it waits before each answer, as a real model would take them.
        policy: What the offline model does about answers that are no use; None for what it did
            before there were policies.
    """

    kind: Kind
    target: str = ""
    noise: float = 0.0
    seed: int = 0
    delay: float = 0.0
    policy: Policy | None = None

    def __str__(self) -> str:
        """Write it as it is read, options in a fixed order and without defaults."""
        if self.kind == "upstream":
            return self.target
        if self.kind != "offline":
            return f"{self.kind}:{self.target}"
        options = [f"file={self.target}"] if self.target else []
        if self.noise:
            options += [f"noise={self.noise!r}", f"seed={self.seed}"]
        if self.delay:
            options.append(f"delay={self.delay!r}")
        if self.policy is not None:
            options.append(f"policy={self.policy}")
        return f"offline:{','.join(options)}" if options else "offline"

    @property
    def path(self) -> Path | None:
        """The file that decides what the model answers, or None."""
        return Path(self.target) if self.target and self.kind != "upstream" else None

    def resolved(self) -> ModelSpec:
        """Return it with its path as it is found from any folder."""
        return self if self.path is None else replace(self, target=str(self.path.resolve()))


@dataclass(frozen=True, slots=True)
class Specification:
    """The models of a team.

    Attributes:
        default: Answers for every role that is not named.
        by_role: Role to model.
    """

    default: ModelSpec
    by_role: Mapping[str, ModelSpec] = field(default_factory=dict)

    def __str__(self) -> str:
        """Write it as it is read, roles in name order; equal texts mean equal models."""
        if not self.by_role:
            return str(self.default)
        parts = [f"{role}={spec}" for role, spec in sorted(self.by_role.items())]
        return ",".join([*parts, f"{REST}={self.default}"])

    @property
    def specs(self) -> tuple[ModelSpec, ...]:
        """Every model once, the default first."""
        return tuple(dict.fromkeys([self.default, *self.by_role.values()]))

    def with_policy(self, policy: Policy) -> Specification:
        """Return it with a policy of each offline model that has none."""

        def chosen(spec: ModelSpec) -> ModelSpec:
            lacks = spec.kind == "offline" and spec.policy is None
            return replace(spec, policy=policy) if lacks else spec

        by_role = {role: chosen(spec) for role, spec in self.by_role.items()}
        return Specification(chosen(self.default), by_role)

    def resolved(self) -> Specification:
        """Return it with its paths as they are found from any folder."""
        return Specification(
            self.default.resolved(),
            {role: spec.resolved() for role, spec in self.by_role.items()},
        )


def read_specification(text: str, roles: Collection[str]) -> Specification:
    """Read what a user wrote for `--model`.

    Args:
        text: Such as `offline` or `intent=tuned,*=openai/gpt-4o`.
        roles: The team's roles.

    Returns:
        The models; whether their files are there is not looked up.

    Raises:
        ValueError: If the text does not follow the grammar; one sentence says where.
    """
    if _TARGET.match(text) is None:
        return Specification(_read_spec("".join(_pieces(text, roles)), text))
    found: dict[str, ModelSpec] = {}
    for part in _pieces(text, roles):
        target, _, spec = part.partition("=")
        target = target.strip()
        if target != REST and target not in roles:
            raise ValueError(
                f"The model {text!r} names an unknown role: {target!r}; the roles are "
                f"{', '.join(roles)}, and {REST} for all others."
            )
        if target in found:
            raise ValueError(f"The model {text!r} names {target} twice.")
        found[target] = _read_spec(spec.strip(), text)
    default = found.pop(REST, None)
    if default is None:
        raise ValueError(
            f"The model {text!r} names no model for the other roles: end it with ,*=..."
        )
    return Specification(default, {r: spec for r, spec in found.items() if spec != default})


def names_upstream(text: str) -> bool:
    """Say whether an upstream is asked for some role, whatever the roles; also if it is unclear."""
    roles = [found[1] for piece in text.split(",") if (found := _TARGET.match(piece))]
    try:
        return any(spec.kind == "upstream" for spec in read_specification(text, roles).specs)
    except ValueError:
        return True


def _pieces(text: str, roles: Collection[str]) -> list[str]:
    """Cut a text before each role's part; commas inside a part stay."""
    whole = _TARGET.match(text) is None
    parts: list[str] = []
    for piece in text.split(","):
        named = _TARGET.match(piece)
        option = named is not None and named[1] in _OPTIONS and bool(parts)
        if named is None or option:
            if parts:
                parts[-1] += f",{piece}"
            else:
                parts.append(piece)
        elif whole:
            hint = (
                f"give each role its own, as in {named[1]}=...,{REST}=..."
                if named[1] in (*roles, REST)
                else f"the options of offline are {', '.join(_OPTIONS)}"
            )
            raise ValueError(f"The model {text!r} cannot be read at {piece.strip()!r}: {hint}.")
        else:
            parts.append(piece)
    return parts


def _read_spec(spec: str, text: str) -> ModelSpec:
    if not spec and text.strip():
        raise ValueError(f"The model {text!r} lacks the model of a role.")
    if spec == "offline":
        return ModelSpec("offline")
    kind, colon, rest = spec.partition(":")
    if not colon:
        return ModelSpec("upstream", spec)
    if kind == "offline":
        return _read_offline(rest, spec)
    if kind in _FILES:
        if not rest:
            raise ValueError(f"The model {kind}: needs a file, as in {kind}:FILE.")
        return ModelSpec(_FILES[kind], rest)
    return ModelSpec("upstream", spec)


def _read_offline(rest: str, spec: str) -> ModelSpec:
    values: dict[str, str] = {}
    for piece in rest.split(","):
        name, equals, value = piece.partition("=")
        name = name.strip()
        if not equals and "file" in values and len(values) == 1:
            # A comma inside the file's name.
            values["file"] += f",{piece}"
            continue
        if name not in _OPTIONS or not equals or not value.strip():
            raise ValueError(
                f"The model {spec!r} cannot be read at {piece!r}: the options are "
                "noise=PROBABILITY, seed=NUMBER, file=FILE, delay=SECONDS and policy=persistent "
                "or literal."
            )
        if name in values:
            raise ValueError(f"The model {spec!r} gives {name} twice.")
        values[name] = value.strip()
    noise = _probability(values.get("noise", "0"), spec)
    seed = _seed(values.get("seed", "0"), spec)
    # Without noise a seed decides nothing, and two such models are the same.
    delay = _seconds(values.get("delay", "0"), spec)
    policy = _policy(values.get("policy"), spec)
    return ModelSpec("offline", values.get("file", ""), noise, seed if noise else 0, delay, policy)


def _policy(text: str | None, spec: str) -> Policy | None:
    try:
        return None if text is None else Policy(text)
    except ValueError:
        known = ", ".join(Policy)
        raise ValueError(f"The model {spec!r} needs a policy of {known}, not {text!r}.") from None


def _probability(text: str, spec: str) -> float:
    if not 0.0 <= (value := _number(text)) <= 1.0:
        raise ValueError(f"The model {spec!r} needs a noise between 0 and 1, not {text!r}.")
    return value


def _seconds(text: str, spec: str) -> float:
    if not 0.0 <= (value := _number(text)) <= LONGEST_DELAY:
        raise ValueError(
            f"The model {spec!r} needs a delay of 0 to {LONGEST_DELAY:g} seconds, not {text!r}."
        )
    return value


def _number(text: str) -> float:
    """Return a number; what is none comes out as one that fits nowhere."""
    try:
        return float(text)
    except ValueError:
        return -1.0


def _seed(text: str, spec: str) -> int:
    # Not `int` alone, which takes other scripts' digits and underscores.
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise ValueError(f"The model {spec!r} needs a whole number as seed, not {text!r}.")
    return int(text)
