"""Making all checks on one adapter."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from ossia.adapters import AdapterError, AdapterInfo, how_to_install
from ossia.conformance.checks import CHECKS, Check, Finding
from ossia.conformance.report import CheckResult, ConformanceReport
from ossia.conformance.scenes import Scenes
from ossia.worker import WorkerDied, WorkerError, WorkerStartError
from ossia_servers.gateway import InProcessModel, Model

__all__ = ["check_adapter", "run_checks"]

_UNMADE = Finding(False, "not made, since no worker starts")

_log = logging.getLogger(__name__)


def check_adapter(
    info: AdapterInfo,
    *,
    model: Model | None = None,
    checks: Sequence[Check] = CHECKS,
    seconds: float = 60.0,
    heard: Callable[[CheckResult], None] | None = None,
) -> ConformanceReport:
    """Do `run_checks` in an event loop of its own.

    Args:
        info: The adapter, installed.
        model: As for `run_checks`.
        checks: As for `run_checks`.
        seconds: As for `run_checks`.
        heard: As for `run_checks`.

    Returns:
        The report.

    Raises:
        AdapterError: The adapter is not installed.
    """
    return asyncio.run(run_checks(info, model=model, checks=checks, seconds=seconds, heard=heard))


async def run_checks(
    info: AdapterInfo,
    *,
    model: Model | None = None,
    checks: Sequence[Check] = CHECKS,
    seconds: float = 60.0,
    heard: Callable[[CheckResult], None] | None = None,
) -> ConformanceReport:
    """Check an adapter against its real framework, a real gateway and the real servers.

    Args:
        info: The adapter, installed.
        model: A model that answers well as every role of the assistant team; the offline model
            by default.
        checks: The checks to make.
        seconds: How long one episode may take before it counts as hung.
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
    async with Scenes(info, model or _offline(), seconds=seconds) as scenes:
        for check in checks:
            # An adapter that cannot be loaded gives the same trace each time.
            hopeless = bool(results) and not scenes.version
            finding = _UNMADE if hopeless else await _find(check, scenes)
            result = CheckResult(
                name=check.name,
                claim=check.claim,
                passed=finding.passed,
                noted=finding.noted,
                detail=finding.detail,
            )
            results.append(result)
            if heard is not None:
                heard(result)
        version = scenes.version
    return ConformanceReport(
        adapter=info.name, framework=info.distribution, version=version, results=tuple(results)
    )


async def _find(check: Check, scenes: Scenes) -> Finding:
    try:
        return await check.find(scenes)
    except WorkerError as error:
        tail = error.stderr_tail if isinstance(error, WorkerDied | WorkerStartError) else ""
        _log.warning("check %s of %s: %s\n%s", check.name, scenes.info.name, error, tail)
        last = tail.strip().splitlines()[-1:] or [""]
        repeated = last[0] in str(error)
        return Finding(False, str(error) if repeated else f"{error}: {last[0][:200]}")


def _offline() -> Model:
    from ossia_servers.offline import OfflineModel

    return InProcessModel(OfflineModel.load())
