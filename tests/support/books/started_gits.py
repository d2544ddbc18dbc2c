"""The git processes that a test starts."""

import subprocess
from collections.abc import Sequence
from typing import Any

import pytest


def note_started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that are started from now on, by name."""
    commands: list[str] = []

    class Noted(subprocess.Popen[bytes]):
        # Any: options of ``Popen``.
        def __init__(self, command: Sequence[str], **options: Any) -> None:
            commands.append(next(word for word in command[1:] if word != "-c" and "=" not in word))
            super().__init__(command, **options)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return commands
