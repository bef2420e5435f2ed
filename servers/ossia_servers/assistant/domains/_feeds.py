"""What the user's social media hold at the start: posts, and notices about the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from ossia_servers.worlds.schema import Row
from ossia_servers.worlds.seeds import SeedContext

_POSTS: Final = (
    # hours ago, medium, author, likes, content
    (1, "twitter", "CNN", 940, "breaking storm warning for the whole coast"),
    (2, "facebook", "Sarah Johnson", 18, "two tickets for the concert and one empty seat"),
    (3, "instagram", "Emma Larsen", 64, "sneak peek of the new gallery room"),
    (4, "twitter", "Delta", 35, "we are sorry for the delayed flights this morning"),
    (6, "facebook", "Tom Baker", 22, "the lake is calling and the boat is ready"),
    (8, "linkedin", "Michael Chen", 51, "we are looking for a new designer"),
    (9, "twitter", "NASA", 5120, "new pictures of the moon are out"),
    (10, "facebook", "Emma Larsen", 8, "hanging the last painting"),
    (12, "instagram", "Megan Hayes", 40, "harbor sunrise from the bookshop"),
    (15, "facebook", "CNN", 310, "five facts about vegan food"),
    (20, "twitter", "Tom Baker", 7, "who else watched the game last night"),
    (23, "facebook", "Linda Hayes", 12, "my tulips are in bloom"),
    (26, "twitter", "Starbucks", 208, "try our new spring coffee"),
    (30, "pinterest", "Nina Palmer", 15, "ten easy chicken recipes"),
    (34, "linkedin", "Alice Novak", 77, "proud of our team for the award"),
    (40, "facebook", "City Library", 33, "longer hours on weekends from now on"),
    (45, "twitter", "Walmart", 90, "free delivery all week"),
    (50, "instagram", "Emma Larsen", 52, "fresh flowers for the front desk"),
    (52, "instagram", "David Okafor", 29, "bowling practice before the party"),
    (58, "twitter", "Sarah Johnson", 14, "my radio show starts at nine"),
    (64, "twitter", "Starbucks", 120, "two new shops open this month"),
    (70, "facebook", "Peter Hayes", 25, "the solar panels are finally up"),
    (11, "twitter", "Robin Hayes", 9, "coffee first and then the world"),
    (28, "facebook", "Robin Hayes", 31, "a long walk by the river with sam"),
    (75, "instagram", "Robin Hayes", 46, "home made pasta night"),
)
_NOTICES: Final = (
    # hours ago, medium, kind, from whom, text
    (1, "instagram", "like", "Emma Larsen", "home made pasta night"),
    (2, "facebook", "comment", "Linda Hayes", "lovely picture of you two"),
    (3, "facebook", "like", "Tom Baker", "a long walk by the river with sam"),
    (5, "twitter", "mention", "Sarah Johnson", "thanks for tuning in"),
    (7, "linkedin", "message", "Jane Doe", "do you have time for a call"),
    (10, "facebook", "friend request", "Walter Green", ""),
    (14, "instagram", "follower", "Fjord Coffee", ""),
    (19, "twitter", "reply", "Delta", "please send us your booking number"),
    (25, "facebook", "message", "Peter Hayes", "call me when you can"),
)


def _when(now: datetime, hours: int) -> dict[str, str]:
    moment = now - timedelta(hours=hours)
    return {"date": moment.date().isoformat(), "time": moment.strftime("%H:%M")}


def seed_posts(context: SeedContext) -> Sequence[Row]:
    """Return the posts of the start state, without ids, oldest first."""
    return [
        {
            "media": media,
            "author": author,
            "to": "",
            "content": content,
            "likes": likes,
            **_when(context.now, hours),
        }
        for hours, media, author, likes, content in sorted(_POSTS, reverse=True)
    ]


def seed_notices(context: SeedContext) -> Sequence[Row]:
    """Return the notices of the start state, without ids, oldest first."""
    return [
        {
            "media": media,
            "kind": kind,
            "person": person,
            "text": text,
            **_when(context.now, hours),
        }
        for hours, media, kind, person, text in sorted(_NOTICES, reverse=True)
    ]


NOTICE_KINDS: Final = tuple(dict.fromkeys(kind for _, _, kind, _, _ in _NOTICES))
"""What a notice may be about."""
