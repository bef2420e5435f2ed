"""Email: write, find and delete mails, be told of new ones, and keep the contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.domains._address_book import (
    ADDING,
    add_contact,
    exact_address,
    owners,
    query_contact,
)
from ossia_servers.assistant.domains._contacts import (
    CONTACT_TABLE,
    CONTACTS,
    people,
    recipients,
    seed_contacts,
)
from ossia_servers.assistant.domains._mailbox import (
    OWNER,
    SENDING,
    TO_WHOM,
    WHICH_TO_DELETE,
    seed_messages,
)
from ossia_servers.assistant.domains._speech import counted, spoken_date, spoken_time
from ossia_servers.assistant.moments import date_fits, next_day_at, time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, listing, meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

MESSAGES: Final = "email.messages"
ALERTS: Final = "email.alerts"

_FOLDERS: Final = {
    "inbox": "inbox in box mailbox received incoming",
    "sent": "sent outbox outgoing",
    "drafts": "draft drafts unsent",
    "spam": "spam junk span scam",
    "trash": "trash deleted bin garbage",
    "work": "work",
    "scheduled": "scheduled later",
}
_SENT: Final = "sent"
_SENT_TRASH: Final = "deleted sent"
"""Where sent mails lie that were deleted; the user sees them in the trash."""
_SENT_ERASED: Final = "erased sent"
"""Where those lie that were deleted from the trash as well; the user sees them no more."""
_NEWEST: Final = frozenset({"last", "latest", "newest", "recent"})
_OLDEST: Final = frozenset({"oldest", "first", "earliest"})
_REPLY: Final = frozenset({"reply", "respond", "answer", "back"})
_FORWARD: Final = frozenset({"forward", "forwarding", "fwd"})
_DRAFT: Final = frozenset({"draft", "save", "later"})
_UNREAD: Final = frozenset({"new", "unread", "unopened", "unseen"})
_KNOWN: Final = (
    _NEWEST
    | _OLDEST
    | _UNREAD
    | frozenset("read all every everything email mail message delete remove sent".split())
    | frozenset(word for names in _FOLDERS.values() for word in meanings(names))
)


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {
        CONTACTS: seed_contacts(),
        MESSAGES: seed_messages(context),
        ALERTS: [{"sender": "Victor Stone", "content": "", "folder": "inbox"}],
    }


def _said(params: Params) -> frozenset[str]:
    """The words that tell which mails are meant or what is to be done."""
    text = " ".join(filter(None, (params.text("query"), params.text("setting"))))
    # "new" says nothing of a thing's name, so `words` leaves it out; of mails it says much.
    return meanings(text) | (_UNREAD & set(text.casefold().split()))


def _folder(text: str) -> str:
    said = meanings(text)
    for folder, names in _FOLDERS.items():
        if said & meanings(names):
            return folder
    raise Refusal.not_found(f"There is no mail folder '{text}'.")


def _where(params: Params) -> str:
    """The folder that a request looks in; what somebody is sent lies in the folder of sent mail."""
    named = params.text("email_folder")
    if named is not None:
        return _folder(named)
    said = _said(params)
    outward = "to_person" in params or "to_relation" in params or "sent" in said
    if outward:
        return "sent"
    return next((f for f in ("spam", "drafts") if said & meanings(_FOLDERS[f])), "inbox")


def _by(world: World, rows: list[Row], column: str, *texts: str | None) -> list[Row]:
    """Mails from or to a person: a contact, or a name that stands in the mail alone."""
    said = [text for text in texts if text is not None]
    if not said:
        return rows
    names = {row["name"] for row in people(world, *said)}
    addressed = [
        row
        for row in rows
        if names & set(row[column] if isinstance(row[column], list) else [row[column]])
    ]
    return addressed or find(rows, said[0], column)


def _found(world: World, params: Params) -> list[Row]:
    """The mails that a request points at, newest first."""
    folder = _where(params)
    folders = {folder, _SENT_TRASH} if folder == "trash" else {folder}
    rows = [row for row in reversed(world.rows(MESSAGES)) if row["folder"] in folders]
    either = params.first("person", "relation")
    sender = [params.text("from_person"), params.text("from_relation")]
    receiver = [params.text("to_person"), params.text("to_relation")]
    if either is not None and folder in ("sent", "drafts"):
        receiver.append(either)
    elif either is not None:
        sender.append(either)
    rows = _by(world, _by(world, rows, "sender", *sender), "to", *receiver)
    address, content = params.text("email_address"), params.text("content")
    if address is not None:
        known = {row["name"] for row in owners(world, address)}
        rows = [row for row in rows if known & {row["sender"], *row["to"]}]
    if content is not None:
        about = find(rows, content, "subject", "content")
        # What a mail is about may be whom it is from.
        rows = about or find(rows, content, "subject", "content", "sender")
    date, time = params.date(), params.time()
    if date is not None:
        rows = [row for row in rows if date_fits(row["date"], date)]
    if time is not None:
        rows = [row for row in rows if time_fits(row["time"], time)]
    return _narrowed(rows, _said(params))


def _narrowed(rows: list[Row], said: frozenset[str]) -> list[Row]:
    """Of mails in order of their dates, those that words such as "unread" or "last" point at."""
    if said & _UNREAD:
        rows = [row for row in rows if not row["read"]]
    elif "read" in said:
        rows = [row for row in rows if row["read"]]
    if said & _OLDEST:
        return rows[-1:]
    return rows[:1] if said & _NEWEST else rows


def _told(world: World, row: Row) -> str:
    other = listing(row["to"]) if row["sender"] == OWNER else row["sender"]
    subject = row["subject"] or row["content"]
    return f'"{subject}" ({other}, {spoken_date(row["date"], world.now)} at {row["time"]})'


def _query(world: World, params: Params) -> Reply:
    rows = _found(world, params)
    if not rows:
        return Reply("There is no such email.", [])
    if len(rows) == 1:
        return Reply(f"There is one email, {_told(world, rows[0])}: {rows[0]['content']}.", rows)
    told = listing([_told(world, row) for row in rows[:5]])
    return Reply(f"I found {counted(len(rows), 'email')}, the newest first: {told}.", rows)


def _deleted(world: World, row: Row) -> Row:
    """Delete a mail. What was sent stays known as such: its receiver has it all the same."""
    if row["folder"] in (_SENT, _SENT_TRASH):
        folder = _SENT_TRASH if row["folder"] == _SENT else _SENT_ERASED
        return world.change(MESSAGES, row["id"], folder=folder)
    if row["folder"] in ("trash", "spam"):
        return world.remove(MESSAGES, row["id"])
    return world.change(MESSAGES, row["id"], folder="trash")


def _remove(world: World, params: Params) -> Reply:
    rows = _found(world, params)
    # Words that mean nothing to the mailbox ("promotional") must not make it delete everything.
    rest = _said(params) - _KNOWN
    rows = find(rows, " ".join(sorted(rest)), "subject", "content") if rest else rows
    if not rows:
        raise Refusal.not_found("There is no such email to delete.")
    gone = [_deleted(world, row) for row in rows]
    count = counted(len(gone), "email")
    return Reply(
        f"I have deleted {count}: {listing([_told(world, row) for row in rows[:5]])}.", gone
    )


def _send(world: World, params: Params) -> Reply:
    said = _said(params)
    answers = _is_answer(params, said)
    original = _original(world, params) if answers or said & _FORWARD else None
    to = _receivers(world, params, original if answers else None)
    if isinstance(to, Reply):
        return to
    content = params.text("content") or ""
    if original is not None and not answers:
        content = f"{content} {original['content']}".strip()
    draft = not content or bool(said & _DRAFT)
    later = None if draft else _later(world, params)
    names = list(to)
    row = world.add(
        MESSAGES,
        folder="drafts" if draft else "scheduled" if later else _SENT,
        sender=OWNER,
        to=names,
        addresses=[address for address in to.values() if address],
        subject=f"{'Re' if answers else 'Fwd'}: {original['subject']}" if original else "",
        content=content,
        date=world.today.isoformat(),
        time=world.now.strftime("%H:%M"),
        read=True,
        answers=original["id"] if original else "",
        send_date=later[0] if later else "",
        send_time=later[1] if later else "",
    )
    if draft:
        more = "" if content else " Tell me what it shall say."
        return Reply(f"I have saved a draft to {listing(names)}.{more}", [row])
    when = f"will be sent {_moment(world, *later)}" if later else "is sent"
    return Reply(f'Your email to {listing(names)} {when}: "{content}".', [row])


def _is_answer(params: Params, said: frozenset[str]) -> bool:
    """Whether a mail is a reply: it says so, or names only the mail that it answers."""
    if said & _REPLY:
        return True
    receivers = ("to_person", "to_relation", "person", "relation", "email_address")
    if said & _FORWARD or any(name in params for name in receivers):
        return False
    return "from_person" in params or "from_relation" in params or bool(said & _NEWEST)


def _later(world: World, params: Params) -> tuple[str, str] | None:
    """Day and time, or "", at which a mail shall be sent; None for now."""
    date, time = params.date(), simulated.time_asked(world, params)
    if date is None and time is not None and time.single is not None:
        return next_day_at(world.now, time).isoformat(), str(time)
    if date is None or date.single is None or date.single < world.today:
        return None
    clock = str(time) if time is not None else ""
    ahead = date.single > world.today or (
        time is not None and time.start is not None and time.start > world.now.time()
    )
    return (date.single.isoformat(), clock) if ahead else None


def _moment(world: World, date: str, time: str) -> str:
    clock = f"at {time}" if time and ".." not in time else spoken_time(time)
    return f"{spoken_date(date, world.now)} {clock}".strip()


def _original(world: World, params: Params) -> Row:
    """The newest mail of the inbox that a reply answers or that is forwarded."""
    inbox = [row for row in reversed(world.rows(MESSAGES)) if row["folder"] == "inbox"]
    named = [params.text("from_person"), params.text("from_relation")]
    if not _said(params) & _FORWARD:
        named += [params.text(key) for key in ("to_person", "to_relation", "person", "relation")]
    rows = _by(world, inbox, "sender", *named)
    if not rows:
        raise Refusal.not_found("There is no email of theirs in your inbox.")
    return rows[0]


def _receivers(world: World, params: Params, answered: Row | None) -> dict[str, str] | Reply:
    """Addresses by name, or the question that is open."""
    given = params.text("email_address")
    person = params.first("to_person", "person")
    relation = params.first("to_relation", "relation")
    address = exact_address(given) if given is not None else exact_address(person or "")
    if given is not None and address is None and person is None and relation is None:
        raise Refusal(f"'{given}' is not an email address.")
    if address is not None:
        known = owners(world, address)
        return {known[0]["name"] if known else address: address}
    if answered is not None:
        known = people(world, answered["sender"])
        return {answered["sender"]: known[0]["email"] if known else ""}
    if person is None and relation is None:
        return TO_WHOM.reply()
    to = recipients(world, person, relation)
    if to.unclear:
        return Reply.ask(f"Whom do you mean by {listing(to.unclear)}?", "to_person")
    if to.unknown or not to.found:
        unknown = listing(to.unknown) or person or relation
        return Reply.ask(f"What is the email address of {unknown}?", "email_address")
    work = "work" in meanings(params.text("personal_info") or "")
    return {
        row["name"]: (work and row["work_email"]) or row["email"] or row["work_email"]
        for row in to.found
    }


def _subscribe(world: World, params: Params) -> Reply:
    sender = params.first("from_person", "person", "to_person")
    relation = params.first("from_relation", "relation", "to_relation")
    who = sender or relation or params.text("email_address") or ""
    if sender is not None or relation is not None:
        meant = people(world, *filter(None, (sender, relation)))
        # Somebody who is no contact may still write.
        who = meant[0]["name"] if len(meant) == 1 else who
    content = params.text("content") or ""
    folder = params.text("email_folder")
    values = {"sender": who, "content": content, "folder": _folder(folder) if folder else "inbox"}
    if any(values.items() <= row.items() for row in world.rows(ALERTS)):
        raise Refusal.conflict("You are told of those emails already.")
    row = world.add(ALERTS, **values)
    source = f" from {who}" if who else ""
    topic = f" about {content}" if content else ""
    return Reply(f"I will tell you of new emails{source}{topic}.", [row])


_WHO: Final = "who the email is {}, by {}"

DOMAIN = Domain(
    name="email",
    description="The user's mailbox and contacts.",
    fields=(
        Field("setting", Kind.TEXT, "what to do, such as reply, forward or draft"),
        Field("person", Kind.PERSON, "a contact, or who an email is from or to", example="sarah"),
        Field("to_person", Kind.PERSON, _WHO.format("to", "name"), example="tom"),
        Field("from_person", Kind.PERSON, _WHO.format("from", "name"), example="alice"),
        Field("relation", Kind.PERSON, "a contact by relation", example="my sister"),
        Field("to_relation", Kind.PERSON, _WHO.format("to", "relation"), example="my boss"),
        Field("from_relation", Kind.PERSON, _WHO.format("from", "relation"), example="mom"),
        Field("email_folder", Kind.NAME, "a mail folder, such as inbox or spam"),
        Field("time", Kind.TIME, "time of the day at which an email came, or is to be sent"),
        Field("date", Kind.DATE, "day on which an email came, or is to be sent"),
        Field("email_address", Kind.NAME, "an email address, written or spoken"),
        Field("app_name", Kind.NAME, "the mail program", Match.IGNORABLE),
        Field("query", Kind.TEXT, "which emails, such as new, unread, last or all"),
        Field("content", Kind.TEXT, "what an email says or is about"),
        Field("personal_info", Kind.TEXT, "a fact about a contact, such as work number"),
    ),
    intents=(
        Intent(
            "email_sendemail",
            "Write, answer or forward an email.",
            _send,
            writes=True,
            asks=SENDING,
        ),
        Intent("email_query", "Find and read emails.", _query, writes=False),
        Intent("email_querycontact", "Look up contacts.", query_contact, writes=False),
        Intent(
            "email_addcontact", "Add or complete a contact.", add_contact, writes=True, asks=ADDING
        ),
        Intent("email_subscription", "Be told of new emails.", _subscribe, writes=True),
        Intent("email_remove", "Delete emails.", _remove, writes=True, asks=(WHICH_TO_DELETE,)),
    ),
    tables=(
        CONTACT_TABLE,
        Table(
            MESSAGES,
            "mail",
            {
                "folder": Match.EXACT,
                "sender": Match.CASEFOLD,
                "to": Match.CASEFOLD,
                "addresses": Match.CASEFOLD,
                "subject": Match.IGNORABLE,
                "content": Match.FREE_TEXT,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
                "read": Match.EXACT,
                "answers": Match.OPTIONAL,
                "send_date": Match.DATETIME,
                "send_time": Match.DATETIME,
            },
        ),
        Table(
            ALERTS,
            "mail-alert",
            {"sender": Match.CASEFOLD, "content": Match.FREE_TEXT, "folder": Match.EXACT},
        ),
    ),
    seed=_seed,
)
