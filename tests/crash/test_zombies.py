"""An attempt that wakes up after its retry has done the work: nothing happens twice."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from schemas.base import BookId
from tests.crash.plays import LAST, PLAIN, Play, open_theatre
from tests.support.crash_points import CrashPoint
from tests.support.crash_story import told
from tests.support.running_crew import crew
from tests.support.running_engine import Stand, desk

pytestmark = [pytest.mark.crash, pytest.mark.server, pytest.mark.xdist_group("engine")]

MOMENTS = [
    (PLAIN, "open_session", "before"),
    (PLAIN, "close_session", "before"),
    (PLAIN, "close_session", "after"),
    (PLAIN, "push_book", "before"),
    (LAST, "advance_chapter", "before"),
    (LAST, "complete_book", "before"),
]
"""Activities in threads: one that only waits in the event loop learns of its retry and is cancelled."""
LONG = os.environ.get("PENWRIGHT_CRASH") == "long"


async def test_an_attempt_that_outlives_its_retry_changes_nothing(stand: Stand, tmp_path: Path) -> None:
    theatre = await open_theatre(stand, tmp_path)

    async def haunted(play: Play, point: CrashPoint) -> list[str]:
        folder = tmp_path / f"{play.name}-{point}"
        book = theatre.young.copy(folder / "books", BookId(f"zombie-{point}".replace("_", "-")))
        async with desk(stand, folder / "desk", crash=point) as at:
            play.prepare(book, at)
            acting = asyncio.ensure_future(play.act(book, at))
            await at.crew.stopped("worker")
            async with crew(folder / "second", at.environ):
                result = await acting
                before = told(book, result, stand.database_url)
                await at.crew.wake_to_retire("worker")
                after = told(book, result, stand.database_url)
        finished = (at.crew.folder / "crashed.finished").read_text(encoding="ascii").split()
        return [
            *(["the zombie never went on"] if finished[-1] != point.activity else []),
            *after.differences(before),
            *after.differences(await theatre.original(play)),
        ]

    for play in (PLAIN, LAST):
        await theatre.original(play)
    chosen = MOMENTS if LONG else MOMENTS[1:3]
    points = [(play, CrashPoint(name, when, sends=signal.SIGSTOP)) for play, name, when in chosen]  # type: ignore[arg-type]
    wrong = await asyncio.gather(*(haunted(play, point) for play, point in points))

    assert wrong == [[]] * len(points)
