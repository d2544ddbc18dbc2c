"""A form in an editor, on a real terminal, stored by a real engine."""

import json
import os
import pty
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.engine.home import EngineHome
from tests.support.engine.shared import console_script

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

_PATIENCE_S = 60


def test_what_is_typed_in_an_editor_on_a_terminal_is_stored(running_engine: EngineHome) -> None:
    name = f"Harbour {uuid4().hex[:8]}"
    penwright = str(console_script("penwright"))
    environ = {**running_engine.environ, "EDITOR": "sed -i s/port/small.port/"}
    asked = [penwright, "world", "create", name, "--description", "A port.", "--json"]
    made = json.loads(subprocess.check_output(asked, env=environ, timeout=_PATIENCE_S))
    id = made["world"]["id"]
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        [penwright, "world", "edit", id], env=environ, stdin=inner, stdout=inner, stderr=inner
    )
    os.write(terminal, b"y\n")
    code = process.wait(timeout=_PATIENCE_S)
    os.close(inner)
    shown = os.read(terminal, 65_536).decode()
    os.close(terminal)

    assert code == 0, shown
    assert "+  A small.port." in shown
    seen = subprocess.check_output([penwright, "world", "show", id, "--json"], env=environ, timeout=60)
    assert json.loads(seen)["world"]["notes"]["description"] == "A small.port."
    assert list((Path(environ["PENWRIGHT_HOME"]) / "drafts").iterdir()) == []
