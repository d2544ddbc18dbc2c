"""SIGKILL the workers while a book is planned by hand: each outline is paid once, and committed once."""

import asyncio
import os
from pathlib import Path

import pytest

from gateway.desk.engine.temporal.side_runs import plannings
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.files.layout import OUTLINE, chapter_path, proposed_path
from schemas.planning import PlanningResult
from tests.support.agents.scripted_model import calls_made
from tests.support.books import plans
from tests.support.books.running_books import RunningBook, lay_out
from tests.support.crash.points import CrashPoint
from tests.support.engine.stand import Desk, Stand, desk

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

LONG = os.environ.get("PENWRIGHT_CRASH") == "long"
AT_ONCE = 6
ACTIVITIES = (
    "find_outlines",
    "brief_planning",
    "call_model",
    "save_outline",
    "push_outlines",
    "end_planning",
)
BOUNDARIES = [
    CrashPoint(activity, when)
    for activity in (ACTIVITIES if LONG else ("call_model", "save_outline"))
    for when in (("before", "after", "asked") if LONG else ("after",))
]


async def planned(book: RunningBook, at: Desk, session: str = "p1") -> PlanningResult:
    runs = plannings(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
    await runs.start(plans.order_of(book, at.environ, session))
    ended = await runs.result(book.book_id)
    assert ended is not None
    return ended


def proposed(book: RunningBook) -> list[str]:
    """The outlines that are proposed."""
    folder = book.git("ls-tree", "-r", "--name-only", "main", "--", "Chapters material/").splitlines()
    return sorted(each for each in folder if "proposed" in each)


async def test_a_worker_killed_at_any_boundary_makes_each_outline_once_in_one_commit(
    stand: Stand, tmp_path: Path
) -> None:
    turns = asyncio.Semaphore(AT_ONCE)

    async def trial(point: CrashPoint) -> tuple[str, list[str]]:
        folder = tmp_path / str(point)
        book = lay_out(folder / "book", f"planning-{point}", files=plans.unplanned())
        async with turns, desk(stand, folder / "desk", crash=point) as at:
            at.says(*plans.answers(0, 1, 2))
            ended = await planned(book, at)
        wrong = []
        if proposed(book) != sorted(map(proposed_path, (0, 1, 2))):
            wrong.append(f"proposed {proposed(book)}")
        if len(calls_made(at.script)) != 3:
            wrong.append(f"the planner was asked {len(calls_made(at.script))} times")
        if book.steps().count("plan") != 3 or book.tip != book.remote_tip:
            wrong.append(f"commits {book.subjects()}, pushed: {book.tip == book.remote_tip}")
        if ended.outcome != "completed" or len(at.crew.deaths) != 1:
            wrong.append(f"{ended.outcome}, {len(at.crew.deaths)} processes died")
        return str(point), wrong

    outcomes = await asyncio.gather(*map(trial, BOUNDARIES))

    assert {name: wrong for name, wrong in outcomes if wrong} == {}


async def test_a_planner_that_thinks_and_chatters_leaves_only_its_outline(
    stand: Stand, tmp_path: Path
) -> None:
    before = "<think>The sea: 1. waves 2. wind</think>\n\nSure! Here is the outline you asked for:\n\n"
    after = "\n\nWould you like me to make any changes?"
    book = lay_out(tmp_path / "book", "chatters", files=plans.unplanned("auto"))
    async with desk(stand, tmp_path / "desk") as at:
        said = plans.answers(0, 1, 2)
        at.says(*(each.model_copy(update={"text": f"{before}{each.text}{after}"}) for each in said))
        ended = await planned(book, at)

    assert ended.planned == (OUTLINE, chapter_path(1), chapter_path(2))
    assert book.text(chapter_path(2)) == plans.outline(2).rstrip()
    assert "Mara keeps the light." in book.text(OUTLINE)


async def test_an_outline_that_its_author_wrote_meanwhile_stays_as_it_is(
    stand: Stand, tmp_path: Path
) -> None:
    book = lay_out(tmp_path / "book", "typed-meanwhile", files=plans.unplanned("auto"))
    async with desk(stand, tmp_path / "desk") as at:
        # The first attempt fails, and the next one comes two seconds later.
        slow = plans.answer(1).model_copy(update={"fault": "unavailable", "times": 1})
        at.says(plans.answer(0), slow, *plans.answers(1, 2))
        running = asyncio.create_task(planned(book, at))
        async with asyncio.timeout(60):
            while len(calls_made(at.script)) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        book.write(chapter_path(1), "# Mine\n\n1. She leaves.\n")
        ended = await running

    assert ended.outcome == "completed"
    assert "chapter 1 has an outline by now" in ended.warnings[0]
    assert book.text(chapter_path(1)) == "# Mine\n\n1. She leaves."
    assert ended.planned == (OUTLINE, chapter_path(2))


MIDWORD = "=== OUTLINE ===\n# 1: The Tide\n\n## Beats\n\n1. Mara waits.\n2. The tide tur"
FAULTS = {
    "model-refused": "I cannot help with that.",
    "no-outline": "The sea is old, and nobody knows.",
    "outline-cut": MIDWORD,
    "wrong-chapter": f"=== OUTLINE ===\n{plans.outline(7)}=== END ===\n",
}
"""Code of what the planner answers for the first chapter, and the answer."""


async def test_a_planner_that_is_no_use_is_asked_again_once_and_leaves_nothing_half_done(
    stand: Stand, tmp_path: Path
) -> None:
    async with desk(stand, tmp_path / "desk") as at:
        useless = (
            ScriptedAnswer(op=f"planning/useless-{code}/p1/1#*", text=said) for code, said in FAULTS.items()
        )
        at.says(*useless, *plans.answers(0, 1, 2))
        for code in FAULTS:
            book = lay_out(tmp_path / code, f"useless-{code}", files=plans.unplanned())
            before = len(calls_made(at.script))
            ended = await planned(book, at)

            assert (ended.outcome, ended.code, "chapter 1" in ended.message) == ("failed", code, True)
            assert proposed(book) == [proposed_path(0)]
            assert len(calls_made(at.script)) == before + 3

            assert (await planned(book, at, "p2")).planned == (proposed_path(1), proposed_path(2))
