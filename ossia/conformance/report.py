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
        made: Whether it was made at all: not where no worker starts.
        steps: The scene step by step, where it failed and this was asked for.
    """

    name: str
    claim: str
    passed: bool
    detail: str
    noted: bool = False
    made: bool = True
    steps: tuple[str, ...] = ()


class ConformanceReport(_Frozen):
    """All checks of one adapter.

    Attributes:
        adapter: The adapter's name.
        framework: The framework's distribution.
        version: The framework's version; empty when its worker never started.
        source: The digest of the adapter's sources and lock.
        seed: What names, words, orders and tasks were drawn from.
        editable: Whether the sources are used where they are.
        results: The checks in the order in which they were made.
        isolation: How far the operating system confines its workers, which depends on the machine
            and is no check; empty when its worker never started.
    """

    adapter: str
    framework: str
    version: str
    source: str = ""
    seed: str = ""
    editable: bool = False
    results: tuple[CheckResult, ...]
    isolation: str = ""

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

    def summary(self, seconds: float) -> str:
        """Return the report in a sentence.

        Args:
            seconds: How long it took.
        """
        made = [result for result in self.results if result.made]
        passed = sum(result.passed for result in made)
        version = f" {self.version}" if self.version else ""
        editable = ", editable" if self.editable else ""
        notes = f", {len(self.noted)} of them with a note," if self.noted else ""
        unmade = len(self.results) - len(made)
        rest = f"; the other {unmade} were not made, since no worker starts" if unmade else ""
        return (
            f"{self.adapter} ({self.framework}{version}, source {self.source}{editable}):"
            f" {passed} of {len(self.results)} checks passed{notes} in {seconds:.1f} s{rest}"
        )
