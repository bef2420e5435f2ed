"""Web analytics: visits of the site by day, and plots of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ossia_servers.workbench.forms import DAY, digits, one_of, usually
from ossia_servers.workbench.records import needs, within
from ossia_servers.workbench.tool import Given, Parameter, Tool, Toolkit, bad, visible
from ossia_servers.worlds.schema import Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.world import World

VISITS = Table(
    "analytics.visits",
    "visit",
    dict.fromkeys(
        (
            "date_of_visit",
            "visitor_id",
            "page_views",
            "session_duration_seconds",
            "traffic_source",
            "user_engaged",
        ),
        Match.LOWER,
    ),
)
PLOTS = Table("analytics.plots", "plot", {"file_path": Match.LOWER})

VALUES = (
    "total_visits",
    "session_duration_seconds",
    "user_engaged",
    "visits_direct",
    "visits_referral",
    "visits_search_engine",
    "visits_social_media",
)
PUBLISHED_VALUES = (*VALUES[:3], "direct", "referral", "search engine", "social media")
"""The values that the published refusal names; the last four of them are refused as well."""
KINDS = ("bar", "line", "scatter", "histogram")
SOURCES = ("direct", "referral", "search engine", "social media")

_BOUNDS = (
    Parameter("time_min", "first day, YYYY-MM-DD", DAY),
    Parameter("time_max", "last day, YYYY-MM-DD", DAY),
)


def visitor(world: World, given: Given) -> Reply:
    """Every visit of one visitor."""
    needs(given, {"visitor_id": "Visitor ID"})
    wanted = given["visitor_id"]
    found = [visible(row) for row in world.rows(VISITS.name) if row["visitor_id"] == wanted]
    if not found:
        raise Refusal.not_found("Visitor not found.")
    return Reply(f"{len(found)} visits found.", found)


def create_plot(world: World, given: Given, told: Sequence[str]) -> Reply:
    """Note a plot; its file's name says what it shows.

    Args:
        world: the office.
        given: the arguments.
        told: the values to plot that a refusal names.
    """
    needs(given, {"time_min": "Start date", "time_max": "End date"})
    value, kind = given.get("value_to_plot"), given.get("plot_type")
    if value not in VALUES:
        raise bad("Value to plot must be one of " + ", ".join(f"'{name}'" for name in told))
    if kind not in KINDS:
        raise bad("Plot type must be one of 'bar', 'line', 'scatter', or 'histogram'")
    path = f"plots/{given['time_min']}_{given['time_max']}_{value}_{kind}.png"
    world.add(PLOTS.name, file_path=path)
    return Reply(f"Plot {path} created.", path)


def _by_day(
    world: World, given: Given, measure: Callable[[Sequence[Row]], float]
) -> dict[str, float]:
    """Measure the visits of each day between the bounds; days without visits are missing.

    Dates are in one notation, so that they compare as texts.
    """
    first, last = given.get("time_min"), given.get("time_max")
    days: dict[str, list[Row]] = {}
    for row in world.rows(VISITS.name):
        day = row["date_of_visit"]
        if within(day, first, last):
            days.setdefault(day, []).append(row)
    return {day: measure(days[day]) for day in sorted(days)}


def _told(found: dict[str, float]) -> Reply:
    return Reply(f"{len(found)} days with visits.", found)


def total_visits(world: World, given: Given) -> Reply:
    """Number of visits by day."""
    return _told(_by_day(world, given, len))


def engaged_users(world: World, given: Given) -> Reply:
    """Number of visits by day in which the user was engaged."""
    return _told(
        _by_day(world, given, lambda rows: sum(row["user_engaged"] == "True" for row in rows))
    )


def traffic_source(world: World, given: Given) -> Reply:
    """Number of visits by day that came from one source, or from any."""
    source = given.get("traffic_source")
    if not source:
        return total_visits(world, given)
    return _told(
        _by_day(world, given, lambda rows: sum(row["traffic_source"] == source for row in rows))
    )


def average_duration(world: World, given: Given) -> Reply:
    """Mean length of a session in seconds by day."""

    def mean(rows: Sequence[Row]) -> float:
        return sum(float(row["session_duration_seconds"]) for row in rows) / len(rows)

    return _told(_by_day(world, given, mean))


VISITOR = Tool(
    "get_visitor_information_by_id",
    "Tells all visits of a visitor.",
    (Parameter("visitor_id", "4-digit id of the visitor", digits(4)),),
    visitor,
    needed=("visitor_id",),
)
COUNTS = (
    Tool("total_visits_count", "Tells the number of visits by day.", _BOUNDS, total_visits),
    Tool(
        "engaged_users_count", "Tells the number of engaged users by day.", _BOUNDS, engaged_users
    ),
    Tool(
        "traffic_source_count",
        "Tells the number of visits from a source by day.",
        (
            *_BOUNDS,
            Parameter(
                "traffic_source",
                "direct, referral, search engine or social media",
                usually(SOURCES),
            ),
        ),
        traffic_source,
    ),
    Tool(
        "get_average_session_duration",
        "Tells the mean length of a session in seconds by day.",
        _BOUNDS,
        average_duration,
    ),
)
"""Measures of the visits by day."""


def analytics_toolkit(told: Sequence[str] = VALUES) -> Toolkit:
    """Return the web analytics.

    Args:
        told: the values to plot that a refusal names.
    """

    def plot(world: World, given: Given) -> Reply:
        return create_plot(world, given, told)

    plotted = (
        *_BOUNDS,
        Parameter("value_to_plot", "one of: " + ", ".join(VALUES), one_of(VALUES)),
        Parameter("plot_type", "one of: " + ", ".join(KINDS), one_of(KINDS)),
    )
    tools = (
        VISITOR,
        Tool(
            "create_plot",
            "Plots a value over time and tells the file.",
            plotted,
            plot,
            writes=True,
            needed=tuple(parameter.name for parameter in plotted),
        ),
        *COUNTS,
    )
    return Toolkit("analytics", "Visits of the company's website.", tools, (VISITS, PLOTS))
