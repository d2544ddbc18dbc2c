"""What is refused before the engine starts anything."""

from pathlib import Path

import pytest

from penwright.errors import UsageMistake
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
