"""The candidates of each section, with their tokens, before anything is kept or dropped."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

from penwright.domain.lore.macros import with_macros
from penwright.domain.scene.envelope import knowing, people
from penwright.domain.scene.envelope.filling import Candidate, counted, total
from penwright.domain.scene.envelope.lore_slots import OUTLET, depth_of, lore_ids, slots
from penwright.domain.scene.envelope.rendering import PARTING, frame, line_text, memory_text
from penwright.domain.scene.envelope.shortening import Count
from penwright.domain.scene.stretches import body, heading, line
from schemas.envelope import EnvelopeCase, Section
from schemas.scene import SceneMessage
from schemas.scene_summary import Stretch
from schemas.worlds import SceneSettings

_KINDS: Mapping[str, str] = {
    "character_guidance": "guidance",
    "entry_guidance": "entry-guidance",
    "exit_guidance": "exit-guidance",
    "instruction": "request",
}
"""Field of the envelope -> kind of its fence."""

ROUND: Final = "round/"
"""Begins the ids of notes on rounds, among the summaries."""

_LONGEST = 120
"""Characters of one line's text."""


@dataclass(frozen=True, slots=True)
class Sections:
    """All candidates of one envelope."""

    heard: knowing.VisibleMessages
    rounds: tuple[Candidate, ...] = ()
    """Messages of this round and the last one: always kept."""
    parts: Mapping[Section, tuple[Candidate, ...]] = field(default_factory=dict)
    """Candidates for the room, in the order in which they are kept."""
    frames: int = 0
    """Tokens of headings and fences around all this."""


def sections(case: EnvelopeCase, count: Count) -> Sections:
    """Return what the role may know, cut into candidates. Only the newest messages are looked at."""
    heard = knowing.visible_messages(case)
    rounds = _messages((*heard.last_round, *heard.this_round), count)
    older = _messages(heard.older, count)
    parts: dict[Section, tuple[Candidate, ...]] = {
        "director_guidance": _open_guidance(case, count),
        "character_guidance": _guidance(case, count),
        "notes": _notes(case, count),
        "lore": _lore(case, count),
        "memories": _memories(case, count),
        "history": older if case.for_ == "summariser" else older[::-1],
        "summaries": _summary(case, count),
    }
    present = {name: found for name, found in parts.items() if found or (name == "history" and rounds)}
    return Sections(heard, rounds, present, _frames(case, heard, present, count))


def with_round_notes(case: EnvelopeCase, found: Sections, count: Count) -> Sections:
    """Add short notes on older rounds, for where not all fits word for word."""
    told_of = {number for each in knowing.stretches(case) for number in each.readings}
    told = _round_notes(each for each in found.heard.older if each.number not in told_of)
    if not told or case.for_ == "summariser":
        return found
    more = counted([(f"{ROUND}{number}", text) for number, text in told], count)
    more = tuple(replace(each, round=number) for each, (number, _) in zip(more, told, strict=True))
    frames = found.frames + sum(count([frame("round-summary")]))
    parts = {**found.parts, "summaries": (*found.parts.get("summaries", ()), *more)}
    return replace(found, parts=parts, frames=frames)


def wants(found: Sections) -> dict[Section, int]:
    """Return the tokens of all candidates of each section."""
    sizes = {name: total(candidates) for name, candidates in found.parts.items()}
    return sizes | ({"history": sizes["history"] + total(found.rounds)} if "history" in sizes else {})


def _messages(messages: Sequence[SceneMessage], count: Count) -> tuple[Candidate, ...]:
    said = map(knowing.line, messages)
    found = counted([(each.id, line_text(each)) for each in said], count)
    return tuple(replace(each, round=message.round) for each, message in zip(found, messages, strict=True))


def _open_guidance(case: EnvelopeCase, count: Count) -> tuple[Candidate, ...]:
    text = knowing.open_guidance(case).strip()
    return counted([("open", text)] if text else [], count)


def _guidance(case: EnvelopeCase, count: Count) -> tuple[Candidate, ...]:
    told = knowing.guidance(case).items()
    return counted([(name, text.strip()) for name, text in told], count)


def _notes(case: EnvelopeCase, count: Count) -> tuple[Candidate, ...]:
    moment = people.moment_of(case, people.own_name(case))
    calling = replace(moment, outlets=people.outlets(case, moment))
    told = []
    for level, name, text in knowing.notes(case):
        id, read = f"{level}/{name}", with_macros(text, calling if name == "author_note" else moment)
        title = "" if is_direction(case, id) else f"{name.replace('_', ' ').capitalize()}: "
        told.append((id, f"{title}{read}"))
    return counted(told, count)


def is_direction(case: EnvelopeCase, note: str) -> bool:
    """Whether a note is direction for the role."""
    return knowing.is_directed(case.for_) and note.endswith("/author_note")


def _lore(case: EnvelopeCase, count: Count) -> tuple[Candidate, ...]:
    moment = people.moment_of(case, people.own_name(case))
    placed = slots(case)
    texts = ((id, with_macros(text, moment)) for id, text in zip(lore_ids(case), case.lore, strict=True))
    found = counted([(id, text) for id, text in texts if placed[id] != OUTLET], count)
    (parting,) = count([PARTING])
    return tuple(
        each if depth_of(placed[each.id]) is None else replace(each, tokens=each.tokens + parting)
        for each in found
    )


def _memories(case: EnvelopeCase, count: Count) -> tuple[Candidate, ...]:
    memories = knowing.memories(case)
    found = counted([(each.id, memory_text(each)) for each in memories], count)
    settings, seen, chars = case.located.scene.settings, Counter[str](), Counter[str]()
    checked = list[Candidate]()
    for memory, candidate in zip(memories, found, strict=True):
        barred = _over_cap(settings, seen[memory.character], chars[memory.character] + len(memory.text))
        if not barred:
            seen[memory.character] += 1
            chars[memory.character] += len(memory.text)
        is_here = memory.scene in ("", case.located.scene.id)
        checked.append(replace(candidate, barred=barred, round=memory.round if is_here else None))
    return tuple(checked)


def _over_cap(settings: SceneSettings, kept: int, chars: int) -> str:
    if kept >= settings.memories:
        return f"over the cap of {settings.memories} memories"
    return f"over the cap of {settings.memory_chars} characters" if chars > settings.memory_chars else ""


def _summary(case: EnvelopeCase, count: Count) -> tuple[Candidate, ...]:
    """Stretches, newest first, each with its line."""
    told = knowing.stretches(case)[::-1]
    heads = [_head(case, each) for each in told]
    ids = [f"messages/{each.first}" for each in told]
    texts = (f"{head}\n{body(each)}" for head, each in zip(heads, told, strict=True))
    short = (f"{head}. {line(each)}" for head, each in zip(heads, told, strict=True))
    lines = counted(zip(ids, short, strict=True), count)
    return tuple(
        replace(each, line=on_a_line, tells=frozenset(stretch.readings))
        for each, on_a_line, stretch in zip(
            counted(zip(ids, texts, strict=True), count), lines, told, strict=True
        )
    )


def _head(case: EnvelopeCase, stretch: Stretch) -> str:
    """Heading of a stretch; a director's says who heard it."""
    if case.for_ != "director":
        return heading(stretch)
    names = knowing.names(case)
    return f"{heading(stretch)} (heard by {', '.join(names.get(each, each) for each in stretch.witnesses)})"


def _frames(
    case: EnvelopeCase,
    heard: knowing.VisibleMessages,
    parts: Mapping[Section, Sequence[Candidate]],
    count: Count,
) -> int:
    """Return the tokens of headings and fences, as if nothing were dropped."""
    placed = slots(case)
    of_lore = {placed[each.id] for each in parts.get("lore", ())}
    whether = {
        "history": heard.older or heard.last_round,
        "this-round": heard.this_round or any(depth_of(each) is not None for each in of_lore),
        "summary": parts.get("summaries"),
        "director-guidance": parts.get("director_guidance"),
    }
    notes = [each.id for each in parts.get("notes", ())]
    levels = dict.fromkeys(each.partition("/")[0] for each in notes if not is_direction(case, each))
    directing = [each.partition("/")[0] for each in notes if is_direction(case, each)]
    owners = dict.fromkeys(each.who or each.character for each in knowing.memories(case))
    frames = [frame(kind) for kind, found in whether.items() if found]
    frames += [frame(_KINDS[each.id]) for each in parts.get("character_guidance", ())]
    frames += [frame("notes", level) for level in levels]
    frames += [frame("direction", level) for level in directing]
    frames += [frame("memory", owner) for owner in owners]
    frames += [frame("lore") for each in of_lore if depth_of(each) is None]
    return sum(count(frames))


def _round_notes(messages: Iterable[SceneMessage]) -> tuple[tuple[int, str], ...]:
    """Return round and notes of these messages, newest round first."""
    rounds = [(number, tuple(group)) for number, group in groupby(messages, key=lambda each: each.round)]
    return tuple((number, _notes_on_turns(number, group)) for number, group in reversed(rounds))


def _notes_on_turns(number: int, messages: Sequence[SceneMessage]) -> str:
    return "\n".join([f"Round {number}", *(f"- {each.name}: {_first_words(each.text)}" for each in messages)])


def _first_words(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST].split())
    if len(line) <= _LONGEST:
        return line
    return f"{line[:_LONGEST].rpartition(' ')[0] or line[:_LONGEST]} …"
