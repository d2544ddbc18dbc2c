"""What the demo says when a command of it fails."""

from pathlib import Path

import pytest

from gateway.cli.demo_stage import Stage, environment_at
from gateway.cli.output import Printer
from penwright.errors import PermanentError


def test_a_command_that_fails_is_told_in_words_with_a_log_that_is_there(tmp_path: Path) -> None:
    place = tmp_path / "demo"
    place.mkdir()
    stage = Stage(Printer(False), place, place, environment_at(place, "# Every default.\n"))

    with pytest.raises(PermanentError) as failed:
        stage.call("book", "session", str(place / "none"))

    assert "{" not in failed.value.message
    assert failed.value.message.startswith(f"`penwright book session {place / 'none'}` failed: ")
    assert str(place / "home/logs") in failed.value.details["hint"]
