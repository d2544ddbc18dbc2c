"""A home: its record, its lock, and homes that cannot be used."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from penwright.errors import EngineUnavailable, PassingError, PermanentError
from tests.support.engine.home import EngineHome, engine_home
from workers.engine import postgres, processes, temporal
from workers.home.address import address
from workers.home.folder import ChildRecord, Home, Record
from workers.settings import load


def home(folder: Path) -> Home:
    """A usable home in ``folder``."""
    found = Home(folder)
    found.make()
    return found


def record(**changes: object) -> Record:
    """A record that claims a running engine."""
    fields = {"state": "ready", "pid": os.getpid(), "started": 0.0, "version": "1"}
    return Record.model_validate({**fields, **changes})


def test_an_engine_record_round_trips(tmp_path: Path) -> None:
    kept = record(temporal="127.0.0.1:1", children={"models": ChildRecord(state="ready", pid=7)})

    home(tmp_path).write(kept)

    assert Home(tmp_path).read() == kept
    assert [file.name for file in tmp_path.glob(".engine*")] == []


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"state": 3}', "\x00\xff"])
def test_a_damaged_record_counts_as_missing(tmp_path: Path, damage: str) -> None:
    home(tmp_path).record_file.write_text(damage)

    assert Home(tmp_path).read() is None


def test_a_home_has_one_holder_and_names_it(tmp_path: Path) -> None:
    with home(tmp_path).hold() as held, Home(tmp_path).hold() as second:
        holder = Home(tmp_path).holder()

    assert (held, second) == (True, False)
    assert holder == psutil.Process()
    assert Home(tmp_path).holder() is None


def test_the_lock_of_a_killed_holder_is_free(tmp_path: Path) -> None:
    home(tmp_path)
    program = (
        "import sys, time; from pathlib import Path; from workers.home.folder import Home\n"
        f"with Home(Path({str(tmp_path)!r})).hold() as held: print(held, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        assert Home(tmp_path).holder() == psutil.Process(other.pid)
        other.kill()
        other.wait()

    assert Home(tmp_path).holder() is None
    with Home(tmp_path).hold() as held:
        assert held


def test_an_uncreatable_home_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(PermanentError) as caught:
        Home(tmp_path / "file" / "home").make()

    assert caught.value.code == "home-not-writable"
    assert "PENWRIGHT_HOME" in caught.value.message
    assert "export PENWRIGHT_HOME=" in caught.value.details["hint"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_home_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(PermanentError) as caught:
        Home(tmp_path).make()

    assert caught.value.code == "home-not-writable"


def test_a_stopped_engine_is_unavailable_despite_its_record(tmp_path: Path) -> None:
    home(tmp_path).write(record(temporal="127.0.0.1:1", database_url="postgresql://"))
    settings = load({"PENWRIGHT_HOME": str(tmp_path), "PENWRIGHT_CONFIG": ""}).settings

    with pytest.raises(EngineUnavailable) as caught:
        address(settings)

    assert caught.value.code == "engine-not-running"
    assert "penwright up" in caught.value.message


def test_a_remote_engine_needs_no_home() -> None:
    settings = load(
        {
            "PENWRIGHT_CONFIG": "",
            "PENWRIGHT_HOME": "/nowhere",
            "TEMPORAL_ADDRESS": "cloud:7233",
            "PENWRIGHT_DATABASE_URL": "postgresql://db/x",
        }
    ).settings

    found = address(settings)

    assert (found.temporal, found.database_url) == ("cloud:7233", "postgresql://db/x")


def test_a_second_server_on_one_database_file_is_refused(tmp_path: Path) -> None:
    database = tmp_path / "temporal.db"

    with temporal.hold_database(database), pytest.raises(PassingError) as caught:  # noqa: SIM117
        with temporal.hold_database(database, patience_s=0):
            pass

    assert caught.value.code == "temporal-database-held"
    assert "again in a moment" not in caught.value.details["hint"]
    with temporal.hold_database(database):
        pass


def test_a_held_database_names_the_process_that_holds_it_and_what_ends_it(tmp_path: Path) -> None:
    database = tmp_path / "temporal.db"
    with temporal.hold_database(database) as lock:
        server = subprocess.Popen(["sleep", "60"], pass_fds=[lock])
    with server:
        with pytest.raises(PassingError) as caught, temporal.hold_database(database, patience_s=0):
            pass
        (ends,) = re.findall(r"`kill (\d+)`", caught.value.details["hint"])
        server.send_signal(signal.SIGTERM)

    assert int(ends) == server.pid
    with temporal.hold_database(database):
        pass


def test_a_configured_temporal_must_be_a_program(tmp_path: Path) -> None:
    with pytest.raises(PermanentError) as caught:
        temporal.binary(tmp_path / "temporal", None)

    assert caught.value.code == "temporal-cli-missing"


def test_a_temporal_on_the_path_wins_over_the_packaged_one(tmp_path: Path) -> None:
    program = tmp_path / "temporal"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)

    assert temporal.binary(None, str(tmp_path)) == program
    assert temporal.binary(None, None) != program


def test_a_taken_port_is_not_offered() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port: int = taken.getsockname()[1]

        assert processes.free_port(port) != port


def test_the_end_of_a_log_is_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "models.log"
    log.write_text("".join(f"line {number}\n" for number in range(5_000)))

    assert processes.tail(log, 2) == "line 4998\nline 4999"
    assert processes.tail(tmp_path / "missing.log") == ""
    assert processes.tail(tmp_path / "missing.log", since=9) == ""


def test_the_end_of_a_log_can_be_of_one_start_only(tmp_path: Path) -> None:
    log = tmp_path / "child.log"
    log.write_text("of the start before\n")
    before = processes.size_of(log)

    assert processes.tail(log, since=before) == ""
    with log.open("a") as more:
        more.write("of this one\n")
    assert processes.tail(log, since=before) == "of this one"
    log.write_text("set aside\n")
    assert processes.tail(log, since=before) == "set aside"


def test_a_long_log_is_set_aside(tmp_path: Path) -> None:
    log = tmp_path / "models.log"
    log.write_text("more than ten bytes")

    processes.trim_log(log, largest=10)
    processes.trim_log(log, largest=10)

    assert (log.read_text(), (tmp_path / "models.log.1").read_text()) == ("", "more than ten bytes")


def test_a_home_with_a_long_path_gets_a_socket_with_a_short_one(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 60) / ("y" * 60)

    short, other = postgres.cluster(deep).socket, postgres.cluster(deep.parent).socket

    assert len(os.fsencode(short / ".s.PGSQL.5432")) <= postgres.LONGEST_SOCKET
    assert short != other


@pytest.fixture
def engine() -> EngineHome:
    """A home without an engine."""
    return engine_home()


def test_a_taken_fixed_port_is_reported_and_no_process_is_left(engine: EngineHome) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        blocked = EngineHome(engine.folder, {**engine.environ, "PENWRIGHT_ENGINE__PORT": str(port)})

        done = blocked.cli("up", "--detach")

    assert done.returncode == 1
    assert f"port {port} of the setting 'engine.port' is in use" in done.stderr
    assert blocked.home.holder() is None
    assert f"port {port}" in blocked.cli("status").stdout
    blocked.remove()


@pytest.mark.long
@pytest.mark.server
@pytest.mark.xdist_group("engine")
def test_postgres_starts_despite_leftovers_of_a_killed_server(engine: EngineHome) -> None:
    engine.home.make()
    cluster = postgres.cluster(engine.home.postgres)
    postgres.prepare(cluster)
    program = postgres.program(cluster, log=engine.home.log("postgres"), environ=engine.environ)

    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    cluster.pid_file.write_text(f"{stranger.pid}\n{cluster.data}\n")
    postgres.prepare(cluster)
    assert not cluster.pid_file.exists(), "a reused pid does not block a start"
    assert stranger.poll() is None, "and the stranger lives"
    stranger.communicate()

    orphan = processes.spawn(program)
    while not postgres.ready(cluster, orphan.pid):
        assert orphan.poll() is None
    postgres.prepare(cluster)
    assert orphan.wait(10) is not None, "an orphaned server is ended"

    killed = processes.spawn(program)
    while not postgres.ready(cluster, killed.pid):
        assert killed.poll() is None
    killed.kill()
    killed.wait()
    postgres.prepare(cluster)
    again = processes.spawn(program)
    while not postgres.ready(cluster, again.pid):
        assert again.poll() is None
    again.send_signal(signal.SIGINT)
    again.wait(20)
    engine.remove()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives PostgreSQL an account of its own")
def test_root_gives_postgresql_an_account_where_path_has_no_folder_of_the_system(tmp_path: Path) -> None:
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "from workers.engine import postgres; print(postgres._useradd(), postgres.server_account())",
        ],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        check=True,
        text=True,
    )

    assert said.stdout.startswith("/")
    assert "Account(" in said.stdout
    assert said.stderr == ""
