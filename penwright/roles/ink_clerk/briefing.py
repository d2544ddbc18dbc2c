"""Make the clerk's prompt from a passage and what is known of the book before it."""

from collections.abc import Iterator

from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.continuity.known import Known
from penwright.domain.continuity.telling import is_named
from penwright.ports.blobs import Blobs
from penwright.roles.book_text import BookText, language_line
from penwright.roles.ink_clerk.answer import ClerkTask
from penwright.roles.ink_clerk.definition import READER
from penwright.roles.prompt_file import PromptFile
from schemas.book_session import Brief
from schemas.continuity import BriefClerk, PassageText

_TASK = PromptFile.load("penwright.roles.ink_clerk", "task.md", "material", "chapter", "words")
ANSWER_TOKENS = 3_000
_MOST_KNOWN = 40
"""Names, and as many threads, that are told of what came before."""


def brief_of(request: BriefClerk, story: Known, blobs: Blobs) -> Brief:
    """The prompt, stored; the same request and readings give the same one, byte for byte."""
    passage = PassageText.model_validate_json(blobs.get(request.portion.text))
    task = ClerkTask(
        language=language_line(request.language),
        passage=request.portion.text,
        words=request.portion.words,
        at=request.effect.issued_at.isoformat(timespec="seconds"),
        reader=READER,
    )
    text = "\n\n".join(passage.texts)
    pieces = (
        BookText("known", "Continuity", "\n".join(_known(story, text))),
        BookText("passage", FULL_BOOK, text),
    )
    prompt = _TASK.fill(
        material="\n\n".join(each.fenced for each in pieces if each.text),
        chapter=str(passage.chapter),
        words=str(request.portion.words),
    )
    return Brief(
        task=blobs.put(prompt.encode()),
        params={ClerkTask.__name__: task.model_dump(mode="json")},
        turn_tokens=ANSWER_TOKENS,
        context_tokens=request.context_tokens,
    )


def _known(story: Known, passage: str) -> Iterator[str]:
    """Names that the passage has, and the threads that are open."""
    here = [each for each in story.entities if any(is_named(name, passage) for name in each.names)]
    for entity in here[:_MOST_KNOWN]:
        also = f" (also {', '.join(entity.names[1:])})" if len(entity.names) > 1 else ""
        yield f"- {entity.name}{also}"
    for thread in [each for each in story.threads if each.is_open][-_MOST_KNOWN:]:
        yield f"- open thread: {thread.name}"
