"""The citation scan: what goes in, the orders it gives, what comes back, and its state.

Long texts travel by reference: the text that is scanned, the proposals, the records of registries.
"""

from typing import Literal

from schemas.base import BlobRef, Cause, CommitSha, Effect, Value
from schemas.citations import (
    CitationCounts,
    CitationDecision,
    CitationFinding,
    CitationProposal,
    CitationSearch,
    ClaimSupport,
    TargetKind,
    TargetStanding,
)
from schemas.control import ApprovableState
from schemas.holding import DocumentHeld, DocumentHolder
from schemas.intents import Approval, ApprovalDecision, ApprovalRequest, IntentPin
from schemas.manuscript_roles import ChosenSentence, RoleBrief
from schemas.manuscript_text import SceneRequest
from schemas.scholarly import Reference, ReferenceVerified, ScholarlyRecord
from schemas.workspace import Pushed, Workspace


class CitationScanInput(Value):
    """One scan of one scene. The workflow id is ``citations/<novel>/<scene>``."""

    novel: str
    scene: str = "-"
    session: str
    workspace: Workspace
    principal: str = "local"
    """Whose ``agent_state`` the scan is kept in."""
    who: str = ""
    intent: str = ""
    """The intent to change text under; empty: the first in progress that owns the scene's file."""
    max_targets: int = 10
    auto_accept: bool = False
    """Accept by rule what is verified."""
    accepts_abstracts: bool = False
    """The rule also takes what only an abstract was compared with."""
    waits: bool = True
    """Wait until people have decided everything; else the scan ends, and decisions come in a later run."""
    again: bool = False
    """Look for no new targets: take up the proposals that the last scan left."""
    decisions: tuple[CitationDecision, ...] = ()
    """Taken as soon as there is something to decide."""
    searches: tuple[CitationSearch, ...] = ()
    """Looked up for targets that the last scan left, without asking a model."""
    minutes: int | None = None
    """Longest time of targets and look-ups; waiting for people does not count."""
    call_cost_micros: int | None = None
    """The most that one answer of a model may cost."""
    cost_micros: int | None = None
    """The most that the scan may cost; None: without limit."""
    repo_queue: str = "penwright-repo"
    """Task queue of the host whose disk holds the workspace."""
    model_queue: str = "penwright-models"
    scholarly_queue: str = ""
    """Task queue that asks registries; empty: the workflow's own."""
    override_tag: str = ""
    """See ``BookSessionInput.override_tag``."""
    state: "CitationScanState | None" = None
    """Carried over by continue-as-new."""

    @property
    def subject(self) -> str:
        """Name in lists: ``<novel>/<scene>``."""
        return f"{self.novel}/{self.scene}"


class ScanRequest(SceneRequest):
    """Common fields of every request of a scan."""

    principal: str = "local"


class HoldDocument(Value):
    """Take the document, or learn who has it."""

    holder: DocumentHolder


class OpenScan(ScanRequest):
    """Read the text, look up the intent, and number the sentences; or take up what the last scan left."""

    intent: str = ""
    again: bool = False


class SurveyText(ScanRequest):
    """Number the sentences of a text, for the orchestrator."""

    text: BlobRef


class ReadBibliography(ScanRequest):
    """Read the novel's ``references.bib``."""


class BibliographyRead(Value):
    """The works that a novel has of its own."""

    text: BlobRef | None = None
    """Its ``references.bib``; None: there is none."""
    library: BlobRef | None = None
    """``LibraryShelf`` as JSON; None: it has no sources."""


class SentenceWindow(Value):
    """A part of the numbered text."""

    text: BlobRef
    numbers: tuple[int, ...]
    """The first and the last of its sentences, since all of a long text would not fit a history."""

    @property
    def span(self) -> range:
        """Every number from the first to the last; what is not offered among them becomes no target."""
        return range(self.numbers[0], self.numbers[-1] + 1)


class Surveyed(Value):
    """The sentences of a text."""

    sentences: int
    """Number of sentences; they are numbered from 1."""
    windows: tuple[SentenceWindow, ...]
    findings: tuple[CitationFinding, ...] = ()
    """Faults in citations that stand in the text; at most 50."""


class TakeUpScan(ScanRequest):
    """Read the proposals that the last scan left, as the text has them now."""

    text: BlobRef | None = None


class ProposalsKept(Value):
    """The proposals of a scan, and their states."""

    proposals: BlobRef
    """``ProposalList`` as JSON."""
    standings: tuple[TargetStanding, ...] = ()


class ProposalList(Value):
    """Every target of a scan with what was found for it, by number."""

    proposals: tuple[CitationProposal, ...] = ()


class ScanOpened(Value):
    """Material that the scan works on; with a code it cannot."""

    revision: str = ""
    text: BlobRef | None = None
    pin: IntentPin | None = None
    bibliography: BlobRef | None = None
    """The novel's ``references.bib`` as it was then; None: it has none."""
    library: BlobRef | None = None
    """Its own sources, see ``BibliographyRead``."""
    surveyed: Surveyed | None = None
    code: str = ""
    message: str = ""


class NameTargets(Value):
    """Have the orchestrator name sentences of one window."""

    window: SentenceWindow
    index: int
    """Which window, from 0."""
    turn: int
    """Which question of the scan, from 0."""
    sentences: int
    before: tuple[int, ...]
    """Numbers that were named already."""
    wanted: int
    limit: int
    micros_left: int | None = None
    """Of the scan's budget."""


class TargetsNamed(Value):
    """Targets that count in the orchestrator's answer, or the cause why there is none."""

    chosen: tuple[ChosenSentence, ...] = ()
    cause: Cause | None = None
    cost_micros: int = 0
    unknown_prices: int = 0
    capped: bool = False
    """The budget had too little left for it."""


class SetTargets(ScanRequest):
    """Make targets of the sentences named; what needs no second look is settled at once."""

    text: BlobRef
    chosen: tuple[ChosenSentence, ...]


class CiteTargets(Value):
    """Look up works for a few targets at once."""

    numbers: tuple[int, ...]
    text: BlobRef
    bibliography: BlobRef | None = None
    library: BlobRef | None = None
    proposals: BlobRef
    effect: Effect
    """When it was asked for; of every request of the batch."""
    micros_each: int | None = None
    """Share of each in what is left of the scan's budget."""
    searches: tuple[CitationSearch, ...] = ()
    """By hand; of those targets no model is asked."""


class BriefSearch(Value):
    """Make the generator's prompt for a target; for one with citations, read what these claim."""

    number: int
    text: BlobRef
    proposals: BlobRef
    records: BlobRef | None = None
    """Records to pick from; None: it proposes searches."""
    compared: BlobRef | None = None
    """``ComparedWorks`` of these records; None: the novel has no sources of its own."""
    bibliography: BlobRef | None = None
    """The novel's ``references.bib``, for keys that the sentence names."""


class TargetBriefed(Value):
    """The prompt, or what the citations claim."""

    brief: RoleBrief | None = None
    kind: TargetKind
    claims: tuple[Reference, ...] = ()
    """The works that the sentence's citations name, in their order; none if one of them cannot be read."""
    cause: Cause | None = None
    """Cause for which a citation of the sentence cannot be read."""


class RecordList(Value):
    """Works that registries have, each once."""

    records: tuple[ScholarlyRecord, ...] = ()


class GatherRecords(Value):
    """Bring what registries found to one list, each work once."""

    answers: tuple[BlobRef, ...]
    """``schemas.scholarly.Answer`` as JSON."""


class CompareWorks(Value):
    """Compare a target's sentence with the novel's own sources that are these works."""

    workspace: Workspace
    number: int
    proposals: BlobRef
    records: BlobRef | None = None
    """``RecordList``; None: the works are ``each``."""
    each: tuple[BlobRef, ...] = ()
    """``ScholarlyRecord`` of each work, of citations that stand in the text."""


class WorksCompared(Value):
    compared: BlobRef
    """``ComparedWorks``."""


class ComparedWorks(Value):
    """What each work's own text says of a sentence."""

    works: tuple[ClaimSupport | None, ...] = ()
    """In the order of the records; None: no source of the novel is this work."""


class RecordsGathered(Value):
    """The works found, by reference."""

    records: BlobRef
    """``RecordList`` as JSON."""
    references: tuple[Reference, ...] = ()
    """Reference of each of them, in their order; at most three authors each."""
    outages: tuple[str, ...] = ()
    """Registries that did not answer, each with the reason."""
    unanswered: bool = False
    """None of them did."""


class Researched(Value):
    """Findings for one target."""

    number: int
    verified: tuple[ReferenceVerified, ...] = ()
    """Of the records picked, or of the citations that stand there, in order."""
    records: BlobRef | None = None
    """Records that were picked from; None: the sentence's own citations were looked up."""
    chosen: tuple[int, ...] = ()
    """Numbers of the records picked, from 1; as many as were verified."""
    compared: BlobRef | None = None
    """``ComparedWorks`` of the records, or of the works that are cited; None: there are no own sources."""
    reason: str = ""
    cause: Cause | None = None
    """Cause for which nothing can be offered."""
    cost_micros: int = 0
    unknown_prices: int = 0
    cut: bool = False
    """It was interrupted with the scan; the target stays as it was."""
    capped: bool = False
    """So it was, because the budget had too little left."""
    by_hand: bool = False
    """A person had it looked up: if nothing was found, the target's proposal stays."""


class ProposeChange(Value):
    """Make a proposal of what was found, and put it to the others."""

    researched: Researched
    text: BlobRef
    bibliography: BlobRef | None = None
    proposals: BlobRef
    effect: Effect


class ChangeProposed(Value):
    """The proposals with the new one, and its state."""

    proposals: BlobRef
    standing: TargetStanding


class KeepScan(ScanRequest):
    """Store targets and their states in ``agent_state``."""

    run: str
    proposals: BlobRef
    standings: tuple[TargetStanding, ...]
    max_targets: int | None = None
    """The scan's setting, for the next one; None: the state keeps the one it has."""
    text: BlobRef | None = None
    """The newest text, for the list of citations that stand in it."""


class ScanKept(Value):
    """The state's version."""

    version: int = 0


class ApplyChanges(ScanRequest):
    """Put the accepted changes into the newest text: one commit or none."""

    proposals: BlobRef
    numbers: tuple[int, ...]
    pin: IntentPin | None = None
    approval: Approval | None = None
    """Under which it is tried again."""
    overrides: str = ""
    """See ``CitationScanInput.override_tag``."""


class PlanEdits(Value):
    """Make operations on the newest text of the accepted changes."""

    text: BlobRef
    proposals: BlobRef
    numbers: tuple[int, ...]


class EditsPlanned(Value):
    """The operations, and which targets each is for."""

    operations: BlobRef | None = None
    """A JSON array of ``schemas.patching.Operation``; None: there is nothing to do."""
    numbers: tuple[tuple[int, ...], ...] = ()
    present: tuple[int, ...] = ()
    """Targets whose change stands in the text already."""
    stale: dict[int, tuple[str, str]] = {}
    """Targets whose sentence was changed or deleted since the scan, with code and message."""


class ChangesApplied(Value):
    """Which changes are in the text now, and why others are not."""

    applied: tuple[int, ...] = ()
    causes: dict[int, tuple[str, str]] = {}
    """Code and message by number."""
    revision: str = ""
    text: BlobRef | None = None
    commit: CommitSha | None = None


class AnnounceChanges(ScanRequest):
    """Record that approval was asked for, or how that was decided; tell people who should decide."""

    request: ApprovalRequest
    decision: ApprovalDecision | None = None


class AwaitDecisions(Value):
    """Wait until a person has decided something."""


class PushScan(Value):
    """Bring the remote up to date."""

    request: SceneRequest


class EndScan(ScanRequest):
    """Record how it ended, and tell people what waits for them."""

    result: "CitationScanResult"


class CitationScanState(ApprovableState):
    """State of a scan; only the folds change it."""

    held: DocumentHeld | None = None
    """None again after continue-as-new, and while people decide."""
    opened: ScanOpened | None = None
    window: int = 0
    """The window that is shown to the orchestrator next."""
    capped: bool = False
    """The rest of the budget is too little for one more call."""
    turns: int = 0
    """Questions put to the orchestrator."""
    chosen: tuple[ChosenSentence, ...] = ()
    trouble: Cause | None = None
    """Cause for which the orchestrator named no more sentences."""
    proposals: BlobRef | None = None
    """None: there are no targets yet."""
    standings: tuple[TargetStanding, ...] = ()
    sought: tuple[CitationSearch, ...] = ()
    """Searches that people asked for and that were not made yet; until then their targets stay."""
    unkept: bool = False
    """``agent_state`` does not have the newest states yet."""
    decided: bool = False
    """The decisions of the input were taken, and the rule has accepted what it may."""
    applying: ApplyChanges | None = None
    """Changes that the gate denied, while a person is asked about them."""
    revision: str = ""
    text: BlobRef | None = None
    """The newest text that the scan saw or made."""
    commits: tuple[CommitSha, ...] = ()
    before: str = ""
    """Revision of the text before the first change."""
    pushed: Pushed | None = None
    ending: bool = False
    """Its result is being written down: a decision that comes now would not count."""


class ScanReview(Value):
    """Answer of the query ``review``: the states, and the proposals by reference."""

    counts: CitationCounts
    standings: tuple[TargetStanding, ...] = ()
    proposals: BlobRef | None = None


class CitationScanResult(Value):
    """Result of a scan: never silence."""

    outcome: Literal["done", "waiting", "stopped", "refused", "failed"]
    """``waiting``: proposals are left for people to decide, in a later run."""
    novel: str
    scene: str
    session: str
    counts: CitationCounts = CitationCounts()
    code: str = ""
    message: str = ""
    stopped_by: str = ""
    revision: str = ""
    """Of the text after the last change."""
    before: str = ""
    """Of the text before the first change, to undo it; empty: nothing was changed."""
    commits: tuple[CommitSha, ...] = ()
    push: str = ""
    findings: tuple[CitationFinding, ...] = ()
    cost_micros: int = 0
    unknown_prices: int = 0
    warnings: tuple[str, ...] = ()


CitationScanInput.model_rebuild()
EndScan.model_rebuild()
