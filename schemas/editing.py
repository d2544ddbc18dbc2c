"""Editing of one scene by people and outside agents: their orders, and the run that carries them out."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import BlobRef, Value
from schemas.control import PipelineState
from schemas.intents import IntentPin
from schemas.workspace import Pushed, Workspace


class SaveOrder(Value):
    """An editor saves its text; answered with a ``TextSaved``."""

    kind: Literal["save"] = "save"
    base: str = ""
    """Revision that the typing began from; empty: there was no file."""
    text: BlobRef
    """UTF-8."""
    who: str = "local"


class RestoreOrder(Value):
    """A person takes changes back; answered with a ``TextRestored``."""

    kind: Literal["undo", "rollback"]
    to: str = ""
    """Of a rollback: a commit, or a revision of the scene."""
    expected: str | None = None
    """Revision that the person saw; None: any."""
    who: str = "local"


class SelectOrder(Value):
    """An outside agent says which intent it works for; answered with a ``Selected``."""

    kind: Literal["select"] = "select"
    intent: str
    session: str
    """Name of the agent's session; the same one again selects anew in it."""
    opener: str
    """The caller, as its transport knows it; nobody else may use the session."""


class OperationsOrder(Value):
    """An outside agent proposes operations; answered with an ``OperationsApplied``."""

    kind: Literal["operations"] = "operations"
    session: str = ""
    """Session that the agent got when it selected its intent."""
    opener: str
    snapshot: BlobRef
    """The text that the agent read."""
    operations: BlobRef
    """A JSON array of ``schemas.patching.Operation``."""
    message: str = ""
    """First line of the commit."""
    who: str = ""
    """The program that asks, for the commit."""
    pin: IntentPin | None = None
    """The intent of its session; set when the order is taken, whatever the sender says."""


EditOrder = Annotated[SaveOrder | RestoreOrder | SelectOrder | OperationsOrder, Field(discriminator="kind")]


class AgentSession(Value):
    """An outside agent that selected its intent for this scene."""

    session: str
    opener: str
    pin: IntentPin


class EditingInput(Value):
    """The editing of one scene until nobody saves any more. Its workflow is ``editing/<novel>/<scene>``."""

    novel_id: str
    scene: str
    workspace: Workspace
    session: str
    repo_queue: str = "penwright-repo"
    idle_s: float = 300.0
    """Seconds without an order after which it pushes and ends."""
    state: "EditingState | None" = None
    """Carried over by continue-as-new."""


class EditingState(PipelineState):
    """State of the editing."""

    waiting: tuple[EditOrder, ...] = ()
    """Orders that were taken and not yet carried out, oldest first."""
    served: int = 0
    """Orders carried out."""
    sessions: tuple[AgentSession, ...] = ()
    """Of outside agents, the one that selected last at the end."""
    unpushed: bool = False
    """There is a commit that the remote was not told of."""
    words: int = 0
    pushed: Pushed | None = None


class EditingResult(Value):
    """Result of the editing."""

    outcome: Literal["idle", "stopped"]
    served: int
    """Orders carried out in all."""
    push: str = ""
    code: str = ""
    message: str = ""


EditingInput.model_rebuild()
