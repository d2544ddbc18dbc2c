"""What is refused before the engine starts anything."""

import subprocess
from pathlib import Path

import pytest

from penwright.errors import PermanentError, UsageMistake
from workers.engine import launch
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
