"""Recorded sources: works in a file of the package, for demonstrations and tests without a network."""

from importlib.resources import files

from pydantic import ConfigDict

from penwright.adapters.memory_scholarly import MemoryScholarly
from schemas.base import Value
from schemas.scholarly import EditorialNotice, NoticeKind, Reference, ScholarlyRecord, SourceName, WorkKind

FILE = "recorded_works.json"


class RecordedNotice(Value):
    """Editorial notice on a recorded work."""

    kind: NoticeKind
    doi: str = ""


class RecordedWork(Reference):
    """A work, and the sources that have it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: tuple[SourceName, ...]
    issue: str = ""
    publisher: str = ""
    kind: WorkKind = "other"
    abstract: str = ""
    notice: RecordedNotice | None = None

    def record(self, source: SourceName) -> ScholarlyRecord:
        """Return the work as a source records it."""
        said = self.model_dump(exclude={"sources", "notice"})
        tells = self.notice is not None and source in ("crossref", "pubmed", "openalex")
        notice = (
            [EditorialNotice(kind=self.notice.kind, source=source, doi=self.notice.doi)]
            if self.notice and tells
            else []
        )
        return ScholarlyRecord.model_validate({**said, "source": source, "notices": notice})


class RecordedWorks(Value):
    """The file."""

    about: str
    works: tuple[RecordedWork, ...]


def recorded_works() -> tuple[RecordedWork, ...]:
    """Return the works of the package's file."""
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return RecordedWorks.model_validate_json(text).works


def recorded_sources() -> MemoryScholarly:
    """Return the recorded works as sources."""
    return MemoryScholarly([each.record(source) for each in recorded_works() for source in each.sources])
