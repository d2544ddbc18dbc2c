"""The planner's answer: one outline, without anything that the model says around it."""

import re
from typing import Annotated

from pydantic import Field

from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.errors import ModelMistake
from schemas.base import BlobRef, Value

FEWEST_BEATS = 2
LONGEST = 12_000
"""Characters of an outline."""

_BLOCK = re.compile(
    r"^[ \t]*=+[ \t]*OUTLINE\b.*?$\n(.*?)(?:^[ \t]*=+[ \t]*END\b|\Z)", re.DOTALL | re.MULTILINE
)
_HEADING = re.compile(r"^#{1,3}[ \t]+\S", re.MULTILINE)
_BEAT = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,2}[.)、])[ \t]*\S", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*```.*$\n?", re.MULTILINE)
_AGAIN = (
    "Answer with the block `=== OUTLINE ===` … `=== END ===` as described, and no other text; "
    "its part Beats lists each beat on a line of its own."
)


class PlanningTask(Arguments):
    """The task of a planner."""

    language: str
    """Of the book."""
    chapter: Annotated[int, Field(ge=1)]
    """Number of the chapter to plan."""
    chapters: Annotated[int, Field(ge=1)]
    """Planned for the book."""


class PlannerOutput(Value):
    """A chapter's outline."""

    outline: BlobRef
    """Markdown, with a heading; it ends in a line end."""
    model: str = ""
    """As in ``trailers.MODEL``."""


def read_outline(arrival: RawReply) -> PlannerOutput:
    """Read the outline of a reply.

    Raises:
        ModelMistake: ``outline-cut``, ``no-outline`` or ``outline-too-long``.
    """
    if arrival.cut_off:
        raise ModelMistake("outline-cut", "the outline was cut off", ask=f"Plan with fewer words. {_AGAIN}")
    text = _outline(arrival.text, arrival.param(PlanningTask).chapter)
    if len(_BEAT.findall(text)) < FEWEST_BEATS:
        raise ModelMistake("no-outline", "the reply held no outline with beats", ask=_AGAIN)
    if len(text) > LONGEST:
        problem = f"the outline has more than {LONGEST:,} characters"
        raise ModelMistake("outline-too-long", problem, ask=f"Plan with fewer words. {_AGAIN}")
    return PlannerOutput(outline=arrival.blobs.put(text.encode("utf-8", "replace")), model=arrival.model)


def _outline(reply: str, chapter: int) -> str:
    """The block, or all from the first heading on; a heading is added where there is none."""
    found = _BLOCK.search(reply)
    text = _FENCE.sub("", found[1] if found else reply)
    heading = _HEADING.search(text)
    if heading is None:
        return f"# {chapter}\n\n{text.strip()}\n"
    return f"{text[heading.start() :].strip()}\n"
