"""The mailbox: letters received and sent."""

from __future__ import annotations

from ossia_servers.domain import Match, Refusal, Reply, Row, Table
from ossia_servers.workbench.forms import DAY_ONLY, RECIPIENT, digits, one_of
from ossia_servers.workbench.texts import moment, read_day
from ossia_servers.workbench.tool import (
    Given,
    Parameter,
    Tool,
    Toolkit,
    bad,
    find,
    next_id,
    visible,
)
from ossia_servers.worlds.state import World

EMAILS = Table(
    "email.emails",
    "email",
    {
        "email_id": Match.IGNORABLE,
        "inbox/outbox": Match.LOWER,
        "sender/recipient": Match.LOWER,
        "subject": Match.LOWER,
        "sent_datetime": Match.LOWER,
        "body": Match.LOWER,
    },
)
SHOWN = 5
"""Most letters of one search."""

_ID = Parameter("email_id", "id of the letter", digits(8))
_RECIPIENT = Parameter("recipient", "address of the recipient", RECIPIENT)
_BODY = Parameter("body", "text of the letter")


def information(world: World, given: Given) -> Reply:
    """One field of one letter."""
    email_id, field = given.get("email_id"), given.get("field")
    if not email_id:
        raise bad("Email ID not provided.")
    if not field:
        raise bad("Field not provided.")
    row = _letter(world, email_id)
    if field not in visible(row):
        raise Refusal.not_found("Field not found.")
    return Reply(f"{field}: {row[field]}", {field: row[field]})


def search(world: World, given: Given) -> Reply:
    """Letters that hold every word of the query, newest first."""
    words = given.get("query", "").lower().split()
    first, last = given.get("date_min"), given.get("date_max")
    after = moment(first, "date_min").date() if first else None
    before = moment(last, "date_max").date() if last else None
    found = []
    for row in world.rows(EMAILS.name):
        text = f"{row['subject']} {row['body']} {row['sender/recipient']}".lower()
        if not all(word in text for word in words):
            continue
        day = read_day(row["sent_datetime"])
        if (after and (day is None or day < after)) or (before and (day is None or day > before)):
            continue
        found.append(visible(row))
    if not found:
        return Reply("No emails found.")
    # A letter that was just sent is as old as the frozen clock says, so it may stand in any place
    # among letters of the same moment; the order of the table decides.
    newest = sorted(found, key=lambda row: str(row["sent_datetime"]), reverse=True)[:SHOWN]
    return Reply(f"{len(newest)} emails found.", newest)


def send(world: World, given: Given) -> Reply:
    """Put a letter in the outbox."""
    recipient, subject, body = (given.get(name) for name in ("recipient", "subject", "body"))
    if not recipient or not subject or not body:
        raise bad("Recipient, subject, or body not provided.")
    _post(world, recipient, subject, body)
    return Reply("Email sent successfully.")


def delete(world: World, given: Given) -> Reply:
    """Remove a letter."""
    email_id = given.get("email_id")
    if not email_id:
        raise bad("Email ID not provided.")
    world.remove(EMAILS.name, _letter(world, email_id)["id"])
    return Reply("Email deleted successfully.")


def forward(world: World, given: Given) -> Reply:
    """Send a letter on under the subject `FW: ...`."""
    email_id, recipient = given.get("email_id"), given.get("recipient")
    if not email_id or not recipient:
        raise bad("Email ID or recipient not provided.")
    row = _letter(world, email_id)
    _post(world, recipient, f"FW: {row['subject']}", row["body"])
    return Reply("Email forwarded successfully.")


def reply(world: World, given: Given) -> Reply:
    """Answer a letter under its own subject."""
    email_id, body = given.get("email_id"), given.get("body")
    if not email_id or not body:
        raise bad("Email ID or body not provided.")
    row = _letter(world, email_id)
    _post(world, row["sender/recipient"], row["subject"], body)
    return Reply("Email replied successfully.")


def _letter(world: World, email_id: str) -> Row:
    row = find(world, EMAILS.name, "email_id", email_id)
    if row is None:
        raise Refusal.not_found("Email not found.")
    return row


def _post(world: World, recipient: str, subject: str, body: str) -> None:
    if "@" not in recipient or "." not in recipient:
        raise bad("Invalid recipient email address.")
    world.add(
        EMAILS.name,
        **{
            # The inbox numbers its letters in eight digits, the outbox does not pad them.
            "email_id": next_id(world, EMAILS.name, "email_id", 1),
            "inbox/outbox": "outbox",
            "sender/recipient": recipient,
            "subject": subject,
            "sent_datetime": world.now.isoformat(sep=" "),
            "body": body,
        },
    )


def email_toolkit() -> Toolkit:
    """Return the mailbox."""
    tools = (
        Tool(
            "get_email_information_by_id",
            "Tells one field of a letter.",
            (
                _ID,
                Parameter(
                    "field",
                    "email_id, inbox/outbox, sender/recipient, subject, sent_datetime or body",
                    one_of(tuple(EMAILS.columns)),
                ),
            ),
            information,
            needed=("email_id", "field"),
        ),
        Tool(
            "search_emails",
            "Finds letters that hold every word; tells the newest 5.",
            (
                Parameter("query", "words of the subject, the body or the address"),
                Parameter("date_min", "earliest day, YYYY-MM-DD", DAY_ONLY),
                Parameter("date_max", "latest day, YYYY-MM-DD", DAY_ONLY),
            ),
            search,
        ),
        Tool(
            "send_email",
            "Sends a letter.",
            (_RECIPIENT, Parameter("subject", "subject of the letter"), _BODY),
            send,
            writes=True,
            needed=("recipient", "subject", "body"),
        ),
        Tool(
            "delete_email", "Deletes a letter.", (_ID,), delete, writes=True, needed=("email_id",)
        ),
        Tool(
            "forward_email",
            "Forwards a letter.",
            (_ID, _RECIPIENT),
            forward,
            writes=True,
            needed=("email_id", "recipient"),
        ),
        Tool(
            "reply_email",
            "Replies to a letter.",
            (_ID, _BODY),
            reply,
            writes=True,
            needed=("email_id", "body"),
        ),
    )
    return Toolkit("email", "The user's letters.", tools, (EMAILS,))
