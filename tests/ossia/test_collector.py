"""How often Python collects."""

import gc

from ossia.collector import collect_seldom


def test_a_process_that_ends_with_its_work_collects_less_often():
    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 10, 10)
        collect_seldom()
        assert gc.isenabled()
        assert gc.get_threshold() == (50_000, 10, 10)
    finally:
        gc.set_threshold(*before)
