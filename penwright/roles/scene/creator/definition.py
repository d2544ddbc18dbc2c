"""The creator as an agent: a character's sheet from one line, or one field of a sheet written anew."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.roles.reply import plain_text, whole_number
from penwright.roles.scene.reply_json import SceneReply, folded, unwrapped, whole_json
from penwright.roles.scene.reply_text import delivery
from penwright.roles.scene.sections import craft, material
from schemas.scene_roles import SheetFields, SheetWritten

_HERE = "penwright.roles.scene.creator"
_LONGEST = 8_000


# Any, here and below: the model may have written anything.
def _text(value: Any) -> Any:
    """A text; a list of texts is its paragraphs, and an empty one is none."""
    if isinstance(value, list | tuple):
        value = "\n\n".join(str(plain_text(each)) for each in value)
    return (plain_text(value) or None) if value is not None else None


def _texts(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        raise ValueError("write a list of texts")
    return tuple(text for each in value if (text := str(plain_text(each))))


def _talkative(value: Any) -> Any:
    return None if value is None else whole_number(value)


Text = Annotated[str | None, Field(max_length=_LONGEST), BeforeValidator(_text)]
Texts = Annotated[tuple[str, ...] | None, Field(max_length=40), BeforeValidator(_texts)]


class SheetReply(SceneReply):
    also_called: ClassVar[Mapping[str, str]] = {
        "firstmes": "first_message",
        "greeting": "first_message",
        "mesexample": "example_messages",
        "talkativeness": "talkative",
    }

    name: Annotated[str | None, Field(max_length=200), BeforeValidator(_text)] = None
    nickname: Annotated[str | None, Field(max_length=200), BeforeValidator(_text)] = None
    description: Text = None
    personality: Text = None
    scenario: Text = None
    first_message: Text = None
    example_messages: Text = None
    alternate_greetings: Texts = None
    appearance: Text = None
    goals: Text = None
    secrets: Text = None
    talkative: Annotated[int | None, Field(ge=0, le=100), BeforeValidator(_talkative)] = None
    tags: Texts = None

    @model_validator(mode="before")
    @classmethod
    def _outside_wrappers(cls, given: Any) -> Any:
        return unwrapped(given, {*map(folded, cls.model_fields), *cls.also_called})

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.model_dump(exclude_none=True) == {}:
            raise ValueError("the sheet is empty; write at least `name` and `description`")
        return self


class AskedSheet(Arguments):
    """The sheet as a model is asked for it."""

    name: str = ""
    nickname: str = ""
    description: str = ""
    personality: str = ""
    appearance: str = ""
    goals: str = ""
    secrets: str = ""
    scenario: str = ""
    first_message: str = ""
    example_messages: str = ""
    talkative: int = 50
    tags: tuple[str, ...] = ()


def read_sheet(arrival: RawReply) -> SheetWritten:
    """Raises ``ModelMistake``, as ``whole_json``."""
    said = whole_json(arrival, SheetReply)
    fields = SheetFields.model_validate(said.model_dump(exclude_none=True))
    return SheetWritten(fields=fields, **delivery(arrival))


CREATOR = AgentDefinition(
    namespace="scene",
    key="creator",
    title="The writer of character sheets",
    sections=(craft(_HERE), material()),
    output=SheetWritten,
    reads=read_sheet,
    wanted=AskedSheet,
    repairs=1,
)
