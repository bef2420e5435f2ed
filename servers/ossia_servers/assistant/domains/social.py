"""Social media: post, and read what others post and how they react.

The published catalogue has no time here, but "this morning" is a day and a time, so both are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ossia_servers.assistant.domains import _simulated as simulated
from ossia_servers.assistant.domains._contacts import people
from ossia_servers.assistant.domains._feeds import NOTICE_KINDS, seed_notices, seed_posts
from ossia_servers.assistant.domains._mailbox import OWNER
from ossia_servers.assistant.domains._speech import counted, spoken_date
from ossia_servers.assistant.moments import date_fits, time_fits
from ossia_servers.worlds.domain import Domain, Intent
from ossia_servers.worlds.lookup import find, meanings
from ossia_servers.worlds.params import Params
from ossia_servers.worlds.schema import Ask, Asked, Field, Kind, Match, Refusal, Reply, Row, Table
from ossia_servers.worlds.seeds import SeedContext
from ossia_servers.worlds.world import World

POSTS: Final = "social.posts"
NOTICES: Final = "social.notices"

DEFAULT_MEDIUM: Final = "twitter"
"""Where a post goes that names no medium; posts on somebody's page go to facebook."""

_MEDIA: Final = {
    "twitter": "twitter tweet tweets tweeter x",
    "facebook": "facebook fb wall",
    "instagram": "instagram insta ig",
    "linkedin": "linkedin",
    "pinterest": "pinterest",
    "snapchat": "snapchat snap",
    "tiktok": "tiktok",
    "reddit": "reddit",
}
# Words for social media as such.
_ANY: Final = frozenset("social media medium network account feed app page timeline online".split())
_NEWEST: Final = frozenset({"last", "latest", "newest", "recent"})
_POPULAR: Final = frozenset({"trending", "popular", "top", "highlight", "best", "important"})
_OWN: Final = frozenset({"my", "mine", "own", "i"})
_FEW: Final = 5


def _seed(context: SeedContext) -> Mapping[str, Sequence[Row]]:
    return {POSTS: seed_posts(context), NOTICES: seed_notices(context)}


def _medium(text: str | None) -> str | None:
    """The medium that is meant, None for any; an unknown one stays as said."""
    said = meanings(text or "")
    for medium, names in _MEDIA.items():
        if said & meanings(names):
            return medium
    return text if said - _ANY else None


def _account(world: World, person: str) -> str:
    """The name under which a person posts: a contact's full name, else what was said."""
    meant = people(world, person)
    return meant[0]["name"] if len(meant) == 1 else person


_WHAT_TO_POST: Final = Ask("What shall I post?", ("content",), when=Asked.LATER)


def _post(world: World, params: Params) -> Reply:
    content = params.text("content")
    medium = _medium(params.text("media_type"))
    person, business = params.text("person"), params.text("business_name")
    if medium is not None and medium not in _MEDIA:
        raise Refusal.not_found(f"You have no account on {medium}.")
    if content is None:
        where = f" on {medium}" if medium is not None else ""
        return Reply.ask(f"What shall I post{where}?", "content")
    to = _account(world, person) if person is not None else business or ""
    row = world.add(
        POSTS,
        media=medium or ("facebook" if person is not None else DEFAULT_MEDIUM),
        author=OWNER,
        to=to,
        content=content,
        likes=0,
        date=world.today.isoformat(),
        time=world.now.strftime("%H:%M"),
    )
    target = f" to {to}" if to else ""
    return Reply(f'I have posted on {row["media"]}{target}: "{content}".', [row])


def _query(world: World, params: Params) -> Reply:
    said = meanings(params.text("descriptor") or "")
    kinds = _kinds(said) or _kinds(meanings(params.text("content") or ""), alone=True)
    if kinds:
        return _notices(world, params, kinds)
    rows = _posts(world, params)
    named = "person" in params or "business_name" in params or _is_own(params)
    if said & _POPULAR:
        rows = sorted(rows, key=lambda row: -row["likes"])[:_FEW]
    elif said & _NEWEST:
        rows = rows[: 1 if named or said & {"post", "tweet", "picture", "photo"} else _FEW]
    if not rows:
        return Reply("There are no such posts.", [])
    told = "; ".join(_told(world, row) for row in rows[:_FEW])
    return Reply(f"I found {counted(len(rows), 'post')}: {told}.", rows)


def _kinds(said: frozenset[str], *, alone: bool = False) -> Sequence[str]:
    """The kinds of notices that words ask for.

    Args:
        said: content words of the request.
        alone: whether nothing else may be said, as in what a post is about: "likes" asks for
            notices, "people who like dogs" does not.
    """
    # The surest word of "friend request" is its last.
    surest = {kind.split()[-1]: (kind,) for kind in NOTICE_KINDS}
    names = {**surest, "notification": NOTICE_KINDS, "tagged": ("mention",)}
    if alone and not said <= {*names, "new", "friend"}:
        return ()
    return [kind for name, kinds in names.items() if name in said for kind in kinds]


def _is_own(params: Params) -> bool:
    return bool(_OWN & set((params.text("descriptor") or "").casefold().split()))


def _of(world: World, rows: list[Row], params: Params, column: str) -> list[Row]:
    """Of posts or notices, those by the person or the business that is named."""
    person, business = params.text("person"), params.text("business_name")
    if person is not None:
        names = {row["name"] for row in people(world, person)}
        by_name = [row for row in rows if row[column] in names]
        rows = by_name or find(rows, person, column)
    if business is not None:
        rows = find(rows, business, column)
    return rows


def _narrowed(world: World, rows: list[Row], params: Params) -> list[Row]:
    medium, date = _medium(params.text("media_type")), params.date()
    if medium is not None:
        rows = [row for row in rows if row["media"] == medium.casefold()]
    if date is not None:
        rows = [row for row in rows if date_fits(row["date"], date)]
    if (time := simulated.time_asked(world, params)) is not None:
        rows = [row for row in rows if time_fits(row["time"], time)]
    return rows


def _posts(world: World, params: Params) -> list[Row]:
    """The posts that a request points at, newest first."""
    # Newly added posts come after the seed rows and are the newest.
    rows = _narrowed(world, list(reversed(world.rows(POSTS))), params)
    content = params.text("content")
    if _is_own(params):
        rows = [row for row in rows if row["author"] == OWNER]
    elif "person" not in params and "business_name" not in params:
        rows = [row for row in rows if row["author"] != OWNER or content is not None]
    rows = _of(world, rows, params, "author")
    return find(rows, content, "content") if content is not None else rows


def _notices(world: World, params: Params, kinds: Sequence[str]) -> Reply:
    """Read likes, comments, messages and the like, newest first."""
    rows = [row for row in reversed(world.rows(NOTICES)) if row["kind"] in kinds]
    rows = _of(world, _narrowed(world, rows, params), params, "person")
    if not rows:
        return Reply("You have no such notifications.", [])
    told = "; ".join(
        f"{row['kind']} of {row['person']} on {row['media']}"
        + (f' ("{row["text"]}")' if row["text"] else "")
        for row in rows
    )
    return Reply(f"You have {counted(len(rows), 'notification')}: {told}.", rows)


def _told(world: World, row: Row) -> str:
    day = spoken_date(row["date"], world.now)
    return f'{row["author"]} on {row["media"]} {day}, "{row["content"]}" ({row["likes"]} likes)'


DOMAIN = Domain(
    name="social",
    description="The user's social media.",
    fields=(
        Field("media_type", Kind.NAME, "the medium", example="facebook"),
        Field("person", Kind.PERSON, "who posts, or on whose page", example="sarah"),
        Field("business_name", Kind.NAME, "a company that posts or is addressed"),
        Field("content", Kind.TEXT, "what the post says or is about"),
        Field("date", Kind.DATE, "day of the posts"),
        Field("time", Kind.TIME, "part of the day of the posts"),
        Field("descriptor", Kind.TEXT, "which posts, such as latest, or likes and comments"),
    ),
    intents=(
        Intent("social_post", "Post something.", _post, writes=True, asks=(_WHAT_TO_POST,)),
        Intent("social_query", "Read posts and reactions.", _query, writes=False),
    ),
    tables=(
        Table(
            POSTS,
            "post",
            {
                "media": Match.CASEFOLD,
                "author": Match.CASEFOLD,
                "to": Match.CASEFOLD,
                "content": Match.FREE_TEXT,
                "likes": Match.NUMBER,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
            },
        ),
        Table(
            NOTICES,
            "notice",
            {
                "media": Match.CASEFOLD,
                "kind": Match.CASEFOLD,
                "person": Match.CASEFOLD,
                "text": Match.FREE_TEXT,
                "date": Match.DATETIME,
                "time": Match.DATETIME,
            },
        ),
    ),
    seed=_seed,
)
