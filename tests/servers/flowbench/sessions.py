"""Sessions for tests, with a service that answers from a table."""

from ossia_dataset.flowbench.sessions import Answer, Aside, Move, SessionTask, Wish
from ossia_servers.flowbench.walk import walk
from ossia_workflows.flowbench import role_scenarios

RIDE = Wish(
    scenario="ride-booking",
    slots={
        "pickup": "Market Square",
        "destination": "Harbour Road 7",
        "car": "van",
        "passenger": "Ida Holm",
    },
    moves=(
        Move(step="which_place", act="chooses", slots={"pickup": "Market Square North"}),
        Move(step="quote", act="changes", slots={"car": "standard"}),
        Move(step="quote", act="accepts"),
    ),
)
WHERE = Wish(
    scenario="ride-inquiry",
    slots={"ride_number": "R-4471"},
    moves=(Move(step="approaching", act="declines"),),
)
PLACES = ["Market Square North", "Market Square South"]
ANSWERS = (
    Answer(
        tool="locate",
        arguments={"address": "Market Square"},
        result={"result": "ambiguous", "stop": "", "choices": PLACES},
    ),
    Answer(
        tool="locate",
        arguments={"address": "Market Square North"},
        result={"result": "served", "stop": "MS-9", "choices": []},
    ),
    *(
        Answer(
            tool="fare",
            arguments={"from_stop": "MS-9", "destination": "Harbour Road 7", "car": car},
            result={
                "available": True,
                "price": price,
                "pickup_minutes": minutes,
                "next_free": "17:40",
            },
        )
        for car, price, minutes in (("van", 31.5, 12), ("standard", 18.75, 6))
    ),
    Answer(
        tool="order_car",
        arguments={
            "from_stop": "MS-9",
            "destination": "Harbour Road 7",
            "car": "standard",
            "passenger": "Ida Holm",
        },
        result={"ride_number": "R-8820", "plate": "KX-311", "pin": "0417"},
    ),
    Answer(
        tool="track_ride",
        arguments={"ride_number": "R-4471"},
        result={
            "state": "approaching",
            "plate": "BT-902",
            "minutes_away": 4,
            "meeting_point": "gate 2",
        },
    ),
)
SCENARIOS = role_scenarios("ride_service")
OPENING = "Hello, I need a car."


def session(*wishes, asides=(), name="ride-1"):
    return SessionTask(
        id=name,
        suite="flowbench",
        utterance=OPENING,
        seed=name,
        role="ride_service",
        field="Travel&Transportation",
        wishes=wishes or (RIDE,),
        answers=ANSWERS,
        asides=tuple(Aside(turn=turn, kind=kind) for turn, kind in asides),
    )


def service(tool, arguments):
    return next(
        answer.result
        for answer in ANSWERS
        if answer.tool == tool and answer.arguments == dict(arguments)
    )


def gold(task):
    return walk(task, SCENARIOS, service)
