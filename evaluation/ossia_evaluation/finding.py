"""What a comparison found, in sentences made of its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ossia_evaluation.comparison import Comparison, FrameworkSummary, Pair

ALPHA: Final = 0.05
"""A difference is called significant when its adjusted p-value is below this."""

NOTABLE: Final = 1.2
"""A cost is named when it is at least so many times that of the reference."""

FEWEST: Final = 20
"""Costs are compared from so many valid episodes of each side on: below, one slow start or one
long answer makes the multiple."""

REFERENCE: Final = "control"
"""The team without a framework, against which costs are held where it takes part."""

_PAIRS_NAMED: Final = 3
_TASKS_NAMED: Final = 5
_LINES_NAMED: Final = 8
_WORDS_SHOWN: Final = 120

_Measure = Callable[[FrameworkSummary], float | None]


def finding(
    result: Comparison, *, even: Sequence[FrameworkSummary], uncommon: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return what a comparison found: success, costs, and what the figures leave out.

    Sentences claim no more than the tests do: frameworks "do not differ" only where not one episode
    differs, otherwise a difference is significant after Holm's adjustment or it is not.

    Args:
        result: the comparison, whose own `finding` is not read.
        even: its lines over the episodes that all of them have, in which costs are compared.
        uncommon: the tasks that not all of them have.
    """
    return tuple(_sentences(result, even, uncommon))


def _sentences(
    result: Comparison, even: Sequence[FrameworkSummary], uncommon: Sequence[str]
) -> Iterator[str]:
    if not result.finished:
        yield "No episode is finished."
        return
    valid = [line for line in result.frameworks if line.success.of]
    if not valid:
        yield "No episode is valid, so nothing can be compared."
    for model in result.models:
        mark = f"With {result.mark(model)} ({_clean(model)}): " if len(result.models) > 1 else ""
        lines = [line for line in valid if line.model == model]
        pairs = [p for p in result.pairs if p.of == "frameworks" and p.within == model]
        alike = [line for line in even if line.model == model]
        costs = _costs(result, alike, lambda line: result.name(line.framework))
        told = [_success(result, lines, pairs), costs]
        if any(told):
            yield mark + " ".join(sentence for sentence in told if sentence)
    yield from _between_models(result, valid, even)
    yield from _left_out(result, uncommon)


def _success(
    result: Comparison, lines: Sequence[FrameworkSummary], pairs: Sequence[Pair]
) -> str | None:
    """What the frameworks achieve with one model."""
    repeats = _repeats(result)
    if not lines:
        return None
    if len(lines) == 1:
        (line,) = lines
        share = line.success
        tasks = f" on {_count(share.tasks, 'task')}" if repeats > 1 else ""
        many = f"{share.count} of {share.of:,} episodes{tasks}"
        return (
            f"{result.name(line.framework)} succeeds in {many}"
            f" ({(share.value or 0.0):.2f}, 95 % [{share.low:.2f}, {share.high:.2f}])."
        )
    if lines[0].model in result.equal:
        on = _tasks([pair.tasks for pair in pairs], repeats)
        return (
            f"Answers lost: none. The model gives every framework the same answers, so success"
            f" {on} is equal by construction ({(lines[0].success.value or 0.0):.2f})."
        )
    return _tested(result, pairs, "framework", result.name)


def _tested(
    result: Comparison, pairs: Sequence[Pair], what: str, named: Callable[[str], str]
) -> str | None:
    """What the tests say of some pairs."""
    repeats = _repeats(result)
    tested = [(abs(pair.difference), pair) for pair in pairs if pair.difference is not None]
    if not tested:
        return f"No two {what}s have a valid episode of the same task." if pairs else None
    tested.sort(key=lambda item: -item[0])
    on = _tasks([pair.tasks for _, pair in tested], repeats)
    significant = [pair for _, pair in tested if pair.p_holm < ALPHA]
    if significant:
        shown = [_told(result, pair, named) for pair in significant[:_PAIRS_NAMED]]
        more = len(significant) - len(shown)
        rest = f"; and {more} more" if more > 0 else ""
        many = f" in {len(significant)} of {len(tested)} pairs" if len(tested) > 1 else ""
        return f"Success differs significantly{many} {on}: {'; '.join(shown)}{rest}."
    largest = tested[0][1]
    if not any(pair.only_first or pair.only_second for _, pair in tested):
        return f"No {what} differs in success {on} (largest difference {_interval(largest)})."
    flips = max(len(pair.only_first) + len(pair.only_second) for _, pair in tested)
    if not largest.difference:
        return (
            f"No difference in success is significant {on} (the largest is {_interval(largest)},"
            f" although up to {_count(flips, 'episode')} of a pair differ)."
        )
    return (
        f"No difference in success is significant {on} (largest: {_told(result, largest, named)})."
    )


def _told(result: Comparison, pair: Pair, named: Callable[[str], str]) -> str:
    """A pair whose two sides differ, the better one first."""
    first, second = named(pair.first), named(pair.second)
    if (pair.difference or 0.0) < 0:
        first, second = second, first
    inside = f" in {result.name(pair.within)}" if pair.of == "models" else ""
    p_value = "p < 0.001" if pair.p_holm < 0.001 else f"p = {pair.p_holm:.2g}"
    return f"{first} over {second}{inside} by {_interval(pair)}, adjusted {p_value}"


def _interval(pair: Pair) -> str:
    """The size of a difference with its interval, both seen from the better side."""
    size, low, high = pair.difference or 0.0, pair.low or 0.0, pair.high or 0.0
    if size < 0:
        size, low, high = -size, -high, -low
    return f"{_figure(size)}, 95 % [{_figure(low)}, {_figure(high)}]"


def _figure(value: float) -> str:
    """Two digits after the point, or three where two would say nothing."""
    shown = f"{value:.2f}" if abs(value) >= 0.005 or not value else f"{value:.3f}"
    return shown.removeprefix("-") if not float(shown) else shown


def _tasks(counts: Sequence[int], repeats: int) -> str:
    least, most = min(counts), max(counts)
    many = _count(most, "task") if least == most else f"{least:,} to {most:,} tasks"
    return f"on {many}" + (f" ({repeats} repeats each)" if repeats > 1 else "")


def _repeats(result: Comparison) -> int:
    return max((max(line.pass_hat, default=1) for line in result.frameworks), default=1)


def _costs(
    result: Comparison,
    lines: Sequence[FrameworkSummary],
    named: Callable[[FrameworkSummary], str],
) -> str:
    """Who needs most of each cost within an idiom; empty where nothing is known."""
    lines = [line for line in lines if line.success.of >= FEWEST]
    groups = _by_idiom(lines)
    told = {idiom: _costs_alike(result, group, named) for idiom, group in groups.items()}
    several = len({line.idiom for line in lines}) > 1
    return " ".join(
        f"In the idiom {idiom}, {_inside(sentence)}" if several and idiom else sentence
        for idiom, sentence in told.items()
        if sentence
    )


def _by_idiom(lines: Sequence[FrameworkSummary]) -> dict[str, list[FrameworkSummary]]:
    """The lines of each idiom: what another idiom costs says nothing of a framework.

    Those that tell none are held against the reference by its default, whose name tells its idiom.
    """
    groups: dict[str, list[FrameworkSummary]] = {}
    for line in lines:
        groups.setdefault(line.idiom, []).append(line)
    if "" in groups:
        groups[""] += [line for line in lines if line.idiom and line.framework == REFERENCE]
    return groups


def _costs_alike(
    result: Comparison,
    lines: Sequence[FrameworkSummary],
    named: Callable[[FrameworkSummary], str],
) -> str:
    """Who needs most of each cost, as a multiple of the reference."""
    notable: dict[tuple[str, str], list[str]] = {}
    alike: list[str] = []
    for cost, measure, estimated in _MEASURES:
        if result.cached_calls and cost in _SHIFTED_BY_CACHE:
            continue
        known = [(value, line) for line in lines if (value := measure(line))]
        if len(known) < 2:
            continue
        dearest, least = max(known, key=_value), min(known, key=_value)
        control = next((one for one in known if _is_reference(one[1])), least)
        base = least if control is dearest else control
        if dearest[0] < NOTABLE * base[0]:
            alike.append(cost)
            continue
        guessed = estimated and (dearest[1].tokens_estimated or base[1].tokens_estimated)
        most = f"{dearest[0] / base[0]:,.1f} x the {cost}{' (estimated)' if guessed else ''}"
        notable.setdefault((named(dearest[1]), named(base[1])), []).append(most)
    if notable:
        needs = (f"{most} needs {_joined(x)} of {base}" for (most, base), x in notable.items())
        return f"{'; '.join(needs)}."
    if not alike:
        return ""
    verb = "differs" if len(alike) == 1 and alike != ["tokens"] else "differ"
    whose = _joined([named(line) for line in lines]) if len(lines) <= _LINES_NAMED else "all"
    return f"The {_joined(alike)} of {whose} {verb} by less than a fifth."


# No latency: with several episodes at once it tells of the machine's load as well.
_MEASURES: Final[tuple[tuple[str, _Measure, bool], ...]] = (
    ("tokens", lambda line: line.tokens, True),
    ("cost in USD", lambda line: line.price_usd, True),
    ("CPU time", lambda line: line.cpu_s, False),
)


_SHIFTED_BY_CACHE: Final = frozenset({"cost in USD"})
"""They depend on who asked first, where answers are given again."""


def _inside(sentence: str) -> str:
    """A sentence as it stands inside another; a name keeps its capital letter."""
    return f"the{sentence[3:]}" if sentence.startswith("The ") else sentence


def _is_reference(line: FrameworkSummary) -> bool:
    """Whether a line is the reference's, in any of its variants."""
    return line.framework.partition(":")[0] == REFERENCE and " @" not in line.framework


def _value(item: tuple[float, FrameworkSummary]) -> float:
    return item[0]


def _between_models(
    result: Comparison, valid: Sequence[FrameworkSummary], even: Sequence[FrameworkSummary]
) -> Iterator[str]:
    """How the models differ within each framework."""
    pairs = [pair for pair in result.pairs if pair.of == "models"]
    told = _tested(result, pairs, "model", result.mark)
    if told:
        yield f"Between models: {told}"
    if len({line.framework for line in valid}) == 1:
        costs = _costs(result, even, lambda line: result.mark(line.model))
        if costs:
            yield f"Between models: {_inside(costs)}"


def _left_out(result: Comparison, uncommon: Sequence[str]) -> Iterator[str]:
    """What the figures leave out: unfinished, not had by all, invalid and refused."""
    if result.finished < result.planned:
        yield f"Only {result.finished} of {result.planned} episodes are finished."
    if uncommon:
        named = ", ".join(map(_clean, uncommon[:_TASKS_NAMED]))
        more = len(uncommon) - _TASKS_NAMED
        yield (
            f"{_count(len(uncommon), 'task')} {'is' if len(uncommon) == 1 else 'are'} not in every"
            f" line of the tables ({named}{f' and {more} more' if more > 0 else ''}): pairs are"
            " compared on the tasks that both have, costs on those that all have."
        )
    invalid = sum(line.invalid for line in result.frameworks)
    if invalid:
        yield _invalid(result, invalid)
    refused = [line for line in result.frameworks if line.refused]
    for line in refused[:_PAIRS_NAMED]:
        words = _clean(line.refusal or "no reason given").rstrip(".")
        yield (
            f"The endpoint refused requests in {_count(line.refused, 'failed episode')} of"
            f" {result.label(line)} ({words})."
        )
    if len(refused) > _PAIRS_NAMED:
        yield f"It also did so in {len(refused) - _PAIRS_NAMED} more lines of the tables."


def _invalid(result: Comparison, invalid: int) -> str:
    """How many episodes are invalid, and what success is with these as failures."""
    lines = result.frameworks
    every = sum(line.episodes for line in lines)
    many = f"{invalid} of {_count(every, 'episode')} {'is' if invalid == 1 else 'are'} invalid"
    if not result.is_uneven:
        each = f", {lines[0].invalid} in each line of the tables" if len(lines) > 1 else ""
        return f"{many}{each}, and excluded from all rates."
    if len(lines) > _LINES_NAMED:
        return f"{many}, not equally many in each line of the tables: see success over all."
    told = ", ".join(
        f"{(line.success_of_all.value or 0.0):.2f} for {result.label(line)}"
        f" ({line.invalid} invalid)"
        for line in lines
    )
    return f"{many}, not equally many of each; with these as failures, success is {told}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _joined(parts: Sequence[str]) -> str:
    """Parts as a list in words: `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _clean(words: str) -> str:
    """Words of others on one line, cut, and without characters that steer a terminal."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    return flat if len(flat) <= _WORDS_SHOWN else f"{flat[:_WORDS_SHOWN]} ..."
