"""Fill the sections of an envelope: what one leaves goes on to the next, and in the end to history."""

from collections.abc import Callable, Mapping
from dataclasses import replace
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


def fill(
    found: Sections,
    given: Mapping[Section, int],
    weights: Mapping[Section, int],
    count: Count,
    *,
    oldest_first: bool = False,
) -> dict[Section, Filling]:
    """Return each section as it was filled; together they use no more than ``given`` in all.

    Args:
        given: tokens of each section. A section without a share gets nothing of what others leave.
        oldest_first: how history is kept, for a summariser.
    """
    spare, fillings = 0, dict[Section, Filling]()
    for name, filler in _FIRST.items():
        if name in found.parts:
            fillings[name] = filler(name, found.parts[name], given[name] + spare * bool(weights[name]), count)
            spare += given[name] - fillings[name].used
    return fillings | _past(found, given, weights, spare, count, oldest_first)


def _past(
    found: Sections,
    given: Mapping[Section, int],
    weights: Mapping[Section, int],
    spare: int,
    count: Count,
    oldest_first: bool,
) -> dict[Section, Filling]:
    """History, then summaries of what it leaves out, then history again with what they leave."""
    past = dict[Section, Filling]()
    for name in ("history", "summaries", "history"):
        if name not in found.parts:
            continue
        before = past[name].used if name in past else given[name]
        room = before + spare * bool(weights[name])
        past[name] = (
            _history(found, room, oldest_first)
            if name == "history"
            else _summaries(found, past.get("history", Filling()), room, count)
        )
        spare += before - past[name].used
    if "history" in past and "summaries" in past:
        past["summaries"] = _summaries(found, past["history"], past["summaries"].used, count)
    return past


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
    candidates, kept = found.parts["summaries"], {each.id for each in history.kept}
    left_out = {f"round/{each.round}" for each in found.heard.older if each.id not in kept}
    running = shared("summaries", [each for each in candidates if each.id == "summary"], room, count)
    notes = tuple(
        each if each.id in left_out else replace(each, barred="its messages are in the history")
        for each in candidates
        if each.id != "summary"
    )
    wanted = [each for each in notes if not each.barred]
    rounds = in_sequence("summaries", wanted, room - running.used)
    barred = in_sequence("summaries", [each for each in notes if each.barred], 0)
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
