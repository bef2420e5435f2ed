"""What has happened once a task is carried out on a world, as a clause."""

from __future__ import annotations

from ossia_dataset.world_tasks import GoldKind, WorldTask

_DONE = {
    "set": "set",
    "remove": "removed",
    "cancel": "cancelled",
    "send": "sent",
    "add": "added",
    "create": "created",
    "play": "played",
    "order": "ordered",
    "ticket": "booked",
}
_NOUNS = {"lists": "list", "transport": "trip", "iot": "device", "social": "post", "qa": "question"}


def success_clause(task: WorldTask) -> str:
    """Return what happens once the causes are repaired, such as `the alarm is set as asked`."""
    gold = task.gold
    noun = _NOUNS.get(gold.domain, gold.domain)
    if gold.kind is GoldKind.CHAT:
        return "the user gets a reply and no server is asked"
    if gold.kind is GoldKind.CLARIFICATION:
        return "the right question is asked back"
    if gold.kind is GoldKind.ANSWER:
        return f"the {gold.domain} question is answered as asked"
    last = gold.intent.rpartition("_")[2]
    verb = next((done for word, done in _DONE.items() if last.startswith(word)), None)
    return (
        f"the {noun} is {verb} as asked"
        if verb
        else f"the {gold.domain} request is carried out as asked"
    )
