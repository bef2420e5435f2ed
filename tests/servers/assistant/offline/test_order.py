"""The offline model's order of work is the team's."""

from itertools import product

import pytest

from ossia_dataset import normalise
from ossia_servers.assistant.offline.plan import needed_roles
from ossia_workflows.assistant import PLACE_SLOTS, TIME_SLOTS, stages

SLOTS = ((), ("date",), ("place_name",), ("to_time", "from_place_name"), ("house_place", "query"))


@pytest.mark.parametrize(("domain", "slots"), list(product(("general", "alarm"), SLOTS)))
def test_it_calls_the_roles_of_the_team(domain, slots):
    assert tuple(needed_roles(domain, slots)) == stages(domain, dict.fromkeys(slots, "x"))


def test_one_list_of_time_and_place_slots():
    assert set(normalise.TIME_SLOTS) == TIME_SLOTS
    assert set(normalise.PLACE_SLOTS) == PLACE_SLOTS
