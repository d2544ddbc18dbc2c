"""Make the planner's prompt from a session's payload."""

from collections.abc import Iterator, Sequence

from penwright.domain.book.files.layout import FULL_BOOK, REVIEW, WHOLE_BOOK
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.prose_so_far import last_prose
from penwright.ports.blobs import Blobs
from penwright.roles.book_text import BookText, language_line
from penwright.roles.ink_planner.answer import PlanningTask
from penwright.roles.prompt_file import PromptFile
from schemas.book import SessionPayload
from schemas.book_session import Brief, PlanChapter

_HERE = "penwright.roles.ink_planner"
_TASK = PromptFile.load(
    _HERE,
    "task.md",
    *("material", "language", "chapter", "chapters", "words", "beats", "current", "current_words"),
    *("current_target", "told", "left"),
)
_BOOK_TASK = PromptFile.load(
    _HERE, "book_task.md", "material", "language", "chapters", "words", "structure", "current", "written"
)
_ANSWER_TOKENS = 2_500
_TOKENS_PER_CHAPTER = 80
"""Of a line for a chapter in the outline of a book."""
_WORDS_PER_BEAT = 300
_BEATS = range(4, 13)
_STYLE = ("Soul.md",)
_LEFT_OUT = ("Craft.md",)
"""Rules for sentences, which a plan has none of."""


def brief_of(request: PlanChapter, blobs: Blobs, further: Sequence[BookText] = ()) -> Brief:
    """The prompt, stored; the same request gives the same one, byte for byte.

    Args:
        further: texts that a session's payload has not: a premise, and outlines of chapters in between.
    """
    payload = SessionPayload.model_validate_json(blobs.get(request.payload))
    config = payload.config
    task = PlanningTask(
        language=" ".join(config.language.split()),
        chapter=request.chapter,
        chapters=max(config.chapter_count, request.chapter),
    )
    is_book = request.chapter == WHOLE_BOOK
    order = _book_order(payload, task, further) if is_book else _order(payload, task, further)
    return Brief(
        task=blobs.put(order.encode()),
        params={PlanningTask.__name__: task.model_dump(mode="json")},
        turn_tokens=_ANSWER_TOKENS + (_TOKENS_PER_CHAPTER * task.chapters if is_book else 0),
        context_tokens=config.context_window_tokens,
    )


def _order(payload: SessionPayload, task: PlanningTask, further: Sequence[BookText]) -> str:
    config = payload.config
    beats = min(max(config.words_per_chapter // _WORDS_PER_BEAT, _BEATS.start), _BEATS.stop - 1)
    return _TASK.fill(
        material=_material(payload, further),
        language=language_line(task.language),
        chapter=str(task.chapter),
        chapters=str(task.chapters),
        words=str(config.words_per_chapter),
        beats=str(beats),
        current=str(config.current_chapter),
        current_words=str(payload.current_chapter_word_count),
        current_target=str(config.words_per_chapter),
        told="; ".join(" ".join(each.split()) for each in payload.beats_told) or "none",
        left=str(task.chapters - task.chapter),
    )


def _book_order(payload: SessionPayload, task: PlanningTask, further: Sequence[BookText]) -> str:
    config = payload.config
    return _BOOK_TASK.fill(
        material=_material(payload, further),
        language=language_line(task.language),
        chapters=str(task.chapters),
        words=str(config.target_length),
        structure=" ".join(config.chapter_structure.split()),
        current=str(config.current_chapter),
        written=str(payload.word_count.total + payload.word_count.waiting),
    )


def _material(payload: SessionPayload, further: Sequence[BookText]) -> str:
    return "\n\n".join(each.fenced for each in _texts(payload, further) if each.text.strip())


def _texts(payload: SessionPayload, further: Sequence[BookText]) -> Iterator[BookText]:
    for each in payload.global_material:
        if each.filename not in _LEFT_OUT:
            kind = "style" if each.filename in _STYLE else "material"
            yield BookText(kind, each.filename, filled_in(each.content))
    if payload.continuity is not None:
        yield BookText("continuity", FULL_BOOK, payload.continuity.text)
    if (current := payload.chapters.current) is not None:
        yield BookText("current-outline", current.path, filled_in(current.content))
    yield from further
    yield BookText("prose", REVIEW, last_prose(payload))
