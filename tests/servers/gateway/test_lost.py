"""What counts as time that the endpoint took from an episode."""

from ossia_servers.gateway.lost import LostTime


def test_trouble_lasts_from_the_failed_attempt_to_the_next():
    lost = LostTime()
    assert (lost.open, lost.total(100.0)) == (False, 0.0)
    lost.begin(1, 10.0)
    lost.begin(1, 25.0)
    assert (lost.open, lost.holds(1), lost.holds(2)) == (True, True, False)
    assert lost.total(30.0) == 20.0
    assert lost.end(1, 40.0)
    assert not lost.end(1, 50.0)
    assert (lost.open, lost.total(100.0)) == (False, 30.0)


def test_trouble_at_the_same_time_costs_the_time_once():
    lost = LostTime()
    lost.begin(1, 0.0)
    lost.begin(2, 5.0)
    lost.begin(3, 6.0)
    lost.end(3, 7.0)
    lost.end(1, 10.0)
    assert lost.total(12.0) == 12.0
    lost.end(2, 15.0)
    lost.begin(4, 20.0)
    assert lost.total(21.0) == 16.0
