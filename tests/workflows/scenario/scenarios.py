"""Scenarios for tests: a small one as TOML, and any that can be built."""

from hypothesis import strategies as st

from ossia_workflows.graph import END
from ossia_workflows.scenario import Act, Scenario

SMALL = """\
version = 1
domain = "Libraries"
role = "desk"
name = "Renewal"
about = "Renew a loan."

[tools.renew]
about = "Renew a loan."
parameters = { card = "text", weeks = "count" }
optional = ["weeks"]
gives = { state = ["renewed", "reserved"], due = "date", left = "count" }
changes = true

[slots.card]
type = "text"
about = "the number of the reader's card"

[steps.renew]
task = "Renew the loan."
asks = ["card"]
call = "renew"
with = { card = "$card", weeks = 2 }
[steps.renew.next]
"renew.state = renewed" = "told"
"renew.state = reserved" = "refused"

[steps.told]
task = "Tell the day."
tells = ["renew.due", "renew.left"]
next = "END"

[steps.refused]
task = "Say that others wait for the book."
next = "END"
"""

WORDS = st.from_regex(r"[a-z][a-z0-9_]{0,7}", fullmatch=True)
LINES = st.text(st.characters(exclude_categories=("C", "Zl", "Zp", "Zs")), min_size=1, max_size=30)
KINDS = st.sampled_from(["text", "count", "number", "boolean", "date", "time", "list"])
VALUES = st.booleans() | st.integers(-99, 99) | LINES.filter(lambda said: said[0] != "$")
CONDITIONS = st.one_of(
    st.just("otherwise"),
    st.sampled_from([f"user {act}" for act in Act]),
    st.builds(
        "{}.{} {} {}".format,
        WORDS,
        WORDS,
        st.sampled_from("= != < <= > >=".split()),
        st.sampled_from(["true", "false", "0", "-3", "7", "1.5", "on-time"]),
    ),
)


@st.composite
def scenarios(draw) -> Scenario:
    """A scenario of any names; whether they fit together is another question."""
    steps = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    targets = st.sampled_from([*steps, END])
    made = {}
    for name in steps:
        call = draw(st.none() | WORDS)
        bound = VALUES | WORDS.map("${}".format) | st.builds("${}.{}".format, WORDS, WORDS)
        made[name] = {
            "task": draw(LINES),
            "asks": draw(st.lists(WORDS, max_size=2)),
            "tells": draw(st.lists(st.builds("{}.{}".format, WORDS, WORDS), max_size=2)),
            "next": draw(targets | st.dictionaries(CONDITIONS, targets, min_size=1, max_size=3)),
        }
        if call is not None:
            made[name]["call"] = call
            made[name]["with"] = draw(st.dictionaries(WORDS, bound, max_size=3))
    tool = {"about": "a", "gives": draw(st.dictionaries(WORDS, KINDS, min_size=1, max_size=2))}
    return Scenario.model_validate(
        {
            "version": 1,
            "domain": "d",
            "role": "r",
            "name": "n",
            "about": "a",
            "tools": draw(st.dictionaries(WORDS, st.just(tool), max_size=2)),
            "steps": made,
        }
    )
