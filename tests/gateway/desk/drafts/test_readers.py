"""Which pages have a draft open."""

import asyncio
from pathlib import Path

import pytest

from gateway.desk.drafts.desk import DraftDesk
from gateway.desk.drafts.readers import GONE_AFTER, Reader, Readers
from gateway.desk.principals import local_user
from tests.support.gateway.services import NOW, StageServices

ANN, BEN = local_user("ann"), local_user("ben")
CHAPTER = "Chapters material/Chapter_01.md"
MINE, OTHER = Reader("ann", "1"), Reader("ben", "2")


def test_a_page_sees_the_others_until_they_are_silent() -> None:
    readers = Readers()

    assert readers.seen("d", MINE, NOW)
    assert readers.seen("d", OTHER, NOW)
    assert not readers.seen("d", OTHER, NOW + GONE_AFTER)
    assert readers.others("d", MINE, NOW + GONE_AFTER) == (OTHER,)
    assert readers.others("d", OTHER, NOW + 2 * GONE_AFTER) == ()
    assert readers.others("e", MINE, NOW) == ()
    assert readers.seen("d", OTHER, NOW + 3 * GONE_AFTER)


@pytest.fixture
def draft(services: StageServices, book: Path) -> str:
    return DraftDesk(services).open(ANN, services.book(book).book_id, CHAPTER).draft.draft_id


async def test_a_page_that_waits_hears_at_once_of_another(services: StageServices, draft: str) -> None:
    desk = DraftDesk(services)
    waiting = asyncio.create_task(desk.wait(ANN, draft, 0, 20, "1"))
    for _ in range(1000):
        if desk.others(BEN, draft, "") == (MINE,):
            break
        await asyncio.sleep(0.01)

    async with asyncio.timeout(10):
        assert desk.others(BEN, draft, "2") == (MINE,)
        assert await waiting == ()
    assert desk.others(ANN, draft, "1") == (OTHER,)


async def test_one_who_names_no_page_is_seen_by_none(services: StageServices, draft: str) -> None:
    desk = DraftDesk(services)
    await desk.wait(BEN, draft, 0, 0)

    assert desk.others(ANN, draft, "1") == ()
