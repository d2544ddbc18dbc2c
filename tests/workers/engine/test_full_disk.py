"""A full disk: the engine survives failed writes, lets no session begin, and goes on when there is space."""

import errno
import subprocess
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from penwright.errors import PermanentError
from workers.engine import condition, postgres, processes
from workers.engine.children import LONGEST_PAUSE_S, MOST_DEAD_STARTS, Child
from workers.engine.processes import Program
from workers.engine.supervisor import Supervisor
from workers.health.space_guard import SpaceGuard
from workers.home.folder import Home, Record
from workers.settings import Settings, load

FULL = OSError(errno.ENOSPC, "No space left on device")
TOO_MUCH_MB = "1000000000000"


def settings(folder: Path, **more: str) -> Settings:
    return load({"PENWRIGHT_HOME": str(folder), "PENWRIGHT_CONFIG": "", **more}).settings


def nearly_full(folder: Path) -> Settings:
    """Settings that ask for more free space than any disk has."""
    return settings(folder, PENWRIGHT_ENGINE__LEAST_FREE_MB=TOO_MUCH_MB)


def test_a_record_that_cannot_be_written_is_told_once_and_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    Home(tmp_path).make()
    loaded = load({"PENWRIGHT_HOME": str(tmp_path), "PENWRIGHT_CONFIG": ""})
    supervisor = Supervisor(loaded, told.append)

    def write(self: Home, record: Record) -> None:
        raise FULL

    with monkeypatch.context() as disk:
        disk.setattr(Home, "write", write)
        supervisor._note(state="ready")
        supervisor._note(state="ready")
    supervisor._note()

    found = Home(tmp_path).read()
    assert told == ["engine.json cannot be written: No space left on device"]
    assert found is not None
    assert found.state == "ready"


def test_a_child_that_cannot_be_started_is_started_later() -> None:
    full = True

    def make() -> Program:
        if full:
            raise FULL
        return Program(
            name="x", argv=("sleep", "60"), environ={}, folder=Path("/"), log=Path("/dev/null"), stop_s=1
        )

    child = Child("x", make, lambda child: True)
    with pytest.raises(OSError, match="No space"):
        child.look(100.0)
    child.postpone(100.0)
    full = False
    child.look(100.0 + LONGEST_PAUSE_S)

    assert child.pid is not None
    child.kill()


def test_a_child_that_died_on_a_full_disk_is_not_given_up() -> None:
    child = Child("x", lambda: pytest.fail("not started"), lambda child: False)
    child.quick_deaths, child.state = MOST_DEAD_STARTS, "given up"

    child.forgive()

    assert (child.state, child.quick_deaths) == ("waiting", 0)


def test_an_engine_whose_disk_is_low_is_not_ready_and_says_why() -> None:
    record = Record(state="ready", pid=1, started=0.0, version="1", lacks="disk-low")

    assert condition.ready(record).body["reason"] == "disk-low"


class _Step(ActivityInboundInterceptor):
    def __init__(self) -> None:
        pass

    async def execute_activity(self, input: ExecuteActivityInput) -> str:
        return "done"


async def step(kind: str, of: Settings) -> object:
    """What an activity of this name comes to."""
    environment = ActivityEnvironment()
    environment.info = environment.info.__class__(
        **{
            **{name: getattr(environment.info, name) for name in environment.info.__dataclass_fields__},
            "activity_type": kind,
        }
    )
    guarded = SpaceGuard(of).intercept_activity(_Step())
    given = ExecuteActivityInput(fn=step, args=(), executor=None, headers={})
    return await environment.run(guarded.execute_activity, given)


@pytest.mark.parametrize("opening", ["open_session", "open_manuscript", "survey_text", "begin_round"])
async def test_under_the_floor_no_session_of_any_pipeline_begins(opening: str, tmp_path: Path) -> None:
    with pytest.raises(ApplicationError) as refused:
        await step(opening, nearly_full(tmp_path))

    assert refused.value.type == "disk-low"
    assert not refused.value.non_retryable
    assert await step(opening, settings(tmp_path, PENWRIGHT_ENGINE__LEAST_FREE_MB="0")) == "done"


async def test_under_the_floor_a_session_that_runs_goes_on(tmp_path: Path) -> None:
    assert await step("close_session", nearly_full(tmp_path)) == "done"


def test_a_log_that_cannot_be_set_aside_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "models.log"
    log.write_bytes(b"x" * 100)

    def copy(source: Path, target: Path) -> None:
        target.write_bytes(b"x")
        raise FULL

    monkeypatch.setattr("shutil.copyfile", copy)
    processes.trim_log(log, largest=10)

    assert [file.name for file in tmp_path.iterdir()] == ["models.log"]
    assert log.stat().st_size == 100


def test_a_database_that_is_made_on_a_full_disk_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Home(tmp_path).make()

    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(
            [], 1, "", "initdb: error: could not write: No space left on device"
        )

    cluster = postgres.cluster(Home(tmp_path).postgres)
    monkeypatch.setattr("subprocess.run", run)
    with pytest.raises(PermanentError) as failed:
        postgres.prepare(cluster)

    assert failed.value.code == "disk-full"
