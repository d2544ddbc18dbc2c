"""State of books, read without changing them: status, checks, sessions, and the list of all books."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shlex import quote

from gateway.desk.book.folder_edits import FolderEdits, with_folder_edits
from gateway.desk.book.lost_config import naming_restore
from gateway.desk.book.session_log import LogEntry, last_model, session_log
from gateway.desk.engine.pipelines import NO_ANSWER
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from gateway.desk.works.intents import check_rules
from gateway.desk.works.kinds import BOOK
from gateway.desk.works.named import folder
from penwright.domain.book import status as rules
from penwright.domain.book.board import reading_trouble
from penwright.domain.book.examination import examine_book
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW, SESSION_PATTERNS, names_at
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.book.session_warnings import config_kept, two_places
from penwright.domain.book.view import BookView, read_book
from penwright.errors import BrokenBook, BrokenWorkspace, EngineUnavailable, PenwrightError, StoreUnavailable
from schemas.base import BookId, Progress
from schemas.board import Timetabled
from schemas.book import BookStatus, Check
from schemas.records import BoardEntry, RunRow
from schemas.workspace import Snapshot, Workspace


@dataclass(frozen=True, slots=True)
class SessionNow:
    """The running session of a book."""

    engine_running: bool
    progress: Progress | None = None
    """None when no session runs, or when it is not known; see ``trouble``."""
    trouble: str = ""
    """Reason why it is not known."""
    schedule: Timetabled | None = None
    """That of the book; None if it has none, or if it is not known."""


@dataclass(frozen=True, slots=True)
class SessionLog:
    """The sessions of a book, newest first."""

    entries: tuple[LogEntry, ...]
    has_runs: bool
    """Whether the store was asked: costs, and sessions that wrote nothing, stand only there."""


@dataclass(frozen=True, slots=True)
class UnpushedCommits:
    """Commits that the remote lacks."""

    since: datetime
    reason: str = ""
    """Reason why it did not take them; empty if no push was tried, or if the store is not running."""
    held: bool = False
    """Whether a person must decide first: the remote lost a session."""


def not_pushed(services: Services, book: Book) -> UnpushedCommits | None:
    """The commits that the remote is not known to have; None if it has all, or if there is no remote."""
    if not services.workspaces().unpushed(book.workspace):
        return None
    told, held = (
        _board_entry(services, book.book_id, "push"),
        bool(services.workspaces().lost(book.workspace)),
    )
    if told is not None and told.state == "pending" and told.since is not None:
        return UnpushedCommits(told.since, str(told.detail.get("reason", "")), held)
    oldest = services.history().log(book.workspace, unpushed=True)[-1]
    return UnpushedCommits(oldest.at, held=held)


def _tried_again(trouble: str, book: Book) -> str:
    name = book.words
    return f"{trouble}; `penwright book read {name} --again` tries once more"


def _board_entry(services: Services, book_id: BookId, about: str) -> BoardEntry | None:
    try:
        with services.open_store() as store:
            return next((row.entry(about) for row in store.records.board(book_id)), None)
    except (EngineUnavailable, StoreUnavailable):
        return None


def book_status(services: Services, book: Book) -> BookStatus:
    """The status of a book at its tip, review and settings as they are in the folder; needs no engine."""
    status = _status(services, book)
    if trouble := reading_trouble(_board_entry(services, book.book_id, "reading")):
        status = status.model_copy(update={"warnings": (*status.warnings, _tried_again(trouble, book))})
    waits = None if status.session_active else not_pushed(services, book)
    if waits is None:
        return status
    told = {"push_pending": True, "push_since": waits.since, "push_reason": waits.reason}
    return status.model_copy(update=told)


def _status(services: Services, book: Book) -> BookStatus:
    tags = services.workspaces().tags(book.workspace)
    found, view, unread = _edited_view(services, book, _snapshot(services, book))
    status = rules.book_status(
        view,
        book_id=book.book_id,
        now=services.now(),
        last_tag=tags[-1] if tags else "",
        model=last_model(services, book),
    )
    kept = (config_kept(quote(book.workspace.path)),) if found.config_deleted else ()
    other = books.second_place(services, book)
    places = (two_places(other.path),) if other else ()
    warnings = (*status.warnings, *unread, *kept, *places)
    # `advance` saves the folder's edits first.
    missing = status.next_outline_missing and not (Path(book.workspace.path) / status.next_outline).is_file()
    told = {
        "edited": found.edited,
        "warnings": warnings,
        "next_outline_missing": missing,
        "remote_lost": services.workspaces().lost(book.workspace),
    }
    return status.model_copy(update=told)


def _edited_view(
    services: Services, book: Book, snapshot: Snapshot
) -> tuple[FolderEdits, BookView, tuple[str, ...]]:
    """The book with the edits of its folder, and why its settings were read without them."""
    found = with_folder_edits(services, book.workspace, snapshot)
    try:
        return found, read_book(found.snapshot), ()
    except BrokenBook as broken:
        found = with_folder_edits(services, book.workspace, snapshot, (REVIEW,))
        said = f"{broken.message} The last committed one is shown here; the next session would be refused."
        return found, read_book(found.snapshot), (said,)


def read_view(services: Services, book: Book) -> BookView:
    """The book at its tip."""
    return read_book(_snapshot(services, book))


def _snapshot(services: Services, book: Book) -> Snapshot:
    """Snapshot of what ``read_book`` needs; the book's long text is read only if it was not counted yet."""
    workspaces, names = services.workspaces(), names_at(services.now())
    snapshot = workspaces.snapshot(book.workspace, SESSION_PATTERNS, names=names)
    with naming_restore(book):
        counted = not read_book(snapshot).needs_count
    if counted:
        return snapshot
    patterns = (*SESSION_PATTERNS, FULL_BOOK)
    return workspaces.snapshot(book.workspace, patterns, names=names, at=snapshot.tip)


async def session_now(services: Services, book_id: BookId) -> SessionNow:
    """The running session, as far as the engine answers."""
    try:
        async with services.engine() as engine:
            progress = await engine.pipelines.progress(book_id)
            return SessionNow(True, progress, schedule=(await engine.schedules.upcoming()).get(book_id))
    except EngineUnavailable as error:
        if error.code != NO_ANSWER:
            said = "the engine is not running; start it with `penwright up --detach`"
            return SessionNow(False, trouble=said)
        hint = error.details.get("hint", "see `penwright logs workflows`")
        return SessionNow(True, trouble=f"{error.message}; {hint}")


def sessions(services: Services, book: Book, limit: int) -> SessionLog:
    """The last ``limit`` sessions, from commits and, while the engine runs, from its store."""
    runs = _runs(services, book.book_id, limit)
    return SessionLog(tuple(session_log(services, book, runs or (), limit)), runs is not None)


def book_checks(services: Services, named: str) -> tuple[Check, ...]:
    """Everything worth checking about a book: its repository, its files, its remote."""
    workspace = books.workspace_at(services, folder(services, BOOK, named))
    repository = _repository_check(services, workspace)
    if not repository.ok:
        return (repository,)
    snapshot = services.workspaces().snapshot(
        workspace, (*SESSION_PATTERNS, FULL_BOOK), names=names_at(services.now())
    )
    found = with_folder_edits(services, workspace, snapshot)
    rules = _rules_check(services, workspace)
    return (
        repository,
        _edits_check(found),
        *(_or_deleted(check, found, named) for check in examine_book(found.snapshot, now=services.now())),
        rules,
        _remote_check(services, workspace),
    )


def _edits_check(found: FolderEdits) -> Check:
    """Which state was looked at; an edit is no fault."""
    detail = "files as of the last commit"
    if found.edited:
        detail += f"; as edited in the folder, which the next session saves: {', '.join(found.edited)}"
    return Check(name="looked_at", ok=True, detail=detail)


def _or_deleted(check: Check, found: FolderEdits, named: str) -> Check:
    if check.name != "config_valid" or not found.config_deleted:
        return check
    advice = f"`penwright book restore {quote(named)}` brings it back."
    return Check(name=check.name, ok=False, detail=config_kept(named), advice=advice)


def _repository_check(services: Services, workspace: Workspace) -> Check:
    try:
        services.workspaces().check(workspace)
        services.workspaces().snapshot(workspace, ())
    except PenwrightError as error:
        return Check(name="repository", ok=False, detail=error.message, advice=error.details.get("hint", ""))
    return Check(name="repository", ok=True, detail=f"{workspace.path}, branch {workspace.branch}")


def _rules_check(services: Services, workspace: Workspace) -> Check:
    """The registry and the ignore files; a rule that protects nothing is worth a look, and no fault."""
    checked = check_rules(services, workspace)
    if wrong := "; ".join(filter(None, (checked.registry, *map(str, checked.faults)))):
        advice = "Mend the line named above; nothing is written before."
        return Check(name="intent_rules", ok=False, detail=wrong, advice=advice)
    idle = "; ".join(f"protects nothing: {each}" for each in checked.idle)
    return Check(name="intent_rules", ok=True, detail=idle or "all can be read")


def _remote_check(services: Services, workspace: Workspace) -> Check:
    try:
        if not services.history().ask_remote(workspace):
            return Check(name="remote", ok=True, detail="none; the book lives on this machine alone")
    except BrokenWorkspace as error:
        return Check(
            name="remote",
            ok=False,
            detail=error.message,
            advice="sessions go on without it and push later; check the network and your access",
        )
    return Check(name="remote", ok=True, detail=f"{workspace.remote} answers")


def _runs(services: Services, book_id: BookId, limit: int) -> tuple[RunRow, ...] | None:
    try:
        with services.open_store() as store:
            return store.records.runs(subject=book_id, pipeline=BOOK_PROFILE.name, limit=limit)
    except (EngineUnavailable, StoreUnavailable):
        return None
