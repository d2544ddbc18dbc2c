"""Inputs and deliveries of the manuscript agents."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from schemas.base import BlobRef, Value

ManuscriptRole = Literal[
    "manager",
    "formatter",
    "planner",
    "writer",
    "critic",
    "reviser",
    "citation-orchestrator",
    "citation-generator",
]
ManagerAction = Literal[
    "generate_format_guidance",
    "generate_plan",
    "write_section",
    "critique_manuscript",
    "revise_manuscript",
    "finish",
]
TargetKind = Literal["verify", "insert", "normalise"]
Score = Annotated[float, Field(ge=0, le=1)]


class RunSettings(Value):
    """Settings by a person, as of the start of a run; they never change in that run."""

    instructions: str
    max_passes: int = 3
    min_score: Score = 0.8
    max_hunks: int = 5
    """Operations that one reply of the writer or reviser may hold."""
    max_targets: int = 10
    """Sentences that the citation orchestrator may name."""


class PlannedSection(Value):
    """One section of the plan."""

    section_title: str
    section_summary: str
    section_word_count: int = 0
    """Words wanted; 0: as many as it takes."""
    status: Literal["pending", "drafted"] = "pending"


# Ephemeral values: valid for one step. They are never part of `agent_state`.


class Handed(Value):
    """Values that one agent made for another one; base of all ephemeral values."""

    for_step: str
    """The step whose prompts may use them; the prompt of any other step refuses them."""


class SectionOrder(Handed):
    """The section to be written next."""

    section_title: str
    section_summary: str
    section_word_count: int = 0


class CritiqueHanded(Handed):
    """A critique, for the manager's next decision and the revision that follows from it."""

    critique_summary: str = ""
    critique_score: float | None = None
    action_items: tuple[str, ...] = ()


class LoreHanded(Handed):
    """Lore of the novel for what is to be written."""

    lore: str


class EvidenceHanded(Handed):
    """Passages for the section to be written next, each with its number and work."""

    evidence: tuple[str, ...]
    unasked: tuple[str, ...] = ()
    """Sources that could not be asked."""


class CitationOrder(Handed):
    """The sentence to find works for."""

    sentence_citation_target: str
    sentence_before_citation_target: str = ""
    sentence_after_citation_target: str = ""
    title_of_manuscript: str = ""
    reason_citation_target: str
    section_title_citation_target: str = ""
    evidence_type_citation_target: str = ""


class LegalActions(Handed):
    """Actions that the manager may choose among, most advisable first."""

    legal_actions: tuple[ManagerAction, ...]


class FailedOperations(Handed):
    """Operations of the last reply that were not applied, each with the reason and the nearest text."""

    failed_operations: tuple[str, ...]
    applied: int = 0
    """Operations of the same reply that were applied and must not be sent again."""


class TargetsFound(Handed):
    """Sentences that were named in earlier batches of the same scan."""

    already_identified_targets: tuple[int, ...] = ()
    targets_wanted: int
    """Most targets to name in this batch."""


class FoundRecords(Handed):
    """Records of the sources, one line each, in the order of their numbers from 1."""

    found_records: tuple[str, ...]


# Requests.


class RoleBrief(Value):
    """The prompt of a role, stored."""

    role: ManuscriptRole
    task: BlobRef
    params: dict[str, JsonValue] = {}
    turn_tokens: int
    """The most the role may answer."""


class RoleCall(Value):
    """One call of a role: one run of its agent."""

    brief: RoleBrief
    run_id: str
    """Of the agent's run; made from the position in the pipeline."""
    subject: str
    """Subject that budgets count it against: ``<novel>/<scene>``."""
    model_queue: str = ""
    tool_queue: str = ""
    cost_micros: int | None = None
    """The most it may cost."""
    model_calls: int | None = None
    """The most calls it may make; None: as many as a role needs."""
    tokens: int | None = None
    """The most it may read and write together."""
    override_tag: str = ""
    """See ``BookSessionInput.override_tag``."""


# What a role delivers.


class Delivery(Value):
    """Base of all deliveries."""

    model: str = ""
    overrides: str = ""
    """Tag of the override set of its agent."""
    demo: bool = False


class Decided(Delivery):
    """The manager's choice; not checked against what is legal."""

    action: ManagerAction
    reasoning: str
    action_items: tuple[str, ...] = ()
    """Items it wants revised; empty: what the critic asked for."""


class Guided(Delivery):
    """The formatter's guidance, Markdown."""

    format_guidance: BlobRef
    words: int


class Planned(Delivery):
    """The planner's sections, in the order of the manuscript; titles are distinct."""

    section_plan: tuple[PlannedSection, ...]


class Edited(Delivery):
    """Operations of the writer or reviser, not located yet."""

    status: Literal["continue", "satisfied"] = "continue"
    rationale: str = ""
    operations: BlobRef
    """A JSON array of ``schemas.patching.Operation``."""
    count: int
    """Number of them; 0 only with ``satisfied``."""


Aspect = Literal["structure", "evidence", "clarity", "completeness"]
"""Parts of a critic's judgement."""


class SubScore(Value):
    """The critic's judgement of one part, and the words that show it."""

    aspect: Aspect
    score: Score
    quote: str = ""
    """Of the manuscript, letter for letter; empty: what the critic quoted does not stand there."""


class Critiqued(Delivery):
    """The critic's judgement."""

    critique_summary: str
    score: Score
    """The mean of ``sub_scores``, computed by code; without them what the critic gave."""
    sub_scores: tuple[SubScore, ...] = ()
    other_score: float | None = None
    """What it gave as well, asked twice; ``score`` is the lower of the two."""
    action_items: tuple[str, ...] = ()


class ChosenSentence(Value):
    """A sentence that needs a citation, by its number."""

    sentence: int
    kind: TargetKind
    reason_citation_target: str
    section_title_citation_target: str = ""
    evidence_type_citation_target: str = ""


class Targeted(Delivery):
    """The orchestrator's targets: distinct sentences that exist and were not named before."""

    citation_targets: tuple[ChosenSentence, ...]


class ProposedQuery(Value):
    """What to ask the sources for. Nothing of it is ever inserted into a text."""

    text: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None


class ProposedIdentifier(Value):
    """An identifier that the model remembers; it counts for nothing until a source resolves it."""

    kind: Literal["doi", "pmid", "arxiv"]
    value: str


class GeneratorAnswer(Delivery):
    """What the citation generator proposes to search for, or which of the records found it picks."""

    queries: tuple[ProposedQuery, ...] = ()
    identifiers: tuple[ProposedIdentifier, ...] = ()
    chosen: tuple[int, ...] = ()
    """Numbers of records, from 1, the best first; empty: none of them supports the sentence."""
    reason: str = ""
    notes: str = ""
