"""A work is a book or a novel: what commands find that serve both."""

from pathlib import Path

from gateway.desk.services import Services
from gateway.desk.works import books, novels
from gateway.desk.works.books import Book
from gateway.desk.works.kinds import BOOK, Work
from gateway.desk.works.named import folder
from gateway.desk.works.novels import Novel
from penwright.adapters.scaffold.repository_folder import git
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.manuscript.layout import NOVEL
from penwright.errors import NotFound
from schemas.records import WorkspaceKind
from schemas.workspace import Workspace


def find(services: Services, named: str) -> Work:
    """The work in folder ``named``, or registered under the id ``named``; raises as ``books.find``."""
    return at(services, folder(services, BOOK, named))


def at(services: Services, path: Path, *, laid_out: bool = True) -> Work:
    """The work whose repository begins at ``path``; raises as ``books.at`` and ``novels.at``."""
    if not path.expanduser().exists():
        return books.at(services, path, laid_out=laid_out)
    workspace = books.workspace_at(services, path)
    if kind_at(workspace) == "novel":
        return novels.at(services, path)
    return books.at(services, path, laid_out=laid_out)


def enter(services: Services, work: Work, *, moves: bool = False) -> None:
    """Register ``work`` in the store of the running engine; see ``folder_ids.register``."""
    if isinstance(work, Novel):
        novels.enter(services, work, moves=moves)
    elif isinstance(work, Book):
        books.enter(services, work, moves=moves)


def refs(work: Work) -> str:
    """The names of the repository with their commits: what differs after each commit, restore and tag."""
    return git(Path(work.workspace.path), "for-each-ref")


def workspace_of(services: Services, named: str) -> tuple[Workspace, WorkspaceKind]:
    """The repository that ``named`` means, whatever it holds; without a sign of a novel, as a book's."""
    workspace = books.workspace_at(services, folder(services, BOOK, named))
    return workspace, kind_at(workspace)


def kind_at(workspace: Workspace) -> WorkspaceKind:
    """Kind of work at a repository's branch; without a commit of either, in its folder."""
    top = Path(workspace.path)
    listed = git(top, "ls-tree", "--name-only", f"refs/heads/{workspace.branch}", NOVEL, CONFIG, check=False)
    names = listed.splitlines()
    if names:
        return "novel" if NOVEL in names else "book"
    return "novel" if (top / NOVEL).is_file() else "book"


def commit_id(services: Services, workspace: Workspace, named: str) -> str:
    """The full id of a commit that is named by an id, a tag or HEAD; ``NotFound`` if there is none."""
    sha = services.history().commit(workspace, named)
    if sha is None:
        hint = "take one from `git log`"
        raise NotFound("no-such-commit", f"{named!r} is not a commit of this work", hint=hint)
    return sha


def no_such_text(path: str) -> NotFound:
    """Make the error for a path at which a work has no text."""
    return NotFound(
        "no-such-text", f"the work has no text {path!r}", hint="save it first; the work's list has its texts"
    )
