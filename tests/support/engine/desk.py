"""The desk that end-to-end tests share: one crew, and a writer that behaves as the session name says."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from penwright.adapters.models.scripted import Fault, ScriptedAnswer, ScriptedCall
from tests.support.books.running_books import prose_of, reply_of
from tests.support.engine.stand import Desk, Stand, desk

MANNERS: dict[str, Fault] = {
    "says-nothing": "empty",
    "half-json": "half-json",
    "refuses": "refusal",
    "hangs": "hang",
    "hangs-once": "hang",
}
"""Session names, and the fault of the model in such a session."""

MODEL_TIMEOUT_S = "1"
POLL_S = 0.05


def answers() -> Sequence[ScriptedAnswer]:
    """Sessions ``s1`` to ``s9`` are written, ``last`` closes the arcs, the others meet a fault.

    A book whose id begins with ``ending-`` has its arcs closed in every session of no such name; for one that
    begins with ``silent-`` the model says nothing.
    """
    written = [ScriptedAnswer(op=f"*/s{n}#*", text=reply_of(f"s{n}")) for n in range(1, 10)]
    last = ScriptedAnswer(op="*/last#*", text=reply_of("last", closed=True))
    faults = [
        ScriptedAnswer(
            op=f"*/{name}#*", fault=fault, times=1 if name == "hangs-once" else 99, text=reply_of("late")
        )
        for name, fault in MANNERS.items()
    ]
    nul = ScriptedAnswer(op="*/has-nul#*", text=reply_of("nul").replace("nulw3 ", "nulw3\x00 "))
    ending = ScriptedAnswer(op="book/ending-*", text=reply_of("ending", closed=True))
    return [
        *looking_up("looks-up"),
        *written,
        last,
        *faults,
        nul,
        ending,
        ScriptedAnswer(op="book/silent-*", fault="empty", times=99),
        ScriptedAnswer(text=reply_of("scheduled")),
    ]


def looking_up(session: str) -> Sequence[ScriptedAnswer]:
    """A writer that reads, searches, selects, moves on too early, calls what there is not, and delivers."""
    read = ScriptedCall(name="read_chapter", arguments={"number": 1})
    search = ScriptedCall(name="search_book", arguments={"text": "s1w3"})
    select = ScriptedCall(name="select_active_intent", arguments={"intent_id": "INT-001"})
    wrong = ScriptedCall(name="burn_book")
    advance = ScriptedCall(name="advance_chapter")
    return (
        ScriptedAnswer(op=f"*/{session}#1", tool_calls=(read, search, wrong)),
        ScriptedAnswer(op=f"*/{session}#2", tool_calls=(select, advance)),
        ScriptedAnswer(op=f"*/{session}#*", text=reply_of(session)),
    )


LOOKING_TURNS = 3


@pytest.fixture(scope="session")
async def shared_desk(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    """A crew at work for all tests of this process."""
    folder = tmp_path_factory.mktemp("desk")
    notices = folder / "notices.jsonl"
    async with desk(
        stand,
        folder,
        PENWRIGHT_NOTIFY__COMMAND=json.dumps(["sh", "-c", f"cat >> '{notices}'; echo >> '{notices}'"]),
        PENWRIGHT_MODELS__SCRIPTED__TIMEOUT_S=MODEL_TIMEOUT_S,
        PENWRIGHT_BOOKS__NETWORK_TIMEOUT_S="20",
        PENWRIGHT_BOOKS__LOCK_WAIT_S="5",
    ) as at:
        at.says(*answers())
        yield at


def notices_of(at: Desk, book_id: str) -> list[dict[str, Any]]:  # Any: JSON
    """The notices about a book, in order."""
    file = at.folder / "notices.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    told = [json.loads(line) for line in lines if line]
    return [notice for notice in told if notice["data"]["book_id"] == book_id]


async def notices_sent(at: Desk, book_id: str, about: str = "") -> list[dict[str, Any]]:  # Any: JSON
    """The notices whose title has ``about``, once there is one: workflows of their own send them."""
    async with asyncio.timeout(60):
        while True:
            found = [notice for notice in notices_of(at, book_id) if about in notice["title"]]
            if found:
                return found
            await asyncio.sleep(POLL_S)


__all__ = ["MANNERS", "answers", "notices_of", "notices_sent", "prose_of", "shared_desk"]
