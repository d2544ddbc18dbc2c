"""Make the planner's prompt from a session's payload."""

from collections.abc import Iterator

from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.models.token_estimate import estimate_tokens
from penwright.ports.blobs import Blobs
from penwright.roles.book_text import BookText
from penwright.roles.ink_planner.answer import PlanningTask
from penwright.roles.ink_session_editor.briefing import last_words
from penwright.roles.prompt_file import PromptFile
from schemas.book import SessionPayload
from schemas.book_session import Brief, PlanChapter

_TASK = PromptFile.load(
    "penwright.roles.ink_planner",
    "task.md",
    *("material", "language", "chapter", "chapters", "words", "beats", "current", "current_words"),
    *("current_target", "told", "left"),
)
ANSWER_TOKENS = 2_500
_FRAME_TOKENS = 1_500
"""Of the system prompt and the order, with some to spare."""
_WORDS_PER_BEAT = 300
_BEATS = range(4, 13)
_STYLE = ("Soul.md",)
# What gives way last when the material does not fit, first name first; what is not named comes before them.
_IMPORTANCE = ("Outline.md", "Characters.md", "Summary.md", "Soul.md", "Lore.md")
_LEFT_OUT = ("Craft.md",)
"""Rules for sentences, which a plan has none of."""


def brief_of(request: PlanChapter, blobs: Blobs) -> Brief:
    """The prompt, stored; the same request gives the same one, byte for byte."""
    payload = SessionPayload.model_validate_json(blobs.get(request.payload))
    config = payload.config
    task = PlanningTask(
        language=" ".join(config.language.split()),
        chapter=request.chapter,
        chapters=max(config.chapter_count, request.chapter),
    )
    return Brief(
        task=blobs.put(_order(payload, task).encode()),
        params={PlanningTask.__name__: task.model_dump(mode="json")},
        turn_tokens=ANSWER_TOKENS,
    )


def _order(payload: SessionPayload, task: PlanningTask) -> str:
    config = payload.config
    beats = min(max(config.words_per_chapter // _WORDS_PER_BEAT, _BEATS.start), _BEATS.stop - 1)
    return _TASK.fill(
        material="\n\n".join(each.fenced for each in _fitting(payload)),
        language=task.language,
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


def _fitting(payload: SessionPayload) -> list[BookText]:
    """The texts for which the window has room, chosen by importance and in the order of the material."""
    room = payload.config.context_window_tokens - ANSWER_TOKENS - _FRAME_TOKENS
    texts = [each for each in _texts(payload) if each.text.strip()]
    kept = set[int]()
    for at, each in sorted(enumerate(texts), key=lambda item: _rank(item[1])):
        if (tokens := estimate_tokens(each.fenced) + 2) <= room:
            kept.add(at)
            room -= tokens
    return [each for at, each in enumerate(texts) if at in kept]


def _texts(payload: SessionPayload) -> Iterator[BookText]:
    for each in payload.global_material:
        if each.filename not in _LEFT_OUT:
            kind = "style" if each.filename in _STYLE else "material"
            yield BookText(kind, each.filename, filled_in(each.content))
    if (current := payload.chapters.current) is not None:
        yield BookText("current-outline", current.path, filled_in(current.content))
    yield BookText("prose", REVIEW, last_words(read_waiting(payload.current_review.content).text))


def _rank(text: BookText) -> int:
    if text.kind in ("current-outline", "prose"):
        return -1
    return _IMPORTANCE.index(text.name) if text.name in _IMPORTANCE else len(_IMPORTANCE)
