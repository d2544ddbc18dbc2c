"""What the reader of replies finds in 52 replies of a real small model, asked for passages of a novel.

SmolLM2-135M-Instruct, at temperature 0.8 and 64 tokens each. Beside each reply stand the paragraphs, counted
from 0, that a person found to be talk about the task. The same replies are a sample for the rules of prose.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from penwright.domain.book.review.session_reply import parse_session_reply
from penwright.domain.prose.task_talk import is_talk
from penwright.domain.text.paragraphs import paragraphs
from penwright.errors import ModelMistake


@dataclass(frozen=True)
class Reply:
    finish: str
    talk: tuple[int, ...]
    text: str


HELD = Path(__file__).with_name("small_model_replies.jsonl").read_text("utf-8").splitlines()
REPLIES = [Reply(**json.loads(line)) for line in HELD]


def test_a_third_of_the_talk_is_recognised_and_no_prose_is_taken_for_it() -> None:
    found = [
        (n in each.talk, is_talk(part)) for each in REPLIES for n, part in enumerate(paragraphs(each.text))
    ]

    assert len(REPLIES) == 52
    assert found.count((False, True)) == 0, "no false alarm"
    assert (found.count((True, True)), sum(is_told for is_told, _ in found)) == (5, 15)


def test_no_reply_of_prose_alone_is_refused_or_shortened() -> None:
    for each in REPLIES:
        if each.talk:
            continue
        read = parse_session_reply(each.text, words_wanted=40, cut_off=each.finish == "length")
        assert read.new_prose.split() == each.text.split()


def test_talk_at_the_end_of_a_reply_is_no_part_of_its_prose() -> None:
    kept = dict[int, bool]()
    for number, each in enumerate(REPLIES):
        parts = paragraphs(each.text)
        if len(parts) - 1 not in each.talk or not is_talk(parts[-1]):
            continue
        try:
            kept[number] = parts[-1] in parse_session_reply(each.text, words_wanted=40).new_prose
        except ModelMistake:
            kept[number] = False

    assert kept == dict.fromkeys((3, 13), False)
