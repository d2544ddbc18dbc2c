"""Structured output is found wherever a model put it, and never invented."""

import json
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from penwright.domain.models.structured_output import Misfit, Parsed, Shape, find_structured
from tests.support.each import for_each


class Verdict(BaseModel):
    score: int
    reason: str
    mood: Literal["warm", "cold"] = "warm"


class Report(BaseModel):
    verdicts: tuple[Verdict, ...]


def read(text: str, kind: type[Shape]) -> Parsed[Shape]:
    found = find_structured(text, kind)
    assert isinstance(found, Parsed)
    return found


def misfit(text: str) -> Misfit:
    found = find_structured(text, Verdict)
    assert isinstance(found, Misfit)
    return found


@for_each(
    "text, repaired",
    [
        ('{"score": 4, "reason": "clear"}', False),
        ('```json\n{"score": 4, "reason": "clear"}\n```', False),
        ('Here you are:\n```\n{"score": 4, "reason": "clear"}\n```\nAnything else?', False),
        ('I think {so}. The verdict is {"score": 4, "reason": "clear"}', False),
        ('{"score": 4, "reason": "clear",}', True),
        ("{'score': 4, 'reason': 'clear'}", True),
        ('{"score": 4, "reason": "clear"', True),
        ('```json\n{"score": 4, "reason": "clear"', True),
    ],
)
def test_a_value_is_found_wherever_the_model_put_it(text: str, repaired: bool) -> None:
    parsed = read(text, Verdict)

    assert parsed.value == Verdict(score=4, reason="clear")
    assert parsed.repaired is repaired


def test_the_last_valid_candidate_wins_over_an_earlier_draft() -> None:
    text = 'Draft: {"score": 1, "reason": "weak"}. No: {"score": 5, "reason": "strong"}. See [3].'

    assert read(text, Verdict).value.score == 5


def test_a_repaired_last_answer_wins_over_a_clean_draft() -> None:
    text = 'Draft: {"score": 1, "reason": "weak"}\n\nFinal: {"score": 5, "reason": "strong",}'

    assert read(text, Verdict).value.score == 5


@for_each(
    "text, code",
    [
        ("", "empty-reply"),
        (" \n\t", "empty-reply"),
        ("I would rather not say.", "no-json"),
        ('{"score": "4", "reason": "clear"}', "invalid-output"),
        ('{"score": 4, "reason": "clear", "extra": 1}', "invalid-output"),
        ('{"score": 4}', "invalid-output"),
        ('{"score": 4, "reason": "clear", "mood": "blue"}', "invalid-output"),
    ],
)
def test_invalid_output_is_refused_by_code(text: str, code: str) -> None:
    assert misfit(text).code == code


def test_the_complaint_names_the_field_for_the_model() -> None:
    assert "score" in misfit('{"score": "high", "reason": "clear"}').message


@for_each(
    "hostile",
    [
        *("[" * 200_000, "{" * 5_000 + '"a', '"' * 100_000 + "{", "[{" * 3_000),
        *("{{{" + "[1,2,3]," * 100_000, "{" + '."' * 10_000, "{.true}" + "{.a-]" * 4_000),
    ],
)
def test_hostile_text_is_answered_quickly(hostile: str) -> None:
    assert misfit(hostile)


@given(
    score=st.integers(),
    reason=st.text(),
    before=st.text(alphabet=st.characters(exclude_characters='"`')),
    after=st.text(alphabet=st.characters(exclude_characters="{[`")),
)
def test_any_clean_object_survives_any_chatter_around_it(
    score: int, reason: str, before: str, after: str
) -> None:
    answer = json.dumps({"verdicts": [{"score": score, "reason": reason}]})
    before = before.replace("{", "(").replace("[", "(")

    parsed = read(before + answer + after, Report)

    assert parsed.value.verdicts == (Verdict(score=score, reason=reason),)
