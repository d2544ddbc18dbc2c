"""Memory of the manuscript agents for a document between steps and runs, and their log."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import ConfigDict, Field, JsonValue

from schemas.agent_run import ChainHead
from schemas.base import BlobRef, OpId, Value
from schemas.manuscript_roles import PlannedSection

LOCAL = "local"
"""The principal where no login is needed."""
WHOLE_NOVEL = "-"
"""The scene of a manuscript that is one document."""

LONGEST_INSTRUCTIONS: Final = 400_000
"""Characters."""
MOST_PASSES: Final = 100
MOST_HUNKS: Final = 100
MOST_TARGETS: Final = 1000

Passes = Annotated[int, Field(ge=1, le=MOST_PASSES)]
Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Hunks = Annotated[int, Field(ge=1, le=MOST_HUNKS)]
Targets = Annotated[int, Field(ge=1, le=MOST_TARGETS)]

Variable = Literal[
    "instructions",
    "max_passes",
    "min_score",
    "max_hunks",
    "max_targets",
    "run",
    "pass_index",
    "section_plan",
    "sections_drafted",
    "format_guidance",
    "citation_targets",
    "existing_citations",
]
"""The names of what is stored; an ephemeral value has none."""
VARIABLES: tuple[Variable, ...] = get_args(Variable)


class StateKey(Value):
    """Whose state, of which document."""

    principal: str = LOCAL
    novel: str
    scene: str = WHOLE_NOVEL

    @property
    def run(self) -> str:
        """The name under which its events are followed."""
        return f"agent-state/{self.principal}/{self.novel}/{self.scene}"


class StateChanges(Value):
    """New values of variables; None leaves one as it is, and an empty value empties it.

    Other names are refused, so that a value that only the next step may use cannot be stored.
    """

    model_config = ConfigDict(extra="forbid")

    instructions: str | None = None
    max_passes: Passes | None = None
    min_score: Score | None = None
    max_hunks: Hunks | None = None
    max_targets: Targets | None = None
    run: str | None = None
    pass_index: int | None = Field(default=None, ge=0)
    section_plan: tuple[PlannedSection, ...] | None = None
    sections_drafted: tuple[str, ...] | None = None
    format_guidance: str | None = None
    citation_targets: tuple[dict[str, JsonValue], ...] | None = None
    existing_citations: tuple[str, ...] | None = None

    # Any: values of each variable's own type.
    def given(self) -> dict[Variable, Any]:
        """The values that are given, by variable."""
        return {name: value for name in VARIABLES if (value := getattr(self, name)) is not None}


class AgentState(Value):
    """The variables of one document as they were stored last."""

    key: StateKey
    version: int = 0
    """Grows by one with every change; 0: nothing was stored yet."""
    last_modified: datetime | None = None
    instructions: str = ""
    max_passes: Passes = 3
    min_score: Score = 0.8
    max_hunks: Hunks = 5
    max_targets: Targets = 10
    run: str = ""
    """The run that ``pass_index`` counts in."""
    pass_index: int = Field(default=0, ge=0)
    """Passes of critique and revision; begins at 0 with each run."""
    section_plan: tuple[PlannedSection, ...] = ()
    sections_drafted: tuple[str, ...] = ()
    """Titles of sections that were written."""
    format_guidance: str = ""
    citation_targets: tuple[dict[str, JsonValue], ...] = ()
    """Sentences that the newest citation scan looks at."""
    existing_citations: tuple[str, ...] = ()
    """BibTeX entries that stood in the manuscript."""


class WriteState(Value):
    """Change variables, if the state is still the one that the writer read."""

    key: StateKey
    changes: StateChanges
    base_version: int
    """The version that the writer read; 0 if there was none."""
    op_id: OpId
    by: str = ""
    """Which device or run writes."""
    at: datetime
    """Timezone-aware."""


class StateWritten(Value):
    """The change is stored."""

    outcome: Literal["written"] = "written"
    state: AgentState
    """As this change left it; later ones are not in it."""
    changed: tuple[Variable, ...] = ()
    """Empty if every value was so already; then there is no new version."""


class StateConflict(Value):
    """The state has changed since the writer read it; nothing was stored."""

    outcome: Literal["conflict"] = "conflict"
    base_version: int
    mine: StateChanges
    theirs: AgentState
    """The state as it is."""
    overlapping: tuple[Variable, ...] = ()
    """Variables that both changed, to different values; if empty, ``mine`` fits on top of ``theirs``."""


class PastValue(Value):
    """One value that a variable has or had."""

    version: int
    """The version that brought it."""
    at: datetime
    by: str
    op_id: OpId
    value: JsonValue


class ActionEntry(Value):
    """One action of the loop and its outcome: what the Manager is told, and what people are shown."""

    kind: Literal["action"] = "action"
    op_id: OpId
    run: str
    at: datetime
    action: str
    outcome: Literal["done", "unchanged", "skipped", "refused", "failed"]
    code: str = ""
    """Reason, unless it is done; stable."""
    summary: str
    """For people and the Manager, one line."""
    pass_index: int = 0
    revision: str = ""
    """The manuscript's after the action."""
    score: float | None = None
    """A critique's."""
    detail: dict[str, JsonValue] = {}
    """Short facts; never a text of the manuscript."""


class CallEntry(Value):
    """One role's calls of a model for one action; prompts and replies by reference."""

    kind: Literal["call"] = "call"
    op_id: OpId
    """The id of the agent's run; its transcript names each call."""
    run: str
    at: datetime
    role: str
    agent: str
    outcome: str
    code: str = ""
    prompt: BlobRef | None = None
    """The system text as it was sent; None: the transcript of the agent's run says."""
    head: ChainHead | None = None
    """All further messages, the answers included."""
    calls: int = 1
    """Calls of the model; more than one where an answer had to be asked for again."""
    models: tuple[str, ...] = ()
    demo: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    """Millionths of a US dollar."""
    unknown_prices: int = 0


LogEntry = Annotated[ActionEntry | CallEntry, Field(discriminator="kind")]


class Logged(Value):
    """An entry with its place in the document's log."""

    number: int
    """Grows with every entry; gaps mean nothing."""
    entry: LogEntry


class StateEvent(Value):
    """One change of a document's state or log, as another device learns of it."""

    cursor: int
    key: StateKey
    at: datetime
    op_id: OpId
    version: int = 0
    """The version that this change made; 0: entries were logged."""
    changes: StateChanges = StateChanges()
    """The values as this change left them, except those that were pruned since."""
    logged: tuple[int, int] | None = None
    """Numbers of the first and last entry that were logged."""
