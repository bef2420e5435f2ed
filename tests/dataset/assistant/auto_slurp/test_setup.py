"""What gold requests suppose, and which of them are answered by a question."""

from datetime import datetime

import pytest

from ossia_dataset.assistant.auto_slurp.asking import asks_back
from ossia_dataset.assistant.auto_slurp.setup import setup_for
from ossia_dataset.tasks import Request

NOW = datetime(2026, 3, 13, 10, 0)


def request(url: str) -> Request:
    """Read a request from such text as ``alarm alarm_set time=07:00``."""
    domain, intent, *pairs = url.split(" ")
    params = dict(pair.split("=") for pair in pairs)
    return Request(
        domain=domain,
        params={"intent": intent, **{k: v.replace("_", " ") for k, v in params.items()}},
    )


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        (
            "calendar calendar_remove event_name=yoga date=2026-03-20",
            [
                "calendar calendar_remove descriptor=all",
                "calendar calendar_set event_name=yoga date=2026-03-20 time=20:00",
                "calendar calendar_set event_name=piano_lesson date=every_tuesday time=17:30",
                "calendar calendar_set event_name=car_inspection date=every_thursday time=08:15",
            ],
        ),
        (
            "calendar calendar_remove event_name=the_piano_lesson",
            [
                "calendar calendar_remove descriptor=all",
                "calendar calendar_set event_name=the_piano_lesson date=2026-03-14 time=20:00",
                "calendar calendar_set event_name=car_inspection date=every_thursday time=08:15",
            ],
        ),
        ("calendar calendar_remove", []),
        ("calendar calendar_remove descriptor=all", []),
        (
            "calendar calendar_query date=2026-03-09..2026-03-15 time=12:00..18:00",
            ["calendar calendar_set event_name=appointment date=2026-03-13 time=12:00"],
        ),
        (
            "calendar calendar_query event_name=lunch date=..2026-03-20 time=..18:00",
            ["calendar calendar_set event_name=lunch date=2026-03-20 time=18:00"],
        ),
        (
            "alarm alarm_remove date=2017-03-10",
            ["alarm alarm_set date=every_friday time=20:00"],
        ),
        (
            "alarm alarm_change from_time=07:00 to_time=08:00",
            ["alarm alarm_remove descriptor=all", "alarm alarm_set date=2026-03-14 time=07:00"],
        ),
        ("alarm alarm_change descriptor=weekly", []),
        (
            "lists lists_remove list_name=garden",
            ["lists lists_createoradd list_name=garden item_name=ruled_notebook"],
        ),
        (
            "lists lists_query list_name=garden date=2026-03-14",
            ["lists lists_createoradd list_name=garden item_name=ruled_notebook date=2026-03-14"],
        ),
        (
            "lists lists_remove item_name=soap",
            [
                "lists lists_remove descriptor=all",
                "lists lists_createoradd list_name=souvenirs item_name=ruled_notebook",
                "lists lists_createoradd list_name=shopping item_name=ruled_notebook",
                "lists lists_createoradd item_name=soap",
            ],
        ),
        (
            "lists lists_createoradd list_name=garden",
            [
                "lists lists_remove descriptor=all",
                "lists lists_createoradd list_name=souvenirs item_name=ruled_notebook",
            ],
        ),
        ("lists lists_query", []),
        (
            "email email_sendemail to_person=kim content=hello",
            ["email email_addcontact person=kim email_address=kim@mail.example"],
        ),
        ("email email_sendemail to_relation=mother content=hello", []),
        ("email email_sendemail to_person=kim email_address=kim@mail.example", []),
        ("email email_sendemail content=hello", []),
        (
            "email email_querycontact person=kim personal_info=work_number",
            [
                "email email_addcontact person=kim email_address=kim@mail.example "
                "personal_info=work_number_212_555_0199"
            ],
        ),
        ("iot iot_wemo_off device_type=plug", ["iot iot_wemo_on device_type=plug"]),
        ("weather weather_query", []),
    ],
)
def test_what_a_request_supposes_is_made(asked: str, made: list[str]) -> None:
    assert setup_for(request(asked), NOW) == tuple(map(request, made))


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("alarm alarm_set date=2026-03-14", True),
        ("alarm alarm_set time=06:00..12:00", True),
        ("alarm alarm_set time=06:00", False),
        ("alarm alarm_change descriptor=weekly", True),
        ("calendar calendar_set event_name=lunch", True),
        ("calendar calendar_set event_name=lunch date=2026-03-14", False),
        ("calendar calendar_remove descriptor=that_event", True),
        ("calendar calendar_remove descriptor=all", False),
        ("calendar calendar_remove", False),
        ("email email_sendemail content=hello", True),
        ("email email_sendemail to_person=this_person content=hello", True),
        ("email email_sendemail to_person=kim", False),
        ("email email_sendemail setting=reply content=hello", False),
        ("email email_addcontact", True),
        ("iot audio_volume_other", True),
        ("iot audio_volume_other change_to=ten", False),
        ("lists lists_createoradd", True),
        ("lists lists_query", False),
        ("qa qa_maths content=a_percentage", True),
        ("qa qa_maths content=two_plus_two", False),
        ("qa qa_maths content=two_plus", True),
        ("lists lists_remove descriptor=this", True),
        ("lists lists_remove descriptor=last", False),
        ("qa qa_definition", True),
    ],
)
def test_which_requests_ask_back(asked: str, question: bool) -> None:
    assert asks_back(request(asked)) is question
