"""The part of a writer's prompt that the lorebooks of its book or novel give."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.prose_so_far import end_of_prose, last_prose
from penwright.domain.lore.budget import Sized
from penwright.domain.lore.index import LoreIndexes
from penwright.domain.lore.judging import Ruling
from penwright.domain.lore.naming import name_of
from penwright.domain.lore.scanning import Scanning, inserted
from penwright.domain.models.token_estimate import estimate_tokens
from schemas.book import BookConfig, SessionPayload
from schemas.lore import Lorebook, LoreCase, LoreEntry, LoreTold, LoreVerdict

_NOVEL_TOKENS = 2_000
"""Of lore in one prompt of a novel."""
THE_TEXT = "the last prose"
_AFTER_ANY_DELAY = 2**63
"""Nothing is said in a work, so no entry waits for a message of it."""
_OF_MESSAGES = ("sticky", "cooldown", "delay")
"""Fields that count messages."""


def for_session(
    books: Sequence[Lorebook], book: str, payload: SessionPayload, indexes: LoreIndexes | None = None
) -> LoreTold:
    """Tell the writer of a session what the lorebooks have of its outlines, its notes and the last prose.

    Args:
        book: id of the book; draws depend on it and the chapter, so that a chapter keeps its entries.
    """
    seed = f"{book}/{payload.config.current_chapter}"
    return tell(books, seed, dict(_texts(payload)), lore_room(payload.config), indexes)


def for_section(
    books: Sequence[Lorebook], document: str, texts: Mapping[str, str], indexes: LoreIndexes | None = None
) -> LoreTold:
    """Tell a role that writes in a novel what the lorebooks have of what it is asked, and of the last prose.

    Args:
        document: as ``<novel>/<scene>``; draws depend on it.
        texts: as of ``tell``; ``THE_TEXT`` is the text as it stands, of which only the end is searched.
    """
    end = {THE_TEXT: end_of_prose(texts[THE_TEXT], "")}
    return tell(books, document, {**texts, **end}, _NOVEL_TOKENS, indexes)


def lore_room(config: BookConfig) -> int:
    """Tokens of lore in one prompt."""
    return config.told_at_most(config.lore_tokens)


def _texts(payload: SessionPayload) -> Iterator[tuple[str, str]]:
    chapter, chapters = payload.config.current_chapter, payload.chapters
    for number, outline in ((chapter, chapters.current), (chapter + 1, chapters.next)):
        if outline is not None:
            yield f"the outline of chapter {number}", filled_in(outline.content)
    notes = (each.instruction for each in payload.current_review.instructions)
    yield "a note of the author", "\n\n".join(notes)
    yield THE_TEXT, last_prose(payload)


def tell(
    books: Sequence[Lorebook],
    seed: str,
    texts: Mapping[str, str],
    tokens: int,
    indexes: LoreIndexes | None = None,
) -> LoreTold:
    """Tell a writer what the lorebooks have of some texts, in at most ``tokens``; constant entries first.

    Equal arguments give equal text.

    Args:
        texts: what is searched for keys, by what people call it.
        indexes: kept from one prompt to the next, so that a lorebook is read once.
    """
    case = LoreCase(
        books=tuple(books), more=dict(texts), message_number=_AFTER_ANY_DELAY, seed=seed, tokens=tokens
    )
    scanning = Scanning.of(case, indexes)
    sized = scanning.fit(lambda ruling: estimate_tokens(_told(ruling)) + 1)
    shown = sorted(inserted(sized), key=lambda each: not each.ruling.entry.constant)
    return LoreTold(
        text="\n\n".join(_told(each.ruling) for each in shown),
        verdicts=tuple(_noted(scanning.verdicts(sized), sized)),
        books=scanning.seen(),
        tokens=sum(each.tokens for each in shown),
    )


def _told(ruling: Ruling) -> str:
    """One entry under its name, with the reason for which it is told."""
    name, why = " ".join(name_of(ruling.entry).split()), " ".join(ruling.why.split())
    return f"## {name} ({why[:1].lower()}{why[1:]})\n{ruling.entry.content.strip()}"


def _noted(verdicts: Iterable[LoreVerdict], sized: Iterable[Sized]) -> Iterator[LoreVerdict]:
    """The verdicts; of an entry that fired, also which of its conditions count in scenes only."""
    fired = {(each.ruling.book.id, each.ruling.entry.uid): each.ruling.entry for each in sized}
    for each in verdicts:
        entry = fired.get((each.book, each.uid))
        unused = _of_messages(entry) if entry is not None else ""
        why = f"{each.why} {unused}" if unused else each.why
        yield each.model_copy(update={"why": why, "place": ""})


def _of_messages(entry: LoreEntry) -> str:
    names = [name for name in _OF_MESSAGES if getattr(entry, name)]
    if not names:
        return ""
    verb = "counts" if len(names) == 1 else "count"
    return f"Its {' and '.join(names)} {verb} messages of scenes, and nothing here."
