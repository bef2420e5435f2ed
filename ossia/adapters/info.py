"""One adapter: what its project declares and where its environment is."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from ossia.adapters.errors import AdapterProjectError, UnknownAdapterError
from ossia.adapters.held import hold
from ossia.adapters.told import Default, Status
from ossia.adapters.variants import (
    LONGEST_LABEL,
    MOST_ATTEMPTS,
    Entry,
    Title,
    Variant,
    not_reserved,
)
from ossia.worker import WorkerSpec

__all__ = ["LOCK", "MARKER", "NAME", "AdapterInfo", "is_finished", "lacking", "read_project"]

LOCK = "requirements.lock"
# Written last: an environment without it was not finished and is made anew.
MARKER = "ossia-adapter.json"

NAME = r"^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"
NAME_IN_WORDS = "lower-case letters and digits, separated by single - or _, starting with a letter"

_TOLD = ("status", "defaults")
"""What the table for Ossia only tells: a new date of a check makes no new environment."""

Switch = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")]


class _Declaration(BaseModel):
    """The table ``tool.ossia`` of an adapter's project."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(pattern=NAME), AfterValidator(not_reserved)]
    distribution: Annotated[str, Field(min_length=1)]
    title: Title | None = None
    entry: Entry | None = None
    variants: list[Variant] = []
    environment: dict[Switch, str] = {}
    workflow: bool = False
    own_words: list[Annotated[str, Field(min_length=1)]] = []
    client_attempts: Annotated[int, Field(ge=1, le=5)] = 1
    status: Status | None = None
    defaults: list[Default] = []

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.entry is None) is not bool(self.variants):
            raise ValueError("needs an entry, or variants that each have one")
        names = [variant.name for variant in self.variants]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"the variant {name} is declared twice")
        for variant in self.variants:
            label = f"{self.title or self.name} {variant.title}"
            if len(label) > LONGEST_LABEL:
                raise ValueError(f"{label!r} is longer than {LONGEST_LABEL} characters")
        for default in self.defaults:
            for name in {*default.variants} - {*names}:
                raise ValueError(f"{default.what}: there is no variant {name}")
        return self


@dataclass(frozen=True)
class AdapterInfo:
    """An adapter and its environment, which may not exist yet.

    Attributes:
        name: The adapter's name.
        distribution: The framework's distribution.
        entry: The adapter object, as ``module:ATTRIBUTE``.
        switches: Environment variables that its worker gets.
        workflow: Whether it runs a task's workflow as a graph of its framework's.
        own_words: Texts of the adapter's own in requests, which its framework needs.
        client_attempts: How often the framework's client sends a call that gets no answer.
        title: The framework's own name, in tables.
        variants: The variants that it offers, the default one first; none where it has one way
            to play, without a name.
        variant: The variant that plays, whose entry this is.
        status: What is known of the framework's maintenance.
        defaults: The framework's defaults that the adapter changes.
        package: The name of the adapter's own distribution.
        project: The folder of its project.
        sdk: The folder of the SDK's project, which is installed beside it.
        home: The folder under which environments are kept.
    """

    name: str
    distribution: str
    entry: str
    package: str
    project: Path
    sdk: Path
    home: Path
    switches: Mapping[str, str] = field(default_factory=dict)
    workflow: bool = False
    own_words: tuple[str, ...] = ()
    client_attempts: int = 1
    title: str = ""
    variants: tuple[Variant, ...] = ()
    variant: Variant | None = None
    status: Status | None = None
    defaults: tuple[Default, ...] = ()

    @property
    def key(self) -> str:
        """What it is called in runs: its name, and after a colon a variant but the default one."""
        if self.variant is None or self.variant == self.variants[0]:
            return self.name
        return f"{self.name}:{self.variant.name}"

    @property
    def label(self) -> str:
        """What its row of a table is called."""
        title = self.title or self.name
        return title if self.variant is None else f"{title} {self.variant.title}"

    @property
    def attempts(self) -> int:
        """How often a turn that fails may be tried, beside what the client does by itself."""
        return MOST_ATTEMPTS if self.variant is None else self.variant.attempts

    def with_variant(self, name: str) -> AdapterInfo:
        """Return the adapter with the variant of a name.

        Args:
            name: The variant's name.

        Raises:
            UnknownAdapterError: It has no such variant.
        """
        for variant in self.variants:
            if variant.name == name:
                return replace(self, entry=variant.entry, variant=variant)
        known = ", ".join(variant.name for variant in self.variants)
        there = f"; there are {known}" if known else "; it has none"
        raise UnknownAdapterError(f"the adapter {self.name} has no variant {name!r}{there}")

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides what the environment holds: lock, sources, interpreter."""
        whole = hashlib.sha256(platform.python_version().encode())
        for folder in (self.project, self.sdk):
            for path in _sources(folder):
                whole.update(f"\0{path.relative_to(folder).as_posix()}\0".encode())
                is_declaration = path == self.project / "pyproject.toml"
                content = _deciding(path) if is_declaration else path.read_bytes()
                whole.update(hashlib.sha256(content).digest())
        return whole.hexdigest()[:16]

    @cached_property
    def _frame(self) -> str:
        """A hash of all that decides what an editable environment holds: not the sources.

        Of `pyproject.toml` the table for Ossia does not count, which is read at each start.
        """
        declared = tomllib.loads((self.project / "pyproject.toml").read_text("utf-8"))
        declared.get("tool", {}).pop("ossia", None)
        parts = ["editable", platform.python_version(), str(self.project)]
        parts += [json.dumps(declared, sort_keys=True, default=str), self.lock.read_text("utf-8")]
        whole = hashlib.sha256("\0".join(parts).encode())
        for path in _sources(self.sdk):
            whole.update(path.read_bytes())
        return whole.hexdigest()[:16]

    @property
    def editable_environment(self) -> Path:
        """The folder of the environment that uses the sources where they are."""
        return self.home / "envs" / f"{self.name}-{self._frame}"

    @property
    def editable(self) -> bool:
        """Whether it was installed such that an edit of its sources needs no new environment."""
        return is_finished(self.editable_environment)

    @property
    def lock(self) -> Path:
        """The lock file with the exact versions and hashes."""
        return self.project / LOCK

    @property
    def environment(self) -> Path:
        """The folder of the environment; a change of lock or sources gives another.

        An editable environment that is there comes before one with a copy of the sources.
        """
        if self.editable:
            return self.editable_environment
        return self.copied_environment

    @property
    def copied_environment(self) -> Path:
        """The folder of the environment that holds a copy of the sources."""
        return self.home / "envs" / f"{self.name}-{self.digest}"

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.environment / "bin" / "python"

    @property
    def installed(self) -> bool:
        """Whether the environment is there and was finished."""
        return is_finished(self.environment)

    @property
    def state(self) -> Literal["installed", "out of date", "not installed"]:
        """What is known of the environment; out of date when only one for other contents is there.

        The lock, the sources or the interpreter have changed since that one was made.
        """
        if self.installed:
            return "installed"
        digest = "[0-9a-f]" * 16
        earlier = (self.home / "envs").glob(f"{self.name}-{digest}/{MARKER}")
        return "not installed" if next(earlier, None) is None else "out of date"

    @property
    def version(self) -> str | None:
        """The framework's version: the one installed, else the locked one, if it is known."""
        if self.installed:
            places = [str(path) for path in self.environment.glob("lib/python*/site-packages")]
            found = metadata.distributions(name=self.distribution, path=places)
            return next((each.version for each in found), None)
        wanted = _normal(self.distribution)
        pins = re.findall(r"^([\w.-]+)==([^\s;]+)", self.lock.read_text("utf-8"), re.MULTILINE)
        return next((version for name, version in pins if _normal(name) == wanted), None)

    @property
    def worker(self) -> WorkerSpec:
        """What a worker of this adapter is started with.

        Whoever asks may start workers from now on, so the environment is held for this process.
        """
        if self.installed:
            hold(self.environment)
        return WorkerSpec(python=self.python, entry=self.entry, switches=self.switches)


def lacking(infos: Sequence[AdapterInfo]) -> str | None:
    """Return a sentence about the adapters that cannot be started before they are installed.

    Returns:
        Such as "not installed: camel; out of date: control", or None when there are none.
    """
    parts = []
    for state in ("not installed", "out of date"):
        names = dict.fromkeys(info.name for info in infos if info.state == state)
        if names:
            parts.append(f"{state}: {', '.join(names)}")
    return "; ".join(parts) or None


def read_project(project: Path, *, sdk: Path, home: Path) -> AdapterInfo:
    """Read what an adapter's project declares.

    Args:
        project: The folder with its ``pyproject.toml`` and ``requirements.lock``.
        sdk: The folder of the SDK's project.
        home: The folder under which environments are kept.

    Raises:
        AdapterProjectError: A file is missing or cannot be read, or the table ``tool.ossia`` is
            missing or wrong.
    """
    path = project / "pyproject.toml"
    try:
        content = _parsed(path.read_text("utf-8"))
    except OSError as error:
        raise AdapterProjectError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise AdapterProjectError(f"{path} cannot be read: {error}") from error
    table = _table(content, "tool", "ossia")
    package = _table(content, "project").get("name")
    if not table or not isinstance(package, str):
        raise AdapterProjectError(f"{path} needs a project name and a table [tool.ossia]")
    if not (project / LOCK).is_file():
        raise AdapterProjectError(f"{project} has no {LOCK}; make it with `ossia adapter lock`")
    try:
        declared = _Declaration.model_validate(table)
    except ValidationError as error:
        problems = "; ".join(_problem(each["loc"], each["msg"]) for each in error.errors())
        raise AdapterProjectError(f"{path}, [tool.ossia]: {problems}") from error
    default = declared.variants[0] if declared.variants else None
    return AdapterInfo(
        name=declared.name,
        distribution=declared.distribution,
        entry=(declared.entry or "") if default is None else default.entry,
        package=package,
        project=project.resolve(),
        sdk=sdk.resolve(),
        home=home.resolve(),
        switches=declared.environment,
        workflow=declared.workflow,
        own_words=tuple(declared.own_words),
        client_attempts=declared.client_attempts,
        title=declared.title or "",
        variants=tuple(declared.variants),
        variant=default,
        status=declared.status,
        defaults=tuple(declared.defaults),
    )


@lru_cache(maxsize=64)
def _parsed(text: str) -> dict[str, Any]:
    """A project file's content, not to be changed; the same ones are asked for again and again."""
    return tomllib.loads(text)


def is_finished(environment: Path) -> bool:
    """Say whether an environment is there and was finished.

    Args:
        environment: Its folder.
    """
    python = environment / "bin" / "python"
    return (environment / MARKER).is_file() and python.exists()


def _normal(name: str) -> str:
    """Return a distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _problem(place: tuple[int | str, ...], said: str) -> str:
    """What is wrong with the declaration, without a regular expression where it is the name."""
    form = place == ("name",) and "pattern" in said
    where = f"{'.'.join(map(str, place))}: " if place else ""
    return where + (f"needs {NAME_IN_WORDS}" if form else said.removeprefix("Value error, "))


def _table(content: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    found: Any = content
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _deciding(path: Path) -> bytes:
    """What a declaration has that decides what is played: not what it tells of the framework."""
    declared = tomllib.loads(path.read_text("utf-8"))
    for name in _TOLD:
        declared.get("tool", {}).get("ossia", {}).pop(name, None)
    return json.dumps(declared, sort_keys=True, default=str).encode()


def _sources(folder: Path) -> Iterator[Path]:
    """Yield the files of a project in a fixed order, without texts, caches and hidden files."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not hidden and path.suffix not in {".md", ".pyc"}:
            yield path
