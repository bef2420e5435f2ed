"""The resolved configuration of a run, and the identity that follows from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ossia.adapters.variants import Division
from ossia.errors import UserError
from ossia_servers.gateway import Budget, Parameter
from ossia_servers.stress.plan import FaultPlan

CONFIG_VERSION = 3
"""Version of the stored configuration; the one before is read as well."""

_NEW_IN_3 = frozenset({"parameters", "call_seconds"})

_UNNAMED_WHEN_EMPTY = frozenset(
    {"cache", "base_urls", "knowledge", "forms", "user", "user_hash", "prompts", "stress"}
)
"""Came later, and leave the names of runs without them as they were."""

_TOLD_BY_NAME_AND_SOURCE = {"variant", "idiom", "title", "status", "division", "workflow"}
"""Of a framework, what names no other run."""

_DAMAGED = (
    "the run's stored configuration cannot be read; restore the run from a copy, or run with"
    " another OSSIA_HOME"
)


USUAL_BUDGET: Final = Budget(calls=60, tokens=400_000, seconds=180.0)
"""The most that an episode may spend where neither a user nor the suite says anything else."""


class EpisodeLimits(BaseModel):
    """Limits that every framework gets alike, beside the gateway's hard budget."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: int = Field(default=20, ge=1)
    """Most turns of roles; the assistant's longest gold run has seven."""
    tool_rounds: int = Field(default=5, ge=1)
    """Most rounds of tool calls in one turn."""
    call_seconds: float = Field(default=240.0, gt=0)
    """Time-out of one model call, as the framework's client sees it. Longer than the gateway ever
    takes, so that it is the gateway that tells a hanging model from a slow team."""


class FrameworkVersion(BaseModel):
    """One framework of a run, in one variant, at one exact version."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """The adapter's name, and after a colon its variant where that is not the default one."""
    source: str
    """Hash of the adapter's sources and lock, and its folder where Ossia does not bring it."""
    editable: bool = False
    """Whether its sources are used where they are, so that they may change at any time."""
    variant: str = ""
    """Empty where the adapter has no variants, and in runs of before."""
    idiom: str = ""
    """How the variant's manager leads."""
    title: str = ""
    """What tables call it; empty in runs of before, which call it by its name."""
    status: str = ""
    """What was known of the framework's maintenance; empty where the adapter tells nothing."""
    division: Division = "documented"
    """With which others it may be compared."""
    workflow: bool = False
    """Whether it runs a task's workflow as a graph of its own."""

    @property
    def digest(self) -> str:
        """Hash of the adapter's sources and lock."""
        return self.source.partition(" ")[0]

    @property
    def is_builtin(self) -> bool:
        """Whether Ossia brings the adapter."""
        return " " not in self.source

    @property
    def adapter(self) -> str:
        """The adapter and its variant, as `find_adapter` takes them."""
        folder = self.source.partition(" ")[2]
        return f"{folder}:{self.variant}" if folder and self.variant else folder or self.name


class PlannedStep(BaseModel):
    """A step of a workflow, as a framework is given it that runs its steps as a graph."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    task: str
    """What is to be done, in words."""
    after: tuple[str, ...]
    """The steps that have to be finished before it begins."""


class Knowledge(BaseModel):
    """What the leaders of a run's teams are told of each task beside what the user says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    """What it is and where it comes from, in words for the reader of a report."""
    texts: tuple[tuple[str, str], ...]
    """By the task's id, as it stands in the prompt; of tasks that are not named nothing is told.
    Kept with the run, since its source may be gone when the run goes on."""
    graphs: tuple[tuple[str, tuple[PlannedStep, ...]], ...] = ()
    """Likewise what frameworks run that run such steps as a graph, in place of the words; empty
    where all are told it in words."""


class RunConfig(BaseModel):
    """Everything that decides what a run does. Stored with the run; holds no key."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = CONFIG_VERSION
    suite: str
    tasks: str
    """The task set's name or path, as given."""
    dataset_hash: str
    """Hash of the tasks that run."""
    set_hash: str = ""
    """Hash of the whole set that they are from."""
    dataset_version: str = ""
    """Recorded version of a built-in set; empty for others."""
    task_ids: tuple[str, ...]
    """In the order in which they run, after `--limit` and `--domain`."""
    frameworks: tuple[FrameworkVersion, ...]
    models: tuple[str, ...] = Field(min_length=1)
    """Specifications in their one form, laid side by side within each framework."""
    model_hashes: tuple[str, ...] = ()
    """Hash of what each model reads from files, such as a script or a tape."""
    base_url: str | None = None
    """Where upstream models are that are not named in `base_urls`; None for their providers."""
    base_urls: tuple[tuple[str, str], ...] = ()
    """Upstream models with an address of their own."""
    price_model: str | None = None
    repeats: int = Field(default=1, ge=1)
    seed: int | None = None
    """The seed by which `--limit` chose its tasks; None when it spread them evenly."""
    limits: EpisodeLimits = EpisodeLimits()
    budget: Budget = USUAL_BUDGET
    parameters: tuple[Parameter, ...] = ()
    """What is set or dropped in requests to upstream models."""
    call_seconds: float | None = None
    """Longest attempt of one upstream call; None in runs that were stored before it was kept."""
    cache: bool = False
    """Whether an identical request to an upstream model is answered from what the run has kept."""
    knowledge: Knowledge | None = None
    """None where a task's team is told nothing of its own."""
    forms: tuple[str, ...] = ()
    """The forms of knowledge that the suite's teams are told, by `--knowledge`: each of the set's
    tasks is there once for each of them."""
    user: str = ""
    """The specification of the model that speaks for the simulated user; empty for the user that
    the suite brings without one."""
    user_hash: str = ""
    """Hash of what it reads from files."""
    prompts: str = ""
    """The paraphrase of the suite's prompts that its teams have; empty for the prompts
    themselves."""
    stress: FaultPlan | None = None
    """The faults that the run's episodes meet, beside those without a fault; None for none."""
    ossia: str = ""
    """Version of Ossia and a hash of its code: a run never mixes results of two."""

    @property
    def asked(self) -> tuple[str, ...]:
        """All models: those of its teams, and that of the simulated user."""
        return tuple(dict.fromkeys([*self.models, self.user] if self.user else self.models))

    @property
    def run_id(self) -> str:
        """A readable name that is the same for the same configuration."""
        # A run that was stored in the format before keeps its name.
        new = set(_NEW_IN_3) if self.version < CONFIG_VERSION else set()
        new.update(name for name in _UNNAMED_WHEN_EMPTY if not getattr(self, name))
        told: dict[str, Any] = {"frameworks": {"__all__": _TOLD_BY_NAME_AND_SOURCE}}
        if self.knowledge is not None and not self.knowledge.graphs:
            told["knowledge"] = {"graphs"}
        text = self.model_dump_json(exclude={**dict.fromkeys(new, True), **told})
        digest = hashlib.sha256(text.encode()).hexdigest()[:10]
        last = self.models[0].split("/")[-1]
        model = "".join(c if c.isalnum() else "-" for c in last)[:24]
        more = f"-and-{len(self.models) - 1}" if len(self.models) > 1 else ""
        return f"{self.suite}-{model}{more}-{digest}"

    def known_names(self, asked: Iterable[str]) -> tuple[str, ...]:
        """Return frameworks as the run names them, of which default variants may be asked by name.

        Args:
            asked: such as `control:router`, which the run names `control`.
        """
        full = {f"{each.name}:{each.variant}": each.name for each in self.frameworks}
        return tuple(full.get(name, name) for name in asked)

    @classmethod
    def read(cls, text: str) -> RunConfig:
        """Read a stored configuration.

        Raises:
            UserError: it was stored by a version of Ossia with another format, or is damaged.
        """
        try:
            stored = json.loads(text)
        except ValueError:
            stored = None
        if not isinstance(stored, dict):
            raise UserError(_DAMAGED)
        version = stored.get("version")
        if version not in (CONFIG_VERSION - 1, CONFIG_VERSION):
            raise UserError(
                f"the run was stored in format {version}, and this Ossia reads format"
                f" {CONFIG_VERSION}; start the run again, or read it with the Ossia that made it"
            )
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            raise UserError(_DAMAGED) from None
