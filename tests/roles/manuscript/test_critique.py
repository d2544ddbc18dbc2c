"""The critic judges four parts, each with a quote; the total is computed, and quotes are looked up."""

import json
from typing import Any

from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from penwright.roles.manuscript.critic.definition import ASPECTS, read_critique
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import Critiqued
from tests.support.agents.role_replies import blobs

TEXT = "# Ebb\n\nThe water “leaves” twice a day.\nNobody asked why.\n"


def part(aspect: str, score: float = 0.8, quote: str = "Nobody asked why.") -> dict[str, Any]:
    return {"aspect": aspect, "score": score, "quote": quote}


def read(*parts: dict[str, Any], **more: Any) -> Critiqued | ModelMistake:
    """What becomes of a reply about ``TEXT``."""
    reply = {"critique_summary": "So so.", "sub_scores": list(parts), "action_items": ["Ask why."], **more}
    store = blobs()
    arrival = RawReply(
        text=json.dumps(reply),
        params=(TaskParams(manuscript=store.put(TEXT.encode())),),
        before=None,
        model="m",
        demo=False,
        blobs=store,
    )
    try:
        return read_critique(arrival)
    except ModelMistake as mistake:
        return mistake


def test_the_total_is_the_mean_of_the_parts_whatever_the_critic_says_it_is() -> None:
    scores = dict(zip(ASPECTS, (0.9, 0.4, 0.8, 0.7), strict=True))
    found = read(*(part(each, score) for each, score in scores.items()), score=0.99)

    assert isinstance(found, Critiqued)
    assert found.score == 0.7
    assert {each.aspect: each.score for each in found.sub_scores} == scores


def test_a_quote_counts_as_the_text_has_it_and_one_that_it_has_not_is_none() -> None:
    quotes = ('The water "leaves" twice a day.', "Nobody asked why.", "Everybody knew why.", "")
    found = read(*(part(each, quote=quote) for each, quote in zip(ASPECTS, quotes, strict=True)))

    assert isinstance(found, Critiqued)
    assert [each.quote for each in found.sub_scores] == [
        *("The water “leaves” twice a day.", "Nobody asked why.", "", ""),
    ]


def test_an_object_of_parts_counts_as_a_list_of_them_does() -> None:
    found = read(sub_scores={each: {"score": 0.6, "quote": ""} for each in ASPECTS})

    assert isinstance(found, Critiqued)
    assert (found.score, len(found.sub_scores)) == (0.6, 4)


def test_a_part_that_is_left_out_or_judged_twice_is_asked_for() -> None:
    for parts in ([part(each) for each in ASPECTS[1:]], [part(each) for each in (*ASPECTS, "clarity")]):
        found = read(*parts)
        assert isinstance(found, ModelMistake)
        assert "judge each of structure, evidence, clarity, completeness once" in found.message
