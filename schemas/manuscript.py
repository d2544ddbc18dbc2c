"""The manuscript loop: what it is given, the orders it gives, what comes back, and its state.

A manuscript is the text of one scene as the loop writes it. No text of it is a field here: texts are blobs,
named by reference. What a role delivers is in ``schemas.manuscript_roles``, history in
``schemas.agent_state``.
"""

from typing import Final, Literal

from pydantic import Field

from schemas.agent_state import LOCAL, WHOLE_NOVEL, CallEntry, Hunks, LogEntry, Passes, Score, StateKey
from schemas.base import BlobRef, CommitSha, Value
from schemas.control import ApprovableState
from schemas.holding import DocumentHeld, DocumentHolder
from schemas.intents import Approval, ApprovalDecision, ApprovalNeed, ApprovalRequest, IntentPin
from schemas.manuscript_roles import (
    Critiqued,
    Decided,
    Edited,
    Guided,
    ManagerAction,
    ManuscriptRole,
    Planned,
    PlannedSection,
    RoleBrief,
)
from schemas.manuscript_text import NovelPushed
from schemas.prose import Finding
from schemas.workspace import Workspace, WorkspaceRequest

Stop = Literal[
    "finished",
    "needs_input",
    "passes_spent",
    "stalled",
    "decisions_spent",
    "calls_spent",
    "tokens_spent",
    "time_spent",
    "money_spent",
    "stopped",
    "killed",
    "refused",
    "failed",
]
"""End reason of a run."""


# What a run is given.

MOST_MINUTES: Final = 10**6
"""Of a run or a scan, about two years."""
MOST_ACTIONS: Final = 100_000
"""Of a run."""


class ManuscriptLimits(Value):
    """Limits of one run; None is unlimited. Each is a reason to stop of its own."""

    decisions: int = Field(default=200, ge=1)
    """Actions tried, from 1."""
    calls: int | None = None
    """Model calls."""
    tokens: int | None = None
    """Of prompts and answers."""
    minutes: int | None = None
    """A person's pause does not count."""
    cost_micros: int | None = None
    """Millionths of a US dollar."""


class ManuscriptSettings(Value):
    """The settings as they were at the start; what is edited later counts from the next run on."""

    instructions: BlobRef
    """UTF-8; ``amend`` replaces them in a running loop."""
    max_passes: Passes = 3
    """Critique-and-revise cycles of the run, from 1."""
    min_score: Score = 0.8
    """From 0 to 1."""
    max_hunks: Hunks = 5
    """Operations of one reply, from 1."""
    limits: ManuscriptLimits = ManuscriptLimits()


class ManuscriptInput(Value):
    """One run. The workflow id is ``manuscript/<novel>/<scene>``, so a second start is the same run."""

    novel: str
    scene: str = WHOLE_NOVEL
    session: str
    """Names the run; each run has its own passes."""
    workspace: Workspace
    settings: ManuscriptSettings
    principal: str = LOCAL
    """Whose ``agent_state`` it reads and writes."""
    who: str = ""
    """Person who started it."""
    only_revise: str = ""
    """One instruction for the reviser: the run carries it out in one revision and ends. Empty: the loop."""
    intent: str = ""
    """The intent to write under; empty: the first in progress that owns the scene's file."""
    repo_queue: str = "penwright-repo"
    """Task queue of the host whose disk holds the workspace."""
    model_queue: str = "penwright-models"
    override_tag: str = ""
    """See ``BookSessionInput.override_tag``."""
    evidence: bool = False
    """Gather passages of sources on each section before it is written, which the writer cites."""
    title: str = ""
    """Of the novel or paper; sources are searched for it."""
    second_opinion: bool = False
    """Ask the critic twice where its score is near ``min_score``."""
    state: "ManuscriptState | None" = None
    """Carried over by continue-as-new."""

    @property
    def document(self) -> str:
        """``<novel>/<scene>``: what lists and budgets call it."""
        return f"{self.novel}/{self.scene}"

    @property
    def run_name(self) -> str:
        """The name under which the run is listed."""
        return f"manuscript/{self.document}#{self.session}"

    @property
    def key(self) -> StateKey:
        """The row of ``agent_state``."""
        return StateKey(principal=self.principal, novel=self.novel, scene=self.scene)


# The steps: requests and results.


class HoldDocument(Value):
    """Take the lock that keeps the citation scan away; see ``workflows.holding``."""

    holder: DocumentHolder


class ManuscriptRequest(WorkspaceRequest):
    """Common fields of every request about a manuscript; ``subject`` is the novel's id."""

    scene: str
    principal: str = LOCAL

    @property
    def key(self) -> StateKey:
        """The row of ``agent_state``."""
        return StateKey(principal=self.principal, novel=self.subject, scene=self.scene)

    @property
    def run_name(self) -> str:
        """As ``ManuscriptInput.run_name``."""
        return f"manuscript/{self.subject}/{self.scene}#{self.session}"


class OpenManuscript(ManuscriptRequest):
    """Check the instructions, pin the intent, write the settings into the row, take over what is there."""

    settings: ManuscriptSettings
    intent: str = ""
    only_revise: str = ""
    """As of ``ManuscriptInput``; the row's settings stay as they are then."""


class ManuscriptOpened(Value):
    """The verdict of the opening."""

    verdict: Literal["open", "refused"]
    code: str = ""
    message: str = ""
    pin: IntentPin | None = None
    guidance_basis: str = ""
    """``sha256`` of the instructions that the row's guidance was made under; empty: there is none."""
    plan_basis: str = ""
    """The same of the plan."""
    version: int = 0
    """Of the row."""
    emptied: tuple[str, ...] = ()
    """Scenes that people emptied since: a sentence each, with the way back."""


class LookAtManuscript(ManuscriptRequest):
    """Read the text and the row: people may have changed both since the last step."""

    instructions: BlobRef | None = None
    """Those that count now."""


class SectionLength(Value):
    """A section that stands and is much shorter or longer than planned."""

    title: str
    words: int
    planned: int


class WantedLength(Value):
    """The length that the instructions ask of the whole text, in words."""

    said: str
    """As they say it, such as ``900 words``."""
    least: int = 0
    """A text of fewer words is far too short."""
    most: int | None = None
    """One of more is far too long; None: it may be."""


class Seen(Value):
    """Text and row at one moment."""

    revision: str = ""
    """Blob id; empty: there is no file yet."""
    text: BlobRef | None = None
    words: int = 0
    guided: bool = False
    """Whether the row has guidance."""
    titles: tuple[str, ...] = ()
    """Of the plan, in its order."""
    plan: str = ""
    """Digest of the plan; empty: there is none."""
    written: tuple[str, ...] = ()
    """Those of ``titles`` that stand in the text with words under their heading."""
    off_length: tuple[SectionLength, ...] = ()
    """Those of them that were still to be written by the plan, and have less or more words than it wants."""
    wanted: WantedLength | None = None
    """None: the instructions name no length."""
    version: int = 0
    """Of the row."""
    left_out: tuple[str, ...] = ()
    """Sentences on texts of the novel in the folder that could not be taken in, and on scenes emptied
    there.
    """
    code: str = ""
    """Reason why the text cannot be read, if it cannot."""
    message: str = ""


class GatherEvidence(ManuscriptRequest):
    """Find what own sources and registries say on one planned section."""

    section: str
    title: str
    """Of the novel or paper."""


class LibrarySearched(Value):
    """Passages of own sources on the section."""

    words: str
    """Words that were searched for."""
    passages: BlobRef
    """``OwnPassages`` as JSON."""
    found: int


class AskRegistries(Value):
    """Fill what own sources leave open."""

    searched: LibrarySearched


class EvidenceGathered(Value):
    """Result of it. A source that could not be asked is no error."""

    evidence: BlobRef | None = None
    """``SectionEvidence`` as JSON; None: nothing could be gathered."""
    passages: int = 0
    own: int = 0
    """Of them, passages of own sources."""
    unasked: tuple[str, ...] = ()
    """Sources that could not be asked, each with the reason."""


class AskRole(ManuscriptRequest):
    """Have one role work. Its prompt is made from the text and the row as they are then."""

    role: ManuscriptRole
    action: ManagerAction
    """Action it is for; of the manager, ``finish``."""
    settings: ManuscriptSettings
    """With the instructions that count now."""
    run_id: str
    """Of the agent's run; no other step has it."""
    fingerprint: str = ""
    """See ``penwright.domain.manuscript.policy``."""
    pass_index: int = 0
    section: str = ""
    """Title of the section to write."""
    evidence: BlobRef | None = None
    """``SectionEvidence`` of that section as JSON; None: it is written without."""
    critique: Critiqued | None = None
    """For the manager and the reviser."""
    legal: tuple[ManagerAction, ...] = ()
    """For the manager: what it may choose from, most advisable first."""
    again: BlobRef | None = None
    """``OperationResult`` list as JSON: what became of the operations that the same role sent just before.
    It is asked once more, for those that failed."""
    answers_to: BlobRef | None = None
    """Those operations."""
    micros_left: int | None = None
    """Of the run's money; the role's run may use no more. None: there is no limit."""
    calls_left: int | None = None
    tokens_left: int | None = None


class Briefed(Value):
    """A role's prompt by reference, and the text that it shows."""

    brief: RoleBrief
    seen: Seen
    """Operations are located on the text of this."""
    basis: str
    """``sha256`` of the instructions in the prompt."""


class RoleAnswered(Value):
    """Result of a role's run."""

    request: AskRole
    briefed: Briefed | None = None
    delivery: Decided | Guided | Planned | Edited | Critiqued | None = None
    code: str = ""
    """Reason why there is none; empty if there is one."""
    message: str = ""
    useless: bool = False
    """The model answered, and the answer cannot be used: it may be asked again."""
    cut: bool = False
    """It was interrupted with the loop."""
    calls: int = 0
    """Of the model."""
    tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0
    capped: bool = False
    """The run of the loop had too little money, calls or tokens left for it."""
    call: CallEntry | None = None
    """Its calls, as they are logged."""
    second_call: CallEntry | None = None
    """Those of the second opinion, if there was one."""
    unshown: tuple[str, ...] = ()
    """Texts that its prompt had no room for, or not for all of them."""


class ApplyDraft(ManuscriptRequest):
    """Bring operations onto the text: one commit or none."""

    action: ManagerAction
    section: str = ""
    snapshot: Seen
    """Text and row that the prompt showed."""
    operations: BlobRef
    evidence: BlobRef | None = None
    """As the prompt showed it: its numbers in the operations become entries."""
    pin: IntentPin | None = None
    approval: Approval | None = None
    model: str = ""
    overrides: str = ""
    max_hunks: int | None = None
    wish: str = ""
    """A person's wish for a revision, in their words."""


class DraftApplied(Value):
    """Result of the operations."""

    outcome: Literal["applied", "unchanged", "conflict", "section-deleted", "asks", "refused"]
    """``conflict``: people changed each place that they change. ``section-deleted``: people removed the
    section, from text or plan. ``asks``: the gate denied it, and a person may allow it. Only ``applied``
    commits."""
    revision: str = ""
    words: int = 0
    results: BlobRef | None = None
    """``OperationResult`` list as JSON."""
    reasons: tuple[str, ...] = ()
    """Reasons why operations were not made, for people and the manager; the first ones."""
    findings: tuple[Finding, ...] = ()
    """Findings in the written text."""
    unread: str = ""
    """In a sentence, why no rule read it; empty if rules did."""
    applied: int = 0
    """Operations that changed the text, or whose change stood there already."""
    failed: int = 0
    """Operations that the model can mend."""
    over_limit: int = 0
    """Operations beyond ``max_hunks``, which were not looked at."""
    unknown_numbers: tuple[int, ...] = ()
    """Numbers cited that no passage has; they were left out."""
    commit: CommitSha | None = None
    need: ApprovalNeed | None = None
    """Of ``asks``."""
    code: str = ""
    message: str = ""


class AnnounceDraft(ManuscriptRequest):
    """Record that approval was asked for, or how that was decided; tell people who should decide."""

    request: ApprovalRequest
    decision: ApprovalDecision | None = None


class Upkeep(Value):
    """Values that the row and the log of a document do not have yet."""

    entries: tuple[LogEntry, ...] = ()
    instructions: BlobRef | None = None
    guidance: BlobRef | None = None
    plan: tuple[PlannedSection, ...] | None = None
    drafted: tuple[str, ...] | None = None
    pass_index: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return self == Upkeep()


class UpkeepRequest(ManuscriptRequest):
    """Base of the requests that bring row and log up to date."""

    upkeep: Upkeep
    base_version: int
    """Of the row as the loop saw it."""
    stage: str = ""
    words: int = 0


class KeepProgress(UpkeepRequest):
    """Bring row and log up to date. Where people changed the same variable meanwhile, their value stands."""


class ProgressKept(Value):
    """The row as it is now."""

    version: int


class EndManuscript(UpkeepRequest):
    """The last upkeep, the run's ending, and a notification."""

    result: "ManuscriptResult"


# Updates.


class StopRequest(Value):
    """End after the call in hand: its reply is stored and not applied."""

    who: str
    reason: str = ""


class AmendRequest(Value):
    """Other instructions, from the next prompt on."""

    instructions: BlobRef
    who: str


class Amended(Value):
    """Meaning of the change for the run."""

    instructions: BlobRef
    pass_index: int
    message: str


# State and result.


class Scored(Value):
    """A revision and what the critic gave it; a record, which no prompt reads."""

    revision: str
    score: float
    pass_index: int


class Choice(Value):
    """An action, and what it is about."""

    action: ManagerAction
    section: str = ""
    items: tuple[str, ...] = ()
    """Items that the manager wants revised; empty: what the critic asked for."""


class Reply(Value):
    """Operations that were delivered, and the text that they were made on."""

    request: AskRole
    edited: Edited
    seen: Seen


class Again(Value):
    """Operations of which some failed: their role is asked once more, for those."""

    request: AskRole
    """As it was asked first."""
    operations: BlobRef
    results: BlobRef


class CritiqueHeld(Value):
    """The newest critique, for the steps right after it."""

    said: Critiqued
    revision: str
    basis: str


class ManuscriptState(ApprovableState):
    """State of a run; only the folds change it."""

    held: DocumentHeld | None = None
    """None again after continue-as-new: the lock is taken anew."""
    opened: ManuscriptOpened | None = None
    amended: BlobRef | None = None
    """Instructions that replaced the given ones."""
    seen: Seen | None = None
    """None: text and row are to be read before anything is decided."""
    revision: str = ""
    """Of the text as the loop last saw or wrote it."""
    version: int = 0
    """Of the row as the loop last read or wrote it."""
    chosen: Choice | None = None
    """The manager's choice, or the policy's in its place; None: not asked."""
    reply: Reply | None = None
    """Operations that are not applied yet."""
    again: Again | None = None
    guidance_basis: str = ""
    plan_basis: str = ""
    plan_revision: str = ""
    """The text that the plan was made for, or what the loop made of it since."""
    plan_after: int = 0
    """Critiques that the plan knows of."""
    evidence: dict[str, EvidenceGathered] = {}
    """By title of the section; gathered anew for a new plan."""
    dropped: tuple[str, ...] = ()
    """Titles of sections that people removed meanwhile; the run leaves them."""
    drafted: tuple[str, ...] = ()
    """Titles of sections that this run wrote."""
    critique: CritiqueHeld | None = None
    critiques: int = 0
    cycle_open: bool = False
    """Whether the next critique closes a cycle."""
    pass_index: int = 0
    best: Scored | None = None
    last: Scored | None = None
    tried: dict[str, int] = {}
    """Number of times each action was tried on each fingerprint."""
    trouble: str = ""
    """Reason why the newest action changed nothing, in one sentence."""
    decisions: int = 0
    calls: int = 0
    tokens: int = 0
    words: int = 0
    commit: CommitSha | None = None
    """The newest one of the loop."""
    left_out: tuple[str, ...] = ()
    """As of ``Seen``: all that was met."""
    pushed: NovelPushed | None = None
    """The last push."""
    unkept: Upkeep = Upkeep()
    entries: int = 0
    """Actions logged."""
    capped: bool = False
    """A call was not made because it could cost more than the run has left."""
    capped_by: str = ""
    """The cap of the role's run that was too low, such as ``total-tokens-spent``."""
    stop_asked: StopRequest | None = None
    ended_as: "ManuscriptResult | None" = None
    """Result as recorded; a kill that comes with the last step changes it no more."""


class ManuscriptResult(Value):
    """Result of a run: never silence."""

    outcome: Literal["finished", "unfinished", "stopped", "refused", "failed"]
    """``unfinished``: it ended below the score, for the reason in ``stop``."""
    stop: Stop
    code: str = ""
    message: str = ""
    novel: str
    scene: str
    session: str
    stopped_by: str = ""
    pass_index: int = 0
    words: int = 0
    revision: str = ""
    """Of the text as the run last saw it, or as its push merged it with another machine's
    (``merged-with-remote``); the scores are of the former."""
    best: Scored | None = None
    last: Scored | None = None
    way_back: str = ""
    """The command that brings the best-scoring revision back; empty: the text scores best."""
    missing: tuple[str, ...] = ()
    """Titles of planned sections that were not written."""
    kept_reply: BlobRef | None = None
    """Operations that were delivered and not applied."""
    commit: CommitSha | None = None
    push: str = ""
    push_reason: str = ""
    """Reason why the remote did not take it, if it did not."""
    decisions: int = 0
    calls: int = 0
    tokens: int = 0
    cost_micros: int = 0
    unknown_prices: int = 0
    entries: int = 0
    warnings: tuple[str, ...] = ()
    """Warnings about the folder and other machines: a sentence each."""


ManuscriptInput.model_rebuild()
ManuscriptState.model_rebuild()
EndManuscript.model_rebuild()
