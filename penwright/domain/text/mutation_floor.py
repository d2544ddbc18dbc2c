"""Compute the minimum mutation class of a change from its changed blocks."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from penwright.domain.text.blocks import Block, words_in
from penwright.domain.text.comparing.changes import BlockChange
from penwright.domain.text.globs import Globs
from penwright.domain.text.words import without_comments
from schemas.trace import MutationDetail

_NUMBER = re.compile(r"\d[\d.,:]*")
_CAPITAL = re.compile(r"[^\W\d_a-z](?<![^\W\d_]{2})[^\W\d_]*(?:[’'-][^\W\d_]+)*")
"""A word that begins with no small ASCII letter, which tells most words apart at once."""
_POSSESSIVE = re.compile(r"[’']s?$")
_OPENING = "\"“”„«»‘’'([—–-"
"""Characters right after which speech or a bracket begins."""
_CLOSING = "\"”’»')]*_ \t\r\n"
_SENTENCE_END = ".!?…:;"
_PRONOUNS = frozenset({"I", "I’m", "I'm", "I’ve", "I've", "I’d", "I'd", "I’ll", "I'll"})
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits within which a change is still a line edit. Initial values; tune them on real sessions."""

    similarity: int = 60
    """Per cent that every changed block keeps of the one it came from."""
    words: int = 15
    """Per cent by which the changed blocks may grow or shrink."""
    spare_words: int = 10
    """Words that may come or go whatever the per cent say: one sentence in a short paragraph."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The minimum class of a change, and the reasons for it."""

    detail: MutationDetail
    similarity: int | None = None
    """Least similarity among replaced blocks, per cent."""
    reasons: tuple[str, ...] = ()


def minimum_mutation_class(
    changes: Mapping[str, Sequence[BlockChange]],
    *,
    created: Collection[str] = (),
    unlisted: Collection[str] = (),
    canon: Collection[str] = (),
    thresholds: Thresholds = Thresholds(),
    most: int | None = None,
) -> Floor:
    """Mechanical, relocation, line edit or evolution.

    ``created`` names new files, ``unlisted`` those that changed without a list of their blocks, and
    ``canon`` is globs of files in which no change is a mere line edit. ``most``: how many reasons are wanted.
    """
    alike = [each.similarity for listed in changes.values() for each in listed if each.change == "replaced"]
    least = min((each for each in alike if each is not None), default=None)
    reasons = tuple(islice(_reasons(changes, created, unlisted, canon, thresholds), most))
    if reasons:
        return Floor(MutationDetail.EVOLUTION, least, reasons)
    every = [each for listed in changes.values() for each in listed]
    if not all(_is_in_place_or_moved(each) for each in every):
        return Floor(MutationDetail.LINE_EDIT, least)
    return Floor(MutationDetail.RELOCATION if every else MutationDetail.MECHANICAL, least)


def _is_in_place_or_moved(change: BlockChange) -> bool:
    """Whether no word of it changed: other places, and paragraphs cut or joined elsewhere."""
    return change.change == "moved" or change.similarity == 100


def _reasons(
    changes: Mapping[str, Sequence[BlockChange]],
    created: Collection[str],
    unlisted: Collection[str],
    canon: Collection[str],
    thresholds: Thresholds,
) -> Iterator[str]:
    """Reasons why a change is more than a line edit."""
    yield from (f"{path!r} changed as a whole" for path in unlisted)
    settled = Globs.of(canon)
    for path, listed in changes.items():
        moved_only = all(each.change == "moved" for each in listed)
        if path in created and not (listed and moved_only):
            yield f"{path!r} is new"
        if listed and not moved_only and path in settled:
            yield f"{path!r} is canon"
        for each in listed:
            yield from (f"{path}: {why}" for why in _reasons_of(each, thresholds))
        yield from (f"{path}: {why}" for why in _lengths(listed, thresholds))
        yield from (f"{path}: {why}" for why in _names(listed))


def _reasons_of(change: BlockChange, thresholds: Thresholds) -> Iterator[str]:
    block = change.after or change.before
    if block is None or change.change == "moved":
        return
    shown = _shown(block)
    if block.kind == "heading":
        yield f"the heading {shown!r} changed"
    elif change.change == "added":
        yield f"{shown!r} is new"
    elif (change.similarity or 0) < thresholds.similarity:
        yield f"{shown!r} is gone" if change.after is None else f"{shown!r} is another text"


def _lengths(listed: Sequence[BlockChange], thresholds: Thresholds) -> Iterator[str]:
    """Words that the edited blocks of a section gain or lose together."""
    sections: dict[tuple[str, ...], list[BlockChange]] = {}
    for each in listed:
        if each.before is not None and each.similarity is not None:
            sections.setdefault(each.before.heading, []).append(each)
    for heading, edited in sections.items():
        old, new = (words_in(blocks) for blocks in _sides(edited))
        if abs(new - old) > max(old * thresholds.words // 100, thresholds.spare_words):
            yield f"{old} words became {new}{f' under {heading[-1]!r}' if heading else ''}"


def _names(listed: Sequence[BlockChange]) -> Iterator[str]:
    """Names and numbers that come or go in edited blocks, as far as capitals tell."""
    old, new = (
        _NamesAndNumbers.of(blocks)
        for blocks in _sides([each for each in listed if each.similarity is not None])
    )
    differing = (new.names - old.capitals) | (old.names - new.capitals) | (old.numbers ^ new.numbers)
    if differing:
        yield f"names or numbers come or go: {', '.join(sorted(differing)[:5])}"


def _sides(edited: Sequence[BlockChange]) -> tuple[list[Block], list[Block]]:
    """The blocks before and after; one that was split or joined is there once."""
    return _distinct(each.before for each in edited), _distinct(each.after for each in edited)


def _distinct(blocks: Iterable[Block | None]) -> list[Block]:
    return list({id(block): block for block in blocks if block is not None}.values())


@dataclass(frozen=True, slots=True)
class _NamesAndNumbers:
    """Names and numbers in some blocks."""

    names: frozenset[str]
    """Capitals inside a sentence. One that only ever begins sentences is not known for a name."""
    capitals: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> "_NamesAndNumbers":
        text = "\n\n".join(without_comments(block.text) for block in blocks)
        capitals = [
            (_POSSESSIVE.sub("", found[0]), _begins(text, found.start()))
            for found in _CAPITAL.finditer(text)
            if found[0][0].isupper() and found[0] not in _PRONOUNS
        ]
        return cls(
            names=frozenset(word for word, begins in capitals if not begins),
            capitals=frozenset(word for word, _ in capitals),
            numbers=frozenset(each.rstrip(".,:") for each in _NUMBER.findall(text)),
        )


def _begins(text: str, at: int) -> bool:
    """Whether a sentence or a speech begins here."""
    ahead = text[max(0, at - 8) : at].rstrip("*_")
    if not ahead or ahead[-1] in _OPENING or "\n\n" in ahead:
        return True
    bare = ahead.rstrip(_CLOSING)
    return not bare or bare[-1] in _SENTENCE_END


def _shown(block: Block) -> str:
    plain = " ".join(block.text.split(maxsplit=_SHOWN)[:_SHOWN])
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"
