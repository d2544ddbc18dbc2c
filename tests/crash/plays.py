"""The sessions to be disturbed: their preparation, their steps, and their undisturbed end."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.files.layout import CONFIG, chapter_path
from penwright.domain.book.review.markers import rework_block
from penwright.errors import EngineUnavailable
from schemas.base import BookId
from schemas.book_session import BookSessionResult, RewriteOrder
from schemas.control import KillRequest
from schemas.intents import ApprovalDecision
from tests.support.books.running_books import (
    TWO_CHAPTERS,
    RunningBook,
    lay_out,
    plant_wish,
    prose_of,
    reply_of,
)
from tests.support.crash.points import CrashPoint
from tests.support.crash.session_summary import SessionSummary, summarise_session
from tests.support.engine.desk import LOOKING_TURNS, looking_up
from tests.support.engine.stand import Desk, Stand, desk

SESSION = "s3"


@dataclass(frozen=True)
class Play:
    """One session, repeatable."""

    name: str
    prepare: Callable[[RunningBook, Desk], None]
    act: Callable[[RunningBook, Desk], Awaitable[BookSessionResult]]
    asks: int = 1
    """Model calls of an undisturbed session."""


def _prepare_plain(book: RunningBook, at: Desk) -> None:
    """A person left an instruction and a saved edit; the session answers both and continues."""
    wish = plant_wish(book)
    book.write("Global Material/Soul.md", "# Soul\n\nDry, near, and by Ada.\n")
    at.says(ScriptedAnswer(op=f"*/{SESSION}#*", text=reply_of(SESSION, reworked=wish)))


def _prepare_last(book: RunningBook, at: Desk) -> None:
    """The author shortens the book, and the session is its last."""
    book.write(CONFIG, TWO_CHAPTERS)
    at.says(ScriptedAnswer(op=f"*/{SESSION}#*", text=reply_of(SESSION, closed=True)))


def _prepare_edited(book: RunningBook, at: Desk) -> None:
    """The session's editor reads the draft, and changes its beginning."""
    book.write(CONFIG, book.read(CONFIG).replace("craft: off", "craft: edit"))
    words = f"{SESSION}w1 {SESSION}w2"
    edit = f"@@@ replace\nreason: flat\n@@@ find\n{words}\n@@@ with\nslowly {words}\n@@@ end\n"
    at.says(
        ScriptedAnswer(op=f"*/{SESSION}/editor#*", text=edit),
        ScriptedAnswer(op=f"*/{SESSION}#*", text=reply_of(SESSION)),
    )


def _prepare_looking(book: RunningBook, at: Desk) -> None:
    """The writer looks things up, selects its intent, and asks to move on before the chapter is full."""
    at.says(*looking_up(SESSION))


def _prepare_mended(book: RunningBook, at: Desk) -> None:
    """Half of the session's prose stands in the book already; its writer is asked to mend that."""
    book.write(CONFIG, book.read(CONFIG).replace("craft: off", "craft: mend"))
    told, fresh = prose_of("s1").split("\n\n")[1], prose_of(SESSION).split("\n\n")[1]
    edit = f"@@@ replace\n@@@ find\n{told}\n@@@ with\n{fresh}\n@@@ end\n"
    at.says(
        ScriptedAnswer(op=f"*/{SESSION}#1", text=reply_of(SESSION).replace(fresh, told)),
        ScriptedAnswer(op=f"*/{SESSION}#*", text=edit),
    )


def _prepare_planned(book: RunningBook, at: Desk) -> None:
    """The chapter is full, and the next one has no outline: the planner makes it, and the book moves on."""
    book.write(CONFIG, f"{book.read(CONFIG)}planning: auto\n")
    book.write(chapter_path(2), "# The Boat\n\n[What she finds]\n")
    outline = "=== OUTLINE ===\n# The Boat\n\n1. She finds it.\n2. It is empty.\n=== END ===\n"
    at.says(
        ScriptedAnswer(op=f"*/{SESSION}/planner#*", text=outline),
        ScriptedAnswer(op=f"*/{SESSION}#*", text=reply_of(SESSION)),
    )


async def _write(book: RunningBook, at: Desk) -> BookSessionResult:
    return await at.run(book.session(SESSION, at.environ))


def _prepare_rewritten(book: RunningBook, at: Desk) -> None:
    """The author orders another first paragraph of the book."""
    old = prose_of("s1").split("\n\n")[0]
    block = rework_block("make it colder", f"Colder: {old}", old)
    at.says(ScriptedAnswer(op=f"*/{SESSION}#*", text=f"{block}\n"))


async def _rewrite(book: RunningBook, at: Desk) -> BookSessionResult:
    """A person reads the new passage, and accepts it."""
    order = RewriteOrder(chapter=1, instruction="make it colder", passage="s1w1 s1w2")
    await at.pipelines.start(book.session(SESSION, at.environ, rewrite=order))
    await _accept(book, at)
    return await at.pipelines.result(book.book_id)


async def _accept(book: RunningBook, at: Desk) -> None:
    """Say yes until it is heard: a worker may be killed meanwhile."""
    said = False
    while True:
        with suppress(EngineUnavailable):
            asked = await at.pipelines.pending(book.book_id)
            if asked is None and said:
                return
            if asked is not None:
                said = True
                digest = asked.need.plan_digest
                yes = ApprovalDecision(approval=asked.id, plan_digest=digest, decided="approved", by="ada")
                await at.pipelines.decide(book.book_id, yes)
        await asyncio.sleep(0.1)


async def _be_killed(book: RunningBook, at: Desk) -> BookSessionResult:
    """An outside agent opens, goes silent, and a person kills the session."""
    given = book.session(SESSION, at.environ, writer="outside", opener="agent")
    await at.pipelines.open(given)
    await at.pipelines.signal(book.book_id, KillRequest(who="ada", reason="the agent is gone"))
    return await at.pipelines.result(book.book_id)


PLAIN = Play("plain", _prepare_plain, _write)
LAST = Play("last", _prepare_last, _write)
KILLED = Play("killed", lambda book, at: at.says(), _be_killed, asks=0)
MENDED = Play("mended", _prepare_mended, _write, asks=2)
EDITED = Play("edited", _prepare_edited, _write, asks=2)
PLANNED = Play("planned", _prepare_planned, _write, asks=2)
REWRITTEN = Play("rewritten", _prepare_rewritten, _rewrite)
LOOKING = Play("looking", _prepare_looking, _write, asks=LOOKING_TURNS)


@dataclass
class Theatre:
    """A book two sessions old, copies of which every play begins with."""

    stand: Stand
    folder: Path
    young: RunningBook
    undisturbed: dict[str, SessionSummary]
    performances: int = 0

    async def perform(
        self,
        play: Play,
        *,
        crash: CrashPoint | None = None,
        disturb: "Callable[[Desk], Awaitable[None]] | None" = None,
    ) -> tuple[SessionSummary, Desk]:
        """Act ``play`` on a fresh copy of the book; ``disturb`` runs beside it."""
        self.performances += 1
        folder = self.folder / f"{self.performances}-{play.name}"
        book = self.young.copy(folder / "books", BookId(f"crash-{self.performances}"))
        async with desk(self.stand, folder / "desk", crash=crash) as at:
            play.prepare(book, at)
            disturbing = asyncio.ensure_future(disturb(at)) if disturb else None
            result = await play.act(book, at)
            if disturbing is not None:
                disturbing.cancel()
        return summarise_session(book, result, self.stand.database_url), at

    async def rehearse(self, plays: Iterable[Play]) -> None:
        """Perform each play undisturbed, once, before trials ask for it at the same time."""
        for play in plays:
            await self.original(play)

    async def original(self, play: Play) -> SessionSummary:
        """The summary of an undisturbed ``play``."""
        if play.name not in self.undisturbed:
            self.undisturbed[play.name] = (await self.perform(play))[0]
        return self.undisturbed[play.name]


async def open_theatre(stand: Stand, folder: Path) -> Theatre:
    """Lay out a book and write its first two sessions."""
    book = lay_out(folder / "young", "young", target=1000)
    async with desk(stand, folder / "desk") as at:
        at.says(*(ScriptedAnswer(op=f"*/{name}#*", text=reply_of(name)) for name in ("s1", "s2")))
        for name in ("s1", "s2"):
            assert (await at.run(book.session(name, at.environ))).outcome == "closed"
    return Theatre(stand, folder, book, {})
