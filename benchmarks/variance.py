"""What explains the costs of a run: its frameworks, their idioms, or its tasks.

    pip install 'ossia[variance]'
    python -m benchmarks.variance RUN

An analysis of variance (type II) of each cost's logarithm, since costs differ by multiples, over
the valid episodes, with framework, idiom and task as factors. A share is a factor's sum of squares
out of all of them: what it explains beside the others. Frameworks are those whatever their variant,
so that a framework is told from its idioms; what an idiom costs in one framework alone is in the
rest. Every framework should have played every task.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from benchmarks.record import place_options, told
from ossia.adapters import ossia_home
from ossia.errors import UserError
from ossia.run_plan import tasks_of
from ossia.runner.find import find_run
from ossia.runner.results import rows_of
from ossia.runner.store import RunStore
from ossia_evaluation.grade import Verdict
from ossia_evaluation.rows import EpisodeRow

__all__ = ["main", "shares"]

COSTS: Final = ("calls", "tokens", "cpu_s")
FACTORS: Final = ("framework", "idiom", "task")


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell the shares of a run as a Markdown table.

    Args:
        arguments: The command line without the program's name; the process's own by default.

    Returns:
        The exit code: 0, or 2 where the run is not there, tells too little, or cannot be written.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.variance")
    parser.add_argument("run", help="a run's id or name, or the beginning of one")
    place_options(parser)
    options = parser.parse_args(arguments)
    try:
        with RunStore(find_run(ossia_home(os.environ), options.run)) as store:
            config = store.config()
            idioms = {each.name: each.idiom for each in config.frameworks}
            found = shares(rows_of(store, tasks_of(config)), idioms)
        told(options, "variance", _table(found))
    except (UserError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _table(found: Mapping[str, Mapping[str, float]]) -> str:
    lines = [f"| cost | {' | '.join(FACTORS)} | the rest |", "|---" * (len(FACTORS) + 2) + "|"]
    for cost, by_factor in found.items():
        rest = 1 - sum(by_factor.values())
        cells = (f"{100 * share:.1f} %" for share in (*by_factor.values(), rest))
        lines.append(f"| {cost} | {' | '.join(cells)} |")
    return "\n".join(lines)


def shares(
    rows: Sequence[EpisodeRow], idioms: Mapping[str, str]
) -> Mapping[str, Mapping[str, float]]:
    """Return which share of each cost's variance each factor explains.

    Args:
        rows: The episodes of a run; invalid ones are left out.
        idioms: The idiom of each framework in its variant, by its key.

    Raises:
        ValueError: There are too few frameworks, idioms or tasks, or idioms that nobody tells.
    """
    # They come with the extra.
    import numpy as np
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    valid = [row for row in rows if row.verdict is not Verdict.INVALID]
    frame = pd.DataFrame(
        {
            "framework": [row.framework.partition(":")[0] for row in valid],
            "idiom": [idioms[row.framework] for row in valid],
            "task": [row.task for row in valid],
            "calls": [float(row.calls) for row in valid],
            "tokens": [float(row.prompt_tokens + row.completion_tokens) for row in valid],
            "cpu_s": [row.cpu_s for row in valid],
        }
    )
    for factor in FACTORS:
        if frame[factor].nunique() < 2 or "" in set(frame[factor]):
            raise ValueError(f"the run needs several of each {factor}, and all of them told")
    found: dict[str, dict[str, float]] = {}
    for cost in COSTS:
        known = frame[frame[cost] > 0]
        value = np.log(known[cost])
        # Every framework plays every task, so centring a task's values is what its factor would do:
        # with hundreds of tasks the same sums come of a small model.
        tasks = value.groupby(known["task"]).transform("mean")
        centred = known.assign(centred=value - tasks)
        table = anova_lm(ols("centred ~ C(framework) + C(idiom)", data=centred).fit(), typ=2)
        total = float(((value - value.mean()) ** 2).sum())
        of_tasks = float(((tasks - value.mean()) ** 2).sum())
        squares = table["sum_sq"]
        found[cost] = {
            "framework": float(squares["C(framework)"]) / total,
            "idiom": float(squares["C(idiom)"]) / total,
            "task": of_tasks / total,
        }
    return found


if __name__ == "__main__":
    sys.exit(main())
