"""Finding the book a command means: by folder or by registered id."""

import secrets
import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from gateway.desk.services import CommandStore, Services
from gateway.desk.works import folder_ids
from gateway.desk.works.folder_ids import own_id
from gateway.desk.works.kinds import BOOK as KIND
from gateway.desk.works.named import folder
from penwright.adapters.scaffold.book_mark import read_mark
from penwright.adapters.scaffold.repository_folder import git, root_commit, top_folder, written_book_id
from penwright.domain.book.files.layout import CONFIG, README, STATE
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.book.identity import Place, adopted_book_id, checked_book_id, recorded_book_id
from penwright.domain.manuscript.layout import NOVEL
from penwright.domain.text.words import unit_of
from penwright.errors import BrokenBook, BrokenWorkspace, NotFound, PenwrightError, UsageMistake
from schemas.base import BookId, LengthUnit
from schemas.book_errand import BookErrandInput
from schemas.book_session import BookSessionInput
from schemas.workspace import Snapshot, Workspace

_FEW = 5
"""Branches that a message names."""


@dataclass(frozen=True, slots=True)
class Book:
    """A book on this machine."""

    book_id: BookId
    workspace: Workspace
    title: str
    origin: str = ""
    """Id of the book that this one is a copy of; empty if it is none, or if that is recorded in the book."""
    is_registered: bool = True
    """Whether its id is known on this machine. It is from the first change on that a command makes there."""

    @property
    def subject(self) -> BookId:
        """Its id, as of any work."""
        return self.book_id

    @property
    def kind(self) -> Literal["book"]:
        """Kind of the work."""
        return "book"

    @property
    def words(self) -> str:
        """Its name in commands: its id, or its folder as long as the id is not known."""
        return self.book_id if self.is_registered else shlex.quote(self.workspace.path)


def find(services: Services, named: str, *, laid_out: bool = True) -> Book:
    """The book in folder ``named``, or registered under the id ``named``; see ``at``."""
    place = folder(services, KIND, named)
    try:
        return at(services, place, laid_out=laid_out)
    except NotFound as gone:
        if gone.code != "no-such-folder" or str(place) == named:
            raise
        raise NotFound(
            gone.code,
            f"the folder of {named!r}, {str(place)!r}, is not there",
            hint=f"`penwright book move {shlex.quote(named)} FOLDER` says where it is now, "
            f"`penwright book forget {shlex.quote(named)}` takes it off the list",
        ) from gone


def workspace_at(services: Services, path: Path) -> Workspace:
    """The repository that begins at ``path``, whether it holds a book or not."""
    places = services.defaults()
    return Workspace(path=str(top_folder(path)), branch=places.branch, remote=places.remote)


def at(services: Services, path: Path, *, laid_out: bool = True) -> Book:
    """The book whose repository begins at ``path``.

    ``laid_out``: raise ``BrokenBook`` unless it has its Config.yml; a book that was reset has none.
    """
    workspace = workspace_at(services, path)
    top = Path(workspace.path)
    try:
        snapshot = services.workspaces().snapshot(workspace, (STATE, README, NOVEL), names=(CONFIG,))
    except BrokenWorkspace as broken:
        raise no_commits(top, workspace) if broken.code == "no-such-branch" else broken from None
    if CONFIG not in snapshot.names and (NOVEL in snapshot.files or NOVEL in snapshot.unreadable):
        raise is_a_novel(str(top))
    if laid_out and CONFIG not in snapshot.names and not (top / CONFIG).is_file():
        raise _not_laid_out(top, workspace.branch)
    recorded = _id_in(snapshot, workspace)
    book_id = own_id(services, workspace, recorded, _recorded_id)
    origin = recorded if book_id != recorded else ""
    return Book(
        book_id, workspace, _title(snapshot, top), origin, marked_id(services, workspace.path) == book_id
    )


def unit_in(services: Services, book: Book) -> LengthUnit:
    """In which the lengths of the book are told; words if its Config.yml cannot be read."""
    file = services.workspaces().snapshot(book.workspace, (CONFIG,)).files.get(CONFIG)
    try:
        return unit_of(read_config(file.text).language) if file else "words"
    except BrokenBook:
        return "words"


def is_a_novel(named: str) -> UsageMistake:
    """Make the error for a novel where a book is expected."""
    return UsageMistake(
        "is-a-novel",
        f"{named!r} is a novel, and this command is for books",
        hint=f"`penwright manuscript list {shlex.quote(named)}` shows its scenes; "
        "`penwright manuscript --help` lists the commands for novels",
    )


def marked_id(services: Services, path: str) -> BookId | None:
    """Id of the book that was registered last at folder ``path``; None if that is not known."""
    places = services.defaults()
    try:
        mark = read_mark(Workspace(path=path, branch=places.branch, remote=places.remote))
    except PenwrightError:
        return None
    return mark.book_id if mark and mark.path == path else None


def no_commits(top: Path, workspace: Workspace) -> BrokenBook:
    """Make the error for a branch that is not there yet, in a new repository or a clone with another one."""
    branch, theirs = workspace.branch, f"{workspace.remote}/{workspace.branch}"
    listed = git(top, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", check=False)
    refs = [ref.split("/", 2)[2] for ref in listed.split() if not ref.endswith("/HEAD")]
    if theirs in refs:
        hint = f"{theirs} has it: `git -C {shlex.quote(str(top))} switch {branch}`"
    elif refs:
        names = ", ".join(refs[:_FEW])
        hint = f"it has {names}; `git switch -c {branch} NAME` makes the branch of one of them"
    else:
        hint = (
            "make a book there with `penwright book init FOLDER`, a novel with "
            "`penwright manuscript new FOLDER`, or "
            "switch to its branch"
        )
    return BrokenBook("no-commits", f"{str(top)!r} has no commit on branch {branch!r}", hint=hint)


def place_name(services: Services, book: Book) -> str:
    """Name the place of a caller of the book's running session."""
    return Place(services.defaults().repo_queue, book.workspace.path).name


def second_place(services: Services, book: Book) -> Place | None:
    """Another folder that holds the same book, with the same remote; None as far as is known."""
    return folder_ids.second_place(services, book.workspace, book.book_id, _recorded_id)


def _not_laid_out(top: Path, branch: str) -> BrokenBook:
    if written_book_id(top, branch) is None:
        return BrokenBook(
            "config-missing",
            f"{str(top)!r} has no {CONFIG!r}, so it is no book yet",
            hint=f"lay one out with `penwright book init {shlex.quote(str(top))}`",
        )
    return BrokenBook(
        "config-missing",
        f"{str(top)!r} was reset, or lost its {CONFIG!r}",
        hint=f"`penwright book restore {shlex.quote(str(top))}` brings a deleted one back, "
        f"`penwright book rollback {shlex.quote(str(top))} --undo` takes a reset back, "
        f"`penwright book init {shlex.quote(str(top))}` begins again after one",
    )


def register(store: CommandStore, services: Services, book: Book, *, moves: bool = False) -> None:
    """Register the book, so that it can be named by its id; see ``folder_ids.register``."""
    folder_ids.register(store, services, book, _recorded_id, moves=moves)


def enter(services: Services, book: Book, *, moves: bool = False) -> None:
    """Register ``book`` in the store of the running engine; see ``register``."""
    with services.open_store() as store:
        register(store, services, book, moves=moves)


def session_input(
    services: Services,
    book: Book,
    *,
    outside: bool,
    opener: str = "",
    intent: str = "",
    who: str = "",
    tag: str = "",
) -> BookSessionInput:
    """One new session of ``book``; an agent known as ``who`` must select its intent."""
    folder_ids.mark(book)
    return BookSessionInput(
        book_id=book.book_id,
        workspace=book.workspace,
        session=new_session(services.now()),
        opener=opener,
        writer="outside" if outside else "built-in",
        who=who,
        must_select=bool(who),
        intent=intent,
        origin=book.origin,
        repo_queue=services.defaults().repo_queue,
        model_queue=services.defaults().model_queue,
        override_tag=tag,
    )


def errand_input(services: Services, book: Book, **what: object) -> BookErrandInput:
    """One errand for ``book``, which registers it if it is not; ``what``: kind, target, early."""
    if not book.is_registered:
        enter(services, book)
    return BookErrandInput.model_validate(
        {
            "book_id": book.book_id,
            "workspace": book.workspace,
            "session": new_session(services.now()),
            "repo_queue": services.defaults().repo_queue,
            **what,
        }
    )


def new_session(now: datetime) -> str:
    """A name no other session has."""
    return f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"


def _recorded_id(services: Services, there: Workspace) -> BookId:
    """The id of the book in a folder, as its repository has it."""
    return _id_in(services.workspaces().snapshot(there, (STATE,)), there)


def _id_in(snapshot: Snapshot, workspace: Workspace) -> BookId:
    """The id that the repository has, or else that of its root commit."""
    top, branch = Path(workspace.path), workspace.branch
    if recorded := _recorded(snapshot) or written_book_id(top, branch):
        return checked_book_id(recorded)
    root = root_commit(top, branch)
    assert root is not None, "a branch with a snapshot has commits"
    return adopted_book_id(root)


def _recorded(snapshot: Snapshot) -> str | None:
    state = snapshot.files.get(STATE)
    return recorded_book_id(state.text) if state else None


def _title(snapshot: Snapshot, top: Path) -> str:
    readme = snapshot.files.get(README)
    for line in readme.text.splitlines() if readme else ():
        if line.startswith("# "):
            return line[2:].strip()
    return top.name
