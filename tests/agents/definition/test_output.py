"""Output types: the schema that a model sees and the value that is stored."""

import json
from datetime import date
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from penwright.agents.definition.output import (
    FINAL_ANSWER,
    check_output,
    dumped,
    final_answer,
    hidden,
    loaded,
    wire_schema,
)
from penwright.errors import BrokenDefinition
from tests.support.agents.output import Scene
from tests.support.each import for_each


class Audit(BaseModel):
    reviewer: str


class Beat(BaseModel):
    text: str
    source: Annotated[Audit | None, hidden()] = None


class Chapter(BaseModel):
    opening: Beat = Beat(text="It was dark.", source=Audit(reviewer="mole"))
    beats: tuple[Beat, ...]
    written: date = Field(default=date(2026, 3, 14), alias="writtenOn")
    audit: Annotated[Audit, hidden()] = Audit(reviewer="nobody")


def test_a_hidden_field_is_in_no_schema() -> None:
    schema = wire_schema(Scene)

    assert set(schema["properties"]) == {"title", "words"}
    assert schema["required"] == ["title", "words"]


def test_types_of_hidden_fields_are_omitted_from_the_schema() -> None:
    told = json.dumps(wire_schema(Chapter))

    assert '"beats"' in told
    assert [name for name in ("audit", "Audit", "source", "reviewer", "mole") if name in told] == []


def test_every_object_of_the_schema_takes_its_fields_and_nothing_else() -> None:
    schema = wire_schema(Chapter)

    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Beat"]["additionalProperties"] is False


def test_the_forced_tool_asks_for_the_same_schema() -> None:
    offer = final_answer(Scene)

    assert offer.name == FINAL_ANSWER
    assert offer.parameters == wire_schema(Scene)


def test_hidden_fields_are_always_stored() -> None:
    stored = dumped(Scene(title="Dawn", words=3))

    assert stored == {"title": "Dawn", "words": 3, "checked_by": "nobody"}


@given(
    text=st.text(),
    reviewer=st.text(),
    written=st.dates(),
)
def test_an_output_round_trips_through_json(text: str, reviewer: str, written: date) -> None:
    chapter = Chapter.model_validate(
        {
            "beats": (Beat(text=text, source=Audit(reviewer=reviewer)),),
            "writtenOn": written,
            "audit": Audit(reviewer=reviewer),
        }
    )

    assert loaded(Chapter, json.loads(json.dumps(dumped(chapter)))) == chapter


def test_a_sound_type_passes_the_check() -> None:
    check_output(Scene)
    check_output(Chapter)


class _NoDefault(BaseModel):
    words: Annotated[int, hidden()]


class _Nested(BaseModel):
    scenes: list[_NoDefault]


class _Excluded(BaseModel):
    words: Annotated[int, hidden()] = Field(default=0, exclude=True)


class _HalfHidden(BaseModel):
    words: Annotated[int, hidden()] | None = None


class _Uncallable(BaseModel):
    hook: type


class _Tree(BaseModel):
    leaves: "list[_Tree]" = []
    mark: Annotated[int, hidden()] = 0


@for_each(
    "kind, code, named",
    [
        (_NoDefault, "hidden-without-default", "_NoDefault.words"),
        (_Nested, "hidden-without-default", "_Nested.scenes.words"),
        (_Excluded, "hidden-excluded", "_Excluded.words"),
        (_HalfHidden, "hidden-misplaced", "_HalfHidden.words"),
        (_Uncallable, "output-without-schema", "_Uncallable"),
        (RootModel[list[int]], "output-not-an-object", "RootModel"),
    ],
)
def test_an_output_type_that_no_answer_fits_is_refused_by_name(
    kind: type[BaseModel], code: str, named: str
) -> None:
    with pytest.raises(BrokenDefinition) as caught:
        check_output(kind)

    assert caught.value.code == code
    assert named in caught.value.message


def test_a_type_may_hold_itself() -> None:
    check_output(_Tree)

    assert "mark" not in json.dumps(wire_schema(_Tree))
