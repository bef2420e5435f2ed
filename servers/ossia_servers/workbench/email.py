"""The mailbox: letters received and sent."""

from __future__ import annotations

from ossia_servers.workbench.forms import DAY_ONLY, RECIPIENT, digits
from ossia_servers.workbench.records import Records, within
from ossia_servers.workbench.texts import moment, read_day
from ossia_servers.workbench.tool import Given, Parameter, Tool, Toolkit, bad
from ossia_servers.worlds.schema import Match, Reply, Row, Table
from ossia_servers.worlds.world import World

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

_RECIPIENT = Parameter("recipient", "address of the recipient", RECIPIENT)
_BODY = Parameter("body", "text of the letter")
# The inbox numbers its letters in eight digits, the outbox does not pad them.
RECORDS = Records(
    EMAILS, "email", "a letter", Parameter("email_id", "id of the letter", digits(8)), width=1
)


def search(world: World, given: Given) -> Reply:
    """Letters that hold every word of the query, newest first."""
    words = given.get("query", "").lower().split()
    first, last = given.get("date_min"), given.get("date_max")
    after = moment(first, "date_min").date() if first else None
    before = moment(last, "date_max").date() if last else None

    def keep(row: Row) -> bool:
        text = f"{row['subject']} {row['body']} {row['sender/recipient']}".lower()
        return all(word in text for word in words) and within(
            read_day(row["sent_datetime"]), after, before
        )

    found = RECORDS.search(world, keep)
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


def forward(world: World, given: Given) -> Reply:
    """Send a letter on under the subject `FW: ...`."""
    email_id, recipient = given.get("email_id"), given.get("recipient")
    if not email_id or not recipient:
        raise bad("Email ID or recipient not provided.")
    row = RECORDS.get(world, email_id)
    _post(world, recipient, f"FW: {row['subject']}", row["body"])
    return Reply("Email forwarded successfully.")


def reply(world: World, given: Given) -> Reply:
    """Answer a letter under its own subject."""
    email_id, body = given.get("email_id"), given.get("body")
    if not email_id or not body:
        raise bad("Email ID or body not provided.")
    row = RECORDS.get(world, email_id)
    _post(world, row["sender/recipient"], row["subject"], body)
    return Reply("Email replied successfully.")


def _post(world: World, recipient: str, subject: str, body: str) -> None:
    if "@" not in recipient or "." not in recipient:
        raise bad("Invalid recipient email address.")
    RECORDS.add(
        world,
        {
            "inbox/outbox": "outbox",
            "sender/recipient": recipient,
            "subject": subject,
            "sent_datetime": world.now.isoformat(sep=" "),
            "body": body,
        },
    )


SEARCH_EMAILS = Tool(
    "search_emails",
    "Finds letters that hold every word; tells the newest 5.",
    (
        Parameter("query", "words of the subject, the body or the address"),
        Parameter("date_min", "earliest day, YYYY-MM-DD", DAY_ONLY),
        Parameter("date_max", "latest day, YYYY-MM-DD", DAY_ONLY),
    ),
    search,
)
SEND_EMAIL = Tool(
    "send_email",
    "Sends a letter.",
    (_RECIPIENT, Parameter("subject", "subject of the letter"), _BODY),
    send,
    writes=True,
    needed=("recipient", "subject", "body"),
)
FORWARD_EMAIL = Tool(
    "forward_email",
    "Forwards a letter.",
    (RECORDS.id, _RECIPIENT),
    forward,
    writes=True,
    needed=("email_id", "recipient"),
)
REPLY_EMAIL = Tool(
    "reply_email",
    "Replies to a letter.",
    (RECORDS.id, _BODY),
    reply,
    writes=True,
    needed=("email_id", "body"),
)


def email_toolkit() -> Toolkit:
    """Return the mailbox."""
    tools = (
        RECORDS.information(),
        SEARCH_EMAILS,
        SEND_EMAIL,
        RECORDS.delete(),
        FORWARD_EMAIL,
        REPLY_EMAIL,
    )
    return Toolkit("email", "The user's letters.", tools, (EMAILS,))
