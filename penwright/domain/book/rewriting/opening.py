"""The opening of a session that rewrites a passage of the validated book."""

from dataclasses import replace

from penwright.domain.book.files.layout import chapter_path
from penwright.domain.book.opening import Opening
from penwright.domain.book.prose_so_far import earlier_prose, following_prose
from penwright.domain.book.rewriting.finding import FoundPassage
from penwright.domain.book.view import BookView
from schemas.book import ChapterOutline, Chapters, CurrentReview, Instruction, SessionPayload

_ANCHOR = 200
"""Characters of an instruction's anchor."""


def rewriting_opening(opening: Opening, view: BookView, book: str, found: FoundPassage) -> Opening:
    """Return the opening with the passage as the only thing to do, and the prose around it to read."""
    payload = _payload(opening.payload, view, book, found)
    return replace(opening, payload=payload, words_wanted=0, rework_only=True)


def _payload(payload: SessionPayload, view: BookView, book: str, found: FoundPassage) -> SessionPayload:
    start, end = found.span
    path = chapter_path(found.chapter)
    outline = ChapterOutline(path=path, content=view.text(path)) if path in view.files else None
    asked = Instruction(anchor=found.text[-_ANCHOR:], instruction=found.instruction, passage=found.text)
    following = following_prose(book[end:])
    content = "\n\n".join(filter(None, (found.text, following)))
    return payload.model_copy(
        update={
            "session_type": "rewrite",
            "rewrite_chapter": found.chapter,
            "config": payload.config.model_copy(update={"current_chapter": found.chapter}),
            "chapters": Chapters(current=outline),
            "current_review": CurrentReview(content=content, instructions=(asked,)),
            "earlier_prose": earlier_prose(book[:start], view),
            "words_wanted": 0,
            "chapter_close_suggested": False,
            "last_session_of_chapter": False,
            "chapter_words_left": 0,
            "beats_told": (),
            "beats_open": (),
        }
    )
