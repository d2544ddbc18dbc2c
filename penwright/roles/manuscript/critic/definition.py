"""The critic as an agent: a score that is a number from 0 to 1, or an error, never a default."""

from statistics import mean
from typing import Annotated, get_args

from pydantic import BeforeValidator, model_validator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.domain.text.locator import occurrences
from penwright.roles.tasks.reply_fields import JsonReply, Objects, OptionalText, Score, Text, Texts, word
from penwright.roles.tasks.reply_text import json_reply
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import Aspect, Critiqued, SubScore

_HERE = "penwright.roles.manuscript.critic"
TASK = TaskFile.load(_HERE, known.INSTRUCTIONS, known.FORMAT_GUIDANCE, known.CURRENT_MANUSCRIPT)


_DIGITS = 4
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


class SubScoreReply(JsonReply):
    also_called = {"part": "aspect", "name": "aspect"}

    aspect: Annotated[Aspect, BeforeValidator(word)]
    score: Score
    quote: OptionalText = ""


class CritiqueReply(JsonReply):
    also_called = {"criticsummary": "critique_summary", "critiquescore": "score", "criticscore": "score"}

    critique_summary: Text
    sub_scores: Annotated[tuple[SubScoreReply, ...], *Objects] = ()
    score: Score | None = None
    action_items: Texts

    @model_validator(mode="after")
    def _judges_each_part(self) -> "CritiqueReply":
        given = sorted(each.aspect for each in self.sub_scores)
        if given != sorted(ASPECTS) and (given or self.score is None):
            raise ValueError(f"no score: judge each of {', '.join(ASPECTS)} once, in sub_scores")
        return self


def read_critique(arrival: RawReply) -> Critiqued:
    """The total is made of the sub-scores; what is quoted counts where it stands in the manuscript.

    Raises:
        ModelMistake: as ``json_reply``.
    """
    said = json_reply(arrival, CritiqueReply)
    shown = arrival.param(TaskParams).manuscript
    text = arrival.blobs.get(shown).decode() if shown else ""
    parts = tuple(
        SubScore(aspect=each.aspect, score=each.score, quote=_standing(each.quote, text))
        for each in said.sub_scores
    )
    total = round(mean(each.score for each in parts), _DIGITS) if parts else said.score
    assert total is not None, "a reply has either"
    return Critiqued(
        critique_summary=said.critique_summary,
        score=total,
        sub_scores=parts,
        action_items=said.action_items,
        model=arrival.model,
        demo=arrival.demo,
    )


def _standing(quote: str, text: str) -> str:
    """The quoted words as they stand in the text; empty if they do not."""
    spans = occurrences(quote, text)[0] if quote.strip() else ()
    return text[spans[0].start : spans[0].end] if spans else ""


CRITIC = AgentDefinition(
    namespace="manuscript",
    key="critic",
    title="The critic of a manuscript",
    sections=(craft(_HERE), material()),
    output=Critiqued,
    reads=read_critique,
    wanted=CritiqueReply,
    repairs=1,
)
