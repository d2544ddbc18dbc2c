"""Git processes of a session of a book, those of the command and of its steps together, and of its status."""

from pathlib import Path
from typing import Any

import pytest

from penwright.adapters.workspace.git.commands import GitCommands
from penwright.domain.book.files.layout import REVIEW
from tests.support.gateway.services import Run

SESSION, STATUS = 30, 9
"""The most of each, without a remote."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that are started from now on."""
    commands, execute = [], GitCommands.execute

    def counting(self: GitCommands, command: Any, *rest: Any, **options: Any) -> Any:
        commands.append(" ".join(map(str, command)).rpartition(" -c ")[2])
        return execute(self, command, *rest, **options)

    monkeypatch.setattr(GitCommands, "execute", counting)
    return commands


def test_a_session_and_its_status_start_few_gits(book: Path, run: Run, started: list[str]) -> None:
    for _ in range(2):
        started.clear()
        assert run("book", "session", str(book))[0] == 0
        assert len(started) <= SESSION, started
        with (book / REVIEW).open("a", encoding="utf-8") as review:
            review.write("\nBy hand.\n")

    started.clear()
    assert run("book", "status", str(book))[0] == 0
    assert len(started) <= STATUS, started
