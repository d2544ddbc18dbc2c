"""Fill the sections of an envelope: what one leaves goes on to the next, and in the end to history."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from penwright.domain.scene.envelope import knowing
from penwright.domain.scene.envelope.filling import (
    Candidate,
    Filling,
    block_of,
    in_blocks,
    in_sequence,
    newest_whole,
    shared,
    total,
    whole,
)
from penwright.domain.scene.envelope.lore_slots import CALLED, STANDING, by_slot
from penwright.domain.scene.envelope.sections import ROUND, Sections, is_direction
from penwright.domain.scene.envelope.shortening import Count
from schemas.envelope import Envelope, EnvelopeCase, Item, Recalled, Section, TokenBudget

_IN_HISTORY = "its round is in the history"
_TOLD_IN_FULL = "its messages are in the history"
Fill = Callable[[Section, tuple[Candidate, ...], int, Count], Filling]


def _shared(section: Section, candidates: tuple[Candidate, ...], room: int, count: Count) -> Filling:
    return shared(section, candidates, room, count)


def _in_order(section: Section, candidates: tuple[Candidate, ...], room: int, _count: Count) -> Filling:
    return whole(section, candidates, room, "in the scan's order" if section == "lore" else "best first")


_FIRST: Mapping[Section, Fill] = {
    "director_guidance": _shared,
    "character_guidance": _shared,
    "notes": _shared,
    "lore": _in_order,
    "memories": _in_order,
}
"""In which they are filled; history and summaries, which can use any room, come after them."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """The tokens of each section, and which of them take what others leave: those with a share."""

    given: Mapping[Section, int]
    weights: Mapping[Section, int]

    def of(self, section: Section, spare: int) -> int:
        """Return its tokens, with what others left so far."""
        return self.given.get(section, 0) + spare * bool(self.weights.get(section))


def fill(
    found: Sections, rooms: Rooms, count: Count, *, oldest_first: bool = False
) -> dict[Section, Filling]:
    """Return each section as it was filled; together they use no more than all their rooms.

    Args:
        oldest_first: how history is kept, for a summariser.
    """
    while True:
        fillings = _filled(found, rooms, count, oldest_first)
        told_twice = _told_twice(found, fillings)
        if not told_twice:
            return fillings
        memories = tuple(
            replace(each, barred=each.barred or _IN_HISTORY) if each.id in told_twice else each
            for each in found.parts["memories"]
        )
        found = replace(found, parts={**found.parts, "memories": memories})


def _told_twice(found: Sections, fillings: Mapping[Section, Filling]) -> set[str]:
    """Ids of kept memories of rounds that the history has whole."""
    if "memories" not in fillings or "history" not in fillings:
        return set()
    kept = {each.id for each in fillings["history"].kept}
    heard = found.heard
    messages = (*heard.older, *heard.last_round, *heard.this_round)
    cut = {heard.cut, *(each.round for each in messages if each.id not in kept)}
    shown = {each.round for each in messages} - cut
    return {each.id for each in fillings["memories"].kept if each.round in shown}


def _filled(found: Sections, rooms: Rooms, count: Count, oldest_first: bool) -> dict[Section, Filling]:
    spare, fillings = 0, dict[Section, Filling]()
    for name, filler in _FIRST.items():
        if name in found.parts:
            fillings[name] = filler(name, found.parts[name], rooms.of(name, spare), count)
            spare += rooms.given[name] - fillings[name].used
    return fillings | _past(found, rooms, spare, count, oldest_first)


def _past(
    found: Sections, rooms: Rooms, spare: int, count: Count, oldest_first: bool
) -> dict[Section, Filling]:
    """History, then summaries of what it leaves out; once more as long as history takes of what is left."""
    if "history" not in found.parts:
        room = rooms.of("summaries", spare)
        return {"summaries": _summaries(found, Filling(), room, count)} if "summaries" in found.parts else {}
    whole_room = rooms.given["history"] + rooms.given.get("summaries", 0) + spare
    block = 0 if oldest_first else block_of(found.parts["history"], whole_room)
    history = _history(found, rooms.of("history", spare), block)
    while True:
        left = whole_room - history.used
        # No more than their share, as what they took of the rest would change with every round.
        room = min(left, rooms.of("summaries", 0))
        summaries = _summaries(found, history, room, count)
        again = left - summaries.used if rooms.weights["history"] else 0
        longer = _history(found, history.used + again, block)
        # With more room whole blocks may take less than the loose rounds did before.
        if longer.used <= history.used:
            kept = max(longer, history, key=lambda each: each.used)
            past: dict[Section, Filling] = {"history": kept, "summaries": summaries}
            return {name: filling for name, filling in past.items() if name in found.parts}
        history = longer


def _history(found: Sections, room: int, block: int) -> Filling:
    """Args: ``block``: rounds that go together; 0: the oldest messages are kept."""
    last = {message.id for message in found.heard.last_round}
    always = tuple(
        Item(
            section="history",
            id=each.id,
            tokens=each.tokens,
            kept=True,
            reason="last round" if each.id in last else "this round",
        )
        for each in found.rounds
    )
    left, messages = room - total(found.rounds), found.parts["history"]
    if block:
        older = in_blocks("history", messages, left, block)
    else:
        older = in_sequence("history", messages, left, "oldest first")
    return Filling((*found.rounds, *older.kept), (*always, *older.items))


def _summaries(found: Sections, history: Filling, room: int, count: Count) -> Filling:
    """Stretches of the summary, then notes on rounds of which a message was left out, newest first."""
    candidates, kept = found.parts.get("summaries", ()), {each.id for each in history.kept}
    heard = found.heard
    left_out = {f"{ROUND}{each.round}" for each in heard.older if each.id not in kept}
    in_full = (*heard.last_round, *(each for each in heard.older if each.id in kept))
    shown = {each.number for each in in_full}
    wanted = [each for each in candidates if each.id in left_out or each.tells - shown]
    told = newest_whole("summaries", [each for each in wanted if each.line], room, count)
    notes, free = [each for each in wanted if not each.line], room - told.used
    rounds = in_blocks("summaries", notes, free, block_of(notes, free))
    others = (replace(each, barred=_TOLD_IN_FULL) for each in candidates if each not in wanted)
    barred = whole("summaries", tuple(others), 0, "")
    return Filling((*told.kept, *rounds.kept), (*told.items, *rounds.items, *barred.items))


def with_kept(
    case: EnvelopeCase,
    bare: Envelope,
    found: Sections,
    fillings: Mapping[Section, Filling],
    budget: TokenBudget,
) -> Envelope:
    """Return the envelope with the texts that were kept."""
    texts = {name: {each.id: each.text for each in filling.kept} for name, filling in fillings.items()}
    history, told = texts.get("history", {}), texts.get("character_guidance", {})
    summaries, lore = texts.get("summaries", {}), texts.get("lore", {})
    placed = by_slot(case, lore)
    notes = texts.get("notes", {})
    rounds = [text for id, text in summaries.items() if id.startswith(ROUND)]
    stretches = [text for id, text in summaries.items() if not id.startswith(ROUND)]
    items = [item for filling in fillings.values() for item in filling.items]
    return bare.model_copy(
        update={
            "history": tuple(knowing.line(each) for each in found.heard.older if each.id in history),
            "last_round": tuple(map(knowing.line, found.heard.last_round)),
            "this_round": tuple(map(knowing.line, found.heard.this_round)),
            "summarised_history": tuple(reversed(stretches)),
            "per_round_summaries": tuple(reversed(rounds)),
            "lore": tuple(lore.values()),
            "standing_lore": placed.pop(STANDING, ""),
            "formatted_lore": placed.pop(CALLED, ""),
            "lore_at": placed,
            "memories": _memories(case, texts.get("memories", {})),
            "notes": _by_level({id: text for id, text in notes.items() if not is_direction(case, id)}),
            "author_notes": _by_level({id: text for id, text in notes.items() if is_direction(case, id)}),
            "director_guidance": texts.get("director_guidance", {}).get("open", ""),
            "items": (*bare.items, *items),
            "budget": budget,
            **told,
        }
    )


def _memories(case: EnvelopeCase, kept: Mapping[str, str]) -> tuple[Recalled, ...]:
    """Return the kept ones, those of the same people together."""
    found = [each for each in knowing.memories(case) if each.id in kept]
    first = {each.who or each.character: number for number, each in reversed(tuple(enumerate(found)))}
    return tuple(sorted(found, key=lambda each: first[each.who or each.character]))


def _by_level(kept: Mapping[str, str]) -> dict[str, str]:
    levels = groupby(kept.items(), key=lambda pair: pair[0].partition("/")[0])
    return {level: "\n".join(text for _, text in group) for level, group in levels}
