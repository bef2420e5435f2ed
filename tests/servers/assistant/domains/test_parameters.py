"""Whatever the roles put together from a frame, the server of its domain takes it."""

import pytest

from ossia_dataset.normalise import PLACE_SLOTS, TIME_SLOTS
from ossia_servers.assistant.catalogue import load_domains
from ossia_servers.worlds.domain import Domain
from ossia_servers.worlds.schema import Kind

DOMAINS = [pytest.param(domain, id=domain.name) for domain in load_domains()]


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_date_and_a_time_come_together(domain: Domain) -> None:
    # "Tonight" is both, whichever slot it stands in.
    assert (domain.field("date") is None) is (domain.field("time") is None)


@pytest.mark.parametrize("domain", DOMAINS)
def test_slots_that_get_a_normal_form_are_of_its_kind(domain: Domain) -> None:
    for item in domain.fields:
        if item.name in TIME_SLOTS:
            assert item.kind is (Kind.DATE if item.name == "date" else Kind.TIME)
        else:
            assert item.kind not in (Kind.DATE, Kind.TIME)
        assert (item.name in PLACE_SLOTS) is (item.kind is Kind.PLACE)
