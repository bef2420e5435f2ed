"""Figures that are kept of episodes: who trusts them, and runs that are older than they are."""

from dataclasses import dataclass

import pytest

from ossia.runner.figures import Figures
from ossia.runner.moved import export_place, import_run
from ossia.runner.results import rescore, rows_of
from ossia.runner.store import RunStore
from ossia.session import open_store
from ossia.storage.database import READ_VERSIONS, STORE_VERSION
from ossia.suites import find_suite
from ossia_dataset.tasks import dataset_hash
from ossia_evaluation.grade import Verdict
from tests.evaluation.support import WAKE, gold_play
from tests.ossia.storage.test_stores import CONFIG

SUITE = find_suite("assistant")
DOMAINS = SUITE.domains("test")
TASKS = {WAKE.id: WAKE}
RUN = CONFIG.model_copy(
    update={"task_ids": (WAKE.id,), "dataset_hash": dataset_hash([WAKE]), "repeats": 2}
)


@dataclass
class Kept:
    """A run of two episodes, and the figures that its traces give."""

    catalog: object
    rows: tuple

    def change(self, statement, values=()):
        with open_store(RUN, self.catalog) as store:
            assert store._db.change(statement, values)

    def read(self):
        with RunStore(self.catalog.find(RUN.run_id)) as store:
            return rows_of(store, TASKS)


@pytest.fixture
def kept(catalog):
    figures, rows = Figures(RUN), []
    with open_store(RUN, catalog) as store:
        for repeat in (1, 2):
            play = gold_play(WAKE)
            key = play.trace().episode.model_copy(
                update={
                    "id": f"control.{WAKE.id}.{repeat}",
                    "framework": "control",
                    "repeat": repeat,
                }
            )
            trace = play.trace().model_copy(update={"episode": key})
            grade = SUITE.grader(DOMAINS).score(WAKE, trace)
            assert store.put(trace, grade, figures.record(WAKE, trace, grade))
            rows.append(figures.of(WAKE, trace, grade).row)
    return Kept(catalog, tuple(rows))


def test_a_report_reads_no_trace_of_which_figures_are_kept(kept):
    kept.change("UPDATE episodes SET trace = ?", (b"damaged",))
    assert kept.read() == kept.rows


@pytest.mark.parametrize(
    ("column", "value"),
    [("made_by", "other code"), ("figures", "{"), ("figures", '{"row": {"episode": "x"}}')],
)
def test_other_codes_and_damaged_figures_are_made_anew(kept, column, value):
    kept.change(f"UPDATE figures SET {column} = ?", (value,))
    assert kept.read() == kept.rows


def test_figures_of_another_episode_do_not_count(kept):
    kept.change(
        "UPDATE figures SET figures = (SELECT figures FROM figures WHERE episode = ?)",
        (kept.rows[0].episode,),
    )
    assert kept.read() == kept.rows


def test_another_grade_brings_figures_of_its_own(kept):
    first, second = (row.episode for row in kept.rows)
    with open_store(RUN, kept.catalog) as store:
        grade = store.score(first).model_copy(update={"verdict": Verdict.FAILURE})
        store.put_scores(iter([(first, grade, None)]))
    assert [row.verdict for row in kept.read()] == [Verdict.FAILURE, Verdict.SUCCESS]
    with open_store(RUN, kept.catalog) as store:
        assert rescore(store, TASKS, DOMAINS) == 1
        assert {name for name, found in store.figures([first, second]) if found} == {first, second}
    assert kept.read() == kept.rows


def made_old(catalog):
    """Make a run one of the version before."""
    place = catalog.find(RUN.run_id)
    db = place.open_run("write")
    db.change("DROP TABLE figures")
    if hasattr(place, "address"):
        db.change("UPDATE ossia.runs SET version = 1 WHERE id = ?", (RUN.run_id,))
    else:
        db.change("PRAGMA user_version = 1")
    db.close()
    return place


def test_a_run_of_the_version_before_is_read_moved_and_renewed(kept, tmp_path):
    assert {1, STORE_VERSION} == READ_VERSIONS
    place = made_old(kept.catalog)
    assert kept.read() == kept.rows
    (told,) = kept.catalog.list()
    assert (told.done, told.problem) == (2, None)
    export_place(place, tmp_path / "old.tar.gz")
    place.delete()
    import_run(tmp_path / "old.tar.gz", kept.catalog)
    assert kept.read() == kept.rows
    with open_store(RUN, kept.catalog) as store:
        assert rescore(store, TASKS, DOMAINS) == 0
    kept.change("UPDATE episodes SET trace = ?", (b"damaged",))
    assert kept.read() == kept.rows
