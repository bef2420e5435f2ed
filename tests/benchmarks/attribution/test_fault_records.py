"""Faults are drawn, written and read."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.attribution.fault_records import drawn_beside, faults_of, faults_text
from benchmarks.attribution.injection import InjectedFault
from ossia_servers.assistant.offline.faults import FaultType
from tests.benchmarks.attribution.support import attempt

FAULTS = st.builds(
    lambda fault, at, seed: InjectedFault(fault.role, fault, at, seed),
    st.sampled_from(list(FaultType)),
    st.integers(0, 9),
    st.integers(0, 999),
)


@given(st.lists(FAULTS, min_size=1, max_size=4))
def test_faults_are_read_as_they_are_written(faults):
    assert faults_of(attempt(f"single|wake|{faults_text(faults)}")) == tuple(faults)


def test_harmless_faults_come_beside_others_by_chance_and_never_twice_in_a_role():
    pool = [
        InjectedFault("time", FaultType.TIME_WRONG),
        InjectedFault("url", FaultType.URL_MALFORMED),
    ]
    drawn = [drawn_beside(pool, {"url"}, Random(seed)) for seed in range(200)]
    assert {fault.role for faults in drawn for fault in faults} == {"time"}
    assert 0.2 < sum(map(len, drawn)) / 200 < 0.4
