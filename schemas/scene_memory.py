"""A scene's memories and summary, made beside its rounds."""

from typing import Literal

from schemas.base import Cause, Effect, Value
from schemas.control import PipelineState


class SceneMemoryInput(Value):
    """Scene to remember. The workflow id is ``scene-memory/<scene-id>``, so a scene has one run at a time."""

    scene: str
    session: str
    model_queue: str = ""
    override_tag: str = ""
    """See ``BookSessionInput.override_tag``."""
    state: "SceneMemoryState | None" = None
    """Set by continue-as-new."""


class LookAtScene(Value):
    """Find what is to be remembered and summed up."""

    effect: Effect
    scene: str
    after: int = 0
    """Number of a round; memories of it and of those before it are not looked for."""
    until: int = 0
    """``before`` of a portion of which something may be left to sum up; 0: there is none."""


class Outstanding(Value):
    """Memories and summary that a scene lacks."""

    rounds: tuple[int, ...] = ()
    """Rounds without memories, oldest first; some of them, if there are many."""
    left: int = 0
    """Number of all of them."""
    round: int = 0
    """The newest round."""
    before: int | None = None
    """Number of the message up to which a summary is wanted next, without it; None: none is wanted."""
    summarised_to: int = 0
    """Of runs that began before summaries were made by stretches; 0 of others."""
    unsummarised: int = 0
    """Messages outside of all stretches of the summary, without the newest round."""


class SceneMemoryState(PipelineState):
    """State of a run; only its rules change it."""

    found: Outstanding | None = None
    """None: look first."""
    tried: int = 0
    """The last round of which memories were made, or could not be."""
    remembered: int = 0
    """Rounds whose memories were made."""
    written: int = 0
    """Memories that were written."""
    summarised_to: int = 0
    until: int = 0
    """``before`` of the portion in hand; what its people did not all hear is summed up by itself."""
    dropped: int = 0
    """Summaries in a row that were not kept, because what they were made from was changed meanwhile."""
    gave_up: bool = False
    """No further summary is asked for in this run."""
    trouble: Cause | None = None
    """The first thing that could not be made; the run goes on with the others."""
    wanted: bool = False
    """Something was played meanwhile."""


class SummaryTold(Value):
    """Tell followers that the summariser is done."""

    effect: Effect
    scene: str
    session: str
    round: int
    cause: Cause | None = None
    """Reason why nothing came of it; None: the summary is kept."""


class SceneMemoryResult(Value):
    outcome: Literal["completed", "stopped", "failed"]
    remembered: int = 0
    written: int = 0
    summarised_to: int = 0
    code: str = ""
    message: str = ""
    stopped_by: str = ""
    cost_micros: int = 0
    unknown_prices: int = 0


class EndSceneMemory(Value):
    """Note how the run ended."""

    effect: Effect
    scene: str
    session: str
    result: SceneMemoryResult


SceneMemoryInput.model_rebuild()
