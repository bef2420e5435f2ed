"""Making the project of a new adapter from the template beside this module."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ossia.adapters.errors import AdapterProjectError, InstallError, UnsatisfiableError
from ossia.adapters.info import NAME, NAME_IN_WORDS
from ossia.adapters.lock import compile_lock
from ossia.adapters.registry import survey_adapters
from ossia.adapters.variants import ALL

__all__ = ["NewAdapter", "make_project", "require_new_name"]

_LONGEST_NAME = 40
_REQUIREMENT = re.compile(
    r"(?P<distribution>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)"
    r"(?:\[[A-Za-z0-9._-]+(?:,[A-Za-z0-9._-]+)*\])?"
    r"(?P<pin>==[A-Za-z0-9.!+_-]+)?"
)


@dataclass(frozen=True, slots=True)
class NewAdapter:
    """What a new adapter is called and made for.

    Attributes:
        name: The adapter's name.
        requirement: The framework as `NAME==VERSION`, perhaps with extras; `None` when the
            framework is not chosen yet.
    """

    name: str
    requirement: str | None = None

    def __post_init__(self) -> None:
        """Refuse what could not be an adapter.

        Raises:
            AdapterProjectError: The name or the requirement is of another form.
        """
        if not re.fullmatch(NAME, self.name) or len(self.name) > _LONGEST_NAME:
            raise AdapterProjectError(
                f"{self.name!r} is not a valid adapter name: use up to {_LONGEST_NAME}"
                f" {NAME_IN_WORDS}"
            )
        if self.name == ALL:
            raise AdapterProjectError(
                f"{ALL!r} is not a valid adapter name: it stands for all adapters"
            )
        if self.requirement is None:
            return
        found = _REQUIREMENT.fullmatch(self.requirement)
        if found is None:
            raise AdapterProjectError(
                f"{self.requirement!r} is not a distribution such as openai-agents==0.24.0"
            )
        if found["pin"] is None:
            raise AdapterProjectError(
                f"{self.requirement} names no version; a comparison needs one, such as"
                f" {self.requirement}==1.2.3"
            )

    @property
    def package(self) -> str:
        """The name of the adapter's own distribution."""
        return f"ossia-adapter-{self.name}"

    @property
    def module(self) -> str:
        """The name of its package."""
        return self.package.replace("-", "_")

    @property
    def class_name(self) -> str:
        """The name of its class."""
        return "".join(part.capitalize() for part in re.split("[-_]", self.name)) + "Adapter"

    @property
    def distribution(self) -> str:
        """The distribution whose version stands in results: the framework's, if it is chosen."""
        found = _REQUIREMENT.fullmatch(self.requirement or "")
        return found["distribution"] if found else self.package

    @property
    def framework(self) -> str:
        """What the team is played in, in words."""
        return "a framework" if self.requirement is None else self.distribution


def require_new_name(name: str, home: Path) -> None:
    """Refuse the name of an adapter that is there.

    Raises:
        AdapterProjectError: There is one.
    """
    for info in survey_adapters(home).adapters:
        if info.name == name:
            raise AdapterProjectError(f"the adapter {name} already exists: {info.project}")


def make_project(new: NewAdapter, folder: Path) -> InstallError | None:
    """Make the project of an adapter that works at once, without a framework yet.

    All of it appears in one step, or nothing does.

    Args:
        new: What it is called and made for.
        folder: The project's folder, which must not exist; its parent must.

    Returns:
        `None`, or why the project has no lock file yet: no index can be reached.

    Raises:
        AdapterProjectError: The folder exists already or cannot be made.
        UnsatisfiableError: There is no such framework, or its requirements cannot be met.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - a link must not be followed
    if os.path.lexists(folder):
        raise AdapterProjectError(f"{folder} already exists")
    if not folder.parent.is_dir():
        raise AdapterProjectError(f"there is no folder {folder.parent}")
    try:
        with tempfile.TemporaryDirectory(prefix=".ossia-new-", dir=folder.parent) as place:
            project = Path(place, "project")
            _render(new, folder.name, project)
            problem = _lock(project)
            project.rename(folder)
    except OSError as error:
        raise AdapterProjectError(f"{folder} cannot be created: {error.strerror}") from error
    return problem


def _lock(project: Path) -> InstallError | None:
    try:
        compile_lock(project)
    except UnsatisfiableError:
        raise
    except InstallError as error:
        return error
    return None


def _render(new: NewAdapter, folder: str, project: Path) -> None:
    environment = Environment(
        loader=PackageLoader("ossia.adapters", "template"),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in environment.list_templates(extensions=["jinja"]):
        path = project / name.removesuffix(".jinja").replace("package/", f"{new.module}/")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = environment.get_template(name).render(new=new, folder=folder)
        path.write_text(text, "utf-8")
