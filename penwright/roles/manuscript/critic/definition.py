"""The critic as an agent: a score that is a number from 0 to 1, or an error, never a default."""

from statistics import mean
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, model_validator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.domain.text.locator import occurrences
from penwright.roles.reply import JsonReply, OptionalText, Score, Text, Texts, json_reply
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import Aspect, Critiqued, SubScore

_HERE = "penwright.roles.manuscript.critic"
TASK = TaskFile.load(_HERE, known.INSTRUCTIONS, known.FORMAT_GUIDANCE, known.CURRENT_MANUSCRIPT)


_DIGITS = 4
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
_EACH_ONCE = f"no score: judge each of {', '.join(ASPECTS)} once, in sub_scores"
_JUDGED = ("score", "quote")
_TOTALS = ("score", "critiquescore", "criticscore")


class AspectReply(JsonReply):
    score: Score
    quote: OptionalText


class AspectsReply(JsonReply):
    structure: AspectReply
    evidence: AspectReply
    clarity: AspectReply
    completeness: AspectReply


# Any, here and below: the model may have written anything.
def _by_aspect(value: Any) -> Any:
    """An object of aspects; a list of objects that name theirs is one, and so is a number for an aspect."""
    if isinstance(value, list):
        named = [(_aspect(each), each) for each in value if isinstance(each, dict)]
        value = {name: {key: each[key] for key in each if key in _JUDGED} for name, each in named}
        if len(named) != len(value):
            raise ValueError(_EACH_ONCE)
    if not isinstance(value, dict) or {str(each).strip().lower() for each in value} != set(ASPECTS):
        raise ValueError(_EACH_ONCE)
    return {str(name).strip().lower(): _judged(said) for name, said in value.items()}


def _aspect(said: dict[Any, Any]) -> str:
    return str(next((said[key] for key in ("aspect", "part", "name") if key in said), "")).strip().lower()


def _judged(said: Any) -> Any:
    return {"quote": "", **said} if isinstance(said, dict) else {"score": said, "quote": ""}


class CritiqueReply(JsonReply):
    critique_summary: Text
    sub_scores: Annotated[AspectsReply, BeforeValidator(_by_aspect)]
    action_items: Texts

    @model_validator(mode="before")
    @classmethod
    def _with_one_score(cls, given: Any) -> Any:
        """A total counts only where no part is judged: it is the score of each."""
        if not isinstance(given, dict):
            return given
        totals = [key for key in given if str(key).lower().replace("_", "") in _TOTALS]
        if len(totals) > 1:
            raise ValueError("'score' is given twice; give it once")
        rest = {key: value for key, value in given.items() if key not in totals}
        if totals and not any(str(key).lower().replace("_", "") == "subscores" for key in rest):
            rest["sub_scores"] = dict.fromkeys(ASPECTS, given[totals[0]])
        return rest

    also_called = {"criticsummary": "critique_summary"}


def read_critique(arrival: RawReply) -> Critiqued:
    """The total is made of the sub-scores; what is quoted counts where it stands in the manuscript.

    Raises:
        ModelMistake: as ``json_reply``.
    """
    said = json_reply(arrival, CritiqueReply)
    shown = arrival.param(TaskParams).manuscript
    text = arrival.blobs.get(shown).decode() if shown else ""
    judged: list[tuple[Aspect, AspectReply]] = [(each, getattr(said.sub_scores, each)) for each in ASPECTS]
    parts = tuple(
        SubScore(aspect=name, score=each.score, quote=_standing(each.quote, text)) for name, each in judged
    )
    return Critiqued(
        critique_summary=said.critique_summary,
        score=round(mean(each.score for each in parts), _DIGITS),
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
