"""Every command that a page shows is run in the state in which the page shows it."""

import asyncio
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nicegui.elements.mixins.text_element import TextElement
from nicegui.testing import User

from gateway.desk.engine.agent_runs import RunSummary
from gateway.desk.works import books
from gateway.ui.pages import entity, provenance
from gateway.ui.parts import comparison
from penwright.domain.book.files.layout import proposed_path
from penwright.domain.book.pace import Pace
from penwright.domain.book.session_warnings import overlong
from penwright.domain.intents.registry import REGISTRY
from schemas.base import BookId, Effect, Progress
from schemas.book import BookConfig
from schemas.director_round import DirectorRoundInput
from schemas.records import BoardEntry, RunRow
from schemas.scene import CloseRound, OpenRound, SceneState
from schemas.worlds import Scene, SceneImport
from tests.support.books.repos import git, identify
from tests.support.books.running_books import NARROW
from tests.support.doubles.store import memory_store
from tests.support.gateway.advised_states import CONFIG, States
from tests.support.gateway.command_lines import alone_in, shape_of, told_in
from tests.support.gateway.next_steps import ROOT
from tests.support.gateway.services import NOW, Run, StageServices
from workers.engine import doctor
from workers.engine.children import NO_ANSWER
from workers.home.folder import ChildRecord

Make = Callable[[States], str]
"""Makes a state; the address of the page that shows it."""


def after(*lines: str, page: str = "/") -> Make:
    """The state after commands of a person."""

    def make(states: States) -> str:
        place = page.format(id=_id(states) if "{id}" in page else "")
        for line in lines:
            states.do(line.format_map(states))
        return place

    return make


def noted(about: str, state: str, *, first: str = "book status {book}", **detail: object) -> Make:
    """The state in which the store knows this of the book."""

    def make(states: States) -> str:
        after(*first.split(" ; "))(states)
        told = {"session": "s1", "outcome": state, "message": "so it is", **detail}
        entry = BoardEntry.model_validate(
            {"book_id": _id(states), "about": about, "state": state, "at": NOW, "since": NOW, "detail": told}
        )
        states.services.store.records.enter([entry])
        return "/"

    return make


def at_work(kind: str, stage: str, *, paused: bool = False, ended: str = "") -> Make:
    """The state in which a run of this kind stands so at the novel's manuscript, or has ended so."""

    def make(states: States) -> str:
        subject = f"{states['NOVEL']}/-" if states["novel"] else ""
        told = Progress(pipeline=kind, subject=subject, stage=stage, detail="so it is", paused=paused)
        services = states.services
        if ended:
            row = RunRow(run="r#1", pipeline=kind, subject=subject, stage="ended", outcome=ended)
            services.store.records.note(row.model_copy(update={"started_at": NOW, "ended_at": NOW}), [])
        else:
            (services.writing if kind == "manuscript" else services.scans.at_work)[subject] = told
        _logged(states, "workflows")
        return "/"

    return make


def _id(states: States) -> str:
    return books.find(states.services, states["book"]).book_id


def _logged(states: States, name: str) -> None:
    """Logs of a process that has run."""
    log = states.folder / f"home/logs/{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("it began\n")


def _moved(states: States) -> str:
    place = Path(states["book"])
    states["NEW_FOLDER"] = str(place.rename(place.with_name("elsewhere")))
    return "/"


def _replaced(states: States) -> str:
    _moved(states)
    states.do(f"book init {states['book']} --title Other --author B.Lee")
    return "/"


def _mended_after_a_refusal(states: States) -> str:
    config = Path(states["book"]) / CONFIG
    sound = config.read_text("utf-8")
    config.write_text("a: [")
    assert states.run("book", "session", states["book"])[0]
    config.write_text(sound)
    return "/"


def _without_an_intent(states: States) -> str:
    states.do(f"intent block INT-001 {states['book']}")
    assert states.run("book", "session", states["book"])[0]
    return "/"


def _proposed(states: States) -> str:
    saving = ("book", "save", proposed_path(2), "--from", states["FILE"], "--book", states["book"])
    assert states.run(*saving)[0] == 0
    return "/"


def _badly_read(states: States) -> str:
    told = {"message": "no model answers"}
    entry = BoardEntry(book_id=BookId(_id(states)), about="reading", state="failed", at=NOW, detail=told)
    states.services.store.records.enter([entry])
    return "/"


def _without_config(states: States) -> str:
    (Path(states["book"]) / CONFIG).unlink()
    return f"/books/{_id(states)}"


def _asking(states: States) -> str:
    place = Path(states["book"])
    identify(place)
    (place / REGISTRY).write_text(NARROW, encoding="utf-8")
    git(place, "commit", "-qam", "Only the review")
    for _ in range(2):
        states.do(f"book session {place} --detach")
    return "/"


def _opened(states: States) -> None:
    effect = Effect(op_id="op-1", issued_at=NOW)
    states.services.store.scenes.open_round(
        OpenRound(effect=effect, scene="the-quay", session="s1", text="Who?")
    )


def _paused_round(states: States) -> str:
    _opened(states)
    states.services.rounds.at_work["the-quay"] = DirectorRoundInput(scene="the-quay", session="s1")
    states.services.rounds.paused = "Paused: the cap is reached"
    return "/"


def _left_round(states: States) -> str:
    _opened(states)
    return "/"


def _half_imported(states: States) -> str:
    worlds = states.services.store.worlds
    scene = worlds.read(Scene, "the-quay")
    assert scene
    importing = SceneImport(key="1f", session="s1", who="ann", rounds=20)
    worlds.change(scene.model_copy(update={"importing": importing}))
    return "/"


def _failed_round(states: States) -> str:
    _opened(states)
    scenes = states.services.store.scenes
    opened = scenes.round("the-quay", 1)
    assert opened
    failed = opened.model_copy(update={"status": "failed", "code": "model-final"})
    effect = Effect(op_id="op-2", issued_at=NOW)
    scenes.close_round(CloseRound(effect=effect, scene="the-quay", round=failed, state=SceneState()))
    return "/"


def _agent(stage: str) -> Make:
    def make(states: States) -> str:
        assert states.services.agents
        run = RunSummary("r1", "ink/writer", f"book/{_id(states)}", "running", stage, NOW, None, 0)
        states.services.agents.going_on = (run,)
        return "/"

    return make


def _absent(states: States) -> str:
    names = ("engine", "workflows", "activities", "models")
    children = {name: ChildRecord(state="ready", lacks=NO_ANSWER).model_dump() for name in names[1:]}
    document: dict[str, Any] = {"running": True, "silent": list(names), "children": children}
    states.services.engine_status = lambda: document  # type: ignore[method-assign]
    for name in names:
        _logged(states, name)
    return "/runs"


def _down(page: str) -> Make:
    def make(states: States) -> str:
        states["book"]
        states.services.runs = False
        return page.format(id="tide")

    return make


def _examined(states: States) -> str:
    states.services.findings = tuple(doctor.examine(states.services.loaded()))
    return "/health"


def _long_comparison(states: States) -> str:
    place = Path(states["novel"])
    identify(place)
    (place / "manuscript.md").write_text("It rains.\n", "utf-8")
    git(place, "commit", "-qam", "Rain")
    before, after = git(place, "rev-parse", "HEAD~1", "HEAD").split()
    return f"/manuscripts/{states['NOVEL']}/-/history?from={before}&to={after}"


EMPTY: dict[str, str] = {
    "/books": "book init --title",
    "/manuscripts": "manuscript new --title",
    "/scenes": "scene create --cast --world",
    "/schedules": "book schedule --every",
    "/worlds?kind=characters": "character create",
    "/worlds?kind=lorebooks": "lore create",
    "/worlds?kind=personas": "persona create",
    "/worlds?kind=worlds": "world create",
    "/worlds?kind=campaigns": "campaign create --world",
}
"""Pages of an empty list -> the command that they show."""
_PACE = Pace(
    BookConfig(target_length=90, chapter_count=1, chapter_structure="linear", words_per_session=50),
    1,
    100,
    100,
)

SHOWN: dict[str, tuple[Make, str]] = {
    "a book that was moved": (_moved, "book move"),
    "a folder with another book": (_replaced, "book forget"),
    "a book without settings": (_without_config, "book restore"),
    "a book after a reset": (after("book reset {book} --yes tide"), "book init"),
    "an outline that is proposed": (_proposed, "book plan"),
    "a clerk that failed": (_badly_read, "book read --again"),
    "a refused session": (_mended_after_a_refusal, "book doctor, book session"),
    "a session without an intent": (
        _without_an_intent,
        "book session, intent add, intent list, intent start",
    ),
    "a failed session": (noted("ending", "failed", code="disk-full"), "book log"),
    "prose that was recovered": (noted("ending", "stopped", recovered="Review/r-1.md"), "book log"),
    "a note at fault": (noted("ending", "closed", warnings=["Line 1: close the comment."]), "book status"),
    "a book that is too long": (
        noted("ending", "closed", first="book session {book}", warnings=[overlong("tide", _PACE)]),
        "book complete --early, book status",
    ),
    "a sealed book with a schedule": (
        after("book schedule {book} --every 6h", "book session {book}", "book complete {book} --early"),
        "book unschedule",
    ),
    "words that were sealed": (
        noted(
            "ending",
            "completed",
            first="book session {book} ; book complete {book} --early",
            warnings=["The last 9 were sealed."],
        ),
        "book complete --reviewed",
    ),
    "a push that waits": (noted("push", "pending"), "book doctor"),
    "a paused session": (after("book open {book}", "book pause {book}"), "book resume"),
    "a change that waits": (_asking, "intent pending"),
    "a paused schedule": (
        after("book schedule {book} --every 6h", "book schedule {book} --pause"),
        "book schedule --resume",
    ),
    "a run that is paused": (at_work("manuscript", "write", paused=True), "manuscript resume"),
    "a run that is stuck": (at_work("manuscript", "stuck"), "logs"),
    "a run that asks": (at_work("manuscript", "approval"), "intent pending"),
    "a run that failed": (at_work("manuscript", "", ended="failed"), "manuscript history"),
    "a scan that is paused": (at_work("citation-scan", "citing", paused=True), "cite resume"),
    "a scan that asks": (at_work("citation-scan", "approval"), "intent pending"),
    "a paused round": (_paused_round, "scene resume"),
    "a round that nothing plays": (_left_round, "scene kill"),
    "a round that failed": (_failed_round, "scene show --round"),
    "a chat of which a part is stored": (_half_imported, "scene show"),
    "a wish for the next round": (after("scene force the-quay Ann"), "scene continue"),
    "an agent that asks": (_agent("approval"), "run show"),
    "an agent that is paused": (_agent("paused"), "run resume"),
    "processes that are absent": (_absent, "down, logs, up --detach"),
    "no engine": (_down("/books"), "up --detach"),
    "a page that needs the engine": (_down("/worlds"), "up --detach"),
    "the page of a book after a reset": (
        after("book reset {book} --yes tide", page="/books/{id}"),
        "book init, book restore",
    ),
    "checks": (_examined, "models --help, up --detach"),
    "more entries than are shown": (
        after(
            "lore add tides --key ebb --content Water.",
            "lore add tides --key flood --content Water.",
            page="/worlds/lorebooks/tides",
        ),
        "lore show",
    ),
    "more paragraphs than are shown": (
        after("book session {book}", "book session {book}", page="/books/{id}/provenance"),
        "trace blame",
    ),
    "a comparison that is cut": (_long_comparison, "manuscript diff --since --until"),
}
"""States -> the commands and options, by the alphabet, that a page shows in them."""
NOT_RUN = {
    "needs a scan, a plan or an engine, and is run on a whole one by `tests/e2e/test_followed_advice.py`": """
    cite audit, cite review, cite scan, doctor, operator housekeeping --dry-run, scene approve, up""",
    "needs a model that does not serve a role": "models test",
    "is the hint of a refusal, in whose place pages have words": "book rollback",
    "is shown on a terminal alone, beside the first": "book rollback --undo, cite kill, manuscript stop, "
    "scene regenerate, scene remove, web",
}
"""Reason for which a command is not run here -> commands and options."""
SOURCES = [
    *(ROOT / "gateway/ui").rglob("*.py"),
    *(
        ROOT / each
        for each in (
            "gateway/desk/runs/waiting.py",
            "penwright/domain/book/board.py",
            "penwright/domain/book/refusal_steps.py",
            "penwright/domain/book/session_warnings.py",
            "penwright/domain/scene/board.py",
            "workers/engine/doctor.py",
        )
    ),
]
"""Modules with commands that pages show beside refusals, whose own are followed for the terminal."""


@pytest.fixture
def states(
    run: Run, founded: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> States:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for module, name in ((entity, "_MOST"), (provenance, "_BLOCKS"), (comparison, "_MANY")):
        monkeypatch.setattr(module, name, 1 if module is entity else 0)
    return States(run, services, founded, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("state", SHOWN)
async def test_what_a_page_shows_works(user: User, states: States, state: str) -> None:
    make, told = SHOWN[state]
    await user.open(page := await asyncio.to_thread(make, states))
    for _ in range(100):  # what processes are absent is looked up beside the page
        steps = dict(shown_by(user))
        if ", ".join(sorted(steps)) == told:
            break
        await asyncio.sleep(0.05)
    assert ", ".join(sorted(steps)) == told, page
    for step in steps.values():
        assert await asyncio.to_thread(followed, states, step) == "", step


@pytest.mark.long
async def test_what_an_empty_page_shows_works(
    user: User, states: States, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    for page, told in EMPTY.items():
        full, services.store = services.store, memory_store(clock=services.clock)
        await user.open(page)
        services.store = full
        ((shape, step),) = shown_by(user)
        assert shape == told
        step = [states[word] if word == "BOOK" else word for word in step]  # of all books
        assert await asyncio.to_thread(followed, states, step) == "", step


def test_every_command_of_a_page_is_run_or_says_why_not() -> None:
    shown = {shape_of(line) for line in (*told_in(SOURCES), *alone_in(SOURCES))}
    run = set(", ".join([*EMPTY.values(), *(told for _, told in SHOWN.values())]).split(", "))
    left = {" ".join(each.split()) for each in ",".join(NOT_RUN.values()).split(",")}

    assert len(shown) > 30
    assert shown - run - left == set()
    assert left - shown == set(), "needs no entry any more"


def test_what_makes_a_page_show_a_command_is_looked_through() -> None:
    made = re.compile(r"\b(?:Attention|WaitingItem|Finding)\(")
    rooms = [ROOT / room for room in ("gateway", "penwright", "workers")]
    makers = {path for room in rooms for path in room.rglob("*.py") if made.search(path.read_text("utf-8"))}

    assert list(alone_in(makers - set(SOURCES))) == []


def followed(states: States, step: list[str]) -> str:
    """What a command says as an error; a check that finds a fault fails without one."""
    if step[0] == "up":
        states.services.runs = True
        return ""
    _, _, err = states.run(*states.filled(step, states.folder))
    return err if "error[" in err else ""


def shown_by(user: User) -> Iterator[tuple[str, list[str]]]:
    """The commands on the page, by their shapes."""
    assert user.client
    for each in user.client.elements.values():
        if isinstance(each, TextElement) and each.tag == "code" and each.text.startswith("penwright "):
            yield shape_of(each.text), shlex.split(each.text)[1:]
