"""Parts of a book that an outside agent may read, and how much of it at a time."""

from collections.abc import Iterator
from typing import Final

from penwright.agents.files.filesystem import Filesystem
from penwright.domain.book.files.layout import (
    CONTENT_FOLDERS,
    MATERIAL_FOLDER,
    README,
    REVIEW,
    chapter_path,
)
from penwright.domain.trace.layout import LESSONS
from penwright.errors import Refused
from schemas.book import SessionPayload
from schemas.outside_agent import OmittedText, PageOfText

LONGEST_PAGE = 40_000
"""Characters of one answer."""
LONGEST_PAYLOAD = 60_000
"""Characters of the texts that are handed over when a session opens."""
_BESIDE: Final = (README, ".orchestration/active_intents.yaml", LESSONS)
"""Readable beside the folders with content: the rules an agent is held to, and what others learnt."""


def read_chapter(files: Filesystem, number: int, offset: int = 0) -> PageOfText:
    """The outline of a chapter."""
    return _page(files, chapter_path(number), offset)


def read_material(files: Filesystem, path: str, offset: int = 0) -> PageOfText:
    """A text of the book; a bare name is a file of Global Material.

    Raises:
        Refused: ``not-readable``, for a file that is not a text of the book; and what ``Filesystem`` raises.
    """
    known = path if "/" in path or path == README else f"{MATERIAL_FOLDER}/{path}"
    return _page(files, known, offset)


def fitted(
    payload: SessionPayload, most: int = LONGEST_PAYLOAD
) -> tuple[SessionPayload, tuple[OmittedText, ...]]:
    """The payload without its longest texts, until the rest fits; they can be read page by page."""
    left: list[OmittedText] = []
    texts = dict(texts_of(payload))
    while sum(map(len, texts.values())) > most:
        path = max(texts, key=lambda each: len(texts[each]))
        left.append(OmittedText(path=path, characters=len(texts.pop(path))))
    return _without(payload, {each.path for each in left}), tuple(left)


def _page(files: Filesystem, path: str, offset: int) -> PageOfText:
    found = files.stat(path)
    if found.path.split("/")[0] not in CONTENT_FOLDERS and found.path not in _BESIDE:
        raise Refused(
            "not-readable", f"{found.path!r} is not a text of the book; read its material, review or text"
        )
    whole = decoded(found.path, files.read(found.path))
    end = offset + LONGEST_PAGE
    return PageOfText(
        path=found.path,
        text=whole[offset:end],
        offset=offset,
        next_offset=end if end < len(whole) else None,
        characters=len(whole),
        blob=found.digest,
    )


def decoded(path: str, content: bytes) -> str:
    """A file as text; ``not-text`` if it is none."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise Refused("not-text", f"{path!r} is not UTF-8 text; it cannot be shown") from None


def texts_of(payload: SessionPayload) -> Iterator[tuple[str, str]]:
    """The texts that are handed over when a session opens, by path."""
    for file in payload.global_material:
        yield f"{MATERIAL_FOLDER}/{file.filename}", file.content
    yield LESSONS, payload.author_rules
    for outline in (payload.chapters.current, payload.chapters.next):
        if outline is not None:
            yield outline.path, outline.content
    yield REVIEW, payload.current_review.content


def _without(payload: SessionPayload, paths: set[str]) -> SessionPayload:
    if not paths:
        return payload
    material = tuple(
        file for file in payload.global_material if f"{MATERIAL_FOLDER}/{file.filename}" not in paths
    )
    outlines = {
        name: outline.model_copy(update={"content": ""})
        for name, outline in (("current", payload.chapters.current), ("next", payload.chapters.next))
        if outline is not None and outline.path in paths
    }
    review = {"content": ""} if REVIEW in paths else {}
    rules = {"author_rules": ""} if LESSONS in paths else {}
    return payload.model_copy(
        update={
            **rules,
            "global_material": material,
            "chapters": payload.chapters.model_copy(update=outlines),
            "current_review": payload.current_review.model_copy(update=review),
        }
    )
