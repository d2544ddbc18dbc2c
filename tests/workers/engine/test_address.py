"""Where the workspace answers, or what to do when it does not."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from penwright.errors import EngineUnavailable
from workers.home.address import web_address
from workers.home.folder import ChildRecord, Home, Record
from workers.settings import load


@pytest.mark.parametrize(
    ("state", "said", "hint"),
    [
        ("given up", "was given up", "`penwright logs web` says why"),
        ("waiting", "not ready: waiting", "wait a moment"),
    ],
)
def test_a_workspace_that_does_not_answer_is_told_with_what_helps(
    tmp_path: Path, state: str, said: str, hint: str
) -> None:
    settings = load({"PENWRIGHT_HOME": str(tmp_path)}, folder=tmp_path).settings
    home = Home(settings.home)
    home.make()
    children = {"web": ChildRecord(state=state)}
    record = Record(
        state="ready", pid=os.getpid(), started=time.time(), version="1", web="http://x", children=children
    )
    with home.hold() as held:
        assert held
        home.write(record)
        with pytest.raises(EngineUnavailable) as refused:
            web_address(settings)

    assert refused.value.code == "web-not-running"
    assert said in refused.value.message
    assert hint in refused.value.details["hint"]


def test_waiting_for_the_workspace_is_shown_while_it_starts(tmp_path: Path) -> None:
    settings = load({"PENWRIGHT_HOME": str(tmp_path)}, folder=tmp_path).settings
    home = Home(settings.home)
    home.make()
    record = Record(state="ready", pid=os.getpid(), started=time.time(), version="1", web="http://x")
    seen: list[str] = []

    @contextmanager
    def waiting() -> Iterator[None]:
        seen.append("begins")
        home.write(record.model_copy(update={"children": {"web": ChildRecord(state="ready")}}))
        yield
        seen.append("ends")

    with home.hold() as held:
        assert held
        home.write(record.model_copy(update={"children": {"web": ChildRecord(state="starting")}}))
        assert web_address(settings, waiting) == "http://x"
        assert seen == ["begins", "ends"]
        assert web_address(settings, waiting) == "http://x"
        assert seen == ["begins", "ends"]
