"""A stage for commands about worlds: a store with worlds, an editor that types what a test says."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from gateway.cli import asking
from penwright.ports.scenes import Worlds
from schemas.lore import Lorebook
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World
from tests.support.gateway.services import Run, StageServices

MakeScene = Callable[..., Scene]
"""Title and fields -> the scene, stored."""
Answer = Callable[..., Any]
"""Arguments of a command line, with ``code=`` its expected exit code -> its JSON."""
Says = Callable[..., list[str]]
"""Answers to questions -> the questions, as they are asked."""
Types = Callable[..., None]
"""Texts that the editor saves, one for each time it is opened."""


@pytest.fixture
def worlds(services: StageServices, tmp_path: Path) -> Worlds:
    services.drafts = tmp_path / "drafts"
    return services.store.worlds


@pytest.fixture
def answer(run: Run, worlds: Worlds) -> Answer:
    def answer(*arguments: str, code: int = 0, stdin: bytes | None = None) -> Any:
        ended, out, err = run(*arguments, "--json", stdin=stdin)
        assert ended == code, (out, err)
        return json.loads(out)

    return answer


@pytest.fixture
def scene(answer: Answer, worlds: Worlds) -> MakeScene:
    """Makes a scene in an arc of its own."""

    def make(title: str, **fields: Any) -> Scene:
        world = answer("world", "create", f"World of {title}")["world"]["id"]
        campaign = answer("campaign", "create", f"Story of {title}", "--world", world)["campaign"]["id"]
        arc = answer("campaign", "arc", "add", f"Arc of {title}", "--campaign", campaign)["arc"]["id"]
        return worlds.create(Scene(id="", arc=arc, title=title, **fields))

    return make


def left(worlds: Worlds) -> list[str]:
    """Ids of everything that is stored."""
    kinds: tuple[Any, ...] = (World, Campaign, Arc, Scene, Character, Persona, Lorebook)
    return [each.id for kind in kinds for each in worlds.list(kind)]


@pytest.fixture
def types(services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Types:
    """A terminal with an editor: a program that replaces words in the file, another pair at each opening."""
    script, turns = tmp_path / "editor.py", tmp_path / "turns"
    script.write_text(
        "import json, pathlib, sys\n"
        f"turns = pathlib.Path({str(turns)!r})\n"
        "first, *rest = json.loads(turns.read_text())\n"
        "turns.write_text(json.dumps(rest))\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "text = file.read_text()\n"
        "for old, new in first: assert old in text, (old, text); text = text.replace(old, new)\n"
        "file.write_text(text)\n"
    )
    monkeypatch.setattr(asking, "on_terminal", lambda: True)

    def types(*turns_: dict[str, str]) -> None:
        turns.write_text(json.dumps([list(turn.items()) for turn in turns_]))
        services.environment = {**services.environment, "EDITOR": f"{sys.executable} {script}"}

    return types


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Says:
    """A person who answers questions; returns the list of the questions."""

    def says(*answers: bool) -> list[str]:
        asked, left = [], list(answers)

        def confirm(question: str, **_: object) -> bool:
            asked.append(question)
            if not left:
                raise typer.Abort
            return left.pop(0)

        monkeypatch.setattr(typer, "confirm", confirm)
        return asked

    return says
