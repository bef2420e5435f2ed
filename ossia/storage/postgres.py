"""A PostgreSQL database that keeps runs: its address, connections, locks and errors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from ossia.errors import UserError
from ossia.storage.database import STORE_VERSION, Dialect, StoreError, Table

if TYPE_CHECKING:
    import psycopg

DIALECT: Final = Dialect(
    # By bytes, as SQLite sorts, in whatever language the database is.
    key='TEXT COLLATE "C"',
    binary="BYTEA",
    real="DOUBLE PRECISION",
    end="",
)

_CONNECT_SECONDS: Final = 10
_READ_AT_ONCE: Final = 64
_MOST: Final = 300
"""What a server says may be long."""

# The server lets go of the locks of a machine that is gone after about two minutes. What waits for
# a lock of another session, such as a table's while it is deleted, gives up.
_SETTINGS: Final = (
    "-c tcp_keepalives_idle=60 -c tcp_keepalives_interval=15 -c tcp_keepalives_count=4"
    " -c lock_timeout=30000 -c idle_in_transaction_session_timeout=0"
)


class Address:
    """The address of a database, which may hold a password that is never shown."""

    def __init__(self, url: str) -> None:
        """Read `postgresql://USER:PASSWORD@HOST:PORT/NAME`, whose parts may all be left out.

        Raises:
            UserError: it is no such address, or the driver is not installed.
        """
        try:
            from psycopg import ProgrammingError
            from psycopg.conninfo import conninfo_to_dict
        except ImportError:
            raise UserError("a store in PostgreSQL needs psycopg: install ossia[scale]") from None
        try:
            self._parts: dict[str, Any] = dict(conninfo_to_dict(url))
        except ProgrammingError:
            # Its own words may quote the password.
            raise UserError(
                "--store is not the address of a PostgreSQL database, such as"
                " postgresql://USER@HOST:5432/NAME"
            ) from None
        known = {"host", "port", "user", "dbname"}
        user, host, port, name = (self._parts.get(k) for k in ("user", "host", "port", "dbname"))
        where = f"{host or ''}{f':{port}' if port else ''}"
        self.shown = f"postgresql://{f'{user}@' if user else ''}{where}/{name or ''}"
        self.url = self._without_password()
        self.digest = hashlib.sha256(
            repr(sorted((k, v) for k, v in self._parts.items() if k in known - {"user"})).encode()
        ).hexdigest()[:8]
        """The same for every user and password of the database."""

    def _without_password(self) -> str:
        """The address as it can be given again, which a file or a variable adds a password to."""
        told = {k: v for k, v in self._parts.items() if k not in ("password", "sslpassword")}
        user, host = quote(str(told.pop("user", ""))), str(told.pop("host", ""))
        name, port = quote(str(told.pop("dbname", ""))), str(told.pop("port", ""))
        if host.startswith("/") or "," in host:
            told, host = {"host": host, **told}, ""
        more = f"?{urlencode(told, quote_via=quote)}" if told else ""
        where = f"[{host}]" if ":" in host else host
        begin, end = f"{user}@" if user else "", f":{port}" if port else ""
        return f"postgresql://{begin}{where}{end}/{name}{more}"

    def __repr__(self) -> str:
        return f"Address({self.shown})"

    def connect(self, **parameters: object) -> PostgresDatabase:
        """Connect.

        Args:
            parameters: parameters of the connection, where the address has none of that name.

        Raises:
            StoreError: the server cannot be reached, refuses, or does not keep text as UTF-8.
        """
        import psycopg

        with self.told():
            given = str(self._parts.get("options", ""))
            parts = {
                "connect_timeout": _CONNECT_SECONDS,
                "application_name": "ossia",
                **parameters,
                **self._parts,
                "options": f"{_SETTINGS} {given}".strip(),
                "client_encoding": "UTF8",
            }
            connection = psycopg.connect(**parts, autocommit=True)
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            connection.close()
            raise StoreError(
                f"{self.shown} keeps text as {encoding}, and a store needs UTF8: create the"
                " database with ENCODING 'UTF8' TEMPLATE template0"
            )
        return PostgresDatabase(connection, self)

    @contextmanager
    def told(self) -> Iterator[None]:
        """Raise as `StoreError` what the driver raises inside."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            raise StoreError(f"the store {self.shown}: {self._said(error)}") from None

    def _said(self, error: Exception) -> str:
        said = " ".join(str(error).split()) or type(error).__name__
        password = str(self._parts.get("password") or "")
        if password:
            said = said.replace(password, "***")
        return said if len(said) <= _MOST else f"{said[:_MOST]} ..."


class PostgresDatabase:
    """One connection. Locks that it takes are held until it is closed, or its process ends."""

    def __init__(self, connection: psycopg.Connection[Any], address: Address) -> None:
        """Take over a connection in autocommit mode."""
        self.connection = connection
        self.address = address
        self.version = STORE_VERSION
        self._lost: StoreError | None = None

    @contextmanager
    def _told(self) -> Iterator[None]:
        """As the address tells errors; a lost connection is told of by what it was lost with."""
        try:
            with self.address.told():
                yield
        except StoreError as error:
            if not self.connection.closed:
                raise
            if self._lost is None:
                self._lost = error
            raise self._lost from None

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        """Carry out a statement; returns how many rows it has changed."""
        with self._told():
            return self.connection.execute(_marked(statement), values or None).rowcount

    def change_many(self, statement: str, lines: Sequence[Sequence[object]]) -> None:
        """Carry out a statement for each of several lines of values."""
        with self._told(), self.connection.cursor() as cursor:
            cursor.executemany(_marked(statement), lines)

    def rows(self, statement: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that a statement finds."""
        with self._told():
            found = self.connection.execute(_marked(statement), values or None).fetchall()
        yield from found

    def row(self, statement: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """Return the first row that a statement finds, or None."""
        with self._told():
            found = self.connection.execute(_marked(statement), values or None).fetchone()
        return None if found is None else tuple(found)

    def all_of(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Yield all rows of a table in its order, never holding them all."""
        statement = f"SELECT * FROM {table.name} ORDER BY {table.order}"
        with self.together(), self.connection.cursor(name="all_of") as cursor:
            cursor.itersize = _READ_AT_ONCE
            yield from cursor.execute(_marked(statement))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make what is changed inside durable at its end, all of it or nothing."""
        with self._told(), self.connection.transaction():
            yield

    def lock(self, what: str, *, shared: bool = False) -> bool:
        """Take a lock of the database by its name; returns whether it was free."""
        kind = "_shared" if shared else ""
        row = self.row(f"SELECT pg_try_advisory_lock{kind}(?)", (_number(what),))
        return row is not None and bool(row[0])

    def wait_for(self, what: str) -> None:
        """Wait for a lock, which is held until the transaction ends."""
        self.change("SELECT pg_advisory_xact_lock(?)", (_number(what),))

    def within(self, namespace: str) -> None:
        """Mean the tables of one namespace from now on."""
        self.change(f'SET search_path TO "{namespace}"')

    def size(self, namespace: str) -> int:
        """Return how many bytes the tables of a namespace take on the server."""
        row = self.row(
            "SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::BIGINT FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = ? AND c.relkind = 'r'",
            (namespace,),
        )
        return 0 if row is None else int(row[0])

    def close(self) -> None:
        """Close the connection and give its locks back."""
        self.connection.close()


def _marked(statement: str) -> Any:
    """A statement with the driver's marks for values; ours hold no other question mark."""
    return statement.replace("?", "%s").encode()


def _number(what: str) -> int:
    digest = hashlib.sha256(f"ossia {what}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
