"""The citation orchestrator as an agent: it returns numbers of sentences, never their text."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.errors import ModelMistake
from penwright.roles.reply import Count, JsonReply, Line, Objects, OptionalLine, json_reply, word
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import ChosenSentence, Targeted, TargetKind

_HERE = "penwright.roles.citations.citation_orchestrator"
TASK = TaskFile.load(
    _HERE,
    *(known.CURRENT_MANUSCRIPT, known.MAX_TARGETS, known.ALREADY_IDENTIFIED_TARGETS, known.TARGETS_WANTED),
)
_BRACKETED = re.compile(r"\s*\[(\d{1,9})\]\s*", re.ASCII)


# Any: the model may have written anything.
def _sentence_number(value: Any) -> Any:
    found = _BRACKETED.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else value


def _kind(value: Any) -> Any:
    said = word(value)
    return "normalise" if said == "normalize" else said


class TargetReply(JsonReply):
    also_called = {
        "sentence": "sentence_citation_target",
        "number": "sentence_citation_target",
        "reason": "reason_citation_target",
        "sectiontitle": "section_title_citation_target",
        "evidencetype": "evidence_type_citation_target",
    }

    sentence_citation_target: Annotated[Count, BeforeValidator(_sentence_number)]
    """The number of the sentence."""
    kind: Annotated[TargetKind, BeforeValidator(_kind)]
    reason_citation_target: Line
    section_title_citation_target: OptionalLine = ""
    evidence_type_citation_target: OptionalLine = ""


class TargetsReply(JsonReply):
    also_called = {"targets": "citation_targets"}

    citation_targets: Annotated[tuple[TargetReply, ...], *Objects]


def read_targets(arrival: RawReply) -> Targeted:
    """New targets, as many as were wanted at most; those named before are left out.

    Raises:
        ModelMistake: as ``json_reply``, or ``unknown-sentence`` for a number that no sentence has.
    """
    task = arrival.param(TaskParams)
    known_numbers = set(task.named_before)
    chosen: list[ChosenSentence] = []
    for each in json_reply(arrival, TargetsReply).citation_targets:
        number = each.sentence_citation_target
        if not 1 <= number <= task.sentences:
            raise ModelMistake(
                "unknown-sentence",
                f"No sentence has the number {number}; they go from 1 to {task.sentences}.",
            )
        if number not in known_numbers:
            known_numbers.add(number)
            chosen.append(_chosen(each))
    targets = tuple(chosen[: task.targets_wanted])
    return Targeted(citation_targets=targets, model=arrival.model, demo=arrival.demo)


def _chosen(said: TargetReply) -> ChosenSentence:
    return ChosenSentence(
        sentence=said.sentence_citation_target,
        **said.model_dump(exclude={"sentence_citation_target"}),
    )


CITATION_ORCHESTRATOR = AgentDefinition(
    namespace="manuscript",
    key="citation-orchestrator",
    title="The scanner for sentences that need citations",
    sections=(craft(_HERE), material()),
    output=Targeted,
    reads=read_targets,
    wanted=TargetsReply,
    repairs=1,
)
