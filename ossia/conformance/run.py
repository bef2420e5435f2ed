"""Making all checks on one adapter."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from ossia.adapters import AdapterError, AdapterInfo, how_to_install
from ossia.conformance.checks import CHECKS, Check, Finding
from ossia.conformance.draw import Draw
from ossia.conformance.places import scenes_suite
from ossia.conformance.report import CheckResult, ConformanceReport
from ossia.conformance.scenes import Scenes
from ossia.conformance.steps import told
from ossia.conformance.weak import outcome, play_cases, table
from ossia.suites import offline_model
from ossia.worker import WorkerDied, WorkerError, WorkerStartError
from ossia_servers.gateway import Model, ModelSpec

__all__ = ["check_adapter", "run_checks", "weak_table"]

_UNMADE = Finding(False, "not made, since no worker starts")

_log = logging.getLogger(__name__)


def check_adapter(
    info: AdapterInfo,
    *,
    checks: Sequence[Check] = CHECKS,
    seconds: float = 60.0,
    seed: str = "",
    steps: bool = False,
    heard: Callable[[CheckResult], None] | None = None,
) -> ConformanceReport:
    """Do `run_checks` in an event loop of its own.

    Args:
        info: The adapter, installed.
        checks: As for `run_checks`.
        seconds: As for `run_checks`.
        seed: As for `run_checks`.
        steps: As for `run_checks`.
        heard: As for `run_checks`.

    Returns:
        The report.

    Raises:
        AdapterError: The adapter is not installed.
    """
    return asyncio.run(
        run_checks(info, checks=checks, seconds=seconds, seed=seed, steps=steps, heard=heard)
    )


async def run_checks(
    info: AdapterInfo,
    *,
    checks: Sequence[Check] = CHECKS,
    seconds: float = 60.0,
    seed: str = "",
    steps: bool = False,
    heard: Callable[[CheckResult], None] | None = None,
) -> ConformanceReport:
    """Check an adapter against its real framework, a real gateway and the real servers.

    Args:
        info: The adapter, installed.
        checks: The checks to make.
        seconds: How long one episode may take before it counts as hung.
        seed: What names, words, orders and tasks are drawn from; a new secret when left out.
        steps: Whether the scenes of failed checks are told step by step.
        heard: Called with each result as soon as it is there.

    Returns:
        The report. A check during which the worker died has failed; the others go on. When no
        worker starts at all, the others have failed without being made.

    Raises:
        AdapterError: The adapter is not installed.
    """
    if not info.installed:
        raise AdapterError(
            f"the adapter {info.name} is {info.state}; run `{how_to_install([info])}` first"
        )
    results: list[CheckResult] = []
    draw = Draw(seed)
    async with Scenes(info, _offline(), draw=draw, seconds=seconds) as scenes:
        for check in checks:
            # An adapter that cannot be loaded gives the same trace each time.
            hopeless = bool(results) and not scenes.version
            finding = _UNMADE if hopeless else await _find(check, scenes)
            results.append(_result(check, finding, made=not hopeless, steps=steps))
            if heard is not None:
                heard(results[-1])
        return _report(info, scenes, draw, results)


def _report(
    info: AdapterInfo, scenes: Scenes, draw: Draw, results: Sequence[CheckResult]
) -> ConformanceReport:
    return ConformanceReport(
        adapter=info.key,
        framework=info.distribution,
        version=scenes.version,
        source=info.digest,
        seed=draw.seed,
        editable=info.editable,
        results=tuple(results),
        isolation=scenes.isolation,
    )


def _result(check: Check, finding: Finding, *, made: bool, steps: bool) -> CheckResult:
    return CheckResult(
        name=check.name,
        claim=check.claim,
        passed=finding.passed,
        noted=finding.noted,
        made=made,
        steps=told(finding.trace) if steps and not finding.passed else (),
        detail=finding.detail,
    )


def weak_table(infos: Sequence[AdapterInfo]) -> str:
    """Return what adapters do with a weak model's answers, as a Markdown table.

    Args:
        infos: The adapters, installed.

    Raises:
        WorkerError: A worker cannot be started, or ended.
    """
    return table({info.key: asyncio.run(_weak_cases(info)) for info in infos})


async def _weak_cases(info: AdapterInfo) -> list[tuple[str, str]]:
    async with Scenes(info, _offline(), draw=Draw()) as scenes:
        return [(name, outcome(played)) for name, played in await play_cases(scenes)]


async def _find(check: Check, scenes: Scenes) -> Finding:
    try:
        return await check.find(scenes)
    except WorkerError as error:
        tail = error.stderr_tail if isinstance(error, WorkerDied | WorkerStartError) else ""
        _log.warning("check %s of %s: %s\n%s", check.name, scenes.info.key, error, tail)
        last = tail.strip().splitlines()[-1:] or [""]
        repeated = last[0] in str(error)
        return Finding(False, str(error) if repeated else f"{error}: {last[0][:200]}")


def _offline() -> Model:
    return offline_model(scenes_suite(), ModelSpec("offline"))
