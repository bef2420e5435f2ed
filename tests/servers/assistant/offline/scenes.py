"""Requests for the tests: captured ones, and ones built from the same parts."""

import json
from pathlib import Path

CAPTURED = Path(__file__).resolve().parents[3] / "adapters"

UTTERANCE = "add lunch with anna in dallas to my calendar on friday at noon"
INTENT = {
    "domain": "calendar",
    "intent": "calendar_set",
    "slots": {"event_name": "lunch", "place_name": "dallas", "date": "friday", "time": "noon"},
}
TIME = {"time_slots": {"date": "2026-03-20", "time": "12:00"}}
PLACE = {"place_slots": {"place_name": "Dallas, Texas"}}
URL = {
    "url": "/calendar?intent=calendar_set&event_name=lunch&place_name=Dallas%2C+Texas"
    "&date=2026-03-20&time=12%3A00"
}
ANSWER = {
    "status": 200,
    "body": {"code": "SUCCESS", "msg": "ok", "data": {"response": "Done.", "query": {}}},
}
TODAY = {"date": "2026-03-13", "weekday": "Friday", "time": "10:00"}
STEPS = [
    ("intent", INTENT),
    ("time", TIME),
    ("location", PLACE),
    ("url", URL),
    ("request", ANSWER),
]
ORDER = ["intent", "time", "location", "url", "request", "response"]


def captured(adapter):
    """Return name and body of every captured request of an adapter, in order."""
    files = sorted((CAPTURED / adapter / "requests").glob("*.json"))
    return [(file.stem, json.loads(file.read_text(encoding="utf-8"))) for file in files]


def says(utterance):
    return f"The user says: {json.dumps(utterance, ensure_ascii=False)}"


def request(role, *turns, utterance=UTTERANCE, system="You are an agent.", **options):
    """Build a request with one message for each earlier turn (role, object or text)."""
    spoken = [
        {
            "role": "user",
            "name": name,
            "content": said if isinstance(said, str) else json.dumps(said),
        }
        for name, said in turns
    ]
    return {
        "model": f"ossia-{role}",
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": says(utterance)},
            *spoken,
        ],
        **options,
    }


def tool(name, *parameters):
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": "A tool.",
            "parameters": {
                "type": "object",
                "properties": {parameter: {"type": "string"} for parameter in parameters},
            },
        },
    }


def returned(body, call, content):
    """Return a request with the answer to a tool call appended, as frameworks do."""
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": call["id"], "content": content}
    return {**body, "messages": [*body["messages"], message, answer]}
