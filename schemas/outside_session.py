"""A pipeline that an outside agent drives: its input, its state and the updates it takes."""

from typing import Literal

from schemas.base import BlobRef, Cause, Progress, Value
from schemas.control import PipelineState
from schemas.intents import IntentPin
from schemas.prose import CraftReport


class OutsideInput(Value):
    """Input of a pipeline that an outside agent may drive."""

    session: str
    """Unique name of this run, made by the starter; part of every op id."""
    opener: str = ""
    """Names the caller that started the session, so that its own retried ``open`` is recognised."""
    writer: Literal["built-in", "outside"] = "built-in"
    who: str = ""
    """The program that writes from outside, as its transport knows it; empty if unknown."""
    must_select: bool = False
    """An outside agent selects its intent itself before it may change anything, and mends what is denied."""


class OutsideState(PipelineState):
    """State of a pipeline that an outside agent may drive."""

    pin: IntentPin | None = None
    """The intent the agent works for, as it was worded when it was selected."""
    has_selected: bool = False
    """Whether the outside agent has selected the intent by itself."""
    words_wanted: int = 0
    """Words that the agent is asked to write."""
    prose: BlobRef | None = None
    """Prose of the outside agent; None until it is delivered, and after a denial that it may correct."""
    denials: int = 0
    """Number of times a rule denied its prose."""
    denial: Cause | None = None
    """Last denial, of prose or of another change."""


class OpenRequest(Value):
    """``open``: join the session that this caller started."""

    opener: str
    place: str = ""
    """Place of the caller, as ``queue:/folder``; empty if it is unknown."""


class SessionProse(Value):
    """Prose, already durable in the store, and what the writer says about it."""

    prose: BlobRef
    summary: str = ""
    arcs_closed: bool = False
    """The writer confirms that every arc of the outline is closed."""
    human_edits: tuple[str, ...] = ()
    words: int = 0
    """0 for an outside agent; the close counts them."""
    model: str = ""
    """Model that wrote it; empty for an outside agent."""
    overrides: str = ""
    """Tag of the override set of its writer; empty: none."""
    authorship: str = ""
    """Declared author: ``human``, ``model``, ``mixed`` or ``unknown``; empty: a model."""
    who: str = ""
    """The program that delivered it from outside, see ``OutsideInput.who``."""
    cost_micros: int = 0
    unknown_prices: int = 0
    """Model calls whose price is unknown; they are not in ``cost_micros``."""
    warnings: tuple[str, ...] = ()
    """Parts of the writer's replies that are not in the prose."""
    craft: CraftReport = CraftReport()


class DeliverProse(Value):
    """``close``: the prose, which is in the store already."""

    written: SessionProse
    session: str = ""
    """The session it is for; empty: the running one."""
    place: str = ""
    """See ``OpenRequest.place``."""


class SelectRequest(Value):
    """``select_active_intent``."""

    intent: str
    session: str = ""
    """See ``DeliverProse.session``."""
    place: str = ""
    """See ``OpenRequest.place``."""


class SessionViewRequest(Value):
    """``standing``: the status of the running session, asked by a caller that may hold ``session``."""

    session: str = ""


class SessionView(Value):
    """The running session as an outside agent may see it."""

    progress: Progress
    who: str
    place: str = ""
    """Place of the session, as in ``OpenRequest.place``; for commands of the same installation."""
    yours: bool
    """Whether the caller holds it. What follows is shown to no other caller."""
    intent: str = ""
    """The intent it writes under."""
    has_selected: bool = False
    words_wanted: int = 0
    minutes_left: int = 0
    """Whole minutes until the book is given back."""
    denial: Cause | None = None
    """Last denial by a rule; nothing was changed."""
