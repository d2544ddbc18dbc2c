"""SIGKILL the workers at every activity boundary and at random instants: the book ends the same."""

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import REVIEW, STATE, chapter_path
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.reports.disclosure import disclose
from schemas.base import BookId
from tests.crash.plays import (
    EDITED,
    KILLED,
    LAST,
    LOOKING,
    MENDED,
    PLAIN,
    PLANNED,
    REWRITTEN,
    SESSION,
    Play,
    Theatre,
    open_theatre,
)
from tests.crash.worker import ProcessKind
from tests.support.agents.scripted_model import calls_made, write_script
from tests.support.books.running_books import prose_of, reply_of
from tests.support.crash.points import CrashPoint
from tests.support.engine.crew import KINDS
from tests.support.engine.stand import Desk, Stand, desk

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
INSTANTS = 100 if LONG else 3
AT_ONCE = 8
SEED = 20260222
PLAYS = (PLAIN, LAST, KILLED, LOOKING, MENDED, EDITED, PLANNED, REWRITTEN)

_OWN = [
    *((PLAIN, name, 1) for name in ("open_session", "close_session", "push_book", "end_session")),
    *((PLAIN, name, 1) for name in ("brief_writer", "prepare_run", "call_model", "end_run")),
    *((EDITED, name, number) for name, number in (("brief_editor", 1), ("call_model", 2), ("end_run", 2))),
    *((LAST, name, 1) for name in ("advance_chapter", "complete_book")),
    *((LOOKING, name, 1) for name in ("carry_out", "select_intent")),
    *((MENDED, name, number) for name, number in (("call_model", 2), ("close_session", 1))),
    *((PLANNED, name, 1) for name in ("brief_planner", "call_model", "save_outline", "advance_chapter")),
    *((REWRITTEN, name, 1) for name in ("open_session", "call_model", "close_session", "announce_approval")),
    (REWRITTEN, "close_session", 2),
    (KILLED, "release_book", 1),
]
"""Every activity, in the play that it belongs to."""
_AGAIN = [
    (LOOKING, "advance_chapter", 2),
    (LAST, "push_book", 2),
    (LAST, "end_session", 1),
    *((KILLED, name, 1) for name in ("open_session", "push_book", "end_session")),
]
"""The same ones at other places of other plays."""
_ASKED = _OWN if LONG else [(PLAIN, "close_session", 1), (LOOKING, "carry_out", 1)]
"""Activities at whose asking the process of workflows is killed."""
_COMMITS = ("open_session", "close_session", "push_book", "save_outline")
BOUNDARIES: Sequence[tuple[Play, CrashPoint]] = [
    (play, CrashPoint(activity, when, number))
    for play, activity, number in (_OWN + _AGAIN if LONG else _OWN)
    # What is lost before an activity begins is no more than a task that is sent again.
    for when in (("before", "after") if LONG or activity in _COMMITS else ("after",))
] + [(play, CrashPoint(activity, "asked", number)) for play, activity, number in _ASKED]
_KINDS = (
    *((PLAIN, CrashPoint("close_session", when)) for when in ("after", "asked")),
    (PLAIN, CrashPoint("call_model", "after")),
)
FEW = [each for each in BOUNDARIES if each in _KINDS]
"""A commit and a paid answer."""
MORE = [each for each in BOUNDARIES if each not in _KINDS]


@pytest.fixture(scope="module")
async def theatre(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> Theatre:
    return await open_theatre(stand, tmp_path_factory.mktemp("theatre"))


async def test_an_undisturbed_session_is_the_same_every_time(theatre: Theatre) -> None:
    again = await asyncio.gather(*(theatre.perform(play) for play in PLAYS))

    for (story, _), play in zip(again, PLAYS, strict=True):
        assert story.differences(await theatre.original(play)) == []


async def test_a_session_whose_prose_is_mended_closes_with_the_mended_words(theatre: Theatre) -> None:
    story, at = await theatre.perform(MENDED)

    assert len(calls_made(at.script)) == MENDED.asks
    assert prose_of(SESSION).replace("\n\n", " ") in " ".join(story.files[REVIEW].split())


async def test_a_session_that_plans_writes_in_the_chapter_that_was_planned(theatre: Theatre) -> None:
    story, at = await theatre.perform(PLANNED)

    assert len(calls_made(at.script)) == PLANNED.asks
    assert story.files[chapter_path(2)].startswith("# The Boat\n\n1. She finds it.")
    assert "current_chapter: 2" in story.files[STATE]


@pytest.mark.parametrize(
    "boundaries", [pytest.param(FEW, marks=pytest.mark.smoke), MORE], ids=["few", "more"]
)
async def test_a_worker_killed_at_any_boundary_of_any_activity_changes_nothing(
    theatre: Theatre, boundaries: Sequence[tuple[Play, CrashPoint]]
) -> None:
    await theatre.rehearse(play for play, _ in boundaries)
    turns = asyncio.Semaphore(AT_ONCE)
    began = time.monotonic()

    async def trial(play: Play, point: CrashPoint) -> tuple[str, list[str]]:
        async with turns:
            story, at = await theatre.perform(play, crash=point)
        wrong = story.differences(await theatre.original(play))
        if len(at.crew.deaths) != 1:
            wrong.append(f"{len(at.crew.deaths)} processes died")
        if len(calls_made(at.script)) != play.asks:
            wrong.append(f"the model was asked {len(calls_made(at.script))} times")
        return f"{play.name} {point}", wrong

    outcomes = await asyncio.gather(*(trial(play, point) for play, point in boundaries))

    _tell(f"{len(outcomes)} boundaries", began)
    assert {name: wrong for name, wrong in outcomes if wrong} == {}


async def test_a_worker_killed_at_any_instant_changes_nothing(theatre: Theatre) -> None:
    await theatre.rehearse(PLAYS)
    instants = random.Random(SEED)
    turns = asyncio.Semaphore(AT_ONCE)
    began = time.monotonic()
    deaths: Counter[str] = Counter()

    async def trial(play: Play, kind: ProcessKind, delay: float) -> tuple[str, list[str]]:
        async def kill(at: Desk) -> None:
            await asyncio.sleep(delay)
            at.crew.kill(kind)

        async with turns:
            story, at = await theatre.perform(play, disturb=kill)
        deaths.update(at.crew.deaths)
        wrong = story.differences(await theatre.original(play))
        return f"{play.name} {kind} at {delay:.3f} s", wrong

    choices = [
        (instants.choice(PLAYS), KINDS[number % len(KINDS)], instants.uniform(0, 1.5))
        for number in range(INSTANTS)
    ]
    outcomes = await asyncio.gather(*(trial(*choice) for choice in choices))

    _tell(f"{len(outcomes)} random instants, {dict(deaths)} died in time", began)
    assert {name: wrong for name, wrong in outcomes if wrong} == {}
    assert deaths


async def test_a_kill_between_a_refusal_and_its_fallback_asks_each_model_once(
    theatre: Theatre, stand: Stand, tmp_path: Path
) -> None:
    book = theatre.young.copy(tmp_path / "books", BookId("crash-refused"))
    second = tmp_path / "second.json"
    struck = ScriptedAnswer(op=f"*/{SESSION}#*", fault="crash", times=1, text=reply_of(SESSION))
    write_script(second, struck, otherwise="fail")
    async with desk(
        stand,
        tmp_path / "desk",
        PENWRIGHT_MODELS__SECOND__PROVIDER="scripted",
        PENWRIGHT_MODELS__SECOND__SCRIPT=str(second),
        PENWRIGHT_PROFILES__WRITER__FALLBACK="second",
    ) as at:
        at.says(ScriptedAnswer(fault="refusal"))
        result = await at.run(book.session(SESSION, at.environ))

    assert (result.outcome, len(at.crew.deaths)) == ("closed", 1)
    refused, answered = calls_made(at.script), calls_made(second)
    # The fallback's process died before it answered.
    assert (len(refused), answered) == (1, [f"{refused[0]}/fallback"] * 2)
    wrote = book.git("log", "--format=%(trailers:key=Penwright-Model,valueonly,separator=)")
    assert "second" in wrote.splitlines()
    with GitWorkspaces(SystemClock(), profile=BOOK_PROFILE).trace(book.workspace) as source:
        assert "second" in disclose(source, REVIEW).models


def _tell(what: str, began: float) -> None:
    print(f"\n{what} in {time.monotonic() - began:.0f} s")
