"""The book takes the prose of a writer's reply of any shape, and nothing else."""

import pytest

from penwright.domain.book.review.session_reply import SessionReply, parse_session_reply
from penwright.domain.models.thought import without_thought
from penwright.errors import ModelMistake
from schemas.book import Instruction
from tests.support.books.writers_replies import OLD, PROSE, SHAPES, Shape
from tests.support.each import for_each

ASKED = (Instruction(anchor=OLD, instruction="let it snow", passage=OLD),)


def read(shape: Shape) -> SessionReply:
    text = without_thought(shape.text)
    return parse_session_reply(text, words_wanted=90, instructions=ASKED, cut_off=shape.cut_off)


def test_the_table_has_sixty_shapes_or_more() -> None:
    assert len({each.text for each in SHAPES}) >= 60


@for_each("shape", [each for each in SHAPES if not each.code])
def test_the_prose_of_a_reply_is_taken_and_nothing_else(shape: Shape) -> None:
    reply = read(shape)

    assert (reply.new_prose, reply.cut) == (shape.prose, shape.is_cut)
    assert shape.summary in ("", reply.summary)


@for_each("shape", [each for each in SHAPES if each.code])
def test_a_reply_without_prose_is_refused(shape: Shape) -> None:
    with pytest.raises(ModelMistake) as caught:
        read(shape)

    assert caught.value.code == shape.code


@for_each(
    "paragraph",
    [
        "Gerne hätte sie die Szene vergessen.",
        "Ich hoffe, du kommst im Frühling zurück.",
        "Hier ist die Stelle, an der das Boot lag.",
        "Voici la lettre que tu m'as demandée : lis-la.",
        "J'espère que la mer sera calme demain.",
        "Claro que vino, y el mar con ella.",
        "Espero que vuelvas antes de la lluvia.",
        "Certo, il mare era calmo.",
        "Вот и дом, подумала она.",
        "好的，她说，然后走进了雨里。",
        "— Voulez-vous que je continue ? dit-il.",
        "```text\nThe lamp went out.\n```",
        "Scene",
    ],
)
def test_a_story_in_another_language_that_begins_like_talk_is_none(paragraph: str) -> None:
    text = f"{PROSE}\n\n{paragraph}"

    assert parse_session_reply(text, words_wanted=90).new_prose == text


@for_each(
    "text",
    [
        "<|im_end|>" * 20_000 + "x",
        "=== PLAN ===\n" * 20_000,
        "=== REPORT ===\n" * 20_000,
        "x\n" + " " * 200_000 + "INK",
        "=== PLAN ===\n" + "*" * 200_000,
        "---\n\n" * 40_000,
    ],
)
def test_a_long_reply_of_marks_is_read_in_a_second_and_not_in_a_minute(text: str) -> None:
    try:
        reply = read(Shape("marks", text))
    except ModelMistake:
        return
    assert reply.new_words > 0
