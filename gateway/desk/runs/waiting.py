"""What waits for a person: approvals, proposals, pauses, pushes, failures and prose to review."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from gateway.desk.book import board as books_board
from gateway.desk.manuscript import board as documents_board
from gateway.desk.manuscript.board import DocumentLine
from gateway.desk.principals import Principal, sees
from gateway.desk.scene import board as scenes_board
from gateway.desk.scene.board import SceneLine
from gateway.desk.services import Services
from penwright.domain.manuscript.naming import options_of, words_of
from schemas.board import BoardLine
from schemas.citations import CitationCounts

Kind = Literal["book", "novel", "scene"]

IN_A_BROWSER = "penwright web"
"""The command of what has a page alone, such as the review of a book."""
_PROPOSED = "waiting"
"""Outcome of a citation scan whose proposals wait for a decision."""
_ENDED_EARLY = frozenset({"stopped", "failed", "refused"})
_SCANS = 100


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """One thing that waits for a person."""

    kind: Kind
    name: str
    """Id of the book or scene; of a document, ``<novel>/<scene>``."""
    title: str
    about: str
    """What waits, in a sentence."""
    urgent: bool
    """Whether work stands still because of it."""
    since: datetime | None = None
    command: str = ""
    """The command that answers it on a terminal."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Everything that waits."""

    items: tuple[WaitingItem, ...]
    """What holds up work first, then the oldest first."""
    trouble: str = ""
    """Why some of it may be missing; empty if all was asked."""


@dataclass(frozen=True, slots=True)
class Boards:
    """The three boards, read once."""

    books: books_board.Board
    documents: documents_board.DocumentBoard
    scenes: scenes_board.SceneBoard

    @property
    def trouble(self) -> str:
        """Why it is not known what runs now."""
        return self.books.trouble or self.documents.trouble or self.scenes.trouble


async def boards(services: Services, principal: Principal) -> Boards:
    """Every book and document that ``principal`` may see, and every such scene in which a round runs.

    Raises:
        EngineUnavailable, StoreUnavailable: there is no store.
    """
    books = await books_board.board(services)
    documents = await documents_board.board(services)
    scenes = await scenes_board.at_work(services)
    return Boards(
        books_board.Board(
            tuple(each for each in books.lines if sees(principal, f"book/{each.book_id}")), books.trouble
        ),
        documents_board.DocumentBoard(
            tuple(each for each in documents.lines if sees(principal, f"novel/{each.novel}")),
            documents.trouble,
        ),
        scenes_board.SceneBoard(
            tuple(each for each in scenes.lines if sees(principal, f"scene/{each.scene}")), scenes.trouble
        ),
    )


async def waiting(services: Services, principal: Principal) -> Waits:
    """Everything of the subjects of ``principal`` that waits for a person."""
    return waits_of(services, await boards(services, principal))


def waits_of(services: Services, found: Boards) -> Waits:
    """The same from boards that were read before."""
    items = [
        *(item for line in found.books.lines for item in _of_book(line)),
        *(item for line in found.documents.lines for item in _of_document(line)),
        *(item for line in found.documents.lines for item in _of_scan(line)),
        *_proposals(services, found.documents.lines),
        *(item for line in found.scenes.lines for item in _of_scene(line)),
    ]
    items.sort(key=lambda item: (not item.urgent, item.since.timestamp() if item.since else 0.0))
    return Waits(tuple(items), found.trouble)


def _of_book(line: BoardLine) -> Iterator[WaitingItem]:
    since = line.last.since if line.last else None
    for one in line.attention:
        yield WaitingItem("book", line.book_id, line.title, one.reason, True, since, one.command)
    if line.waiting and line.state == "idle":
        about = f"{line.waiting:,} new words wait for your review"
        yield WaitingItem("book", line.book_id, line.title, about, False, since, IN_A_BROWSER)


def _of_document(line: DocumentLine) -> Iterator[WaitingItem]:
    name = f"{line.novel}/{line.scene}"
    if line.state == "waits for approval":
        about, command = "a change waits for your approval", f"penwright intent pending {line.novel}"
    elif line.state == "paused":
        about = f"its run is paused: {line.trouble}"
        command = f"penwright manuscript resume {words_of(line.novel, line.scene)}"
    elif line.state == "idle" and line.outcome in ("failed", "refused"):
        about, command = (
            f"its last run {line.outcome}",
            f"penwright manuscript history {words_of(line.novel, line.scene)}",
        )
    else:
        return
    yield WaitingItem("novel", name, line.title, about, True, line.ended_at, command)


def _of_scan(line: DocumentLine) -> Iterator[WaitingItem]:
    if line.scan == "paused":
        about = f"its citation scan is paused: {line.scan_detail}"
        command = f"penwright cite resume {options_of(line.novel, line.scene)}"
    elif line.scan == "waits for approval":
        about, command = (
            "a change of its citation scan waits for your approval",
            f"penwright intent pending {line.novel}",
        )
    elif line.scan == "deciding":
        about = "its citation scan waits for your decisions"
        command = f"penwright cite review {options_of(line.novel, line.scene)}"
    else:
        return
    yield WaitingItem("novel", f"{line.novel}/{line.scene}", line.title, about, True, None, command)


def _proposals(services: Services, lines: Sequence[DocumentLine]) -> Iterator[WaitingItem]:
    """The documents whose last citation scan left proposals to decide on."""
    known = {f"{line.novel}/{line.scene}": line for line in lines}
    seen: set[str] = set()
    with services.open_store() as store:
        scans = store.records.runs(pipeline="citation-scan", limit=_SCANS)
    for scan in scans:
        counts = CitationCounts.model_validate(scan.detail.get("counts") or {})
        # One that ended before it named a sentence has left what was there.
        left_all = scan.outcome in _ENDED_EARLY and not counts.found
        if scan.subject in seen or scan.subject not in known or left_all:
            continue
        seen.add(scan.subject)
        if scan.outcome == _PROPOSED or counts.proposed + counts.verified:
            about = "proposed citations wait for your decision"
            line = known[scan.subject]
            command = f"penwright cite review {options_of(line.novel, line.scene)}"
            yield WaitingItem("novel", scan.subject, line.title, about, False, scan.started_at, command)


def _of_scene(line: SceneLine) -> Iterator[WaitingItem]:
    if line.state == "approval":
        about = f"the director's plan for round {line.round} waits for you"
        command = f"penwright scene approve {line.scene}"
        yield WaitingItem("scene", line.scene, line.title, about, True, None, command)
    if line.state == "paused":
        why = line.detail.removeprefix("Paused: ")
        about = f"round {line.round} is paused" + (f": {why}" if why else "")
        yield WaitingItem(
            "scene", line.scene, line.title, about, True, None, f"penwright scene resume {line.scene}"
        )
