"""A comparison as tables for the terminal; plain text where there is no terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ossia_evaluation.compare import Comparison, FrameworkSummary, Pair
from ossia_evaluation.comparison import PAIRED_COSTS
from ossia_evaluation.report.figures import (
    UNKNOWN,
    WORKER_HEADS,
    WORKERS,
    TimeColumn,
    cell,
    head,
    metric_lines,
    notes,
    number,
    share_text,
    success_cell,
    success_head,
    time_columns,
    time_note,
    worker_cells,
)
from ossia_evaluation.report.groups import GroupTable, group_name, group_tables
from ossia_evaluation.report.idioms import IdiomTable, idiom_tables
from ossia_evaluation.report.stress_terminal import stress_tables
from ossia_evaluation.report.word_table import word_table
from ossia_evaluation.words import count_of, counted

_FLIPS_SHOWN = 6
_PAIRS_SHOWN = 10
"""Of more pairs, such as those of many variants, only these are shown that differ anywhere."""
TURNS = "Cost of a user turn (means: tokens, seconds, episodes that reached it)"
_PAIRS = "Pairs on the same tasks (sign-flip test by task, Holm-adjusted)"
_MODEL_PAIRS = "Models on the same tasks in one framework (sign-flip test by task, Holm-adjusted)"
_RUNS = "The run minus the one it is compared with, by task [95 %]"
_FAILURES = "Failed episodes by role (by the suite's grader; an episode may name several)"


def comparison_tables(result: Comparison) -> RenderableType:
    """Return the whole comparison as tables; without a valid episode, why there is none."""
    if result.frameworks and not any(line.success.of for line in result.frameworks):
        said = [Text(sentence, style="bold") for sentence in result.finding]
        return Group(*said, _head(result), *([_invalid(result)] if result.invalid else []))
    parts: list[RenderableType] = [
        *(Text(sentence, style="bold") for sentence in result.finding),
        _head(result),
        _main(result),
        *_beside(result),
        *_of_all(result),
    ]
    if result.stress is not None:
        # What the episodes without a fault cost is asked of a run without faults, and of the page.
        return Group(*parts, *stress_tables(result.stress))
    parts += [
        _versions(result),
        _costs(result),
        Text(time_note(result)),
        *([] if result.dropped is None else [Text(result.dropped.text)]),
        *([] if result.user is None else [Text(result.user.text)]),
        *([] if result.unaccounted is None else [Text(result.unaccounted)]),
        *([] if result.cached is None else [Text(result.cached)]),
        *(_idioms(table) for table in idiom_tables(result)),
        *_turns(result),
        *_repeats(result),
        *_workers(result),
        _forced(result),
        *_failures(result),
        *_groups(result),
    ]
    parts += [_models(result, table) for table in group_tables(result)]
    parts += _pairs(result)
    if result.invalid:
        parts.append(_invalid(result))
    return Group(*parts)


def _titled(title: str, table: Table) -> RenderableType:
    """A table under its title; rich would wrap the title to the width of a narrow table."""
    return Group(Text(f"\n{title}", style="bold"), table)


def _line_table(result: Comparison, *columns: str) -> Table:
    """A table with a row for every framework, or for every framework and model."""
    lead = ("framework", "model") if len(result.models) > 1 else ("framework",)
    return word_table(*lead, *columns, lead=len(lead))


def _lead(result: Comparison, line: FrameworkSummary) -> tuple[str, ...]:
    if len(result.models) > 1:
        return (result.name(line.framework), result.mark(line.model))
    return (result.name(line.framework),)


def _head(result: Comparison) -> Text:
    facts = ", ".join(f"{name} {value}" for name, value in result.facts.items())
    # Those with a fault stand in the table of faults.
    which = "" if result.stress is None else " without a fault"
    state = (
        f"{counted(result.finished, 'episode')}{which}"
        if result.finished == result.planned
        else f"{result.finished} of {result.planned} episodes{which} (unfinished)"
    )
    if len(result.models) > 1:
        facts += "".join(f"\n{result.mark(model)} = {model}" for model in result.models)
    gap = "\n" if result.finding else ""
    return Text(f"{gap}Run {result.run}: {state}\n{facts}")


def _main(result: Comparison) -> RenderableType:
    table = _line_table(
        result,
        success_head(result),
        "n",
        *map(head, result.columns),
        "invalid",
    )
    for line in result.frameworks:
        table.add_row(
            *_lead(result, line),
            success_cell(result, line),
            str(line.success.of),
            *(cell(metric, line) for metric in result.columns),
            str(line.invalid),
        )
    return _titled("Success by outcome", table)


def _beside(result: Comparison) -> list[RenderableType]:
    """What the columns say, and what stands in none: more of them would break the others."""
    return [Text(line) for line in (*notes(result.columns), *metric_lines(result))]


def _of_all(result: Comparison) -> list[RenderableType]:
    """Success over all episodes, where not every line has as many valid ones."""
    if not result.is_uneven:
        return []
    shares = ", ".join(
        f"{_named(result, line)} {share_text(line.success_of_all)}" for line in result.frameworks
    )
    return [Text(f"Success over all episodes, invalid ones as failures: {shares}")]


def _named(result: Comparison, line: FrameworkSummary) -> str:
    return " ".join(_lead(result, line))


def _versions(result: Comparison) -> Text:
    """The frameworks' exact versions; in a column they would break on a narrow terminal."""
    versions = {line.framework: line.version for line in result.frameworks}
    told = (f"{_keyed(result, name)}: {version or UNKNOWN}" for name, version in versions.items())
    return Text(f"Versions: {'; '.join(told)}")


def _keyed(result: Comparison, framework: str) -> str:
    """What tables call a framework, with its key, by which options and episodes name it."""
    name = result.name(framework)
    return name if name == framework else f"{name} ({framework})"


def _costs(result: Comparison) -> RenderableType:
    times = time_columns(result)
    table = _line_table(
        result,
        "model calls",
        "tokens",
        "USD",
        "USD / success",
        *(column.head for column in times),
        "framework CPU s",
        "reported tokens",
    )
    for line in result.frameworks:
        table.add_row(*_lead(result, line), *_cost_cells(line, times))
    return _titled("Cost of an episode (means over valid episodes)", table)


def _workers(result: Comparison) -> list[RenderableType]:
    """What a worker takes, and the frameworks' maintenance; nothing where neither is known."""
    lines = {line.framework: line for line in result.frameworks}.values()
    if not any(line.worker or line.status for line in lines):
        return []
    table = word_table("framework", *WORKER_HEADS)
    table.columns[-1].justify = "left"
    for line in lines:
        table.add_row(result.name(line.framework), *worker_cells(line))
    return [_titled(WORKERS, table)]


def _cost_cells(line: FrameworkSummary, times: Sequence[TimeColumn]) -> tuple[str, ...]:
    mark = "~" if line.tokens_estimated else ""
    reported = line.reported_tokens_share
    return (
        number(line.calls, ",.1f"),
        UNKNOWN if line.tokens is None else f"{mark}{line.tokens:,.0f}",
        number(line.price_usd, ".4f"),
        number(line.price_per_success_usd, ".4f"),
        *(column.cell(line) for column in times),
        number(line.cpu_s, ".3f"),
        UNKNOWN if reported is None else f"{100 * reported:.0f} %",
    )


def _idioms(data: IdiomTable) -> RenderableType:
    table = word_table("framework", *data.idioms)
    for name, cells in data.rows:
        table.add_row(Text(name), *cells)
    return _titled(data.title, table)


def _turns(result: Comparison) -> list[RenderableType]:
    """What each turn of the user's cost; nothing where nobody went on talking."""
    if not result.most_turns:
        return []
    table = word_table("turn", *(result.label(line) for line in result.frameworks))
    for turn in range(result.most_turns):
        costs = [line.turns[turn] if turn < len(line.turns) else None for line in result.frameworks]
        table.add_row(str(turn + 1), *(UNKNOWN if each is None else each.text for each in costs))
    return [_titled(TURNS, table)]


def _repeats(result: Comparison) -> list[RenderableType]:
    """The chance that k repeats of a task all succeed; nothing for a run without repeats."""
    most = max((max(line.pass_hat, default=0) for line in result.frameworks), default=0)
    if most < 2:
        return []
    table = _line_table(result, *(f"pass^{k}" for k in range(1, most + 1)))
    for line in result.frameworks:
        cells = (number(line.pass_hat.get(k), ".2f") for k in range(1, most + 1))
        table.add_row(*_lead(result, line), *cells)
    return [_titled("Repeats: chance that k of them all succeed", table)]


def _forced(result: Comparison) -> Text:
    shown = "; ".join(
        f"{result.label(line)}: {', '.join(line.forced) or 'none'}" for line in result.frameworks
    )
    return Text(f"Parameters that frameworks set on their calls: {shown}")


def _failures(result: Comparison) -> list[RenderableType]:
    """Failed episodes by role; nothing where no role is named."""
    if not result.roles:
        return []
    table = _line_table(result, "failures", *result.roles)
    for line in result.frameworks:
        failures = line.success.of - line.success.count
        cells = [_part(line.failures_by_role.get(role, 0), failures) for role in result.roles]
        table.add_row(*_lead(result, line), str(failures), *cells)
    return [_titled(_FAILURES, table)]


def _part(count: int, of: int) -> str:
    return count_of(count, of) if count else UNKNOWN


def _groups(result: Comparison) -> list[RenderableType]:
    """Success by group; nothing for tasks without groups."""
    if not result.group:
        return []
    names = [result.label(line) for line in result.frameworks]
    table = word_table(result.group, "n", *names)
    for group in result.groups:
        shares = [line.by_group.get(group) for line in result.frameworks]
        size = max((share.of for share in shares if share is not None), default=0)
        cells = [
            UNKNOWN if share is None or share.value is None else f"{share.value:.2f}"
            for share in shares
        ]
        table.add_row(Text(group_name(group)), str(size), *cells)
    return [_titled(f"Success by {result.group}", table)]


def _models(result: Comparison, data: GroupTable) -> RenderableType:
    table = word_table(result.group, *data.columns)
    for group, cells in data.rows:
        table.add_row(Text(group), *cells)
    return _titled(data.title, table)


def _pairs(result: Comparison) -> list[RenderableType]:
    """Tables of pairs: of frameworks, and of models where there are several."""
    found = []
    for of, title in (("frameworks", _PAIRS), ("models", _MODEL_PAIRS)):
        pairs = [pair for pair in result.pairs if pair.of == of]
        kept = [pair for pair in pairs if pair.only_first or pair.only_second]
        if len(pairs) <= _PAIRS_SHOWN:
            kept = pairs
        if kept:
            found.append(_titled(title, _pair_table(result, kept)))
        if len(kept) < len(pairs):
            alike = f"{len(pairs) - len(kept)} of {len(pairs)} pairs"
            found.append(Text(f"{'' if kept else title + ': '}no episode differs in {alike}"))
    runs = [pair for pair in result.pairs if _is_of_one_framework(pair)]
    return [*found, _titled(_RUNS, _cost_table(result, runs))] if runs else found


def _is_of_one_framework(pair: Pair) -> bool:
    """Whether a pair is the same framework in a run and in one beside it."""
    return pair.of == "frameworks" and pair.second.startswith(f"{pair.first} @")


def _cost_table(result: Comparison, pairs: Sequence[Pair]) -> Table:
    table = word_table("pair", "success", "model calls", "tokens", "seconds")
    for pair in pairs:
        told = (pair.costs.get(name) for name in PAIRED_COSTS)
        table.add_row(
            result.pair_name(pair),
            _interval(pair.difference, pair.low, pair.high, "+.3f"),
            *(
                UNKNOWN if cost is None else _interval(cost.difference, cost.low, cost.high, form)
                for cost, form in zip(told, ("+,.1f", "+,.0f", "+.2f"), strict=True)
            ),
        )
    return table


def _interval(value: float | None, low: float | None, high: float | None, form: str) -> str:
    if value is None or low is None or high is None:
        return number(value, form)
    # Adding 0 keeps a rounded difference from being shown as -0.
    return "{} [{}, {}]".format(*(format(each + 0.0, form) for each in (value, low, high)))


def _pair_table(result: Comparison, pairs: Sequence[Pair]) -> Table:
    table = word_table(
        "pair",
        "both",
        "only first",
        "only second",
        "neither",
        "p",
        "p Holm",
        "flips",
    )
    table.columns[-1].justify = "left"
    for pair in pairs:
        table.add_row(
            result.pair_name(pair),
            str(pair.both),
            str(len(pair.only_first)),
            str(len(pair.only_second)),
            str(pair.neither),
            f"{pair.p_value:.3g}" if pair.tasks else UNKNOWN,
            f"{pair.p_holm:.3g}" if pair.tasks else UNKNOWN,
            _flips(pair),
        )
    return table


def _flips(pair: Pair) -> str:
    flips = [*(f"+{task}" for task in pair.only_first), *(f"-{task}" for task in pair.only_second)]
    more = len(flips) - _FLIPS_SHOWN
    return " ".join(flips[:_FLIPS_SHOWN] or [UNKNOWN]) + (f" and {more} more" if more > 0 else "")


def _invalid(result: Comparison) -> RenderableType:
    table = word_table("episode", "why")
    table.columns[-1].justify = "left"
    for episode, why in result.invalid.items():
        # An upstream's words may hold square brackets, which are no markup.
        table.add_row(episode, Text(why))
    return _titled("Invalid episodes (infrastructure; excluded from all rates)", table)
