"""Wrong choices of the manager, wrong calls of the request role and wrong words of the response."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from ossia_servers.assistant.offline.faults.answers import (
    altered_addresses,
    shortened_addresses,
    split_address,
)
from ossia_servers.assistant.offline.faults.catalogue import Catalogue
from ossia_servers.assistant.offline.faults.kinds import FaultType
from ossia_servers.assistant.offline.faults.scene import Scene
from ossia_workflows.assistant import FINISH, allowed_next, stages

_MEMBERS = ("intent", "time", "location", "url", "request", "response")
_NUMBER = re.compile(r"\d+")
_DENIAL = "I am sorry, I could not do that."
_CLAIM = "Done! I have taken care of that for you."
_APOLOGIES = ("sorry", "could not", "cannot", "did not")


def wrong_choices(fault: FaultType, right: str, scene: Scene) -> tuple[str, ...]:
    """Return the roles that a faulty manager calls in place of the right one.

    Args:
        fault: A fault of the manager.
        right: The role that is due, or `finish`.
        scene: What the manager knew.
    """
    if fault is FaultType.MANAGER_PREMATURE_FINISH:
        options: Iterable[str] = (FINISH,)
    elif fault is FaultType.MANAGER_REPEAT:
        options = scene.done[-1:]
    elif fault is FaultType.MANAGER_SKIP:
        options = _following(right, scene)
    else:
        allowed = allowed_next(_domain(scene), scene.slots, _of_round(scene.done))
        options = (role for role in _MEMBERS if role not in allowed and role not in scene.done[-1:])
    return tuple(role for role in options if role != right)


def wrong_calls(
    fault: FaultType, right: str, scene: Scene, catalogue: Catalogue
) -> tuple[str, ...]:
    """Return what a faulty request role does with an address.

    Args:
        fault: A fault of the request role.
        right: The address of the url role.
        scene: What the request role knew.
        catalogue: The domains.

    Returns:
        For `request.no_call` answers that claim success; else addresses to be called.
    """
    if fault is FaultType.REQUEST_NO_CALL:
        return (_claim(right),)
    if fault is FaultType.REQUEST_DUPLICATE_CALL:
        return (right,)
    options = (*altered_addresses(right, scene, catalogue), *shortened_addresses(right))
    return tuple(dict.fromkeys(url for url in options if url != right))


def wrong_replies(right: str) -> tuple[str, ...]:
    """Return replies to the user that say something else than the right one."""
    sorry = any(word in right.casefold() for word in _APOLOGIES)
    options = [_CLAIM if sorry else _DENIAL]
    if _NUMBER.search(right):
        options.append(_NUMBER.sub(_one_more, right))
    return tuple(option for option in options if option != right)


def _domain(scene: Scene) -> str | None:
    return scene.domain if scene.intent is not None else None


def _of_round(done: tuple[str, ...]) -> tuple[str, ...]:
    """The roles since the last intent: with it the order of the work begins anew."""
    starts = [place for place, role in enumerate(done) if role == "intent"]
    return done[starts[-1] :] if starts else done


def _following(right: str, scene: Scene) -> tuple[str, ...]:
    """The stage after the one that is due; the intent is followed by the address."""
    if right == "intent":
        return ("url",)
    order = stages(scene.domain, scene.slots)
    if right not in order or right == order[-1]:
        return ()
    return (order[order.index(right) + 1],)


def _claim(url: str) -> str:
    _, query = split_address(url)
    data = {"response": "Done.", "query": query, "result": None}
    return json.dumps(
        {"status": 200, "body": {"code": "SUCCESS", "msg": "ok", "data": data}}, ensure_ascii=False
    )


def _one_more(found: re.Match[str]) -> str:
    return str(int(found[0][:9]) + 1).zfill(len(found[0]))
