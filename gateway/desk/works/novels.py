"""Finding the novel a command means: by folder or by registered id."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gateway.desk.services import CommandStore, Services
from gateway.desk.works import books, folder_ids
from gateway.desk.works.kinds import NOVEL as KIND
from gateway.desk.works.named import folder
from penwright.adapters.scaffold.book_mark import read_mark
from penwright.adapters.scaffold.repository_folder import root_commit
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.library.names import SOURCES, is_source
from penwright.domain.manuscript.config import not_utf8, read_novel, why_broken, why_unreadable
from penwright.domain.manuscript.identity import novel_id_of, recorded_novel_id
from penwright.domain.manuscript.layout import NOVEL
from penwright.domain.text.words import told_length, unit_of
from penwright.errors import BrokenBook, NotFound, PenwrightError
from schemas.base import BookId
from schemas.novel import NovelConfig
from schemas.workspace import Snapshot, TextFile, Workspace


@dataclass(frozen=True, slots=True)
class Novel:
    """A novel on this machine."""

    novel_id: BookId
    workspace: Workspace
    config: NovelConfig
    origin: str = ""
    """Id of the novel that this one is a copy of; empty if it is none."""
    is_registered: bool = False
    """Whether it was found by what its registration left: its row, or the note in its folder."""

    @property
    def subject(self) -> BookId:
        """Its id, as of any work."""
        return self.novel_id

    @property
    def kind(self) -> Literal["novel"]:
        """Kind of the work."""
        return "novel"

    @property
    def title(self) -> str:
        """Its title."""
        return self.config.title

    def length(self, number: int) -> str:
        """A length of its texts, with its unit."""
        return told_length(number, unit_of(self.config.language))


def find(services: Services, named: str) -> Novel:
    """The novel in folder ``named``, or registered under the id ``named``; see ``at``."""
    return at(services, folder(services, KIND, named))


def find_noted(services: Services, named: str) -> Novel:
    """As ``find``; a novel whose folder has a note of which novel it holds is found without git."""
    path = folder(services, KIND, named)
    return noted(services, path) or at(services, path)


def noted(services: Services, path: Path) -> Novel | None:
    """The novel that was registered last at ``path``, with the settings in the folder.

    None unless the note in the folder is of this place, and Novel.yml has the id of the same novel.
    """
    top, places = path.expanduser().resolve(), services.defaults()
    workspace = Workspace(path=str(top), branch=places.branch, remote=places.remote)
    try:
        mark, text = read_mark(workspace), _in_folder(top)
        if mark is None or mark.path != workspace.path or text is None:
            return None
        recorded = recorded_novel_id(text)
        if recorded is None or recorded not in (mark.book_id, mark.origin):
            return None
        origin = recorded if recorded != mark.book_id else ""
        return Novel(mark.book_id, workspace, read_novel(text), origin, is_registered=True)
    except PenwrightError:
        return None


def at(services: Services, path: Path) -> Novel:
    """The novel whose repository begins at ``path``.

    Raises:
        BrokenBook: ``novel-missing``, or what is wrong with its Novel.yml.
        UsageMistake: ``bad-novel-id``.
    """
    workspace = books.workspace_at(services, path)
    top = Path(workspace.path)
    root = root_commit(top, workspace.branch)
    if root is None:
        raise books.no_commits(top, workspace)
    text = _config_text(services.workspaces("novel").snapshot(workspace, (NOVEL,)), top)
    recorded = novel_id_of(text, root)
    novel_id = folder_ids.own_id(services, workspace, recorded, _recorded_id)
    origin = recorded if novel_id != recorded else ""
    return Novel(novel_id, workspace, read_novel(text), origin)


def folder_config(novel: Novel) -> NovelConfig:
    """The settings as Novel.yml in the folder has them, which a run commits before it begins.

    Raises:
        BrokenBook: it cannot be read, and no run begins on it.
    """
    text = _in_folder(Path(novel.workspace.path))
    return novel.config if text is None else read_novel(text)


def ensure_registered(services: Services, novel: Novel) -> None:
    """Register the novel unless it is; workers take orders for it afterwards."""
    with services.open_store() as store:
        # A note outlives its row: the list was cleared, or the engine is another.
        if novel.is_registered and store.records.book(novel.novel_id) is not None:
            folder_ids.mark(novel)
        else:
            register(store, services, novel)


def enter(services: Services, novel: Novel, *, moves: bool = False) -> None:
    """Register ``novel`` in the store of the running engine."""
    with services.open_store() as store:
        register(store, services, novel, moves=moves)


def register(store: CommandStore, services: Services, novel: Novel, *, moves: bool = False) -> None:
    """Register the novel, so that it can be named by its id; see ``folder_ids.register``."""
    folder_ids.register(store, services, novel, _recorded_id, moves=moves)


def _recorded_id(services: Services, there: Workspace) -> BookId | None:
    """The id of the novel in a folder, as its repository has it.

    Raises:
        NotFound: the folder is not there any more.
        BrokenBook: it holds no novel.
    """
    top = Path(there.path)
    if not top.is_dir():
        raise NotFound("no-such-folder", f"the folder {there.path!r} is not there")
    root = root_commit(top, there.branch)
    if root is None:
        return None
    return novel_id_of(_config_text(services.workspaces("novel").snapshot(there, (NOVEL,)), top), root)


def _config_text(snapshot: Snapshot, top: Path) -> str:
    """The committed Novel.yml; if that cannot be read, or is not there yet, the folder's."""
    broken, committed = why_broken(snapshot), snapshot.files.get(NOVEL)
    if broken is None and committed is not None:
        return committed.text
    text = _in_folder(top)
    if broken is not None:
        return text if text is not None and why_unreadable(text) is None else _kept(committed)
    if text is None:
        place = shlex.quote(str(top))
        lay_out = f"lay one out with `penwright manuscript new {place}`"
        of_book = f"it is a book: `penwright book status {place}` shows it"
        raise BrokenBook(
            "novel-missing",
            f"{str(top)!r} has no readable {NOVEL!r}, so it is no novel yet",
            hint=of_book if (top / CONFIG).exists() else lay_out,
        )
    return text


def _in_folder(top: Path) -> str | None:
    place = top / NOVEL
    try:
        return place.read_text(encoding="utf-8") if place.is_file() else None
    except (OSError, UnicodeDecodeError):
        return None


def _kept(committed: TextFile | None) -> str:
    """The committed text although it is broken: its line with the id may be sound."""
    if committed is None:
        raise not_utf8()
    return committed.text


def is_free(path: Path) -> bool:
    """Whether a novel can be made at ``path``: there is no folder, or an empty one."""
    place = path.expanduser()
    return not place.exists() or (place.is_dir() and not any(place.iterdir()))


def has_sources(novel: Novel) -> bool:
    """Whether the novel's folder has sources of its own."""
    try:
        names = [each.name for each in Path(novel.workspace.path, SOURCES).iterdir()]
    except OSError:
        return False
    return any(is_source(f"{SOURCES}/{name}") for name in names)
