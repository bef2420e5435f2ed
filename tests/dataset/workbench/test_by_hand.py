"""Truths of some templates found a second time, as an agent would: by the prompt and tool calls.

Nothing of the generator's templates, truths or office is used here; the worlds are compared.
"""

import re

import pytest

from ossia_dataset.workbench.database import NOW
from ossia_dataset.workbench.generated import generated_database
from ossia_dataset.workbench.generator import generate_tasks
from ossia_evaluation.workbench.state import same_state
from ossia_servers.workbench import observation, office_domains
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.execute import execute

DOMAINS = {domain.name: domain for domain in office_domains(generated_database)}
STORE = WorldStore(tuple(DOMAINS.values()))
CALENDAR, CRM, PROJECTS = "calendar", "customer_relationship_manager", "project_management"
MONTHS = {"September": 9, "October": 10, "November": 11, "December": 12}
LISTS = "Backlog|In Progress|In Review|Completed"
FROM_NOW = "2023-11-30 00:00:00"


class Hand:
    """Somebody with the tools and a prompt, and nothing else."""

    def __init__(self, task):
        self.prompt = task.utterance
        self.world = STORE.create(STORE.free_id(), seed=task.seed, now=NOW, home="x")

    def call(self, kit, tool, **arguments):
        given = {"intent": tool, **arguments}
        return observation(execute(STORE, self.world, DOMAINS[kit], given).body)

    def one(self, pattern):
        (found,) = set(re.findall(pattern, self.prompt))
        return found

    def people(self):
        """Addresses of those who are named, in the order of the prompt."""
        unquoted = re.sub(r"'[^']+'(?!\w)", "", self.prompt)
        words = dict.fromkeys(re.findall(r"[A-Z][a-z]+", unquoted))
        found = [self.call("company_directory", "find_email_address", name=w) for w in words]
        return [address for addresses in found for address in addresses]

    def day(self):
        """The one day that is named."""
        month, day = self.one(rf"({'|'.join(MONTHS)}) (\d+)")
        return f"2023-{MONTHS[month]:02}-{int(day):02}"

    def events(self, first, last="2024-12-31 00:00:00", query=""):
        """All events between two moments; a search tells five, so it is asked again."""
        found = {}
        while True:
            told = self.call(CALENDAR, "search_events", query=query, time_min=first, time_max=last)
            new = {} if isinstance(told, str) else {e["event_id"]: e for e in told}
            if new.keys() <= found.keys():
                return sorted(found.values(), key=lambda event: event["event_start"])
            found |= new
            first = max(event["event_start"] for event in new.values())

    def cancel(self, events):
        for event in events:
            self.call(CALENDAR, "delete_event", event_id=event["event_id"])


def cancel_next(hand):
    (person,) = hand.people()
    hand.cancel(hand.events(FROM_NOW, query=person)[:1])


def cancel_all(hand):
    (person,) = hand.people()
    hand.cancel(hand.events(FROM_NOW, query=person))


def cancel_after(hand):
    day, time = hand.day(), hand.one(r"\d+:\d\d")
    hand.cancel(hand.events(f"{day} {time}:00", f"{day} 23:59:59"))


def delete_last(hand):
    (person,) = hand.people()
    received = [
        letter
        for letter in hand.call("email", "search_emails", query=person)
        if letter["inbox/outbox"] == "inbox" and letter["sender/recipient"] == person
    ]
    hand.call("email", "delete_email", email_id=received[0]["email_id"])


def move_task(hand):
    name = hand.one(r"'(.+)'")
    wanted = hand.one(rf"(?: in| to) ({LISTS})\b")
    found = hand.call(PROJECTS, "search_tasks", task_name=f"^{re.escape(name)}$")
    (task,) = found
    hand.call(
        *(PROJECTS, "update_task"), task_id=task["task_id"], field="list_name", new_value=wanted
    )


def hand_overdue(hand):
    board = hand.one("Back end|Front end|Design")
    helped, helper = hand.people()
    if re.search("is helping|hand over to", hand.prompt):
        helped, helper = helper, helped
    found = hand.call(PROJECTS, "search_tasks", assigned_to_email=helped, board=board)
    for task in found:
        if task["due_date"] < "2023-11-30" and task["list_name"] != "Completed":
            told = {"field": "assigned_to_email", "new_value": helper}
            hand.call(PROJECTS, "update_task", task_id=task["task_id"], **told)


def delete_customers(hand):
    (carer,) = hand.people()
    status = hand.one("Qualified|Won|Lost|Lead|Proposal")
    while found := hand.call(CRM, "search_customers", assigned_to_email=carer, status=status):
        for customer in found:
            hand.call(CRM, "delete_customer", customer_id=customer["customer_id"])


def write_to_all(hand):
    subject, body = sorted(
        re.findall(r"'([^']+)'(?!\w)", hand.prompt), key=lambda quoted: quoted.endswith(".")
    )
    day = hand.day()
    met = hand.events(f"{day} 00:00:00", f"{day} 23:59:59")
    for person in dict.fromkeys(event["participant_email"] for event in met):
        hand.call("email", "send_email", recipient=person, subject=subject, body=body)


def plot_busy_day(hand):
    day, most = hand.day(), int(hand.one(r"more than (\d+) visits"))
    visits = hand.call("analytics", "total_visits_count", time_min=day, time_max=day)
    said = hand.one("total visits|engaged users|session durations")
    metric = {"engaged users": "user_engaged", "session durations": "session_duration_seconds"}
    if visits.get(day, 0) > most:
        hand.call(
            *("analytics", "create_plot"),
            **{
                "time_min": day,
                "time_max": day,
                "plot_type": hand.one("bar|line|scatter|histogram"),
            },
            value_to_plot=metric.get(said, "total_visits"),
        )


KINDS = {
    "ca-cancel-next": cancel_next,
    "ca-cancel-all": cancel_all,
    "ca-cancel-after": cancel_after,
    "em-delete-last": delete_last,
    "pr-move": move_task,
    "pr-hand-overdue": hand_overdue,
    "cr-delete-all": delete_customers,
    "mu-day-letters": write_to_all,
    "an-more-visits": plot_busy_day,
}


@pytest.mark.parametrize("seed", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_who_only_reads_the_prompt_and_calls_tools_comes_to_the_same(kind, seed):
    tasks = [task for task in generate_tasks("test", seed) if task.gold.intent == kind]
    assert len(tasks) == 10
    for task in tasks:
        hand, gold = Hand(task), Hand(task)
        KINDS[kind](hand)
        for request in task.gold.gold_requests():
            gold.call(request.domain, request.params["intent"], **arguments(request))
        assert same_state(gold.world.diff(), hand.world.diff(), STORE.tables), task.utterance
        assert bool(hand.world.diff()) is bool(task.gold.gold_requests())


def arguments(request):
    return {name: text for name, text in request.params.items() if name != "intent"}
