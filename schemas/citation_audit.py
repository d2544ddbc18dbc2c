"""An audit of citations: every entry compared with what the registries have, without a model."""

from datetime import datetime
from typing import Literal

from schemas.base import BlobRef, Effect, Value
from schemas.citations import CitationFinding, ReferenceFormat
from schemas.control import PipelineState
from schemas.scholarly import EditorialNotice, Outage, Reference, SourceName
from schemas.workspace import Workspace

EntryState = Literal[
    "found",  # a registry has it as it is cited, and no notice is known
    "differs",  # a registry has it, or its identifier, otherwise
    "not_found",  # every registry answered, and none has it
    "retracted",
    "corrected",  # found, with a correction or an expression of concern
    "dead",  # the work is found, and no registry knows an identifier that its entry gives
    "unclear",  # found, and something of it is left to a person
    "unreachable",  # a registry that mattered did not answer; says nothing about the work
]
WRONG: frozenset[EntryState] = frozenset({"differs", "not_found", "retracted", "dead"})
"""States that need a person."""


class CitedText(Value):
    """A text or a file of references to be audited."""

    name: str
    """Of the file, as findings name it."""
    form: Literal["text", "own-sources"] | ReferenceFormat
    """``own-sources``: BibTeX of what the paper's own sources are, which is not audited."""
    text: BlobRef


class CitedEntry(Value):
    """One entry and where it stands."""

    key: str
    file: str
    line: int
    """From 1; 0 if the format has no lines that name it."""
    claimed: Reference
    is_own: bool = False
    """The work is one of the paper's own sources."""


class PlacedFinding(CitationFinding):
    """Something wrong with a citation before anyone is asked."""

    file: str = ""


class CitedEntries(Value):
    """All that is cited, and what cannot be audited."""

    entries: tuple[CitedEntry, ...] = ()
    findings: tuple[PlacedFinding, ...] = ()


class FieldDifference(Value):
    """A field of an entry that differs from the registry's record."""

    name: str
    cited: str
    recorded: str
    """Empty: the record has none."""


class AuditedEntry(Value):
    """An entry, and what the registries have."""

    key: str
    file: str
    line: int = 0
    title: str = ""
    state: EntryState
    reason: str = ""
    differs: tuple[FieldDifference, ...] = ()
    notices: tuple[EditorialNotice, ...] = ()
    doi: str = ""
    """Of the record, else of the entry."""
    sources: tuple[SourceName, ...] = ()
    """Registries that confirm it."""
    outages: tuple[Outage, ...] = ()


class AuditReport(Value):
    """The whole audit."""

    entries: tuple[AuditedEntry, ...] = ()
    findings: tuple[PlacedFinding, ...] = ()


class CitationAuditState(PipelineState):
    """State of an audit; only the folds change it."""

    known: tuple[str, ...] = ()
    """Works that were retracted at a schedule's run before."""
    texts: tuple[CitedText, ...] | None = None
    """None: the document was not read yet."""
    entries: BlobRef | None = None
    """``CitedEntries``; None: not listed yet."""
    found: int = 0
    left: tuple[int, ...] = ()
    """Places of the entries that were not looked up in this pass."""
    silent: tuple[int, ...] = ()
    """Those that are unreachable until now."""
    again_after_s: float = 0
    """Longest time for which the registries asked to be left alone."""
    passes: int = 0
    """Number of times what was unreachable was asked for again."""
    waits_until: datetime | None = None
    """While it waits for registries."""
    parts: tuple[BlobRef, ...] = ()
    """``EntriesAudited`` of each step; a later one counts before an earlier one."""
    ended: "AuditEnded | None" = None


class CitationAuditInput(Value):
    """The order for one audit."""

    subject: str
    """``<novel>/<scene>``, or the name of a file."""
    session: str = ""
    """Empty for a schedule, whose runs name theirs."""
    texts: tuple[CitedText, ...] = ()
    workspace: Workspace | None = None
    """The document's repository; None: ``texts`` are all there is."""
    scene: str = ""
    waits: bool = False
    """Ask again for what is unreachable, after the time that its registries name."""
    scheduled: bool = False
    """Notify people of works that were retracted since the run before."""
    repo_queue: str = ""
    scholarly_queue: str = ""
    state: CitationAuditState | None = None


class ReadCitedTexts(Value):
    """Read a document and its bibliography at the tip."""

    workspace: Workspace
    scene: str


class CitedTextsRead(Value):
    texts: tuple[CitedText, ...] = ()


class ListEntries(Value):
    """List every entry of some texts."""

    texts: tuple[CitedText, ...]


class EntriesListed(Value):
    entries: BlobRef
    found: int


class AuditEntries(Value):
    """Look some entries up."""

    entries: BlobRef
    numbers: tuple[int, ...]
    """Their places, from 0."""


class EntriesAudited(Value):
    """Findings in short."""

    part: BlobRef
    """``AuditedPart``."""
    silent: tuple[int, ...] = ()
    again_after_s: float = 0


class AuditedPart(Value):
    """Audited entries by their places."""

    entries: dict[int, AuditedEntry] = {}


class AwaitRegistries(Value):
    """Wait until registries may be asked again."""

    until: datetime


class EndAudit(Value):
    """Put the report together, record the run, and notify people of new retractions."""

    effect: Effect
    subject: str
    session: str
    is_document: bool
    scheduled: bool
    entries: BlobRef | None
    parts: tuple[BlobRef, ...]
    result: "CitationAuditResult"
    known: tuple[str, ...] = ()
    """Works that were retracted at the run before."""


class AuditEnded(Value):
    """The report, and what is in it."""

    report: BlobRef | None = None
    counts: dict[EntryState, int] = {}
    findings: int = 0
    retracted: tuple[str, ...] = ()
    """The works that are retracted, by DOI or title."""


class CitationAuditResult(Value):
    """Result of an audit."""

    outcome: Literal["done", "stopped", "failed"]
    subject: str
    session: str
    report: BlobRef | None = None
    """``AuditReport``."""
    counts: dict[EntryState, int] = {}
    findings: int = 0
    retracted: tuple[str, ...] = ()
    code: str = ""
    message: str = ""
    stopped_by: str = ""


CitationAuditState.model_rebuild()
CitationAuditInput.model_rebuild()
EndAudit.model_rebuild()
