"""Reasons why the writer of a book was told an entry of its lorebooks, or was not."""

import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from activities.manuscripts.run_log import ManuscriptRunLog
from penwright.domain.book.files.layout import chapter_path
from penwright.domain.lore.telling import tell
from schemas.base import Effect, OpId
from schemas.lore import Lorebook, LoreEntry
from schemas.manuscript import AskRole, ManuscriptSettings
from schemas.workspace import Workspace
from tests.support.books.repos import write
from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in

TIDES = Lorebook(
    id="",
    name="Tides",
    entries=(
        LoreEntry(uid="1", title="Spring tide", keys=("beacon",), content="The sea takes the street."),
        LoreEntry(uid="2", title="Neap", keys=("neap",), content="The sea stays out."),
    ),
)
FIRED = "fired     Spring tide (in Tides): “beacon” occurs in the outline of chapter 1."


@pytest.fixture
def attached(book: Path, services: StageServices, run: Run) -> Path:
    """A book with a lorebook, and an outline that names the beacon."""
    write(book, {chapter_path(1): "# One\n\n- Mara lights the beacon.\n"})
    git_in(book, "add", "-A")
    git_in(book, *IDENTITY, "commit", "-qm", "An outline")
    services.store.worlds.create(TIDES)
    assert run("lore", "attach", "tides", "--to", str(book))[0] == 0
    return book


def data(run: Run, *arguments: str) -> Any:
    code, out, _ = run("book", *arguments, "--json")
    assert code == 0, out
    return json.loads(out)


def test_the_next_session_is_told_what_fires_now(run: Run, attached: Path) -> None:
    _, brief, _ = run("book", "brief", str(attached))
    _, why, _ = run("book", "why", str(attached), "--next")
    _, every, _ = run("book", "why", str(attached), "--next", "--all")

    assert "\n  lorebooks: tides\n" in run("book", "status", str(attached))[1]
    assert "## Spring tide (“beacon” occurs in the outline of chapter 1)\nThe sea takes the street." in brief
    assert why.startswith("the next session\n")
    assert FIRED in " ".join(why.split()).replace("fired Spring", "fired     Spring")
    assert "1 entry did not fire: 1 no-key\nnext: `penwright book why " in why
    assert "no-key    Neap (in Tides): No key of it occurred" in every


def test_a_session_keeps_what_it_was_told_whatever_changes_since(run: Run, attached: Path) -> None:
    assert run("book", "open", str(attached))[0] == 0
    assert run("lore", "edit", "tides", "1", "--set", "keys=[heron]")[0] == 0
    (call,) = data(run, "why", str(attached), "spring")["calls"]
    (following,) = data(run, "why", str(attached), "--next")["calls"]
    session = call["run"].rpartition("#")[2]

    assert call["prompt"] == f"session {session}, chapter 1"
    assert [(each["name"], each["outcome"]) for each in call["verdicts"]] == [
        ("Spring tide (in Tides)", "fired")
    ]
    assert [each["outcome"] for each in following["verdicts"]] == ["no-key", "no-key"]
    assert data(run, "why", str(attached), "spring", "--session", session)["calls"] == [call]


def test_an_outside_agent_gets_the_same_lore(run: Run, attached: Path) -> None:
    payload = json.loads(run("book", "open", str(attached), "--json")[1])

    assert payload["lore"]["text"].startswith("## Spring tide (")
    assert [each["uid"] for each in payload["lore"]["verdicts"]] == ["1"]


def test_a_run_of_a_novel_tells_the_same_of_each_prompt(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    folder = str(tmp_path / "fog")
    assert run("manuscript", "new", folder, "--title", "Fog")[0] == 0
    services.store.worlds.create(TIDES)
    none = run("manuscript", "why", folder)
    made = json.loads(run("lore", "attach", "tides", "--to", folder, "--json")[1])
    told = tell([TIDES.model_copy(update={"id": "tides"})], "fog/-", {"the instructions": "A beacon."}, 500)
    request = AskRole(
        effect=Effect(op_id=OpId("manuscript/fog/-#s1:4"), issued_at=datetime(2026, 11, 30, tzinfo=UTC)),
        subject=made["at"],
        scene="-",
        workspace=Workspace(path=folder),
        session="s1",
        role="writer",
        action="write_section",
        section="One",
        run_id="r",
        settings=ManuscriptSettings(instructions=services.store.blobs.put(b"A beacon.")),
    )
    kept = services.store.blobs.put(told.model_dump_json().encode())
    ManuscriptRunLog(services.store.records).lore(request, told, kept)
    _, why, _ = run("manuscript", "why", folder)

    assert (none[0], "error[no-lore-told]" in none[2]) == (1, True)
    assert why.startswith("the writer of “One”\n   fired     Spring tide (in Tides): “beacon” occurs in")
    assert "next: `penwright manuscript why " in why


def test_a_book_without_lore_says_how_it_gets_some(run: Run, book: Path, services: StageServices) -> None:
    told, following = (run("book", "why", str(book), *more) for more in ((), ("--next",)))
    brief = run("book", "brief", str(book))[1]
    services.store.worlds.create(TIDES)
    (step,) = re.findall("`penwright (lore attach LOREBOOK --to [^`]+)`", following[1])

    assert (told[0], "error[no-lore-told]" in told[2]) == (1, True)
    assert (following[0], "lore" in brief.casefold()) == (0, False)
    assert run(*shlex.split(step.replace("LOREBOOK", "tides")))[0] == 0
    assert run("book", "why", str(book), "--next", "--all")[1].startswith("the next session\n")
