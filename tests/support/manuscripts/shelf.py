"""Own sources and registries of a manuscript in tests: a few passages, a few works."""

from dataclasses import dataclass, field

from penwright.adapters.memory_scholarly import MemoryScholarly
from schemas.library import LibraryPassage, OwnSource
from schemas.scholarly import Author, Reference, ScholarlyRecord
from schemas.workspace import Workspace

HOURS = ScholarlyRecord(
    source="bibliography",
    kind="book",
    title="The hours of the tide",
    authors=(Author(family="Hill", given="A."),),
    year=1907,
)
PASSAGE = LibraryPassage(
    source="hill-1907.pdf",
    number=4,
    page=12,
    section="Twice daily",
    text="Nobody sleeps well at the quay. The tide comes in twice a day, and boats wait for it.",
    record=HOURS,
)
RANCE = ScholarlyRecord(
    source="crossref",
    kind="article",
    title="Tides of the Rance",
    authors=(Author(family="Orr", given="M."),),
    year=2019,
    doi="10.5555/rance",
    abstract="The tides of the Rance were counted for one year, and what tides do to silt is told.",
)


@dataclass
class Shelf:
    """Implements ``SourceLibrary`` with given passages."""

    passages: tuple[LibraryPassage, ...] = (PASSAGE,)
    asked: list[str] = field(default_factory=list)
    """What was searched for, in order."""
    breaks: list[Exception] = field(default_factory=list)
    """Raised by the next searches, in order."""

    def search(self, workspace: Workspace, words: str, limit: int) -> tuple[LibraryPassage, ...]:
        self.asked.append(words)
        if self.breaks:
            raise self.breaks.pop(0)
        return self.passages[:limit]

    def sources(self, workspace: Workspace) -> tuple[OwnSource, ...]:
        return ()

    def passages_of(self, workspace: Workspace, work: Reference) -> tuple[LibraryPassage, ...]:
        return self.passages


def registries() -> MemoryScholarly:
    """Registries that know one work on tides."""
    return MemoryScholarly([RANCE])
