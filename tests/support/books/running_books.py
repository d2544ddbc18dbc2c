"""Books in real repositories with a bare remote, the people who edit them, and the result of a session."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK, EMPTY_REVIEW, FRESH_STATE
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, REVIEW, STATE, SUMMARY, chapter_path
from penwright.domain.book.review.session_reply import ReworkedPassage, SessionReply
from penwright.domain.intents.registry import FIRST
from schemas.base import BookId
from schemas.book_errand import BookErrandInput
from schemas.book_session import BookSessionInput
from schemas.workspace import Workspace
from tests.support.books.repos import add_remote, clone, commit_all, git, make_repository, write

CONFIG_TEXT = """\
# How the book is written.
target_length: {target}
chapter_count: 3
chapter_structure: linear
words_per_session: 100
words_per_chapter: 200
words_per_page: 50
language: German
# The scripted writer says the same in each session, which would be sent back.
craft: off
"""
TWO_CHAPTERS = CONFIG_TEXT.format(target=200).replace("chapter_count: 3", "chapter_count: 2")
"""Settings of a book whose third session ends it."""
README_TEXT = (
    "# Book\n\n- **Status:** Not begun\n\n## Chapters\n\n<!-- INK:README:CHAPTERS -->\n\n---\nBye.\n"
)
WISH = "make it colder"
NARROW = FIRST.replace('      - "Current version/Full_Book.md"\n', "")
"""A registry whose intent owns the review and not the book."""


@dataclass(frozen=True)
class RunningBook:
    """One book under test: its workspace, its bare remote, and its id."""

    folder: Path
    book_id: BookId

    @property
    def workspace(self) -> Workspace:
        return Workspace(path=str(self.folder))

    @property
    def remote(self) -> Path:
        """The bare repository; it need not exist."""
        return self.folder.with_name("remote.git")

    def session(self, name: str, environ: Mapping[str, str], **changes: object) -> BookSessionInput:
        """A session by the built-in writer, on the queues that ``environ`` names."""
        given = BookSessionInput(
            book_id=self.book_id,
            workspace=self.workspace,
            session=name,
            repo_queue=environ["PENWRIGHT_WORKER__REPO_QUEUE"],
            model_queue=environ["PENWRIGHT_WORKER__MODEL_QUEUE"],
        )
        return given.model_copy(update=changes)

    def errand(self, kind: str, name: str, environ: Mapping[str, str], **changes: object) -> BookErrandInput:
        """One change outside a session."""
        return BookErrandInput.model_validate(
            {
                "book_id": self.book_id,
                "workspace": self.workspace,
                "session": name,
                "kind": kind,
                "repo_queue": environ["PENWRIGHT_WORKER__REPO_QUEUE"],
                **changes,
            }
        )

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments)

    def text(self, path: str, at: str = "main") -> str:
        """A file at a commit."""
        return self.git("show", f"{at}:{path}")

    def read(self, path: str) -> str:
        """A file as it is on the disk."""
        return (self.folder / path).read_bytes().decode()

    def write(self, path: str, text: str) -> None:
        """A person saves a file."""
        write(self.folder, {path: text})

    def commit(self, message: str = "By hand") -> str:
        """A person commits everything."""
        return commit_all(self.folder, message)

    def colleague(self) -> Path:
        """Another person's clone of the remote."""
        return clone(self.remote, self.folder.with_name("colleague"))

    @property
    def tip(self) -> str:
        return self.git("rev-parse", "main")

    @property
    def remote_tip(self) -> str:
        return git(self.remote, "rev-parse", "main")

    @property
    def tags(self) -> list[str]:
        return self.git("tag", "--list", "ink-*").split()

    def subjects(self, since: str = "") -> list[str]:
        """Commit subjects, newest first."""
        return self.git("log", "--format=%s", f"{since}..main" if since else "main").splitlines()

    def steps(self) -> list[str]:
        """The steps of every engine commit, oldest first."""
        told = self.git("log", "--reverse", "--format=%(trailers:key=Penwright-Step,valueonly)", "main")
        return [line for line in told.splitlines() if line]

    def everything(self) -> str:
        """Every text that any commit reachable from the tip ever added."""
        return self.git("log", "-p", "--format=", "main")

    def copy(self, folder: Path, book_id: BookId) -> "RunningBook":
        """The same book, remote included, elsewhere and under another id."""
        folder.mkdir(parents=True)
        copied = RunningBook(folder / "book", book_id)
        shutil.copytree(self.folder, copied.folder, symlinks=True)
        if self.remote.exists():
            shutil.copytree(self.remote, copied.remote, symlinks=True)
            copied.git("remote", "set-url", "origin", str(copied.remote))
        return copied


def lay_out(
    folder: Path,
    book_id: str,
    *,
    target: int = 200,
    remote: bool = True,
    files: Mapping[str, str] | None = None,
) -> RunningBook:
    """A small book of three chapters with a bare remote beside it."""
    texts = {
        CONFIG: CONFIG_TEXT.format(target=target),
        "Global Material/Soul.md": "# Soul\n\nDry and near.\n",
        SUMMARY: "",
        chapter_path(1): "# The Pier\n\nHe waits.\n",
        chapter_path(2): "# The Boat\n\nShe comes.\n",
        chapter_path(3): "# The Sea\n\nThey leave.\n",
        REVIEW: EMPTY_REVIEW,
        FULL_BOOK: EMPTY_FULL_BOOK,
        STATE: FRESH_STATE,
        "README.md": README_TEXT,
        **(files or {}),
    }
    folder.mkdir(parents=True, exist_ok=True)
    book = RunningBook(folder / "book", BookId(book_id))
    make_repository(book.folder, texts)
    if remote:
        add_remote(book.folder, book.remote)
    return book


def prose_of(session: str, words: int = 100) -> str:
    """Prose in two paragraphs whose every word says which session wrote it."""
    half = words // 2
    first = " ".join(f"{session}w{number}" for number in range(1, half + 1))
    second = " ".join(f"{session}w{number}" for number in range(half + 1, words + 1))
    return f"{first}.\n\n{second}."


def reply_of(session: str, *, closed: bool = False, reworked: ReworkedPassage | None = None) -> str:
    """A writer's whole reply."""
    blocks = SessionReply((reworked,) if reworked else (), prose_of(session), "").prose
    return (
        f"{blocks}\n=== REPORT ===\nsummary: What {session} told.\n"
        f"instructions answered: {int(reworked is not None)}\n"
        f"arcs closed: {'yes' if closed else 'no'}\n=== END ===\n"
    )


def plant_wish(book: RunningBook) -> ReworkedPassage:
    """A person adds an instruction after the first waiting paragraph, saves, and does not commit."""
    review = book.read(REVIEW)
    paragraph = next(line for line in review.splitlines() if line.strip() and not line.startswith("<!--"))
    book.write(REVIEW, review.replace(paragraph, f"{paragraph}\n\n<!-- INK: {WISH} -->", 1))
    return ReworkedPassage(WISH, f"Colder: {paragraph}", paragraph)
