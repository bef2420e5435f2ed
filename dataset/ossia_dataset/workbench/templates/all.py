"""Every template, in the order of the tasks made from them."""

from __future__ import annotations

from functools import cache
from typing import Final

from ossia_dataset.workbench.templates import acts, looks, questions, truths
from ossia_dataset.workbench.templates.calls import (
    ANALYTICS,
    CALENDAR,
    CUSTOMERS,
    EMAIL,
    PROJECTS,
)
from ossia_dataset.workbench.templates.conditional import conditional
from ossia_dataset.workbench.templates.form import Template, plain

MULTI: Final = "multi_domain"
RETRIEVAL: Final = "retrieval"
"""The task set of the questions; all others are the set `test`."""


def _analytics() -> tuple[Template, ...]:
    kit = ANALYTICS
    return (
        plain("an-plot", kit, "", truths.of_act(acts.plot)),
        plain("an-source", kit, "", truths.of_act(acts.plot_source)),
        plain("an-two", kit, "", truths.of_act(acts.plot_two)),
        plain("an-top-source", kit, "", truths.top_source),
        plain("an-risers", kit, "", truths.risers, 5, looks=looks.risers),
        conditional("an-more-visits", kit, "", "more_visits", "plot_day", 5),
        conditional("an-short-sessions", kit, "", "short_sessions", "plot", 5),
        conditional("an-source-leads", kit, "", "source_leads", "plot_source", 5),
        conditional("an-fewer-engaged", kit, "", "fewer_engaged", "plot", 5),
        conditional("an-busy-day", kit, "", "busy_day", "plot", 5),
        conditional("an-visits-fell", kit, "", "visits_fell", "plot_two", 5),
        conditional("an-half-engaged", kit, "", "half_engaged", "plot_day", 5),
    )


def _calendar() -> tuple[Template, ...]:
    kit = CALENDAR
    return (
        plain("ca-create", kit, "", truths.of_act(acts.event)),
        plain("ca-cancel-next", kit, "", truths.cancel_next),
        plain("ca-rename-next", kit, "", truths.rename_next),
        plain("ca-move-first", kit, "", truths.move_first),
        plain("ca-cancel-all", kit, "", truths.cancel_all),
        plain("ca-cancel-after", kit, "", truths.cancel_after, 3),
        conditional("ca-not-met", kit, "", "not_met", "event", 5),
        conditional("ca-slot-free", kit, "", "slot_free", "event", 3),
        plain("ca-duration", kit, "", truths.duration),
        plain("ca-hand-over", kit, "", truths.hand_over),
        plain("ca-first-free", kit, "", truths.first_free),
    )


def _email() -> tuple[Template, ...]:
    kit = EMAIL
    return (
        plain("em-delete-last", kit, "", truths.delete_last),
        plain("em-forward-last", kit, "", truths.forward_last),
        plain("em-reply-last", kit, "", truths.reply_last),
        plain("em-send", kit, "", truths.of_act(acts.letter)),
        plain("em-delete-subject", kit, "", truths.delete_subject),
        plain("em-forward-since", kit, "", truths.forward_since),
        plain("em-delete-since", kit, "", truths.delete_since),
        plain("em-forward-subject", kit, "", truths.forward_subject),
        conditional("em-not-written", kit, "", "not_written", "letter", 1),
    )


def _projects() -> tuple[Template, ...]:
    kit = PROJECTS
    return (
        plain("pr-create", kit, "", truths.of_act(acts.task)),
        plain("pr-move", kit, "", truths.of_act(acts.move_task)),
        plain("pr-assign", kit, "", truths.assign),
        plain("pr-delete", kit, "", truths.delete_task),
        plain("pr-hand-overdue", kit, "", truths.hand_overdue, 6),
        plain("pr-postpone", kit, "", truths.postpone, 5),
        conditional("pr-owes-tasks", kit, "", "owes_tasks", "task", 5),
        conditional("pr-fewer-tasks", kit, "", "fewer_tasks", "task", 5),
    )


def _customers() -> tuple[Template, ...]:
    kit = CUSTOMERS
    return (
        plain("cr-add", kit, "", truths.add_customer),
        plain("cr-status", kit, "", truths.of_act(acts.status)),
        plain("cr-delete", kit, "", truths.delete_customer),
        plain("cr-follow-up", kit, "", truths.of_act(acts.follow_up)),
        plain("cr-reassign", kit, "", truths.reassign),
        plain("cr-delete-all", kit, "", truths.delete_all),
        conditional("cr-stale", kit, "", "stale_customer", "status", 4),
        conditional("cr-customer-is", kit, "", "customer_is", "status", 4),
    )


def _multi() -> tuple[Template, ...]:
    an, ca, em, pr, cr = ANALYTICS, CALENDAR, EMAIL, PROJECTS, CUSTOMERS
    return (
        conditional("mu-visits-task", MULTI, f"{an} {pr}", "more_visits", "task", 3),
        conditional("mu-visits-event", MULTI, f"{an} {ca}", "more_visits", "event", 3),
        conditional("mu-visits-letter", MULTI, f"{an} {em}", "visits_fell", "letter", 3),
        conditional("mu-engaged", MULTI, f"{an} {pr} {ca}", "fewer_engaged", "task event", 2),
        conditional("mu-not-met", MULTI, f"{ca} {em}", "not_met", "letter", 3),
        conditional("mu-not-written", MULTI, f"{em} {ca}", "not_written", "event", 3),
        conditional("mu-owes-letter", MULTI, f"{pr} {em}", "owes_tasks", "letter_assignee", 3),
        conditional("mu-owes-event", MULTI, f"{pr} {ca}", "owes_tasks", "event_assignee", 3),
        conditional("mu-stale-event", MULTI, f"{cr} {ca}", "stale_customer", "event_carer", 3),
        conditional("mu-stale-task", MULTI, f"{cr} {pr}", "stale_customer", "task", 3),
        conditional("mu-stale-letter", MULTI, f"{cr} {em}", "stale_customer", "letter_carer", 2),
        plain("mu-cancel-write", MULTI, f"{ca} {em}", truths.cancel_write),
        plain("mu-day-letters", MULTI, f"{ca} {em}", truths.day_letters),
        plain("mu-meet-sender", MULTI, f"{em} {ca}", truths.meet_sender),
        conditional(
            "mu-fewer-tasks", MULTI, f"{pr} {em}", "fewer_tasks", "letter_assignee task_other", 2
        ),
        plain("mu-hand-customers", MULTI, f"{cr} {em}", truths.hand_customers),
        conditional("mu-sessions", MULTI, f"{an} {em}", "short_sessions", "plot letter", 2),
        conditional(
            "mu-busy-day", MULTI, f"{an} {ca} {em} {pr}", "busy_day", "letter event task", 2
        ),
        conditional("mu-customer", MULTI, f"{cr} {an}", "customer_is", "plot", 2),
        plain("mu-cancel-task", MULTI, f"{ca} {pr}", truths.cancel_task),
        conditional(
            "mu-everything",
            MULTI,
            f"{an} {ca} {em} {pr} {cr}",
            "more_visits",
            "event letter task status",
            2,
        ),
    )


def _retrieval() -> tuple[Template, ...]:
    an, ca, em, pr, cr = ANALYTICS, CALENDAR, EMAIL, PROJECTS, CUSTOMERS
    q = questions
    return (
        plain("rt-next-meeting", ca, "", q.next_meeting, facts=q.next_meeting_facts),
        plain("rt-visits", an, "", q.visits, facts=q.visits_facts),
        plain("rt-carer", cr, "", q.customer, facts=q.carer_facts),
        plain("rt-status", cr, "", q.customer, facts=q.status_facts),
        plain("rt-task-owner", pr, "", q.task, facts=q.task_facts),
        plain("rt-last-subject", em, "", q.last_letter, facts=q.last_letter_facts),
        plain("rt-open-tasks", pr, "", q.open_tasks, facts=q.open_tasks_facts),
        plain("rt-engaged", an, "", q.engaged, facts=q.engaged_facts),
    )


@cache
def templates(task_set: str) -> tuple[Template, ...]:
    """Return the templates of a task set: `test` or `retrieval`.

    Raises:
        ValueError: there is no such set.
    """
    if task_set == RETRIEVAL:
        return _retrieval()
    if task_set != "test":
        raise ValueError(f"no task set of the office is called '{task_set}'")
    return (*_analytics(), *_calendar(), *_customers(), *_email(), *_projects(), *_multi())
