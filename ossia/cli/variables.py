"""Environment variables that Ossia reads, and which of them a misspelt one means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_PREFIX: Final = "OSSIA_"

_NEAR: Final = 0.8
"""How alike a known name must be: one's own, such as that of a variable with a key, is no slip."""

KNOWN: Final = frozenset(
    f"{_PREFIX}{name}"
    for name in """
ADAPTER_ALL ADAPTER_DISTRIBUTION ADAPTER_EDITABLE ADAPTER_JOBS ADAPTER_ONLY ADAPTER_OUT ADAPTER_SEED
ADAPTER_TRACE ADAPTER_UPGRADE ADAPTER_WRITE ADDRESS ADMIN_TOKEN_ENV AGAIN ALL API_KEY_ENV AUDIT
BASE_URL BY CACHE CALL_SECONDS COMPAT CONFIG CSV DATABASE DOMAIN EMBEDDER EMBEDDINGS ENGINE ESTIMATE
EVALUATE_ERRORS EVALUATE_MODEL EVALUATE_TASKS EXAMPLES_DATA EXAMPLES_HELD_OUT EXAMPLES_OUT
EXAMPLES_PROMPTS_OF EXAMPLES_SEED EXPORT_OUT FLOWBENCH_ORACLE FORCE FRAMEWORK FRESH FULL HOME
HOME_LOCATION HOST JOBS JSON JUDGE KNOWLEDGE LIMIT LOG MAX_CALLS MAX_COST MAX_SECONDS MAX_TOKENS MCP
MODEL MODEL_PARAM NOTES NOW ORACLE OUT OWN PLANS_CSV PORT PRICE_AS PROMPTS REJECTED REPEATS
REPORT_OPEN REPORT_OUT RPM RUN RUNS_DELETE_YES RUNS_EXPORT_FORCE SEED SET SIMILARITIES STORE STRESS
SUITE TAPE_FORCE TAPE_MODEL TAPE_OUT TASK TASKS TASKS_CSV TEMPLATES TOKEN_ENV TPM TRAIN_FOLDS
TRAIN_OUTPUT TRAIN_WITH USER VERIFY VERIFY_MAX_CALLS WHO_AND_WHEN_COLLECTION WHO_AND_WHEN_LOGS WITH
WORFEVAL_ORACLE WORKBENCH_DATA WORKFLOW WORKFLOW_FORM WORKFLOW_FORMAT WRITE YES
""".split()
)
"""Written down, since asking the commands for their options would load them all."""

LIMITS: Final = frozenset(
    f"{_PREFIX}{name}" for name in "ESTIMATE MAX_COST PRICE_AS RPM TPM".split()
)
"""Those without which a run may cost more than was meant."""


def variable_of(path: Sequence[str], option: str) -> str:
    """Return the variable that sets an option: OSSIA_MAX_CALLS sets `--max-calls`.

    Where a command or its group has one of its own, that one does: OSSIA_TAPE_OUT sets
    `ossia tape --out`, and OSSIA_ADAPTER_OUT `ossia adapter new --out`.

    Args:
        path: the command's name, after its group's where it is in one.
        option: the option's longest name.
    """
    own = (["_".join(path)], *([name] for name in reversed(path)), [])
    words = ("_".join(["ossia", *place, option.lstrip("-")]) for place in own)
    names = [word.replace("-", "_").upper() for word in words]
    return next((name for name in names if name in KNOWN), names[-1])


def misspelt(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the variables that nothing reads but look like one that is read, with that one."""
    for name in sorted(names):
        if not name.startswith(_PREFIX) or name in KNOWN:
            continue
        # Loaded when asked for: every command looks here.
        from difflib import get_close_matches

        own = {known.removeprefix(_PREFIX): known for known in KNOWN}
        for near in get_close_matches(name.removeprefix(_PREFIX).upper(), own, 1, _NEAR):
            yield name, own[near]
