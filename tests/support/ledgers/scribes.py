"""A person, a model and the engine who take turns at one book, and the trace they leave."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.source import TraceSource
from schemas.base import Effect
from schemas.intents import IntentPin
from schemas.workspace import (
    Contributor,
    Create,
    Delete,
    Modify,
    MutationPlan,
    Operation,
    Rename,
)
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, Book

BOOK = "Book.md"


def paragraphs(*texts: str) -> str:
    """A text of these blocks."""
    return "\n\n".join(texts) + "\n"


class BookDesk(Desk):
    """A desk at a repository that exists already."""

    def __post_init__(self) -> None:
        self.book = Book(self.root, recorder=self.recorder)

    def effect(self, op_id: str | None = None) -> Effect:
        """An effect with an id of its own: the repository may know those of another clone."""
        return self.book.effect(op_id or f"{self.root.name}-{self.book.counter}")


@dataclass
class Scribes:
    """Everybody who writes; each turn is one commit."""

    desk: Desk

    def person(self, files: Mapping[str, str | None]) -> None:
        """Edits files; a session saves them as hers."""
        for path, text in files.items():
            self.desk.edit(path, text)
        self.desk.port.save_human_edits(self.desk.workspace, self.desk.effect(), known=KNOWN, engine=ENGINE)

    def by_hand(self, path: str, text: str) -> None:
        """Commits a file outside any session."""
        self.desk.commit(path, text)

    def model(
        self,
        files: Mapping[str, str | None],
        *,
        intent: str = "INT-001",
        model: str = "demo/quill",
        authorship: str = "",
    ) -> str:
        """Rewrites files under an intent; returns the commit."""
        return self._publish(
            [self._operation(path, text) for path, text in files.items()],
            contributor=Contributor.MODEL,
            tool="book.close",
            trailers=(
                *((("Penwright-Model", model),) if model else ()),
                *((("Penwright-Authorship", authorship),) if authorship else ()),
            ),
            pin=IntentPin(intent_id=intent, digest="sha256:0"),
        )

    def engine(self, files: Mapping[str, str | None]) -> str:
        """Moves text about; returns the commit."""
        return self._publish([self._operation(path, text) for path, text in files.items()])

    def by_command(self, files: Mapping[str, str | None]) -> str:
        """Changes files by a command of ours, for a person; returns the commit."""
        operations = [self._operation(path, text) for path, text in files.items()]
        return self._publish(operations, contributor=Contributor.HUMAN, tool="intent.edit")

    def rename(self, path: str, to: str) -> str:
        """Gives a file another name; returns the commit."""
        return self._publish([Rename(path=path, to=to, base=self._blob(path))])

    @contextmanager
    def source(self) -> Iterator[TraceSource]:
        """The trace at the tip."""
        with self.desk.port.trace(self.desk.workspace) as source:
            yield source

    # Any plan's fields.
    def _publish(self, operations: list[Operation], **more: object) -> str:
        plan = MutationPlan.model_validate(
            {
                "workspace": self.desk.workspace,
                "message": "Write",
                "contributor": Contributor.ENGINE,
                "operations": operations,
                **more,
            }
        )
        published = self.desk.port.publish(plan, self.desk.effect())
        assert published.outcome == "published", published
        assert published.commit is not None
        return published.commit

    def _operation(self, path: str, text: str | None) -> Operation:
        base = self._blob(path)
        if text is None:
            return Delete(path=path, base=base)
        return Modify(path=path, content=text, base=base) if base else Create(path=path, content=text)

    def _blob(self, path: str) -> str:
        return self.desk.port.snapshot(self.desk.workspace, [], names=[path]).names.get(path, "")


def scribes_in(folder: Path) -> Scribes:
    """At a new repository."""
    return Scribes(Desk(folder, recorder=LedgerRecorder("test", BOOK_PROFILE)))


def scribes_at(folder: Path) -> Scribes:
    """At a repository that exists already."""
    return Scribes(BookDesk(folder, recorder=LedgerRecorder("test", BOOK_PROFILE)))
