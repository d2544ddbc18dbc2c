"""The planner as an agent: sections in order, with what stands in the manuscript already among them."""

from typing import Annotated, Literal

from pydantic import BeforeValidator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.domain.manuscript.sections import bare_title
from penwright.errors import ModelMistake
from penwright.roles.reply import Count, JsonReply, Line, Objects, Text, json_reply, word
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from schemas.manuscript_roles import Planned, PlannedSection

_HERE = "penwright.roles.manuscript.planner"
TASK = TaskFile.load(_HERE, known.INSTRUCTIONS, known.FORMAT_GUIDANCE, known.CURRENT_MANUSCRIPT)
_DRAFTED = frozenset({"drafted", "complete", "completed", "done", "existing", "written", "finished"})
_PENDING = frozenset({"pending", "planned", "todo", "to_do", "missing", "not_started", "new", "empty"})


def _status(value: object) -> object:
    said = "pending" if value is None else word(value)
    if not isinstance(said, str):
        return said
    return "pending" if said in _PENDING else "drafted" if said in _DRAFTED else said


def _title(value: object) -> object:
    return value.strip().lstrip("#").strip().strip("*_") if isinstance(value, str) else value


class SectionReply(JsonReply):
    also_called = {"title": "section_title", "summary": "section_summary", "wordcount": "section_word_count"}

    section_title: Annotated[Line, BeforeValidator(_title)]
    section_summary: Text
    section_word_count: Count
    status: Annotated[Literal["pending", "drafted"], BeforeValidator(_status)] = "pending"


class PlanReply(JsonReply):
    also_called = {"sectionplan": "sections"}

    sections: Annotated[tuple[SectionReply, ...], *Objects]


def read_plan(arrival: RawReply) -> Planned:
    """Raises ``ModelMistake``: as ``json_reply``, ``empty-plan`` or ``twin-titles``."""
    sections = json_reply(arrival, PlanReply).sections
    if not sections:
        raise ModelMistake("empty-plan", "The plan had no sections. Plan at least one.")
    _refuse_twins(sections)
    plan = tuple(PlannedSection.model_validate(each.model_dump()) for each in sections)
    return Planned(section_plan=plan, model=arrival.model, demo=arrival.demo)


def _refuse_twins(sections: tuple[SectionReply, ...]) -> None:
    first: dict[str, str] = {}
    for each in sections:
        title = each.section_title
        other = first.setdefault(bare_title(title), title)
        if other is not title:
            raise ModelMistake(
                "twin-titles",
                f"Two sections of the plan are called {other!r} and {title!r}, which is one title: numbers, "
                "marks and case do not tell sections apart. Give each section a title of its own.",
            )


PLANNER = AgentDefinition(
    namespace="manuscript",
    key="planner",
    title="The architect of a manuscript's sections",
    sections=(craft(_HERE), material()),
    output=Planned,
    reads=read_plan,
    wanted=PlanReply,
    repairs=1,
)
