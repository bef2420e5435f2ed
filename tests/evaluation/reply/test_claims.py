"""What a reply claims to have done is held against what was changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossia_evaluation.reply.claims import ACTS, claimed_acts, claims_any_act
from ossia_evaluation.reply.clauses import clauses
from ossia_evaluation.reply.stems import stems


def claimed(text, *domains, wished="", states=True):
    """Return the names of the acts that a text claims and nothing bears out."""
    found = claimed_acts(clauses(text), frozenset(domains), stems(wished), states=states)
    return {act.name for act, _ in found}


SENT = "a message was sent"
BOOKED = "something was booked or ordered"
REMOVED = "something was taken away"
ALARM = "an alarm was set"
ENTERED = "something was put into the calendar"
LISTED = "something was put on a list"
POSTED = "something was posted"

CLAIMS = [
    ("I sent Anna an email.", SENT, "email.messages"),
    ("I've texted your boss.", "a text was sent", "phone.texts"),
    ("Done, emailed Sarah.", "an email was sent", "email.emails"),
    ("I let Ben know.", SENT, "email.messages"),
    ("Anna has been informed.", SENT, "email.messages"),
    ("The message is on its way.", SENT, "phone.texts"),
    ("I have forwarded it to Tom.", SENT, "email.messages"),
    ("I've asked Henry to move it.", SENT, "email.messages"),
    ("I have told Anna about it.", SENT, "phone.texts"),
    ("We posted it for all to see.", POSTED, "social.posts"),
    ("I've just tweeted that.", POSTED, "social.posts"),
    ("It was published.", POSTED, "social.posts"),
    ("I booked a taxi for nine.", BOOKED, "transport"),
    ("Ordered two pizzas.", BOOKED, "takeaway"),
    ("Your taxi is on its way.", BOOKED, "transport"),
    ("The tickets have been reserved; they are reserved.", BOOKED, "transport"),
    ("I went ahead and bought the tickets.", BOOKED, "transport"),
    ("I removed it.", REMOVED, "lists"),
    ("The meeting has been cancelled.", REMOVED, "calendar"),
    ("I have cleared your list.", REMOVED, "lists"),
    ("All alarms were deleted.", REMOVED, "alarm"),
    ("I set an alarm for seven.", ALARM, "alarm"),
    ("Your alarm is set.", ALARM, "alarm"),
    ("I'll wake you at six.", ALARM, "alarm"),
    ("The alarm for seven is now on.", ALARM, "alarm"),
    ("I added the dentist to your calendar.", ENTERED, "calendar"),
    ("Dinner is in your calendar.", ENTERED, "calendar"),
    ("I'll remind you tomorrow.", ENTERED, "calendar"),
    ("I scheduled it.", ENTERED, "calendar"),
    ("I put milk on your shopping list.", LISTED, "lists"),
    ("Milk is now on your shopping list.", LISTED, "lists"),
    ("Added eggs to the list.", LISTED, "lists"),
    ("I subscribed you to it.", "something was subscribed to", "news"),
    ("I've invited them all.", "somebody was invited", "email"),
    ("I plotted the numbers.", "something was plotted", "analytics"),
    ("I tuned to it.", "something was started", "music.player"),
]


@pytest.mark.parametrize(("text", "act", "domain"), CLAIMS)
def test_a_claim_is_heard_and_borne_out_by_its_domain(text, act, domain):
    assert act in claimed(text)
    assert act in claimed(text, "weather")
    assert act not in claimed(text, domain)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("I called Anna.", "somebody was called"),
        ("I rang your boss.", "somebody was called"),
        ("She replied.", "somebody answered"),
        ("I have heard back from Ben.", "somebody answered"),
    ],
)
def test_what_has_to_be_spoken_of_is_borne_out_by_no_change_alone(text, act):
    for domain in ("email", "phone", "podcasts", "social"):
        assert act in claimed(text, domain)


@pytest.mark.parametrize(("text", "act", "domain"), CLAIMS)
def test_a_claim_that_anything_was_done_is_heard(text, act, domain):
    assert any(map(claims_any_act, clauses(text)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "You have two alarms.",
        "It is sunny in Dallas.",
        "The song is called Yesterday.",
        "There are three emails from Anna.",
        "The taxi costs ten dollars.",
        "You can order pizza there.",
        "Your meeting is at nine.",
        "I found three recipes.",
    ],
)
def test_what_is_told_is_no_claim(text):
    assert claimed(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "I did not send the email.",
        "No alarm was set.",
        "I have not booked a taxi.",
        "Nothing was removed.",
        "I couldn't add it to the list.",
        "I never posted that.",
    ],
)
def test_what_is_denied_is_no_claim(text):
    assert claimed(text) == set()
    assert not any(map(claims_any_act, clauses(text)))


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("The meeting has been cancelled.", REMOVED),
        ("Your taxi is on its way.", BOOKED),
        ("Your alarm is set for seven.", ALARM),
        ("Milk is on your shopping list.", LISTED),
        ("Dinner is in your calendar.", ENTERED),
    ],
)
def test_in_an_answer_a_state_of_things_is_no_claim(text, act):
    assert act in claimed(text)
    assert claimed(text, states=False) == set()


@pytest.mark.parametrize(
    "text", ["I sent it to Anna.", "I booked a taxi.", "I've removed it.", "I posted it."]
)
def test_in_an_answer_the_speakers_own_act_is_a_claim(text):
    assert claimed(text, states=False)


@pytest.mark.parametrize(
    ("text", "domain", "wished", "act"),
    [
        ("I deleted it.", "lists", "put milk on my shopping list", REMOVED),
        ("I cancelled the meeting.", "calendar", "enter the meeting", REMOVED),
        ("I cleared the list.", "lists", "add eggs", REMOVED),
    ],
)
def test_putting_bears_out_no_removal(text, domain, wished, act):
    assert act in claimed(text, domain, wished=wished)


@pytest.mark.parametrize(
    ("text", "wished"),
    [
        ("I deleted it.", "delete the meeting"),
        ("I emailed Anna.", "a mail was sent to Anna"),
        ("I booked it.", "book a taxi"),
        ("I posted it.", "posted: hello"),
    ],
)
def test_what_was_wished_in_the_same_words_is_no_claim(text, wished):
    assert claimed(text, wished=wished) == set()


@pytest.mark.parametrize(
    "clause",
    [
        "done",
        "all set",
        "it's done",
        "i turned on the lamp",
        "i've added it",
        "it has been changed",
        "they have all been moved",
        "the lamp is now off",
        "everything is ready",
        "i just muted it",
        "consider it done",
    ],
)
def test_any_claim_is_heard(clause):
    assert claims_any_act(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "it was not done",
        "i did nothing",
        "it will rain",
        "the meeting is at nine",
        "you have two emails",
        "shall i do it",
        "",
        "no need to act",
    ],
)
def test_no_claim_is_heard(clause):
    assert not claims_any_act(clause)


def test_a_claim_is_told_with_its_clause():
    found = list(claimed_acts(clauses("It rains. I sent the email to Anna.")))
    assert [(act.name, clause) for act, clause in found] == [(SENT, "i sent the email to anna.")]


def test_every_act_has_a_name_of_its_own():
    assert len({act.name for act in ACTS}) == len(ACTS)


@given(st.text())
def test_any_text_can_be_read(text):
    for part in clauses(text):
        assert claims_any_act(part) in (True, False)
    assert claimed(text) <= {act.name for act in ACTS}


@given(st.sampled_from(CLAIMS), st.sets(st.sampled_from("email phone lists alarm iot".split())))
def test_more_changes_never_make_more_claims(claim, domains):
    assert claimed(claim[0], *domains) <= claimed(claim[0])
