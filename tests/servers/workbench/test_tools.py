"""The office's tools: their sentences, limits, ids and the published bugs that they do not have."""

import string

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ossia_dataset.workbench.database import COLUMNS, NOW, Database
from ossia_dataset.workbench.generated import generated_database, office_seed
from ossia_servers.http.app import build_app
from ossia_servers.workbench import COMPAT_2024, observation, office_domains
from ossia_servers.workbench.office import toolkits
from ossia_servers.worlds import WorldStore
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.execute import Executed, execute
from ossia_servers.worlds.world import World

SEED = office_seed(1)
PERSON = "astrid.holm@halden.test"


class Office:
    """One world and its servers."""

    def __init__(self, domains: tuple[Domain, ...], seed: str = SEED) -> None:
        self.domains = {domain.name: domain for domain in domains}
        self.store = WorldStore(domains)
        self.world: World = self.store.create("w", seed=seed, now=NOW, home="x")

    def ask(self, tool: str, **arguments: str) -> Executed:
        kit, _, name = tool.partition(".")
        given = {"intent": name, **arguments}
        return execute(self.store, self.world, self.domains[kit], given)

    def call(self, tool: str, **arguments: str) -> object:
        return observation(self.ask(tool, **arguments).body)

    def rows(self, table: str) -> list[dict[str, object]]:
        return [dict(row) for row in self.world.rows(table)]


@pytest.fixture
def office() -> Office:
    return Office(office_domains(generated_database))


@pytest.fixture
def office_2024() -> Office:
    return Office(office_domains(generated_database, COMPAT_2024))


@pytest.fixture(params=[None, COMPAT_2024])
def either(request) -> Office:
    """An office of either mode: what is fixed in both, since no record rests on it."""
    return Office(office_domains(generated_database, request.param))


def test_there_are_26_tools_and_the_directory():
    names = [f"{kit.name}.{tool.name}" for kit in toolkits() for tool in kit.tools]
    assert len(names) == len(set(names)) == 27


def test_openapi_names_every_tool_and_argument():
    domains = office_domains(generated_database)
    paths = TestClient(build_app(domains, WorldStore(domains))).get("/openapi.json").json()["paths"]
    for kit in toolkits():
        described = {p["name"]: p["schema"] for p in paths[f"/{kit.name}"]["get"]["parameters"]}
        assert set(described["intent"]["enum"]) == {tool.name for tool in kit.tools}
        for tool in kit.tools:
            assert set(tool.signature) <= described.keys()


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("calendar.create_event", {}, "Event name not provided."),
        ("calendar.create_event", {"event_name": "a"}, "Participant email not provided."),
        ("calendar.delete_event", {"event_id": "99999999"}, "Event not found."),
        ("calendar.delete_event", {}, "Event ID not provided."),
        (
            "calendar.update_event",
            {"event_id": "00000001", "field": "duration", "new_value": ""},
            "Event ID, field, or new value not provided.",
        ),
        ("calendar.search_events", {"query": "nothing is called so"}, "No events found."),
        ("email.search_emails", {"query": "nothing is called so"}, "No emails found."),
        ("email.send_email", {"recipient": PERSON}, "Recipient, subject, or body not provided."),
        (
            "email.send_email",
            {"recipient": "astrid", "subject": "a", "body": "b"},
            "Invalid recipient email address.",
        ),
        ("email.delete_email", {"email_id": "7"}, "Email not found."),
        ("analytics.create_plot", {"time_max": "2023-11-01"}, "Start date not provided."),
        ("analytics.get_visitor_information_by_id", {"visitor_id": "x"}, "Visitor not found."),
        ("project_management.search_tasks", {}, "No search parameters provided."),
        ("project_management.create_task", {"task_name": "a"}, "Missing task details."),
        (
            "project_management.update_task",
            {"task_id": "99999999", "field": "board", "new_value": "Design"},
            "Task not found.",
        ),
        (
            "project_management.update_task",
            {"task_id": "99999999", "field": "board", "new_value": "design"},
            "Board not valid. Please choose from: 'Back end', 'Front end', 'Design'.",
        ),
        ("customer_relationship_manager.search_customers", {"customer_name": "nobody"}, []),
        (
            "customer_relationship_manager.delete_customer",
            {"customer_id": "1"},
            "Customer not found.",
        ),
        ("company_directory.find_email_address", {}, "Name not provided."),
        ("company_directory.find_email_address", {"name": "Nobody"}, []),
        ("company_directory.find_email_address", {"name": "ASTRID"}, [PERSON]),
    ],
)
def test_sentences(office, tool, arguments, sentence):
    before = office.world.diff()
    assert office.call(tool, **arguments) == sentence
    assert office.world.diff() == before


def test_new_ids_follow_the_largest(office):
    event = {"event_start": "2023-12-01 09:00:00", "duration": "30"}
    first = office.call(
        "calendar.create_event", event_name="A", participant_email=PERSON.upper(), **event
    )
    assert first == "00000300"
    assert office.rows("calendar.events")[-1]["participant_email"] == PERSON
    assert office.call("calendar.delete_event", event_id="00000300") == (
        "Event deleted successfully."
    )
    again = office.call("calendar.create_event", event_name="B", participant_email=PERSON, **event)
    assert again == "00000300"


def test_letters_are_numbered_on_without_padding(office):
    letter = {"recipient": PERSON, "subject": "a", "body": "line\n  two"}
    for _ in range(2):
        assert office.call("email.send_email", **letter) == "Email sent successfully."
    sent = office.rows("email.emails")[-2:]
    assert [row["email_id"] for row in sent] == ["500", "501"]
    assert [row["body"] for row in sent] == ["line\n  two"] * 2
    assert sent[0]["sent_datetime"] == "2023-11-30 00:00:00"


def test_a_search_after_sending_finds_both_letters(either):
    letter = {"recipient": PERSON, "subject": "quux", "body": "b"}
    either.call("email.send_email", **letter)
    either.call("email.send_email", **letter)
    found = either.call("email.search_emails", query="QUUX")
    assert [row["email_id"] for row in found] == ["500", "501"]


def test_sending_after_deleting_overwrites_nothing(either):
    before = {row["email_id"] for row in either.rows("email.emails")}
    gone = either.rows("email.emails")[3]["email_id"]
    either.call("email.delete_email", email_id=gone)
    either.call("email.send_email", recipient=PERSON, subject="a", body="b")
    after = {row["email_id"] for row in either.rows("email.emails")}
    assert after == before - {gone} | {"500"}


def test_searches_show_five_and_boards_show_all(office):
    assert len(office.call("calendar.search_events")) == 5
    found = office.call("email.search_emails")
    assert len(found) == 5
    assert found == sorted(found, key=lambda row: row["sent_datetime"], reverse=True)
    everybody = office.call("customer_relationship_manager.search_customers", status="Lead")
    assert len(everybody) == 5
    assert len(office.call("project_management.search_tasks", board="Design")) > 5


def test_bounds_of_the_calendar_are_moments(office):
    day = {"time_min": "2023-12-01 00:00:00", "time_max": "2023-12-01 23:59:59"}
    assert all(
        row["event_start"].startswith("2023-12-01")
        for row in office.call("calendar.search_events", **day)
    )
    # A day alone is its first moment.
    assert office.call("calendar.search_events", time_min="2023-12-01", time_max="2023-12-01") == (
        "No events found."
    )
    assert office.ask("calendar.search_events", time_min="December 1").status == 400


def test_days_without_visits_are_missing(office):
    assert office.call("analytics.total_visits_count", time_min="2024-01-01") == {}
    counted = office.call("analytics.total_visits_count")
    assert sum(counted.values()) == 1000
    assert list(counted) == sorted(counted)


def test_a_plot_is_a_change(office):
    bounds = {"time_min": "2023-11-01", "time_max": "2023-11-02"}
    path = office.call(
        "analytics.create_plot", **bounds, value_to_plot="visits_direct", plot_type="bar"
    )
    assert path == "plots/2023-11-01_2023-11-02_visits_direct_bar.png"
    (change,) = office.world.diff().changes
    assert change.after["file_path"] == path


def test_the_refusal_of_a_plot_names_what_is_accepted(office, office_2024):
    wanted = {
        "time_min": "2023-11-01",
        "time_max": "2023-11-02",
        "plot_type": "bar",
        "value_to_plot": "direct",
    }
    assert "'visits_direct'" in office.call("analytics.create_plot", **wanted)
    assert office_2024.call("analytics.create_plot", **wanted) == (
        "Value to plot must be one of 'total_visits', 'session_duration_seconds', 'user_engaged',"
        " 'direct', 'referral', 'search engine', 'social media'"
    )


def test_an_unknown_field_is_refused_or_invented(office, office_2024):
    wanted = {"event_id": "00000001", "field": "room", "new_value": "B2"}
    assert "Field not found" in office.call("calendar.update_event", **wanted)
    assert not office.world.diff()
    for _ in range(2):
        answer = office_2024.call("calendar.update_event", **wanted)
        assert answer == "Event updated successfully."
    changes = office_2024.world.diff().changes
    assert {change.table for change in changes} == {"calendar.extras"}
    assert [change.after["value"] for change in changes] == ["", "B2"]
    # Deleting the row leaves the column.
    office_2024.call("calendar.delete_event", event_id="00000001")
    extras = [c for c in office_2024.world.diff().changes if c.table == "calendar.extras"]
    assert [change.after["value"] for change in extras] == [""]


def test_arguments_of_other_tools_are_refused(office):
    asked = office.ask("email.delete_email", email_id="00000001", subject="a")
    assert (asked.status, asked.record.code) == (400, "UNKNOWN_PARAMETER")
    assert not office.world.diff()


@pytest.mark.parametrize(
    "query", ["(", "[", "*", "(?=a)b", r"(\w)\1", "(a{99}){99}", "a" * 301, "(?P<a"]
)
def test_patterns_that_cannot_be_read_are_refused(either, query):
    assert either.ask("calendar.search_events", query=query).status == 400


def test_patterns_with_several_repeats_are_searched(either):
    name = str(either.rows("calendar.events")[7]["event_name"])
    first, *_, last = name.split()
    found = either.call("calendar.search_events", query=f".*{first}.*{last}.*")
    assert found[0]["event_name"] == name
    task = either.rows("project_management.tasks")[3]
    day = r"\d{4}-\d{2}-" + str(task["due_date"])[-2:]
    wanted = {"task_name": f"^{task['task_name']}$", "due_date": day}
    assert task["task_id"] in [
        row["task_id"] for row in either.call("project_management.search_tasks", **wanted)
    ]


def test_an_unknown_seed_is_refused(office):
    with pytest.raises(ValueError, match="no office is called"):
        office.store.create("x", seed="office-99-1", now=NOW, home="x")


def test_worlds_share_their_start_and_survive_a_restart(tmp_path):
    domains = office_domains(generated_database)
    store = WorldStore(domains, tmp_path / "w.sqlite")
    world = store.create("a", seed=SEED, now=NOW, home="x")
    other = store.create("b", seed=SEED, now=NOW, home="x")
    assert world.start is other.start
    by_name = {domain.name: domain for domain in domains}
    execute(store, world, by_name["email"], {"intent": "delete_email", "email_id": "00000001"})
    store.close()
    again = WorldStore(domains, tmp_path / "w.sqlite")
    assert again.get("a").diff() == world.diff()
    assert again.get("a").diff().changes[0].kind == "removed"
    assert not again.get("b").diff()
    again.close()


def test_a_table_has_all_published_columns():
    tables = {table.name: table for kit in toolkits() for table in kit.tables}
    for name, columns in COLUMNS.items():
        assert tuple(tables[name].columns) == columns


CALLS = st.sampled_from([(kit.name, tool) for kit in toolkits() for tool in kit.tools])
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=string.punctuation, max_size=8),
    st.sampled_from(
        ["00000001", "2023-11-30", "status", "event_id", "Lost", PERSON, "total_visits"]
    ),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_call_breaks_a_tool(data):
    office = Office(office_domains(lambda seed: SMALL))
    for _ in range(3):
        kit, tool = data.draw(CALLS)
        arguments = {name: data.draw(TEXTS) for name in tool.signature}
        done = office.ask(f"{kit}.{tool.name}", **arguments)
        assert done.status in (200, 400, 404)
        assert bool(done.record.changes) <= tool.writes
        assert observation(done.body) is not None


def small() -> Database:
    whole = generated_database(SEED)
    return Database(release="small", tables={n: rows[:8] for n, rows in whole.tables.items()})


SMALL = small()
