"""What travels to the nodes of a cluster: a run's configuration, tasks and adapters, and no key."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ossia.adapters import AdapterInfo, find_adapter, install
from ossia.errors import UserError
from ossia.opening import open_models
from ossia.run_plan import files_hash
from ossia.runner.config import FrameworkVersion, RunConfig
from ossia.runner.local import Equipment
from ossia.suites import find_suite
from ossia.version import code_version
from ossia_dataset.tasks import Task
from ossia_servers.gateway import UpstreamOptions, read_specification

_MOST_BYTES: Final = 64 * 2**20
"""An adapter's project is source code; what is larger has an environment or data in it."""


@dataclass(frozen=True)
class Job:
    """What a node needs to play a run's episodes."""

    config: RunConfig
    """That the episodes are played by, which may be more patient than the stored one."""
    tasks: Mapping[str, Task]
    bundles: Mapping[str, bytes]
    """The projects of adapters that Ossia does not bring, by their digest."""
    key_variables: tuple[str, ...]
    """The environment variables of the node that hold keys, as the user named them."""
    jobs: int
    """Most episodes at once on the node, if no other is lost."""
    paced: bool
    """Whether calls wait for their turn."""


def pack_adapters(
    frameworks: Sequence[FrameworkVersion], adapters: Collection[AdapterInfo]
) -> dict[str, bytes]:
    """Return the projects of a run's adapters that Ossia does not bring, by their digest.

    Args:
        frameworks: those of the run.
        adapters: the same, as they are installed here.

    Raises:
        UserError: a project is too large to travel.
    """
    own = {each.digest for each in frameworks if not each.is_builtin}
    return {info.digest: _packed(info.project) for info in adapters if info.digest in own}


def unpacked(job: Job, home: Path) -> list[AdapterInfo]:
    """Return the adapters of a job, with their environments made where they were not.

    Args:
        job: what is to be played.
        home: the folder of this machine's environments.

    Raises:
        UserError: this machine has another Ossia or another adapter.
        AdapterError: an environment cannot be made.
    """
    if job.config.ossia != code_version():
        raise UserError(
            f"it has Ossia {code_version()}, but the run uses {job.config.ossia}: install the same"
            " version on every node"
        )
    found = []
    for framework in job.config.frameworks:
        if framework.digest in job.bundles:
            folder = _unpacked(framework, job.bundles[framework.digest], home)
            framework = framework.model_copy(update={"source": f"{framework.digest} {folder}"})
        info = find_adapter(framework.adapter, home)
        if info.digest != framework.digest:
            raise UserError(
                f"its adapter '{info.name}' differs from the run's: install the same Ossia and"
                " Python on every node"
            )
        if not info.installed:
            install(info)
        found.append(info)
    return found


def equipment(job: Job, adapters: Collection[AdapterInfo], reached: UpstreamOptions) -> Equipment:
    """Return what this machine plays a job with.

    Args:
        job: what is to be played.
        adapters: those of the job, installed here.
        reached: how upstream models are reached from here.

    Raises:
        UserError: a model cannot be opened here, or its file is not the one of the run.
    """
    config, suite = job.config, find_suite(job.config.suite)
    domains = suite.domains(config.tasks)
    roles = suite.team_roles(tuple(job.tasks.values()), domains)
    # Runs of before have no hashes.
    hashes = dict(zip(config.models, config.model_hashes, strict=False))
    if config.user:
        hashes[config.user] = config.user_hash
    for name, known in hashes.items():
        if files_hash(read_specification(name, roles)) != known:
            raise UserError(f"the file of model {name} is missing or differs")
    opened = open_models(config, suite, job.tasks, roles, reached, job.key_variables)
    return Equipment(
        config,
        job.tasks,
        domains,
        opened.models,
        {info.key: info.worker for info in adapters},
        job.jobs,
        opened.user_model,
    )


def _packed(project: Path) -> bytes:
    whole = io.BytesIO()
    size = 0
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as bundle:
        for path in sorted(project.rglob("*")):
            inner = path.relative_to(project)
            if path.is_file() and not any(_is_left(part) for part in inner.parts):
                size += path.stat().st_size
                if size > _MOST_BYTES:
                    raise UserError(
                        f"{project} is too large to copy to other machines: it has more than"
                        f" {_MOST_BYTES >> 20} MiB of files that are not hidden"
                    )
                bundle.write(path, str(inner))
    return whole.getvalue()


def _is_left(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__"


def _unpacked(framework: FrameworkVersion, bundle: bytes, home: Path) -> Path:
    """Put an adapter's project into the home, once; returns its folder."""
    folder = home / "projects" / framework.digest
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder.parent))
        with zipfile.ZipFile(io.BytesIO(bundle)) as packed:
            packed.extractall(new)
        try:
            new.rename(folder)
        except OSError:
            # Another process of this machine was faster.
            shutil.rmtree(new)
    return folder
