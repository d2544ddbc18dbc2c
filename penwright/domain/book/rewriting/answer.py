"""Check a model's rewrite of a passage: it must be that passage, whole, and no more."""

import re
from collections.abc import Sequence
from dataclasses import replace

from penwright.domain.book.review.session_reply import ReworkedPassage, SessionReply
from penwright.domain.prose.cut_end import ends_whole
from penwright.domain.prose.loops import is_loop
from penwright.domain.prose.task_talk import is_all_talk, without_counts, without_talk
from penwright.domain.text.locating.normal_form import normal_form
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words, without_comments
from penwright.errors import ModelMistake
from schemas.book import SessionPayload

_LONGER, _SPARE = 3, 300
"""A rewrite of more than so many times the words, and so many more, holds more than the passage."""
_LEAST_NEIGHBOUR = 6
"""Words of a neighbouring paragraph that tells that the reply went beyond the passage."""
_HEADING = re.compile(r"^#{1,6}[ \t]+\S.*$", re.MULTILINE)


def only_the_passage(reply: SessionReply, payload: SessionPayload, *, cut_off: bool) -> SessionReply:
    """Return the reply with the new passage alone.

    Args:
        cut_off: whether the model's text ends at the token limit.

    Raises:
        ModelMistake: ``rewrite-in-pieces``, ``task-talk``, ``loop``, ``rewrite-unchanged``, ``rewrite-cut``
            or ``rewrite-beyond``.
    """
    answers = [each for each in reply.reworked if each.original]
    if len(answers) != 1:
        raise ModelMistake(
            "rewrite-in-pieces",
            f"The reply has {len(answers)} reworked passages. Write one INK:REWORKED block that holds the "
            "whole new passage.",
        )
    asked = payload.current_review.instructions[0]
    text = _tidied(answers[0].text, asked.passage)
    _refuse_non_prose(text, asked.passage)
    if (cut_off and not reply.summarised) or _stops_short(text, asked.passage):
        raise ModelMistake(
            "rewrite-cut",
            "The new passage stops in the middle. Write it again, to the end of its last sentence.",
        )
    if _goes_beyond(text, asked.passage, payload):
        raise ModelMistake(
            "rewrite-beyond",
            "The reply holds more than the passage. Write the new version of that passage and none of the "
            "text around it.",
        )
    passage = ReworkedPassage(asked.instruction, text, asked.passage)
    return replace(reply, reworked=(passage,), new_prose="", arcs_closed=False, unanswered=())


def _tidied(text: str, passage: str) -> str:
    """Without talk, comments, and a heading that the passage has not."""
    prose = without_counts(without_talk(without_comments(text)))
    parts = paragraphs(prose)
    if len(parts) > 1 and _HEADING.fullmatch(parts[0]) and not passage.startswith("#"):
        prose = prose.removeprefix(parts[0]).lstrip("\n")
    return prose.strip("\n")


def _refuse_non_prose(text: str, passage: str) -> None:
    if not text.strip() or is_all_talk(text):
        raise ModelMistake(
            "task-talk",
            "The reply talked about the task instead of rewriting the passage. Write the passage.",
        )
    if is_loop(text) and not is_loop(passage):
        raise ModelMistake("loop", "The reply repeats the same sentences. Write the new passage once.")
    if normal_form(text).text.split() == normal_form(passage).text.split():
        raise ModelMistake(
            "rewrite-unchanged", "The new passage is the old one, word for word. Change what is asked for."
        )


def _stops_short(text: str, passage: str) -> bool:
    return not ends_whole(text, lines_may_end=True) and ends_whole(passage, lines_may_end=True)


def _goes_beyond(text: str, passage: str, payload: SessionPayload) -> bool:
    """Whether it is far too long, begins another chapter, or repeats the paragraph before or after."""
    if count_words(text) > _LONGER * count_words(passage) + _SPARE:
        return True
    if set(_HEADING.findall(text)) - set(_HEADING.findall(passage)):
        return True
    following = payload.current_review.content.removeprefix(passage)
    neighbours = (*paragraphs(payload.earlier_prose)[-1:], *paragraphs(following)[:1])
    return any(_holds(text, each) and not _holds(passage, each) for each in _long(neighbours))


def _long(neighbours: Sequence[str]) -> list[str]:
    return [each for each in neighbours if count_words(each) >= _LEAST_NEIGHBOUR]


def _holds(text: str, paragraph: str) -> bool:
    return normal_form(paragraph).text.strip() in normal_form(text).text
