"""Deliveries of the roles of a scene. Long texts are stored by the worker that read them, and referred to."""

from typing import Literal

from schemas.base import BlobRef, Value
from schemas.director import DirectorPlan, StatePatch, WorldUpdate
from schemas.prose import Finding

StateBlock = Literal["none", "read", "broken"]


class SceneDelivery(Value):
    """One role's answer, and the model that gave it."""

    model: str = ""
    demo: bool = False
    raw: BlobRef
    """The reply as the model wrote it."""


class PassPlanned(SceneDelivery):
    """The director's answer."""

    plan: DirectorPlan


class Spoken(SceneDelivery):
    """The answer of a character or the narrator."""

    text: BlobRef
    """The prose, without the state block."""
    words: int
    reported: StatePatch = StatePatch()
    state_block: StateBlock = "none"
    note: str = ""
    """Fault that does not make the reply useless; for the audit."""
    findings: tuple[Finding, ...] = ()
    """Places where it repeats an earlier message, or speaks for the user's persona."""
    again: bool = False
    """Whether it was asked for once more, because of such findings."""


class Summarised(SceneDelivery):
    """The summariser's answer."""

    text: BlobRef
    words: int


class WorldTold(SceneDelivery):
    """The world agent's answer."""

    update: WorldUpdate


class SheetFields(Value):
    """Fields of a character that a creator wrote; None: not written."""

    name: str | None = None
    nickname: str | None = None
    description: str | None = None
    personality: str | None = None
    scenario: str | None = None
    first_message: str | None = None
    example_messages: str | None = None
    alternate_greetings: tuple[str, ...] | None = None
    appearance: str | None = None
    goals: str | None = None
    secrets: str | None = None
    talkative: int | None = None
    tags: tuple[str, ...] | None = None


SHEET_FIELDS: tuple[str, ...] = tuple(SheetFields.model_fields)


class SheetWritten(SceneDelivery):
    """The creator's answer: a whole sheet, or the one field that was asked for."""

    fields: SheetFields


class Painted(Value):
    """A picture that is stored."""

    image: BlobRef
    kind: str
    """``image/png``, ``image/jpeg`` or ``image/webp``."""


class PicturePainted(SceneDelivery):
    """What a model for images made."""

    picture: Painted


class PictureDescribed(SceneDelivery):
    """The visual role's answer: a prompt for a model of images."""

    prompt: str
    avoid: str = ""
    """Description of what must not be in the picture."""
    caption: str = ""
