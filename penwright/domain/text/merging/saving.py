"""Merge of a person's text, or of a draft, with the file's changes meanwhile."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from penwright.domain.text.counted import counted
from penwright.domain.text.merging.reconcile import reconcile
from penwright.domain.text.merging.regions import Region, regions
from penwright.domain.text.merging.three_way import merge
from penwright.domain.text.merging.units import has_words, shown, split_units, versions
from penwright.domain.text.words import comments, count_words, without_comments
from schemas.patching import Agreed, ConflictPlace, Disputed, Merged

_EXCERPT: Final = 2_000
_MOST_PLACES: Final = 20
_REWORK = re.compile(
    r"<!-- INK:REWORKED:START -->\n(?P<text>(?:(?!<!-- INK:REWORKED).)*?)"
    r"<!-- INK:ORIGINAL:START -->\n(?P<old>.*?)<!-- INK:ORIGINAL:END -->",
    re.DOTALL,
)


def gone_words(before: str, after: str, elsewhere: str = "") -> int:
    """The words of a text that was emptied or removed; 0 if it holds some, or they stand ``elsewhere``."""
    if without_comments(after).strip():
        return 0
    gone = (unit.text for unit in split_units(before) if shown(unit.text) not in elsewhere)
    return sum(map(count_words, gone))


def emptied_warning(path: str, words: int, back: str) -> str:
    """Say that all words of a text are gone; ``back``: the command that brings them back."""
    return f"{path} holds no words any more, {counted(words, 'word')} went; `{back}` brings them back"


@dataclass(frozen=True, slots=True)
class Carried:
    """A passage that the other side moved to another file, and the person's words for it."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SavedText:
    """The text that holds both sides' changes, and the passages that both changed."""

    text: str
    places: tuple[ConflictPlace, ...] = ()
    carried: tuple[Carried, ...] = ()
    """To be put into the other file; see ``with_carried``."""


def saved_text(base: str | None, mine: str, theirs: str, elsewhere: str = "") -> SavedText:
    """Merge the typed text ``mine``, made from ``base``, into ``theirs``, the text at the tip; all with LF.

    In a conflict the text is ``theirs``.

    Args:
        base: None if it is unknown, so that only an equal text can be taken.
        elsewhere: the file to which the other side may have moved passages.
    """
    if mine in (theirs, base):
        return SavedText(theirs)
    if base is None:
        return SavedText(theirs, (_place("", mine, theirs),))
    together = brought_together(base, mine, theirs, elsewhere)
    if together.places:
        return SavedText(theirs, together.places[:_MOST_PLACES])
    return together


def brought_together(
    base: str, mine: str, theirs: str, elsewhere: str = "", *, wins: Literal["mine", "theirs"] = "mine"
) -> SavedText:
    """Merge ``theirs``, what the file became, into the draft ``mine``.

    Where the other side moved a passage ``elsewhere``, the person's words for it are ``carried`` there.

    ``wins``: whose words stay where both changed some.
    """
    told = tuple(_reworked(base, mine, theirs)) + tuple(_removed_and_moved(base, mine, theirs, elsewhere))
    dispute = _dispute(base, mine, theirs, elsewhere)
    return SavedText(dispute.text(wins), (*dispute.places, *told), dispute.carried)


def with_both_kept(base: str, mine: str, theirs: str, elsewhere: str = "", *, noted: bool) -> SavedText:
    """Merge two texts without asking a person: a paragraph in which both changed the same words is
    there in both versions, theirs first, with the note of ``conflict_notes`` between them if it is ``noted``.
    """
    dispute = _dispute(base, mine, theirs, elsewhere)
    sides = (dispute.text("base"), dispute.text("mine"), dispute.text("theirs"))
    both = reconcile(*sides, noted=noted)
    places = tuple(_place(clash.base, clash.ours, clash.theirs) for clash in both.clashes)
    return SavedText(both.text, places, dispute.carried)


@dataclass(frozen=True, slots=True)
class _Dispute:
    """A merge in which the two sides' versions of what both changed are still apart."""

    parts: tuple[Agreed | Disputed, ...]
    places: tuple[ConflictPlace, ...] = ()
    carried: tuple[Carried, ...] = ()

    def text(self, side: Literal["base", "mine", "theirs"]) -> str:
        """The merge with that side's words where both changed some."""
        return "".join(
            part.text if isinstance(part, Agreed) else _version_of(part, side) for part in self.parts
        )


def _dispute(base: str, mine: str, theirs: str, elsewhere: str) -> _Dispute:
    there = [shown(unit.text) for unit in split_units(elsewhere) if has_words(unit.text)]
    merged = merge(base, mine, theirs, frozenset(there))
    if isinstance(merged, Merged):
        return _Dispute((Agreed(text=merged.text),))
    parts: list[Agreed | Disputed] = []
    places: list[ConflictPlace] = []
    carried: list[Carried] = []
    for part in merged.parts:
        moved = _moved(part, there) if isinstance(part, Disputed) else ""
        if isinstance(moved, Carried):
            carried.append(moved)
            continue
        parts.append(part)
        if isinstance(part, Disputed):
            places.append(_place(part.base, part.mine, part.theirs or moved))
    return _Dispute(tuple(parts), tuple(places), tuple(carried))


def with_carried(text: str, carried: Sequence[Carried]) -> str:
    """The other file with the person's words in the passages that were moved there."""
    after = {shown(each.before): each.after for each in carried}
    return "".join(after.get(shown(unit.text), unit.text) + unit.gap for unit in split_units(text))


def _moved(part: Disputed, there: Sequence[str]) -> Carried | str:
    """Carry words to a passage that moved; its text there if that cannot take them."""
    brings_notes = set(_comments(part.mine)) - set(_comments(part.base))
    found = "" if part.theirs else _version(shown(part.base), there)
    if not found or not part.mine or brings_notes:
        return found
    mine = without_comments(part.mine).strip()
    merged = Merged(text=mine) if found == shown(part.base) else merge(shown(part.base), mine, found)
    return Carried(found, merged.text) if isinstance(merged, Merged) else found


def _version(base: str, there: Sequence[str]) -> str:
    """The only paragraph elsewhere that is the passage, else the one that was made of it; empty if none."""
    if base in there:
        return base if there.count(base) == 1 else ""
    found = versions([base], there)
    return found[0][1] if len(found) == 1 else ""


def _version_of(part: Disputed, side: Literal["base", "mine", "theirs"]) -> str:
    if side == "mine":
        return _without_answered(part)
    return part.base if side == "base" else part.theirs


def _without_answered(part: Disputed) -> str:
    """The person's words without the comments that the other side took out and they did not write."""
    gone = set(_comments(part.base)) - set(_comments(part.theirs))
    text = part.mine
    for comment in gone:
        text = re.sub(rf"[ \t]*{re.escape(comment)}", "", text)
    return text


def _comments(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in comments(text))


def _reworked(base: str, mine: str, theirs: str) -> Iterator[ConflictPlace]:
    """The passages that the person changed and the other side reworked; their words are in its old text."""
    reworks = {
        shown(unit.text): found["text"]
        for found in _REWORK.finditer(theirs)
        if found[0] not in base
        for unit in split_units(found["old"])
    }
    for region in regions(base, mine, theirs) if reworks else ():
        if isinstance(region, Region) and region.mine and region.theirs:
            before, now = ("".join(unit.text for unit in side) for side in (region.base, region.mine))
            if shown(before) in reworks and shown(before) != shown(now):
                yield _place(before, now, reworks[shown(before)])


def _removed_and_moved(base: str, mine: str, theirs: str, elsewhere: str) -> Iterator[ConflictPlace]:
    """The passages that the person removed and the other side moved, where they stay."""
    there = {shown(unit.text): unit.text for unit in split_units(elsewhere) if has_words(unit.text)}
    for region in regions(base, mine, theirs, there) if there else ():
        if isinstance(region, Region) and not region.mine and not region.theirs:
            for unit in region.base:
                if shown(unit.text) in there:
                    yield _place(unit.text, "", there[shown(unit.text)])


def _place(base: str, mine: str, theirs: str) -> ConflictPlace:
    return ConflictPlace(base=base[:_EXCERPT], mine=mine[:_EXCERPT], theirs=theirs[:_EXCERPT])
