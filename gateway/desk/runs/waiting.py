"""Items that wait for a person: approvals, proposals, pauses, pushes, failures and prose to review.

The one answer to it: `penwright status`, the API and the pages show what is found here.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from gateway.desk.agents import board as agents_board
from gateway.desk.book import board as books_board
from gateway.desk.engine.agent_runs import RunSummary
from gateway.desk.manuscript import board as documents_board
from gateway.desk.manuscript.board import DocumentLine
from gateway.desk.principals import Principal, sees
from gateway.desk.scene import board as scenes_board
from gateway.desk.scene.board import RestingScene, SceneLine, resting
from gateway.desk.services import CommandStore, Services
from gateway.desk.works.subjects import sees_stored
from penwright.domain.book.board import waiting_words
from penwright.domain.citations.auditing.steps import PIPELINE as AUDIT
from penwright.domain.housekeeping import PIPELINE as HOUSEKEEPING
from penwright.domain.manuscript.naming import options_of, words_of
from penwright.domain.scene.indexing import PIPELINE as INDEXING
from penwright.domain.text.counted import counted
from schemas.board import BoardLine
from schemas.citations import CitationCounts
from schemas.housekeeping import HousekeepingResult

WaitingKind = Literal["book", "novel", "scene", "agent", "memories", "store"]

IN_A_BROWSER = "penwright web"
"""The command of what has a page alone, such as the review of a book."""
_PROPOSED = "waiting"
"""Outcome of a citation scan whose proposals wait for a decision."""
_BROKEN = frozenset({"failed", "completed-with-errors", "running"})
"""Ends of a last round that went wrong; ``running``: nothing plays it any more."""
_ENDED_EARLY = frozenset({"stopped", "killed", "failed", "refused"})
_SCANS = 100


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """One thing that waits for a person."""

    kind: WaitingKind
    name: str
    """Id of the book, scene or agent's run; of a document, ``<novel>/<scene>``."""
    title: str
    about: str
    """Sentence on what waits."""
    urgent: bool
    """Whether work stands still because of it."""
    since: datetime | None = None
    command: str = ""
    """The command that answers it on a terminal."""
    also: str = ""
    """Another command that may fit instead; empty if there is none."""
    state: str = "idle"
    """Present activity, or how the last run ended."""
    part: Literal["", "citations"] = ""
    """``citations``: a scan of the document."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Everything that waits."""

    items: tuple[WaitingItem, ...]
    """Items, what holds up work first, then the oldest first."""
    trouble: str = ""
    """Reason why some of it may be missing; empty if all was asked."""


@dataclass(frozen=True, slots=True)
class Boards:
    """The four boards, read once."""

    books: books_board.Board
    documents: documents_board.DocumentBoard
    scenes: scenes_board.SceneBoard
    agents: agents_board.AgentBoard
    resting: tuple[RestingScene, ...] = ()
    installation: tuple[WaitingItem, ...] = ()
    """Of what belongs to no book, novel or scene."""

    @property
    def trouble(self) -> str:
        """Reason why it is not known what runs now."""
        each = (self.books, self.documents, self.scenes, self.agents)
        return next((board.trouble for board in each if board.trouble), "")


async def boards(services: Services, principal: Principal) -> Boards:
    """Every book and document that ``principal`` may see, and every such scene or agent that is at work.

    Raises:
        EngineUnavailable, StoreUnavailable: there is no store.
    """
    # All at once: an engine that does not answer is waited for once.
    books, documents, scenes, agents = await asyncio.gather(
        books_board.board(services),
        documents_board.board(services),
        scenes_board.at_work(services),
        agents_board.at_work(services),
    )
    with services.open_store() as store:
        rest = resting(store, {each.scene for each in scenes.lines})
        own = tuple(_of_installation(services, store)) if principal.subjects is None else ()
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
        agents_board.AgentBoard(
            tuple(each for each in agents.lines if sees_stored(principal, each.subject)), agents.trouble
        ),
        tuple(each for each in rest if sees(principal, f"scene/{each.scene}")),
        own,
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
        *_retractions(services, found.documents.lines),
        *(item for line in found.scenes.lines for item in _of_scene(line)),
        *(item for line in found.resting for item in _of_resting(line)),
        *(_of_agent(run) for run in found.agents.lines if agents_board.waits(run)),
        *found.installation,
    ]
    items.sort(key=lambda item: (not item.urgent, item.since.timestamp() if item.since else 0.0))
    return Waits(tuple(items), found.trouble)


def _of_book(line: BoardLine) -> Iterator[WaitingItem]:
    since = line.last.since if line.last else None
    for one in line.attention:
        yield WaitingItem(
            "book", line.book_id, line.title, one.reason, True, since, one.command, one.also, line.state
        )
    if line.waiting and line.state == "idle":
        about = waiting_words(line)
        yield WaitingItem("book", line.book_id, line.title, about, False, since, IN_A_BROWSER)


def _of_document(line: DocumentLine) -> Iterator[WaitingItem]:
    words, also, state = words_of(line.novel, line.scene), "", line.state
    if state == "waits for approval":
        about, command = "a change waits for your approval", f"penwright intent pending {line.novel}"
    elif state == "paused":
        about, command = f"its run is paused: {line.trouble}", f"penwright manuscript resume {words}"
        also = f"penwright manuscript stop {words}"
    elif state == "stuck":
        about, command = line.trouble, "penwright logs workflows"
    # A refusal was told to who asked for the run; it changed nothing, and nothing waits for a person.
    elif state == "idle" and line.outcome == "failed":
        about, command, state = "its last run failed", f"penwright manuscript history {words}", line.outcome
    else:
        return
    name = f"{line.novel}/{line.scene}"
    yield WaitingItem("novel", name, line.title, about, True, line.ended_at, command, also, state)


def _of_scan(line: DocumentLine) -> Iterator[WaitingItem]:
    options, also, state = options_of(line.novel, line.scene), "", line.scan
    if line.scan == "paused":
        about, command = (
            f"its citation scan is paused: {line.scan_detail}",
            f"penwright cite resume {options}",
        )
        also = f"penwright cite kill {options}"
    elif line.scan == "waits for approval":
        about = "a change of its citation scan waits for your approval"
        command = f"penwright intent pending {line.novel}"
    elif line.scan == "deciding":
        about, command = "its citation scan waits for your decisions", f"penwright cite review {options}"
    # As of a run.
    elif not line.scan and line.scan_outcome == "failed":
        about = "its last citation scan failed"
        command, state = f"penwright cite scan {options}", line.scan_outcome
    else:
        return
    name = f"{line.novel}/{line.scene}"
    since = None if line.scan else line.scan_ended_at
    yield WaitingItem("novel", name, line.title, about, True, since, command, also, state, "citations")


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
            yield WaitingItem(
                "novel",
                scan.subject,
                line.title,
                about,
                False,
                scan.started_at,
                command,
                state="proposed",
                part="citations",
            )


def _retractions(services: Services, lines: Sequence[DocumentLine]) -> Iterator[WaitingItem]:
    """The documents that cite a retracted work, as their last audit found."""
    titles, seen = {line.novel: line.title for line in lines}, set[str]()
    with services.open_store() as store:
        audits = store.records.runs(pipeline=AUDIT, limit=_SCANS)
    for each in audits:
        novel, _, scene = each.subject.partition("/")
        if each.subject in seen or novel not in titles or each.outcome != "done":
            continue
        seen.add(each.subject)
        if retracted := each.detail.get("retracted"):
            about = f"cites {counted(len(retracted), 'retracted work')}"
            command = f"penwright cite audit {options_of(novel, scene)}"
            yield WaitingItem(
                "novel",
                each.subject,
                titles[novel],
                about,
                False,
                each.ended_at,
                command,
                state="retracted",
                part="citations",
            )


def _of_scene(line: SceneLine) -> Iterator[WaitingItem]:
    if line.state == "approval":
        about = f"the director's plan for round {line.round} waits for you"
        command = f"penwright scene approve {line.scene}"
    elif line.state == "paused":
        why = line.detail.removeprefix("Paused: ")
        about = f"round {line.round} is paused" + (f": {why}" if why else "")
        command = f"penwright scene resume {line.scene}"
    else:
        return
    yield WaitingItem("scene", line.scene, line.title, about, True, None, command, state=line.state)


def _of_agent(run: RunSummary) -> WaitingItem:
    asks = run.stage == "approval"
    about = "a call of it waits for your approval" if asks else "it is paused"
    command = f"penwright run {'show' if asks else 'resume'} {run.run_id}"
    title = f"{run.agent or 'a sub-agent'} on {run.subject}"
    return WaitingItem("agent", run.run_id, title, about, True, None, command, state=run.stage)


def _of_resting(line: RestingScene) -> Iterator[WaitingItem]:
    for one in line.attention:
        urgent = line.state in _BROKEN
        yield WaitingItem(
            "scene", line.scene, line.title, one.reason, urgent, None, one.command, one.also, line.state
        )


def _of_installation(services: Services, store: CommandStore) -> Iterator[WaitingItem]:
    """Memories whose vectors could not be made, and a housekeeping that failed or had to leave something."""
    model = services.defaults().memory_model
    last = next(iter(store.records.runs(pipeline=INDEXING, limit=1)), None)
    if model and last is not None and last.outcome == "failed" and store.memories.counted(model).without:
        about, command = "vectors could not be made", "penwright doctor"
        yield WaitingItem("memories", "vectors", "Memories", about, True, None, command, state="failed")
    done = next(iter(store.records.runs(pipeline=HOUSEKEEPING, limit=1)), None)
    if done is None:
        return
    kept = HousekeepingResult.model_validate(done.detail)
    failed = [kept.message] if kept.outcome == "failed" else [each.failed for each in kept.tables]
    for why in [each for each in failed if each][:1]:
        command = "penwright operator housekeeping --dry-run"
        yield WaitingItem("store", "housekeeping", "Housekeeping", why, False, None, command, state="failed")
