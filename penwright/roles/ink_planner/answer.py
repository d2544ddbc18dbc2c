"""The planner's answer: one outline, without anything that the model says around it."""

import re
from typing import Annotated, NamedTuple

from pydantic import Field

from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.domain.book.beats import outline_beats
from penwright.domain.book.files.layout import WHOLE_BOOK
from penwright.domain.prose.task_talk import without_talk
from penwright.errors import ModelMistake
from schemas.base import BlobRef, Value

FEWEST_BEATS = 2
LONGEST = 12_000
"""Characters of a chapter's outline."""
LONGEST_OF_BOOK = 40_000

_BLOCK = re.compile(
    r"^[ \t]*=+[ \t]*OUTLINE\b.*?$\n(.*?)(?:^[ \t]*=+[ \t]*(END)\b|\Z)", re.DOTALL | re.MULTILINE
)
_HEADING = re.compile(r"^#{1,3}[ \t]+\S", re.MULTILINE)
_NUMBERED = re.compile(
    r"^#{1,3}[ \t]+\W*(?:(?:chapter|kapitel|chapitre|cap[ií]tulo)[ \t]+(\d+)|第[ \t]*(\d+)[ \t]*章"
    r"|(?<=\A# )(\d{1,3})[ \t]*(?:[.:)]|$))",
    re.IGNORECASE | re.MULTILINE,
)
"""Headings that name a chapter; a number alone does so in the first one."""
_CHAPTERS = re.compile(
    r"^#{1,3}[ \t]+\W*(?:chapters|kapitel|chapitres|cap[ií]tulos|章节)\W*$(.*?)(?=^#{1,3}[ \t]|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_LINE = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\W{0,2}(\d{1,4})[.):、]", re.MULTILINE)
_WHOLE_WORD = re.compile(r"\w\Z")
_BEAT = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,2}[.)、])[ \t]*\S", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*```.*$\n?", re.MULTILINE)
_AGAIN = (
    "Answer with the block `=== OUTLINE ===` … `=== END ===` as described, and no other text; "
    "its part Beats lists each beat on a line of its own."
)
_BOOK_AGAIN = (
    "Answer with the block `=== OUTLINE ===` … `=== END ===` as described, and no other text; "
    "its part Chapters has a numbered line for each chapter."
)


class PlanningTask(Arguments):
    """The task of a planner."""

    language: str
    """Of the book."""
    chapter: Annotated[int, Field(ge=WHOLE_BOOK)]
    """Number of the chapter to plan, or ``WHOLE_BOOK``."""
    chapters: Annotated[int, Field(ge=1)]
    """Planned for the book."""


class PlannerOutput(Value):
    """The outline of a chapter or a book."""

    outline: BlobRef
    """Markdown, with a heading; it ends in a line end."""
    model: str = ""
    """As in ``trailers.MODEL``."""


class _Fault(NamedTuple):
    """The reason why a text is no outline that can be used."""

    code: str
    problem: str


def read_outline(arrival: RawReply) -> PlannerOutput:
    """Read the outline of a reply.

    Raises:
        ModelMistake: ``outline-cut``, ``no-outline``, ``outline-too-long`` or ``wrong-chapter``.
    """
    task = arrival.param(PlanningTask)
    found = _BLOCK.search(arrival.text)
    text = _outline(arrival.text if found is None else found[1], task.chapter, is_marked=found is not None)
    is_cut = arrival.cut_off or (found is not None and not found[2] and _WHOLE_WORD.search(text.rstrip()))
    if is_cut:
        fault: _Fault | None = _Fault("outline-cut", "the outline was cut off")
    elif task.chapter == WHOLE_BOOK:
        fault = _fault_of_book(text, task.chapters)
    else:
        fault = _fault_of_chapter(text, task.chapter)
    if fault is not None:
        shorter = "Plan with fewer words. " if fault.code in ("outline-cut", "outline-too-long") else ""
        again = _BOOK_AGAIN if task.chapter == WHOLE_BOOK else _AGAIN
        ask = f"{fault.problem[0].upper()}{fault.problem[1:]}. {shorter}{again}"
        raise ModelMistake(fault.code, fault.problem, ask=ask)
    return PlannerOutput(outline=arrival.blobs.put(text.encode("utf-8", "replace")), model=arrival.model)


def _outline(text: str, chapter: int, *, is_marked: bool) -> str:
    """The outline from its first heading on; a chapter's gets a heading where it has none."""
    text = _FENCE.sub("", text)
    heading = _HEADING.search(text)
    if heading is not None:
        text = text[heading.start() :]
    if not is_marked:
        text = without_talk(text)
    text = text.strip()
    return f"{text}\n" if heading is not None or chapter == WHOLE_BOOK else f"# {chapter}\n\n{text}\n"


def _fault_of_chapter(text: str, chapter: int) -> _Fault | None:
    """The numbers of its headings are the chapter's, and it has beats that a session counts off."""
    if len(_BEAT.findall(text)) < FEWEST_BEATS or len(outline_beats(text)) < FEWEST_BEATS:
        return _Fault("no-outline", "the reply held no outline with beats")
    if others := [each for each in _numbers(_NUMBERED, text) if each != chapter]:
        return _Fault("wrong-chapter", f"chapter {chapter} was to be planned, not chapter {others[0]}")
    return _too_long(text, LONGEST)


def _fault_of_book(text: str, chapters: int) -> _Fault | None:
    """It names chapters that the book is to have, each once, and at least half of them."""
    listed = _CHAPTERS.search(text)
    numbers = _numbers(_LINE, listed[1]) if listed else []
    if 2 * len(numbers) < chapters:
        return _Fault("no-outline", f"the reply held no outline with the {chapters} chapters of the book")
    if wrong := [each for each in numbers if not 1 <= each <= chapters]:
        return _Fault("wrong-chapter", f"the book has {chapters} chapters, and no chapter {wrong[0]}")
    if len(set(numbers)) < len(numbers):
        return _Fault("wrong-chapter", "the outline names a chapter twice")
    return _too_long(text, LONGEST_OF_BOOK)


def _numbers(pattern: re.Pattern[str], text: str) -> list[int]:
    return [int(next(filter(None, found.groups()))) for found in pattern.finditer(text)]


def _too_long(text: str, most: int) -> _Fault | None:
    if len(text) <= most:
        return None
    return _Fault("outline-too-long", f"the outline has more than {most:,} characters")
