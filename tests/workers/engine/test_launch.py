"""What is refused before the engine starts anything."""

import os
import subprocess
from pathlib import Path

import pytest

from penwright.errors import PermanentError, UsageMistake
from workers.engine import launch
from workers.home.folder import ChildRecord, Home, Record
from workers.settings import load


@pytest.mark.parametrize("start", [launch.run, launch.detach])
@pytest.mark.parametrize("variable", ["PENWRIGHT_ENCRYPTION_KEY", "PENWRIGHT_ENCRYPTION_OLD_KEYS"])
def test_an_invalid_key_is_named_before_any_server_is_started(
    tmp_path: Path, start: object, variable: str
) -> None:
    good = "A" * 43 + "="
    environ = {"PENWRIGHT_HOME": str(tmp_path / "home"), "PENWRIGHT_ENCRYPTION_KEY": good}
    environ[variable] = '["short"]' if variable.endswith("KEYS") else "short"
    assert callable(start)

    with pytest.raises(UsageMistake) as refused:
        start(load(environ, folder=tmp_path), lambda line: None)

    assert refused.value.code == "encryption-key-invalid"
    assert not (tmp_path / "home").exists()


def test_an_engine_that_is_stopped_while_it_starts_is_not_waited_for(tmp_path: Path) -> None:
    loaded = load({"PENWRIGHT_HOME": str(tmp_path / "home")}, folder=tmp_path)
    process = subprocess.Popen(["true"])
    process.wait()

    with pytest.raises(PermanentError) as ended:
        launch.wait_ready(loaded, lambda line: None, process)

    assert ended.value.code == "engine-ended"


def test_an_engine_that_starts_slowly_is_left_running_and_named_with_its_step(tmp_path: Path) -> None:
    loaded = load({"PENWRIGHT_HOME": str(tmp_path), "PENWRIGHT_CONFIG": ""}, folder=tmp_path)
    home = Home(tmp_path)
    home.make()
    home.log("activities").write_text('{"event": "starts", "step": "preparing the tables"}\n')
    late = ChildRecord(state="starting", step="preparing the tables")
    children = {"postgres": ChildRecord(state="ready"), "activities": late}
    record = Record(state="starting", pid=os.getpid(), started=0, version="1", children=children)

    def replaced(line: str) -> None:
        again = late.model_copy(update={"stuck": 1, "stood_at": "preparing the tables"})
        home.write(record.model_copy(update={"children": {**children, "activities": again}}))

    with home.hold() as held:
        assert held
        home.write(record)
        with pytest.raises(PermanentError) as slow:
            launch.wait_ready(loaded, replaced)

    assert slow.value.code == "engine-start-slow"
    assert slow.value.message == (
        "activities showed no progress for 60 s in its start (preparing the tables) and is replaced; "
        "ready and kept: postgres; still starting: activities: preparing the tables; "
        f"its log '{home.log('activities')}' ends: starts step=preparing the tables"
    )
    assert f"`PENWRIGHT_HOME={tmp_path} penwright up --detach` waits for it" in slow.value.details["hint"]
