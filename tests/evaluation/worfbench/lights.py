"""A task whose plan is carried out on the lights of a kitchen."""

from ossia_dataset.worfbench.tasks import Action, Environment, GoalChange, PlanTask

_LIGHT = {"house_place": "where", "device_type": "which", "change_to": "level"}
_ITEM = {"list_name": "which", "item_name": "what"}
_ALARM = {"event_name": "what for", "date": "day", "time": "time"}
ACTIONS = (
    Action(name="iot.iot_hue_lightoff", summary="Off.", parameters=_LIGHT, takes=2),
    Action(name="iot.iot_hue_lighton", summary="On.", parameters=_LIGHT),
    Action(name="lists.lists_createoradd", summary="Add.", parameters=_ITEM),
    Action(name="alarm.alarm_query", summary="Read.", parameters={"event_name": ""}),
    Action(name="alarm.alarm_set", summary="Set.", parameters=_ALARM),
    Action(name="no.server", summary="Nothing."),
)
OFF = 'iot.iot_hue_lightoff(house_place="kitchen")'
ON = (
    'iot.iot_hue_lighton(house_place="kitchen", device_type="counter light",'
    ' change_to="40 percent")'
)


def plan(*calls, edges=()):
    """A plan of these calls; what no edge leads to begins, what none leaves ends."""
    pairs = [(str(one), str(other)) for one, other in edges]
    for at in range(1, len(calls) + 1):
        if not any(other == str(at) for _, other in pairs):
            pairs.append(("START", str(at)))
        if not any(one == str(at) for one, _ in pairs):
            pairs.append((str(at), "END"))
    lines = "\n".join(f"{at}: {call}" for at, call in enumerate(calls, 1))
    return f"Node:\n{lines}\nEdge: " + " ".join(f"({one},{other})" for one, other in pairs)


def light(row, **values):
    return GoalChange(kind="changed", table="iot.lights", id=row, values=values)


TASK = PlanTask(
    id="light",
    suite="worfbench",
    utterance="Kitchen lights off, then the counter light on at 40 percent.",
    origin="embodied",
    workflow=plan(OFF, ON, edges=[(1, 2)]),
    actions=ACTIONS,
    environment=Environment(
        servers="assistant",
        changes=(light("light-3", on=False), light("light-4", on=True, brightness=40)),
    ),
)
