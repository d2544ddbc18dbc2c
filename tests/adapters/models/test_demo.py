"""The demo model writes a book of its own: readable, exact in length, never twice the same."""

import json
import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from penwright.adapters.models.demo.cast import read_cast
from penwright.adapters.models.demo.characters import TONGUES, CharacterProse
from penwright.adapters.models.demo.grammar import RULES, SHAPES
from penwright.adapters.models.demo.model import DemoProvider, answer
from penwright.adapters.models.demo.prose import DemoProse
from penwright.adapters.models.demo.rework import rework
from penwright.agents.definition.output import final_answer
from penwright.domain.book.review.delivery import read_delivery
from penwright.domain.book.review.session_reply import SessionReply, parse_continuation, parse_session_reply
from penwright.domain.models.structured_output import Parsed, find_structured
from penwright.domain.text.words import count_words
from penwright.roles.ink_writer import briefing
from penwright.roles.ink_writer.completion import GO_ON
from schemas.agent import ToolOffer
from schemas.book import SessionPayload, WordCount
from schemas.model import ForcedTool, Message, ToolChoice
from tests.support.agents.scripted_model import model_request
from tests.support.books.payloads import SHORE, session_payload
from tests.support.each import for_each
from tests.support.sweeps import examples


def told(payload: SessionPayload) -> tuple[Message, ...]:
    prompt = briefing.render(payload)
    return Message(role="system", content=prompt.system), Message(role="user", content=prompt.text)


def session(payload: SessionPayload) -> SessionReply:
    request = model_request().model_copy(update={"messages": told(payload)})
    return parse_session_reply(
        answer(request),
        words_wanted=briefing.words_wanted(payload),
        instructions=payload.current_review.instructions,
    )


@for_each("words", [25, 60, 137, 400, 1500, 6000])
def test_a_session_has_exactly_the_words_that_are_wanted(words: int) -> None:
    reply = session(session_payload(words=words))

    assert reply.new_words == words
    assert reply.repairs == ()


@given(words=st.integers(min_value=0, max_value=300), seed=st.integers(min_value=0))
@settings(max_examples=examples(60), deadline=None)
def test_demo_passage_has_exactly_the_words_asked_for(words: int, seed: int) -> None:
    assert count_words(DemoProse(read_cast(()), seed).passage(words)) == words


@given(
    words=st.integers(min_value=0, max_value=300),
    seed=st.integers(min_value=0),
    tag=st.sampled_from(["zh", "ja"]),
)
@settings(max_examples=examples(40), deadline=None)
def test_chinese_and_japanese_have_exactly_the_characters_asked_for(words: int, seed: int, tag: str) -> None:
    prose = CharacterProse(TONGUES[tag], (), seed)

    assert count_words(prose.passage(words, ending=seed % 2 == 0)) == words


def test_the_same_request_is_answered_with_the_same_words() -> None:
    assert session(session_payload()) == session(session_payload())


def test_the_book_is_about_the_authors_own_people_and_outline() -> None:
    prose = session(session_payload(words=800)).new_prose

    assert {"Mara", "Tobias", "Skerrow"} <= set(re.findall(r"\w+", prose))
    assert "Mara finds the logbook behind the beacon." in prose


def test_no_paragraph_is_repeated_over_thirty_sessions() -> None:
    seen: list[str] = []
    waiting, total = "", 0
    for number in range(30):
        payload = session_payload(
            words=500,
            waiting=waiting,
            snapshot_tag=f"ink-2026-03-{number + 1:02}-09-30",
            word_count=WordCount(total=total, target=90_000),
        )
        waiting = session(payload).prose
        total += 500
        seen += [part for part in waiting.split("\n\n") if not part.startswith(("#", "<!--"))]

    assert len(seen) > 120
    assert len(seen) == len(set(seen))


def test_prose_has_paragraphs_dialogue_and_no_leftover_of_the_grammar() -> None:
    prose = session(session_payload(words=1200)).new_prose

    assert len(prose.split("\n\n")) >= 10
    assert prose.count("“") == prose.count("”") >= 4
    assert not re.search(r"[{}]|\s{3}|\.\.|  ", prose)
    sentences = re.split(r"(?<=[.!?])[”*]?\s+", prose)
    assert all(re.match(r"[“*#]*[A-ZÀ-Þ0-9]", sentence) for sentence in sentences if sentence)


def test_a_session_continues_with_the_person_of_the_last_paragraph() -> None:
    first = session(session_payload()).new_prose.split("\n\n")[0]

    assert "Tobias" in first or "Mara" in first


def test_a_chapter_begins_with_its_heading_once() -> None:
    opening = session(session_payload(waiting="", current_chapter_word_count=0))
    following = session(session_payload(waiting=opening.prose, current_chapter_word_count=0))

    assert opening.new_prose.startswith("## Chapter 1: The Lamp\n\n")
    assert opening.new_words == 400
    assert "##" not in following.new_prose


@for_each(
    "instruction, pattern",
    [
        ("rewrite in third person", r"\A(?:Mara|Tobias) went down to the shore\. (?:Her|His) boots were wet"),
        ("present tense please", r"My boots are wet"),
        ("mention the smell of tar", r"the smell of tar"),
        ("replace boots with sandals", r"My sandals were wet"),
        ("make it longer, describe the place", r"tired of the rain\. \S+"),
        ("add some dialogue", r"“"),
        ("darker", r"tired of the rain\. \S+"),
        ("I do not like this", r"tired of the rain\. \S+"),
    ],
)
def test_an_instruction_is_answered_recognisably(instruction: str, pattern: str) -> None:
    reply = session(session_payload(instruction))

    (passage,) = reply.reworked
    assert (passage.instruction, passage.original) == (instruction, SHORE)
    assert re.search(pattern, passage.text)
    assert passage.text != SHORE
    assert instruction in reply.summary


def test_the_book_reads_a_reply_as_the_writer_meant_it() -> None:
    reply = session(session_payload("rewrite in third person", "darker"))

    delivery = read_delivery(reply.prose)

    assert delivery.warnings == ()
    assert delivery.prose.strip() == reply.new_prose
    assert [rework.text for rework in delivery.reworks] == [passage.text for passage in reply.reworked]
    assert delivery.words == reply.words


@pytest.mark.parametrize(
    ("passage", "instruction", "pattern"),
    [
        ("## Chapter 1: The Lamp", "a better title, please", r"\A## Chapter 1: [^\n]+\Z"),
        ("## Chapter 1: The Lamp", "call it “The Cold Light”", r"\A## Chapter 1: The Cold Light\Z"),
        ("# The Lamp #", "make it shorter and darker", r"\A# [^\n]+\Z"),
        ("### Chapter 2: The Pier", "rename Pier to Harbour", r"\A### Chapter 2: The Harbour\Z"),
        ("## The Lamp\nShe lit it.", "darker", r"\A## The Lamp\nShe lit it\. \S+"),
    ],
)
def test_a_reworked_heading_stays_a_heading(passage: str, instruction: str, pattern: str) -> None:
    cast = read_cast(())

    changed = rework(passage, instruction, prose=DemoProse(cast, 1), hero=cast.people[0])

    assert re.search(pattern, changed)
    assert changed != passage


def test_shorter_means_shorter() -> None:
    (passage,) = session(session_payload("make this shorter")).reworked

    assert count_words(passage.text) < count_words(SHORE)


def test_a_shorter_passage_closes_its_quotations() -> None:
    cast = read_cast(())
    passage = "“Who else was there?” Ann looked up. She took her time. “Ask me again.” The bell rang."

    changed = rework(passage, "make it shorter", prose=DemoProse(cast, 1), hero=cast.people[0])

    assert changed == "“Who else was there?” She took her time. The bell rang."


def test_every_instruction_is_answered_in_a_session_that_only_reworks() -> None:
    reply = session(session_payload("shorter", "darker", session_type="rewrite"))

    assert [passage.instruction for passage in reply.reworked] == ["shorter", "darker"]
    assert reply.new_prose == ""


@pytest.mark.parametrize(("total", "closed"), [(800, False), (3100, False), (3200, True), (4000, True)])
def test_the_arcs_are_closed_when_the_book_reaches_its_target(total: int, closed: bool) -> None:
    payload = session_payload(word_count=WordCount(total=total, target=4000))

    assert session(payload).arcs_closed is closed


def test_a_continuation_has_the_missing_words() -> None:
    ask = GO_ON.fill(written="100", words_wanted="400", missing="300")
    more = (Message(role="assistant", content="Mara waited."), Message(role="user", content=ask))

    said = answer(model_request().model_copy(update={"messages": (*told(session_payload()), *more)}))

    assert count_words(parse_continuation(said).prose) == 300


def test_every_rule_of_the_grammar_can_be_said() -> None:
    prose = DemoProse(read_cast(()), 1)

    for rule in RULES:
        for _ in RULES[rule]:
            assert "{" not in prose.sentence(rule, outline="It ends well.", carried="lamp")
    assert {rule for shape in SHAPES for rule in shape} <= set(RULES)


def test_hostile_material_does_not_stop_the_demo_model() -> None:
    hostile = session_payload("replace a with \\1\\g<0>", "(((", "* " * 500)

    assert session(hostile).new_words == 400


class Mood(StrEnum):
    WARM = "warm"
    COLD = "cold"


class Leaf(BaseModel):
    name: str
    children: list["Leaf"] = []


class Everything(BaseModel):
    score: int = Field(ge=1, le=10)
    share: float = Field(gt=0, lt=1)
    mood: Mood
    kind: Literal["a", "b"]
    reason: str = Field(min_length=40, max_length=90)
    slug: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    on: date
    tags: set[Mood] = Field(min_length=2)
    pair: tuple[int, str]
    leaf: Leaf
    maybe: int | None
    either: int | str
    table: dict[str, int]
    steps: Annotated[list[int], Field(min_length=3)]
    done: bool


async def test_structured_output_is_valid_for_any_schema() -> None:
    asked = model_request("Judge this.", output_schema=Everything.model_json_schema())

    found = find_structured((await DemoProvider().complete(asked)).text, Everything)

    assert isinstance(found, Parsed)
    judged = found.value
    assert judged.mood is Mood.WARM
    assert len(judged.reason) >= 40


@for_each(
    "schema",
    [
        {},
        {"type": ["null", "string"]},
        {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}]},
        {"$ref": "#/$defs/x", "$defs": {"x": {"type": "array", "items": {"$ref": "#/$defs/x"}}}},
        {"type": "number", "minimum": 0.25, "maximum": 0.3},
        {"type": "integer", "exclusiveMaximum": 0},
    ],
)
def test_odd_schemas_are_answered_with_json(schema: dict[str, Any]) -> None:
    json.loads(answer(model_request("Judge.", output_schema=schema)))


READ = ToolOffer(name="read_chapter", description="Read.", parameters={"type": "object"})
DONE = ToolOffer(name="hand_in", description="Hand in.", parameters=Leaf.model_json_schema())


@pytest.mark.parametrize("choice", ["auto", "none"])
async def test_demo_model_answers_at_once_although_tools_are_offered(choice: ToolChoice) -> None:
    request = model_request("Tell me of the sea.", tools=(READ, DONE), tool_choice=choice)

    response = await DemoProvider().complete(request)

    assert (response.tool_calls, response.finish_reason) == ((), "stop")
    assert count_words(response.text) > 50


@pytest.mark.parametrize("choice", ["required", ForcedTool(name="hand_in")])
async def test_demo_model_calls_a_forced_tool_with_valid_arguments(choice: ToolChoice) -> None:
    request = model_request("Tell me.", tools=(READ, DONE), tool_choice=choice, within_loop=True)

    response = await DemoProvider().complete(request)

    (call,) = response.tool_calls
    assert (call.name, response.finish_reason, response.demo) == ("hand_in", "tool", True)
    assert Leaf.model_validate_json(call.arguments).name


async def test_demo_model_calls_final_answer_at_once() -> None:
    request = model_request("Judge.", tools=(READ, final_answer(Everything)))

    (call,) = (await DemoProvider().complete(request.model_copy(update={"within_loop": True}))).tool_calls

    assert call.name == "final_answer"
    assert Everything.model_validate_json(call.arguments).mood is Mood.WARM


async def test_only_offered_tools_are_forced() -> None:
    request = model_request("Tell me.", tools=(READ,), tool_choice=ForcedTool(name="gone"))

    assert (await DemoProvider().complete(request)).tool_calls == ()
