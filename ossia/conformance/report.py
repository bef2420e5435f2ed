"""What the checks found."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["CheckResult", "ConformanceReport"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CheckResult(_Frozen):
    """One check's outcome.

    Attributes:
        name: The check's short name, such as `every-role`.
        claim: What should be true, in one sentence.
        passed: Whether it is.
        detail: What was seen, in one or two sentences.
        noted: Whether it passed only because nothing broke it, and not because it was shown.
    """

    name: str
    claim: str
    passed: bool
    detail: str
    noted: bool = False


class ConformanceReport(_Frozen):
    """All checks of one adapter.

    Attributes:
        adapter: The adapter's name.
        framework: The framework's distribution.
        version: The framework's version; empty when its worker never started.
        results: The checks in the order in which they were made.
    """

    adapter: str
    framework: str
    version: str
    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return bool(self.results) and all(result.passed for result in self.results)

    @property
    def noted(self) -> tuple[CheckResult, ...]:
        """The checks that passed without having been shown."""
        return tuple(result for result in self.results if result.noted)

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        """The checks that did not pass."""
        return tuple(result for result in self.results if not result.passed)
