"""Why a changed gold run may pass all the same: every reason is declared here.

The scorer judges the outcome, so a parameter that leaves the outcome as it is cannot be judged. A
mutant is excused only where nothing that the scorer compares has changed, and where a declaration
says that this may be; whatever else passes is a hole in the scorer or a weak task.
"""

from __future__ import annotations

from collections.abc import Mapping

from ossia_dataset.world_tasks import GoldKind, WorldTask
from ossia_evaluation.assistant.identities import IDENTITIES
from ossia_evaluation.assistant.mutations import Mutation
from ossia_evaluation.worlds.evidence import Look
from ossia_evaluation.worlds.gold import GoldRun
from ossia_evaluation.worlds.outcome import unanswered
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Match

UNUSED: Mapping[str, frozenset[str]] = {
    "alarm_query": frozenset({"descriptor"}),
    "alarm_remove": frozenset({"descriptor"}),
    "alarm_set": frozenset({"descriptor"}),
    "calendar_query": frozenset({"descriptor", "from_time"}),
    "calendar_remove": frozenset({"descriptor", "from_time", "to_time"}),
    "calendar_set": frozenset({"descriptor"}),
    "cooking_recipe": frozenset({"descriptor", "media_type"}),
    "datetime_convert": frozenset({"time2"}),
    "datetime_query": frozenset({"time"}),
    "email_addcontact": frozenset({"personal_info"}),
    "email_query": frozenset({"app_name", "setting"}),
    "email_remove": frozenset({"app_name"}),
    "email_sendemail": frozenset({"app_name", "from_person", "personal_info", "query"}),
    "email_subscription": frozenset({"app_name", "date", "query"}),
    "iot_cleaning": frozenset({"device_type"}),
    "iot_coffee": frozenset({"device_type", "house_place"}),
    "lists_query": frozenset({"descriptor", "time"}),
    "lists_remove": frozenset({"date", "descriptor"}),
    "music_query": frozenset({"query"}),
    "news_query": frozenset({"time"}),
    "news_subscription": frozenset({"date", "time"}),
    "phone_text": frozenset({"device_type"}),
    "play_audiobook": frozenset({"descriptor", "media_type", "player_setting"}),
    "play_music": frozenset({"descriptor"}),
    "play_podcasts": frozenset({"player_setting", "podcast_descriptor"}),
    "play_radio": frozenset({"descriptor", "device_type"}),
    "playlists_createoradd": frozenset({"descriptor", "music_genre"}),
    "qa_currency": frozenset({"date", "descriptor"}),
    "qa_stock": frozenset({"date", "descriptor", "time"}),
    "radio_likeness": frozenset({"app_name", "time"}),
    "radio_query": frozenset({"app_name", "date", "descriptor", "query", "time"}),
    "recommendation_locations": frozenset({"date", "descriptor", "time"}),
    "recommendation_movies": frozenset({"descriptor"}),
    "social_post": frozenset({"date", "descriptor"}),
    "takeaway_order": frozenset({"descriptor", "order_type"}),
    "takeaway_query": frozenset({"date", "descriptor", "order_type", "time"}),
    "transport_query": frozenset({"descriptor", "query", "time", "transport_agency"}),
    "transport_taxi": frozenset({"descriptor"}),
    "transport_ticket": frozenset({"descriptor", "transport_type"}),
    "transport_traffic": frozenset({"descriptor", "query"}),
    "weather_query": frozenset({"weather_descriptor"}),
}
"""By intent, parameters that its server takes and, with some or all values, makes nothing of: words
that call a thing by its kind ("the coffee machine") or describe it ("the usual")."""

SETTLED: Mapping[str, frozenset[str]] = {
    "alarm_change": frozenset({"date"}),
    "alarm_query": frozenset({"date"}),
    "email_query": frozenset({"query"}),
    "email_querycontact": frozenset({"personal_info"}),
    "email_sendemail": frozenset({"setting"}),
    "lists_createoradd": frozenset({"date"}),
    "music_query": frozenset({"descriptor"}),
    "news_query": frozenset({"descriptor"}),
    "news_subscription": frozenset({"descriptor"}),
    "play_audiobook": frozenset({"audiobook_name", "author_name"}),
    "play_music": frozenset({"player_setting", "playlist_name"}),
    "play_radio": frozenset({"player_setting"}),
    "playlists_createoradd": frozenset({"artist_name"}),
    "qa_currency": frozenset({"amount"}),
    "radio_query": frozenset({"radio_name"}),
    "recommendation_events": frozenset({"descriptor"}),
    "social_query": frozenset({"descriptor"}),
    "transport_query": frozenset({"transport_type"}),
    "weather_query": frozenset({"time"}),
    "takeaway_query": frozenset({"food_type", "place_name", "query"}),
}
"""By intent, parameters that decide in most tasks, and that decide nothing where the others of the
request have picked out the same rows already ("pause Ember and Oak" while it is playing)."""


def is_harmless(
    task: WorldTask, mutation: Mutation, gold: GoldRun, run: GoldRun, domains: Mapping[str, Domain]
) -> bool:
    """Say whether a mutant is right to pass: its outcome is the gold outcome, or good enough.

    Args:
        task: the task.
        mutation: what was changed.
        gold: the task's gold run.
        run: the run of one variant, which passes.
        domains: declarations of the domain servers.
    """
    if _is_ignorable(task, mutation, domains) or _is_same(gold, run):
        return True
    return _is_wider(task, gold, run, domains)


def is_declared(task: WorldTask, mutation: Mutation, domains: Mapping[str, Domain]) -> bool:
    """Say whether it is declared that what was changed may make no difference.

    Args:
        task: the task.
        mutation: what was changed, with no variant that fails.
        domains: declarations of the domain servers.
    """
    if mutation.index is None:
        return False
    if mutation.parameter is None:
        # Another intent that saw the same rows is as good: the rows are asked for, not the request.
        return True
    # Who is asked back has done nothing yet: the question is the whole outcome.
    if task.gold.kind is GoldKind.CLARIFICATION or _is_ignorable(task, mutation, domains):
        return True
    intent = task.gold.gold_requests()[mutation.index].params["intent"]
    return any(mutation.parameter in declared.get(intent, ()) for declared in (UNUSED, SETTLED))


def _is_ignorable(task: WorldTask, mutation: Mutation, domains: Mapping[str, Domain]) -> bool:
    """Whether the match rule of the changed parameter is to compare nothing."""
    if mutation.parameter is None or mutation.index is None:
        return False
    request = task.gold.gold_requests()[mutation.index]
    field = domains[request.domain].field(mutation.parameter)
    return field is not None and field.rule is Match.IGNORABLE


def _is_wider(task: WorldTask, gold: GoldRun, run: GoldRun, domains: Mapping[str, Domain]) -> bool:
    """Whether a run changes the same and saw all that the gold run saw."""
    return run.diff == gold.diff and not unanswered(
        gold, run.requests, domains, IDENTITIES, Look(task.now, task.home)
    )


def _is_same(gold: GoldRun, run: GoldRun) -> bool:
    """Whether two runs changed the same to the letter and were answered with the same."""
    return run.diff == gold.diff and _answers(run) == _answers(gold)


def _answers(run: GoldRun) -> list[tuple[str, str, object]]:
    return [(request.domain, request.code, request.result) for request in run.requests]
