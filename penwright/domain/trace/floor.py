"""The least a change may be called, judged by its blocks."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.book_layout import MATERIAL_FOLDER
from penwright.domain.trace.blocks import Block, words_in
from penwright.domain.trace.changes import BlockChange
from penwright.domain.words import without_comments
from schemas.trace import MutationDetail

_NUMBER = re.compile(r"\d[\d.,:]*")
_NAME = re.compile(r"(?<![\s.!?…:;\"“”‘’'(\[—–-])(?<![.!?…:;][\"”’')])\s+([A-Z][\w’']*)")
"""A capital that begins no sentence and no speech."""
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What still counts as a line edit. Starting values: real sessions will say better ones."""

    similarity: int = 60
    """Per cent that every changed block keeps of the one it came from."""
    words: int = 15
    """Per cent by which the changed blocks may grow or shrink."""
    spare_words: int = 10
    """Words that may come or go whatever the per cent say: one sentence in a short paragraph."""


@dataclass(frozen=True, slots=True)
class Floor:
    """How much a change changes, and the blocks that say so."""

    detail: MutationDetail
    similarity: int | None = None
    """Least likeness among replaced blocks, per cent."""
    reasons: tuple[str, ...] = ()


def floor_of(
    changes: Mapping[str, Sequence[BlockChange]],
    *,
    created: Collection[str] = (),
    thresholds: Thresholds = Thresholds(),
) -> Floor:
    """Mechanical, relocation, line edit or evolution."""
    alike = [each.similarity for listed in changes.values() for each in listed if each.change == "replaced"]
    least = min((each for each in alike if each is not None), default=None)
    reasons = tuple(_reasons(changes, created, thresholds))
    if reasons:
        return Floor(MutationDetail.EVOLUTION, least, reasons)
    kinds = {each.change for listed in changes.values() for each in listed}
    if kinds - {"moved"}:
        return Floor(MutationDetail.LINE_EDIT, least)
    return Floor(MutationDetail.RELOCATION if kinds else MutationDetail.MECHANICAL)


def _reasons(
    changes: Mapping[str, Sequence[BlockChange]], created: Collection[str], thresholds: Thresholds
) -> Iterator[str]:
    """Why a change is more than a line edit."""
    for path, listed in changes.items():
        moved_only = all(each.change == "moved" for each in listed)
        if path in created and not (listed and moved_only):
            yield f"{path!r} is new"
        if listed and not moved_only and path.startswith(f"{MATERIAL_FOLDER}/"):
            yield f"{path!r} is canon"
        for each in listed:
            yield from (f"{path}: {why}" for why in _reasons_of(each, thresholds))
        yield from (f"{path}: {why}" for why in _wording(listed, thresholds))


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


def _wording(listed: Sequence[BlockChange], thresholds: Thresholds) -> Iterator[str]:
    """What the edited blocks of a file gain or lose together; one that was split is counted once."""
    olds = _distinct(each.before for each in listed if each.similarity is not None)
    news = _distinct(each.after for each in listed if each.change == "replaced")
    old, new = words_in(olds), words_in(news)
    if abs(new - old) > max(old * thresholds.words // 100, thresholds.spare_words):
        yield f"{old} words became {new}"
    if differing := sorted(_names(olds) ^ _names(news)):
        yield f"names or numbers come or go: {', '.join(differing[:5])}"


def _distinct(blocks: Iterable[Block | None]) -> list[Block]:
    return list({id(block): block for block in blocks if block is not None}.values())


def _names(blocks: Sequence[Block]) -> frozenset[str]:
    """Names and numbers, as far as capitals tell."""
    text = "\n\n".join(without_comments(block.text) for block in blocks)
    return frozenset(_NAME.findall(text)) | frozenset(each.rstrip(".,:") for each in _NUMBER.findall(text))


def _shown(block: Block) -> str:
    plain = " ".join(block.text.split())
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"
