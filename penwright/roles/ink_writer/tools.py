"""The writer's tools: what it may look up in the book, and the two changes it may ask its session for."""

from typing import Annotated

from pydantic import Field

from penwright.agents.files.filesystem import Filesystem
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.tools.tool import Arguments, Failed, Ok, Tool, ToolContext, ToolResult
from penwright.domain.book.files.chapter_text import chapter_at, chapter_starts, chapter_text
from penwright.domain.book.files.layout import CHAPTERS_FOLDER, FULL_BOOK, REVIEW, chapter_path
from penwright.domain.book.files.readme import chapter_title
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import NotFound
from penwright.roles.book_text import BookText
from penwright.roles.outside_agent import searching
from schemas.outside_agent import SearchHit

TOOL_CALLS = 12
"""Of one session."""
RESULT_TOKENS = 1_500
"""Approximate size that one result may add to the conversation."""
_LONGEST_PAGE = 6_000
"""Characters."""


class ReadChapter(Arguments):
    number: Annotated[int, Field(ge=1, le=9999)]
    """The chapter whose outline and text you want."""
    offset: Annotated[int, Field(ge=0)] = 0
    """Characters to skip; the answer before tells how many."""


class SearchBook(Arguments):
    text: Annotated[str, Field(min_length=1, max_length=200)]
    """Words as they stand in the text, within one paragraph; upper and lower case are the same."""
    most: Annotated[int, Field(ge=1, le=20)] = 10
    """How many places to show."""


class SelectActiveIntent(Arguments):
    intent_id: Annotated[str, Field(min_length=1, max_length=200)]
    """An intent in progress, such as INT-001."""


class AdvanceChapter(Arguments):
    pass


async def _read_chapter(params: ReadChapter, context: ToolContext) -> ToolResult:
    files = context.resource(Filesystem)  # type: ignore[type-abstract]
    whole = _chapter(files, params.number)
    if not whole:
        return Failed(
            code="no-such-chapter",
            message=f"Chapter {params.number} has no outline, and no heading of the book names it.",
            hint="`search_book` finds text by its words.",
        )
    if params.offset >= len(whole):
        return Failed(code="past-the-end", message=f"Chapter {params.number} has {len(whole)} characters.")
    page = _page(whole, params.offset)
    end = params.offset + len(page)
    more = f"; go on with offset {end}" if end < len(whole) else ", its end"
    text = BookText("chapter", str(params.number), page).fenced
    return Ok(text=f"{text}\nCharacters {params.offset} to {end} of {len(whole)}{more}.")


def _chapter(files: Filesystem, number: int) -> str:
    """Its outline, and as much of its text as is in the book."""
    path, book = chapter_path(number), _text(files, FULL_BOOK)
    outline = _text(files, path).strip()
    text = chapter_text(book, chapter_starts(book, _titles(files)), number)
    return "\n\n".join(part for part in (outline, text) if part)


def _page(whole: str, offset: int) -> str:
    page = whole[offset : offset + _LONGEST_PAGE]
    while estimate_tokens(page) > RESULT_TOKENS:
        page = page[: len(page) // 2]
    return page


async def _search_book(params: SearchBook, context: ToolContext) -> ToolResult:
    files = context.resource(Filesystem)  # type: ignore[type-abstract]
    found = searching.search(files, params.text, params.most)
    if not found.places:
        return Ok(text="Nothing in the book holds these words. Try fewer of them, or another form.")
    whereabouts = _Whereabouts(files)
    lines = [f"{n}. {whereabouts.of(place)}:\n{place.excerpt}" for n, place in enumerate(found.places, 1)]
    shown: list[str] = []
    room = RESULT_TOKENS
    for line in lines:
        room -= estimate_tokens(line) + 1
        if shown and room < 0:
            break
        shown.append(line)
    more = found.more or len(shown) < len(lines)
    text = BookText("found", params.text, "\n\n".join(shown)).fenced
    return Ok(text=f"{text}\n{'There is more; search for more words.' if more else 'That is all.'}")


class _Whereabouts:
    """Tells of which chapter a place is."""

    def __init__(self, files: Filesystem) -> None:
        book = _text(files, FULL_BOOK)
        self._lines = [0]
        for line in book.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)
        self._starts = chapter_starts(book, _titles(files))

    def of(self, place: SearchHit) -> str:
        if (number := _outlined(place.path)) is not None:
            return f"outline of chapter {number}"
        if place.path != FULL_BOOK:
            return "waiting for review" if place.path == REVIEW else f"{place.path}, line {place.line}"
        chapter = chapter_at(self._starts, self._lines[place.line - 1])
        return f"chapter {chapter}" if chapter else f"the book, line {place.line}"


def _titles(files: Filesystem) -> dict[int, str]:
    """Of the chapters that have an outline, by number."""
    if not files.exists(CHAPTERS_FOLDER):
        return {}
    numbered = {_outlined(each.path): each.path for each in files.list(CHAPTERS_FOLDER)}
    return {
        number: chapter_title(number, _text(files, path))
        for number, path in numbered.items()
        if number is not None
    }


def _outlined(path: str) -> int | None:
    """The chapter whose outline is at this path; None for any other file."""
    number = whole_number(path.rpartition("_")[2].removesuffix(".md"))
    return number if number is not None and path == chapter_path(number) else None


def _text(files: Filesystem, path: str) -> str:
    """A text of the book; empty where there is none."""
    try:
        return files.read(path).decode("utf-8", "replace")
    except NotFound:
        return ""


async def _no_session(params: Arguments, context: ToolContext) -> ToolResult:
    """In a session its workflow answers; there is none here."""
    return Failed(
        code="no-active-session",
        message="This run belongs to no session of a book, so it can change nothing.",
        hint="Go on without.",
    )


READ_CHAPTER = Tool(
    name="read_chapter",
    description="Read a chapter: its outline, and its text as far as it is in the book.",
    params=ReadChapter,
    effect="read",
    handler=_read_chapter,
)
SEARCH_BOOK = Tool(
    name="search_book",
    description="Find words in the committed texts of the book; answers with passages, the newest first.",
    params=SearchBook,
    effect="read",
    handler=_search_book,
)
SELECT = Tool(
    name="select_active_intent",
    description="Say which intent you write under; answers with what it asks. The session has selected one, "
    "but before you may change anything you must say so yourself.",
    params=SelectActiveIntent,
    effect="workspace-write",
    handler=_no_session,
    events=(SelectedIntent,),
)
ADVANCE = Tool(
    name="advance_chapter",
    description="Move on to the next chapter when this one is full; answers with its outline, or with what "
    "is missing.",
    params=AdvanceChapter,
    effect="workspace-write",
    handler=_no_session,
)
