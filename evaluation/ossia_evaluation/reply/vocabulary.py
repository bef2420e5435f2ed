"""The judge's word lists and patterns: what only acknowledges, what speaks of all, and the like."""

from __future__ import annotations

import re
from typing import Final

from ossia_evaluation.reply.stems import stems

QUANTIFIER: Final = re.compile(
    r"\b(?:all|every|each|everything|both|whole|entire|any)\b", re.IGNORECASE
)
"""How a user speaks of all or of every one."""

ACKNOWLEDGING: Final = frozenset(
    stems(
        "done okay ok sure alright right great good fine perfect certainly absolutely course"
        " yes yep ready finished completed complete set sorted handled taken care problem"
        " welcome enjoy here there consider got it will do going gone job task request wish"
        " user everything all thing things successfully success happy help anything else let"
        " know need further assist just away moment soon night morning day evening turn switch"
        " put add play start stop run go come back pick move mark call tell text send wake"
        " remind cancel remove delete clear keep take set book order write post remember save"
        " jump skip mute minute hour today tomorrow yours thanks thank please sleep well made"
        " update updated change changed confirm confirmed been noted note ahead asked"
        " requested"
    )
)
"""Stems of words that only acknowledge a wish: a reply of these alone tells nothing false."""

OF_THE_USER: Final = re.compile(
    r"\byou (?:have|'ve got|got|received) (?:\w+ ){0,2}"
    r"(?:emails?|messages?|mails?|texts?|alarms?|meetings?|events?|appointments?|calls?|notifications?)\b"
)
"""How a reply tells of the user's own things, which chit-chat has not looked at."""

CONTRAST: Final = re.compile(r"\b(?:but|only|not|however|except|though|instead|unlike)\b|n't\b")
"""Words that set something apart from the answer."""

EVERYTHING: Final = re.compile(
    r"\b(?:removed|deleted|cleared|cancell?ed|erased|wiped)\b[^.;]*\b(?:all|every|each)\b"
    r"(?! (?:of it|set))"
    r"|\b(?:removed|deleted|cleared|erased|wiped)\b[^.;]*\b(?:whole|entire|complete)\b"
    r"|\b(?:all|every|each)\b(?! (?:set|done))[^.;]*"
    r"\b(?:removed|deleted|cleared|cancell?ed|erased|gone)\b"
)
"""How a reply claims that all of something was removed."""

FOR_GOOD: Final = re.compile(
    r"\b(?:removed|deleted|cleared|cancell?ed|erased|dropped)\b[^.;]*"
    r"\b(?:entirely|completely|altogether|permanently|forever|for (?:good|ever))\b"
)
"""How a reply claims that something is gone and does not come back."""

ABSENT: Final = re.compile(
    r"\b(?:won't|will not) (?:ring|go off|sound|wake|happen|take place|get|receive|see|hear)\b"
    r"|^\W*(?:(?:okay|ok|done|sure|right|alright|great|and|so|all set)\W+)*no (?!one\b)"
    r"[^.;]*\b(?:this|next|on|tomorrow|today|tonight|for)\b"
)
"""How a reply tells that something will not be there, once it was removed."""

ELSEWHEN: Final = re.compile(
    r"\bstill (?:on|there) (?:for|on|every|in|after|from|the|all|as of)\b"
    r"|\b(?:others?|rest|remaining)\b[^.;]*\b(?:is|are|stays?|remains?) (?:still )?"
    r"|\bstill \w+ (?:on|every|the) (?:\w+day|other|following|rest|week)"
)
"""How a reply tells that what was left out once comes again, or that others are left."""

ALREADY: Final = re.compile(
    r"\b(?:is|are|i'm|we're)\b[^.;]*(?<!from )\bnow\b(?! (?:on|set|scheduled|planned))"
)
"""How a reply tells that something is so now."""
