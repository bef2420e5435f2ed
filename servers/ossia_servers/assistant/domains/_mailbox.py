"""The mails that the user's mailbox starts with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from ossia_servers.worlds.schema import Ask, Asked, Row
from ossia_servers.worlds.seeds import SeedContext

OWNER: Final = "Robin Hayes"
"""The user's own name among the contacts."""

_MAILS: Final = (
    # hours ago, folder, the other side, read, subject, content
    (2, "inbox", "Michael Chen", False, "Budget review",
     "please send me the budget numbers before the review on monday"),
    (1, "inbox", "Amazon", False, "Your order has shipped",
     "your order of headphones has shipped and arrives on tuesday"),
    (3, "inbox", "Linda Hayes", False, "Sunday dinner",
     "are you coming to dinner on sunday your father is cooking"),
    (20, "inbox", "Sarah Johnson", True, "Concert tickets",
     "i got two tickets for the concert do you want to join me"),
    (22, "inbox", "John Smith", True, "Project meeting notes",
     "here are the notes of the project meeting tell me what is missing"),
    (26, "inbox", "Northside Bank", False, "Credit card statement",
     "your credit card statement is ready the payment is due at the end of the month"),
    (31, "inbox", "Megan Hayes", True, "Photos from the trip",
     "the photos from the trip are in the shared album"),
    (48, "inbox", "Tom Baker", True, "Fishing weekend",
     "the cabin at the lake is free next weekend shall we go fishing"),
    (54, "inbox", "Alice Novak", False, "Design draft",
     "i attached the first draft of the new design please comment"),
    (73, "inbox", "Victor Stone", True, "Rent and repairs",
     "the plumber comes to repair the kitchen sink please leave the key at the desk"),
    (98, "inbox", "Jane Doe", True, "Invoice 2041",
     "could you resend the invoice for january we cannot find it"),
    (122, "inbox", "David Okafor", False, "Birthday party",
     "my birthday party is at the bowling alley bring nothing but yourself"),
    (147, "inbox", "Patel Dental", True, "Appointment reminder",
     "we look forward to seeing you for your cleaning"),
    (170, "inbox", "Sam Reyes", True, "Electricity bill",
     "can you pay the electricity bill this month"),
    (195, "inbox", "Michael Chen", True, "Quarterly goals",
     "let us talk about your goals for the quarter"),
    (240, "inbox", "Emma Larsen", True, "Gallery opening",
     "you are invited to the opening of the gallery"),
    (176, "inbox", "Amazon", True, "Your invoice",
     "thank you for your order the invoice is attached"),
    (212, "inbox", "Linda Hayes", True, "Old photos",
     "i found old photos of you in the attic"),
    (254, "inbox", "Alice Novak", True, "Welcome lunch",
     "we take the new colleague out for lunch on thursday"),
    (29, "inbox", "Emily Clark", False, "School play",
     "the school play is next friday and mia has the main part"),
    (80, "inbox", "Laura Bennett", True, "Lunch menu",
     "the new lunch menu of the canteen is out"),
    (140, "inbox", "Anna Rossi", True, "Cake order",
     "your cake is ready please pick it up before six"),
    (5, "sent", "Alice Novak", True, "Printer",
     "the printer on our floor works again"),
    (50, "sent", "Tom Baker", True, "Re: Fishing weekend",
     "let me check with sam and get back to you"),
    (101, "sent", "Jane Doe", True, "Contract",
     "attached is the signed contract"),
    (168, "sent", "George Hayes", True, "Garden tools",
     "can i borrow your garden tools"),
    (30, "drafts", "Emma Larsen", True, "Painting",
     "about the painting you showed me"),
    (8, "spam", "Lucky Lottery", False, "You have won",
     "claim your prize of one million dollars now"),
    (60, "spam", "Miracle Pills", False, "Lose weight fast",
     "order our pills today and pay half the price"),
    (90, "spam", "Cheap Loans", False, "Money in minutes",
     "no questions asked"),
    (110, "work", "Alice Novak", True, "Vacation plan",
     "i am on vacation in the first week of next month"),
    (130, "work", "John Smith", True, "Server access",
     "your access to the build server is ready"),
    (76, "trash", "Metro Gym", True, "Come back",
     "renew your membership with a discount"),
)  # fmt: skip

_FROM_ME: Final = frozenset({"sent", "drafts"})

TO_WHOM: Final = Ask(
    "To whom shall I send the email?",
    ("to_person", "to_relation", "person", "relation", "email_address"),
    missing=("to_person",),
    # An answer goes to whoever wrote.
    unless=("from_person", "from_relation", "setting", "query"),
)
SENDING: Final = (
    TO_WHOM,
    Ask("Whom do you mean?", ("to_person",), when=Asked.MAYBE),
    Ask("What is the email address?", ("email_address",), when=Asked.MAYBE),
)
WHICH_TO_DELETE: Final = Ask(
    "Which emails shall I delete?",
    tuple(
        "from_person from_relation person relation to_person to_relation email_address email_folder"
        " date time query content setting personal_info".split()
    ),
    missing=("from_person", "content"),
)


def seed_messages(context: SeedContext) -> Sequence[Row]:
    """Return the mails of the start state, without ids, oldest first."""
    found = []
    for hours, folder, other, read, subject, content in sorted(_MAILS, reverse=True):
        when = context.now - timedelta(hours=hours)
        mine = folder in _FROM_ME
        found.append(
            {
                "folder": folder,
                "sender": OWNER if mine else other,
                "to": [other if mine else OWNER],
                "addresses": [],
                "subject": subject,
                "content": content,
                "date": when.date().isoformat(),
                "time": when.strftime("%H:%M"),
                "read": read,
                "answers": "",
                "send_date": "",
                "send_time": "",
            }
        )
    return found
