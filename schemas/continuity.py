"""Continuity: what a book's clerk read in its prose, and the run that has it read."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from schemas.base import BlobRef, BookId, CommitSha, Effect, Value
from schemas.control import PipelineState
from schemas.prose import ContinuityRule, Intended
from schemas.side_run import SideRunInput, SideRunResult
from schemas.workspace import Pushed, WorkspaceRequest

Mode = Literal["told", "said", "believed", "remembered", "dreamt", "planned"]
"""Form of a fact in the prose: the narrator tells it, or a person says, believes, remembers, dreams or plans
it."""
Step = Literal["planted", "advanced", "paid", "due"]
QUOTE_LENGTH = 160
"""Characters of a quote."""

Quote = Annotated[str, Field(max_length=QUOTE_LENGTH)]


class Stated(Value):
    """A statement with its quote: without its block it is not true any more."""

    block: str
    """Hash of the block, as of ``prose1``."""
    quote: Quote
    """Its own words, as they stand in the block."""


class Entity(Stated):
    """A person, place or thing that the prose names."""

    kind: Literal["person", "place", "thing"]
    name: str
    also: tuple[str, ...] = ()
    """Other names by which the prose calls the same one."""


class Fact(Stated):
    """A statement of the prose about an entity."""

    about: str
    """Name of an entity."""
    trait: str
    """``eyes``, ``age``, ``dead``, ``place`` and the like: in lower case, whatever the book's language."""
    value: str
    """In the book's language."""
    mode: Mode = "told"


class ThreadStep(Stated):
    """A step of a question that the story leaves open."""

    thread: str
    """Its name, the same at each step."""
    step: Step


class Reading(Value):
    """One passage, as the clerk read it; a line of a file of readings."""

    blocks: tuple[str, ...]
    """Hashes of the blocks that were read, in the order of the text."""
    reader: str = ""
    """Digest of the clerk's instructions."""
    at: str = ""
    """When it was asked for, as ISO 8601 in UTC."""
    words: int = 0
    summary: str = ""
    """At most 90 words."""
    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    """Of what changes, the state at the end of the passage comes last."""
    threads: tuple[ThreadStep, ...] = ()
    lost: int = 0
    """Statements that were left out because their quote does not stand in the passage."""
    model: str = ""
    """As in ``trailers.MODEL``."""
    failure: str = ""
    """The reason, if there is nothing because the model's answers could not be used."""

    @property
    def stated(self) -> tuple[Stated, ...]:
        """All that hangs on a block."""
        return (*self.entities, *self.facts, *self.threads)


class Cited(Value):
    """One side of a contradiction."""

    quote: str
    value: str
    chapter: int = 0
    """0: it stands in ``file``."""
    file: str = ""
    """Path of an author's own file; empty: it stands in the book."""
    block: str = ""
    """Hash of the paragraph; empty in ``file``."""
    fact: int = 0
    """Number of the fact; 0: it is no fact that the clerk has read."""


class ContinuityFinding(Value):
    """Two places that cannot both be right."""

    rule: ContinuityRule
    about: str
    """Name of the entity or thread."""
    trait: str
    earlier: Cited
    later: Cited
    hard: bool
    """Whether it is a contradiction; a soft one may be meant so."""


class FindingDecision(Value):
    """The author's word on a contradiction; it counts while both quotes stand."""

    rule: ContinuityRule
    quote: str
    other: str = ""

    @property
    def pair(self) -> Intended:
        """Key of the contradiction."""
        return Intended(rule=self.rule, quote=self.quote, other=self.other)


class Postponed(FindingDecision):
    """A contradiction that is silent until the next session."""

    session: str = ""
    """Tag of the last session when the author said so; empty: there was none."""


class Confirmed(FindingDecision):
    """A contradiction that the author wants mended."""

    note: str = ""
    """Text of the INK note that was put into the book for it."""


class FactDecision(Value):
    """A statement that the clerk got wrong."""

    about: str
    trait: str
    quote: str


class Correction(Value):
    """The author's word on a trait."""

    about: str
    trait: str
    value: str
    quote: str = ""
    """Of the one statement that it corrects; empty: it holds throughout the book."""


class Decisions(Value):
    """``Continuity/decisions.yaml``: the author's decisions about a book."""

    intended: tuple[Intended, ...] = ()
    later: tuple[Postponed, ...] = ()
    confirmed: tuple[Confirmed, ...] = ()
    corrected: tuple[Correction, ...] = ()
    rejected: tuple[FactDecision, ...] = ()


ToldPart = Literal["corrections", "story", "now", "people", "threads"]


class ContinuityTold(Value):
    """The part of a writer's prompt that tells of the book's continuity."""

    text: str = ""
    """Markdown; empty if nothing was read."""
    shown: dict[ToldPart, int] = {}
    """Lines of each part."""
    cut: dict[ToldPart, int] = {}
    """Lines that found no room."""


class ContinuityInput(SideRunInput):
    """Have a book read. The workflow id is ``continuity/<book-id>``."""

    by_hand: bool = False
    """A person asked for it: also where Config.yml has ``continuity: off``."""
    again: bool = False
    """Also what another version of the clerk has read."""
    most_words: int = 0
    """If more are unread, nothing is read; 0: whatever there is."""
    state: "ContinuityState | None" = None
    """Carried over by continue-as-new."""


class Portion(Value):
    """A passage that the clerk reads in one call."""

    text: BlobRef
    """A ``PassageText`` as JSON."""
    words: int
    chapter: int


class PassageText(Value):
    """The blocks of a passage."""

    chapter: int
    blocks: tuple[str, ...]
    """Their hashes."""
    texts: tuple[str, ...]


class ContinuityRequest(WorkspaceRequest):
    """A request to a book's continuity."""

    subject: BookId


class GatherPassages(ContinuityRequest):
    """Find the unread passages."""

    by_hand: bool
    again: bool
    most_words: int = 0
    since: datetime | None = None
    """When this run began: what was read since is not read again."""


class Gathered(Value):
    """Passages to read now, in the order of the text."""

    portions: tuple[Portion, ...] = ()
    words_left: int = 0
    """Words without a reading, those of the portions included."""
    language: str = "English"
    context_tokens: int = 200_000


class BriefClerk(ContinuityRequest):
    """Make the clerk's prompt for one passage."""

    portion: Portion
    language: str
    context_tokens: int
    read: tuple[BlobRef, ...] = ()
    """Readings of this run that are in no commit yet."""


class ReadPassage(Value):
    """Have one passage read."""

    brief: BriefClerk
    number: int
    """Of the passage in this run, from 1."""


class PassageRead(Value):
    """The outcome of one passage."""

    reading: BlobRef | None = None
    """A ``Reading`` as JSON; None if the clerk's answers were no use."""
    words: int
    stated: int = 0
    lost: int = 0
    failure: str = ""
    """The reason why there is no reading; empty if there is one."""
    cost_micros: int = 0
    unknown_prices: int = 0


class PublishReadings(ContinuityRequest):
    """Commit readings to the book's repository."""

    portions: tuple[Portion, ...]
    read: tuple[PassageRead, ...]
    """The outcome of each of them."""
    batch: int
    """Number of the commit in this run, from 1."""


class ReadingsPublished(Value):
    """The commit of some readings."""

    commit: CommitSha | None = None
    path: str = ""


class ContinuityState(PipelineState):
    """The state of the run."""

    gathered: Gathered | None = None
    """None: to be looked up."""
    read: tuple[PassageRead, ...] = ()
    """Of the portions gathered, in their order; in no commit yet."""
    numbered: int = 0
    """Passages that this run has read."""
    batches: int = 0
    words: int = 0
    stated: int = 0
    lost: int = 0
    failures: int = 0
    """Passages of which there is no reading, because the clerk's answers were no use."""
    why: str = ""
    """The reason of the last one of them."""
    wanted: bool = False
    """The text has changed meanwhile."""
    commit: CommitSha | None = None
    """The last one."""
    pushed: Pushed | None = None


class ContinuityResult(SideRunResult):
    """The result of a run."""

    words: int = 0
    passages: int = 0
    stated: int = 0
    lost: int = 0
    words_left: int = 0


class EndReading(Value):
    """Note how the run ended."""

    effect: Effect
    result: ContinuityResult


ContinuityInput.model_rebuild()
