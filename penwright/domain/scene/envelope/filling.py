"""Fill a section with candidates until its room is used up; each is kept or dropped, with the reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from penwright.domain.scene.envelope.sharing import filled
from penwright.domain.scene.envelope.shortening import Count, shortened
from schemas.envelope import Item, Section

NEWEST_FIRST = "newest first"
AFTER_A_GAP = "one before it did not fit"
_BLOCKS = 3
"""Blocks of rounds in the room of the history: with more, a small window loses one every other round."""
_FEWEST = 8
"""Tokens below which a shortened text says nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that may go into a section."""

    id: str
    text: str
    """As the prompt has it."""
    tokens: int
    round: int | None = None
    """Of a message, a note or a memory of this scene."""
    barred: str = ""
    """Reason why it may not be kept whatever the room is, such as a cap."""
    keep: Literal["start", "end"] = "start"
    """The end that stays when it is shortened."""
    line: "Candidate | None" = None
    """It on one line, for where it does not fit."""
    tells: frozenset[int] = frozenset()
    """Numbers of the messages that it sums up."""


@dataclass(frozen=True, slots=True)
class Filling:
    """A filled section."""

    kept: tuple[Candidate, ...] = ()
    items: tuple[Item, ...] = ()

    @property
    def used(self) -> int:
        return sum(item.tokens for item in self.items if item.kept)


def counted(texts: Iterable[tuple[str, str]], count: Count) -> tuple[Candidate, ...]:
    """Return candidates of pairs of id and text, with their tokens."""
    pairs = tuple(texts)
    sizes = count([text for _, text in pairs])
    return tuple(Candidate(id, text, tokens) for (id, text), tokens in zip(pairs, sizes, strict=True))


def total(candidates: Iterable[Candidate]) -> int:
    """Return the tokens of all that may be kept."""
    return sum(each.tokens for each in candidates if not each.barred)


def in_sequence(
    section: Section, candidates: Sequence[Candidate], room: int, reason: str = NEWEST_FIRST
) -> Filling:
    """Keep whole candidates from the first on; the first that does not fit ends it, so there is no gap."""
    kept, items, free, ended = list[Candidate](), list[Item](), room, ""
    for each in candidates:
        refused = ended or _no_room(each, free)
        if refused:
            ended = AFTER_A_GAP
        else:
            kept.append(each)
            free -= each.tokens
        items.append(_item(section, each, refused, reason))
    return Filling(tuple(kept), tuple(items))


def block_of(candidates: Sequence[Candidate], room: int) -> int:
    """Return how many rounds take at most a third of the room: a power of two, so that it changes seldom."""
    rounds = len({each.round for each in candidates})
    per_round = max(total(candidates) // rounds, 1) if rounds else 1
    fits = max(room // _BLOCKS // per_round, 1)
    return 1 << (fits.bit_length() - 1)


def in_blocks(section: Section, candidates: Sequence[Candidate], room: int, block: int) -> Filling:
    """Keep the newest rounds that fit, and begin with one whose number a block has.

    So the oldest go by blocks, and for some rounds the first that is kept stays the same: what follows it in
    the prompt is the same text as in the prompt before.

    Args:
        candidates: newest first, of rounds.
        block: rounds that go together.
    """
    filling = in_sequence(section, candidates, room)
    if len(filling.kept) == len(candidates) or not filling.kept:
        return filling
    first = filling.kept[-1].round or 0
    if candidates[len(filling.kept)].round == first:
        first += 1
    begins = -(-first // block) * block
    kept = tuple(each for each in filling.kept if (each.round or 0) >= begins)
    if not kept:
        return filling
    late = {each.id for each in filling.kept[len(kept) :]}
    items = (
        each.model_copy(update={"kept": False, "reason": f"rounds go {block} at a time"})
        if each.id in late
        else each
        for each in filling.items
    )
    return Filling(kept, tuple(items))


def newest_whole(section: Section, candidates: Sequence[Candidate], room: int, count: Count) -> Filling:
    """Keep the newest, others on a line each, and as many of those whole as there is room for.

    Args:
        candidates: newest first, each with its line.
    """
    first = shared(section, candidates[:1], room, count)
    lines = in_sequence(section, [each.line for each in candidates[1:] if each.line], room - first.used)
    free, grown = room - first.used - lines.used, list[Candidate]()
    for each, short in zip(candidates[1:], lines.kept, strict=False):
        free -= each.tokens - short.tokens
        if free < 0:
            break
        grown.append(each)
    many = len(grown)
    items = (*(_item(section, each, "", "whole") for each in grown), *lines.items[many:])
    return Filling((*first.kept, *grown, *lines.kept[many:]), (*first.items, *items))


def whole(section: Section, candidates: Sequence[Candidate], room: int, reason: str) -> Filling:
    """Keep every whole candidate that still fits, in the given order."""
    kept, items, free = list[Candidate](), list[Item](), room
    for each in candidates:
        refused = each.barred or _no_room(each, free)
        if not refused:
            kept.append(each)
            free -= each.tokens
        items.append(_item(section, each, refused, reason))
    return Filling(tuple(kept), tuple(items))


def shared(section: Section, candidates: Sequence[Candidate], room: int, count: Count) -> Filling:
    """Give all candidates an equal share: short ones stay whole, long ones are shortened."""
    wants = {each.id: each.tokens for each in candidates}
    rooms = filled(room, dict.fromkeys(wants, 1), wants)
    kept, items = list[Candidate](), list[Item]()
    for each in candidates:
        fitted = _fitted(each, rooms[each.id], count)
        if fitted is not None:
            kept.append(fitted)
        items.append(_shortened_item(section, each, fitted, rooms[each.id]))
    return Filling(tuple(kept), tuple(items))


def _fitted(each: Candidate, room: int, count: Count) -> Candidate | None:
    if each.tokens <= room:
        return each
    text = shortened(each.text, room, count, each.keep) if room >= _FEWEST else ""
    return replace(each, text=text, tokens=count([text])[0]) if text else None


def _shortened_item(section: Section, each: Candidate, fitted: Candidate | None, room: int) -> Item:
    if fitted is None:
        return _item(section, each, _no_room(each, room), "")
    if fitted is each:
        return _item(section, each, "", "whole")
    return _item(section, fitted, "", f"shortened: {fitted.tokens} of {each.tokens} tokens")


def _no_room(each: Candidate, free: int) -> str:
    return "" if each.tokens <= free else f"no room: {each.tokens} of {max(free, 0)} tokens left"


def _item(section: Section, each: Candidate, refused: str, reason: str) -> Item:
    return Item(section=section, id=each.id, tokens=each.tokens, kept=not refused, reason=refused or reason)
