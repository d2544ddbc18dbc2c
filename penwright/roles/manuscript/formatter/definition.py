"""The formatter as an agent: its answer is Markdown, kept by reference."""

import re

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.domain.models.structured_output import Misfit
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from penwright.roles.reply import JsonReply, Text, find_object, fit_text, kept, whole_text
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from schemas.manuscript_roles import Guided

_HERE = "penwright.roles.manuscript.formatter"
TASK = TaskFile.load(_HERE, known.INSTRUCTIONS)
_LONGEST = 40_000
"""Characters; every later prompt holds the guidance."""
_FENCED = re.compile(r"\A```[A-Za-z]*[ \t]*\n(.*)\n[ \t]*```\Z", re.DOTALL)


class GuidanceReply(JsonReply):
    """For models that answer in JSON although they were not asked to."""

    format_guidance: Text


def read_guidance(arrival: RawReply) -> Guided:
    """Raises ``ModelMistake``: of ``whole_text``, ``no-guidance``, ``json-reply``, ``control-character``."""
    text = _guidance(whole_text(arrival))
    if not re.search(r"\w", text):
        raise ModelMistake("no-guidance", "The reply held no words. Write the guidance as Markdown text.")
    if len(text) > _LONGEST:
        raise ModelMistake(
            "oversize-reply",
            f"The guidance has {len(text)} characters; write at most {_LONGEST}, better a tenth of that.",
        )
    return Guided(
        format_guidance=kept(arrival, text),
        words=count_words(text),
        model=arrival.model,
        demo=arrival.demo,
    )


def _guidance(text: str) -> str:
    fenced = _FENCED.match(text)
    text = fenced[1] if fenced else text
    if text.lstrip().startswith("{"):
        found = find_object(text, GuidanceReply)
        if isinstance(found, Misfit):
            raise ModelMistake(
                "json-reply", "The reply was JSON. Write the guidance as Markdown text, without JSON."
            )
        text = found.value.format_guidance
    return fit_text(text)


FORMATTER = AgentDefinition(
    namespace="manuscript",
    key="formatter",
    title="The strategist of a manuscript's form",
    sections=(craft(_HERE), material()),
    output=Guided,
    reads=read_guidance,
    repairs=1,
)
