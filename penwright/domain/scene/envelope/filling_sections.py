"""Fill the sections of an envelope: what one leaves goes on to the next, and in the end to history."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from penwright.domain.scene.envelope import knowing
from penwright.domain.scene.envelope.filling import Candidate, Filling, in_sequence, shared, total, whole
from penwright.domain.scene.envelope.sections import Sections
from penwright.domain.scene.envelope.shortening import Count
from schemas.envelope import Envelope, EnvelopeCase, Item, Recalled, Section, TokenBudget

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
    history = _history(found, rooms.of("history", spare), oldest_first)
    while True:
        left = whole_room - history.used
        room = left if rooms.weights.get("summaries") else 0
        summaries = _summaries(found, history, room, count)
        again = left - summaries.used if rooms.weights["history"] else 0
        longer = _history(found, history.used + again, oldest_first)
        if longer.used == history.used:
            past: dict[Section, Filling] = {"history": history, "summaries": summaries}
            return {name: filling for name, filling in past.items() if name in found.parts}
        history = longer


def _history(found: Sections, room: int, oldest_first: bool) -> Filling:
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
    reason = "oldest first" if oldest_first else "newest first"
    older = in_sequence("history", found.parts["history"], room - total(found.rounds), reason)
    return Filling((*found.rounds, *older.kept), (*always, *older.items))


def _summaries(found: Sections, history: Filling, room: int, count: Count) -> Filling:
    """The running summary, then notes on rounds of which a message was left out, newest first."""
    candidates, kept = found.parts.get("summaries", ()), {each.id for each in history.kept}
    left_out = {f"round/{each.round}" for each in found.heard.older if each.id not in kept}
    running = shared("summaries", [each for each in candidates if each.id == "summary"], room, count)
    notes = tuple(
        each if each.id in left_out else replace(each, barred="its messages are in the history")
        for each in candidates
        if each.id != "summary"
    )
    wanted = [each for each in notes if not each.barred]
    rounds = in_sequence("summaries", wanted, room - running.used)
    barred = whole("summaries", [each for each in notes if each.barred], 0, "")
    return Filling((*running.kept, *rounds.kept), (*running.items, *rounds.items, *barred.items))


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
    summaries, lore = texts.get("summaries", {}), tuple(texts.get("lore", {}).values())
    running = [text for id, text in summaries.items() if id == "summary"]
    items = [item for filling in fillings.values() for item in filling.items]
    return bare.model_copy(
        update={
            "history": tuple(knowing.line(each) for each in found.heard.older if each.id in history),
            "last_round": tuple(map(knowing.line, found.heard.last_round)),
            "this_round": tuple(map(knowing.line, found.heard.this_round)),
            "summarised_history": (*bare.summarised_history, *running),
            "per_round_summaries": tuple(
                reversed([text for id, text in summaries.items() if id != "summary"])
            ),
            "lore": lore,
            "formatted_lore": "\n\n".join(lore),
            "memories": _memories(case, texts.get("memories", {})),
            "notes": _by_level(texts.get("notes", {})),
            "director_guidance": texts.get("director_guidance", {}).get("open", ""),
            "items": (*bare.items, *items),
            "budget": budget,
            **told,
        }
    )


def _memories(case: EnvelopeCase, kept: Mapping[str, str]) -> tuple[Recalled, ...]:
    """Return the kept ones, those of one character together."""
    found = [each for each in knowing.memories(case) if each.id in kept]
    first = {each.character: number for number, each in reversed(tuple(enumerate(found)))}
    return tuple(sorted(found, key=lambda each: first[each.character]))


def _by_level(kept: Mapping[str, str]) -> dict[str, str]:
    levels = groupby(kept.items(), key=lambda pair: pair[0].partition("/")[0])
    return {level: "\n".join(text for _, text in group) for level, group in levels}
