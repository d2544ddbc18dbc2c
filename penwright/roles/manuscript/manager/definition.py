"""The manager as an agent: it chooses the next step, and the loop checks whether the choice is legal."""

from typing import Annotated

from pydantic import BeforeValidator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.roles.reply import JsonReply, OptionalLine, Text, Texts, json_reply, word
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from schemas.manuscript_roles import Decided, ManagerAction

_HERE = "penwright.roles.manuscript.manager"
TASK = TaskFile.load(
    _HERE,
    *(known.INSTRUCTIONS, known.CURRENT_MANUSCRIPT, known.MANUSCRIPT_WORD_COUNT, known.PASS_INDEX),
    *(known.MAX_PASSES, known.LAST_HISTORY_ENTRY, known.CRITIQUE_SCORE, known.MIN_SCORE),
    *(known.HAS_FORMAT_GUIDANCE, known.FORMAT_GUIDANCE, known.SECTION_PLAN, known.CRITIQUE_SUMMARY),
    *(known.ACTION_ITEMS, known.LEGAL_ACTIONS),
)


class DecisionParameters(JsonReply):
    section_title: OptionalLine = ""
    """Some models name one; sections are written in the order of the plan, so it does not count."""
    action_items: Texts = ()


def _none_as_empty(value: object) -> object:
    return {} if value is None else value


class DecisionReply(JsonReply):
    action: Annotated[ManagerAction, BeforeValidator(word)]
    reasoning: Text
    parameters: Annotated[DecisionParameters, BeforeValidator(_none_as_empty)] = DecisionParameters()


def read_decision(arrival: RawReply) -> Decided:
    """Raises ``ModelMistake``, as ``json_reply``."""
    said = json_reply(arrival, DecisionReply)
    return Decided(
        action=said.action,
        reasoning=said.reasoning,
        action_items=said.parameters.action_items,
        model=arrival.model,
        demo=arrival.demo,
    )


MANAGER = AgentDefinition(
    namespace="manuscript",
    key="manager",
    title="The manager of a manuscript",
    sections=(craft(_HERE), material()),
    output=Decided,
    reads=read_decision,
    wanted=DecisionReply,
    repairs=1,
)
