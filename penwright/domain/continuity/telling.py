"""The part of a prompt that tells a writer what the book has stated so far."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from penwright.domain.book.files.layout import chapter_path
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.prose_so_far import end_of_prose
from penwright.domain.book.view import BookView
from penwright.domain.continuity.known import ChapterStory, Known, KnownEntity, KnownFact, KnownThread, folded
from penwright.domain.models.token_estimate import estimate_tokens
from schemas.continuity import ContinuityTold, ToldPart

_SHARES: Mapping[ToldPart, int] = {"story": 30, "now": 15, "people": 40, "threads": 15}
"""Percent of the room that each part has for itself; in the order in which they stand in the prompt."""
_LEFTOVERS: Sequence[ToldPart] = ("people", "story", "threads", "now")
"""The parts that get the room which others leave, in this order."""
_HEADINGS: Mapping[ToldPart, str] = {
    "corrections": "## Corrected by the author: this holds, whatever stands elsewhere",
    "story": "## Story so far",
    "now": "## Now, at the end of the prose",
    "people": "## People, places and things",
    "threads": "## Open threads",
}
_WHOLE = 5
"""The last chapters, of which whole summaries are told."""
_ALL = 10_000
_LINE_WORDS = ((25, _ALL), (15, _ALL), (8, _ALL), (8, 90), (8, 45), (8, 20))
"""Words of an earlier chapter, and of one of the last: fewer, until all chapters fit."""
NOW = ("time", "place", "with", "holds", "state")
"""Traits that change from scene to scene."""
_UNSURE = {
    "said": "somebody says",
    "believed": "somebody believes",
    "remembered": "remembered",
    "dreamt": "dreamt",
    "planned": "planned",
}


@dataclass(frozen=True, slots=True)
class Sought:
    """Texts that say what the next session is about."""

    outline: str
    last_prose: str
    chapter: int


def tell_writer(story: Known, view: BookView, earlier: str) -> ContinuityTold:
    """Tell the writer of a book's next session what it has to know.

    Args:
        earlier: the end of the validated book, as the writer is shown it.
    """
    chapter = view.state.current_chapter
    outline = "\n\n".join(filled_in(view.text(chapter_path(each))) for each in (chapter, chapter + 1))
    sought = Sought(outline, end_of_prose(earlier, view.waiting.text), chapter)
    return tell(story, sought, view.config.told_at_most(view.config.continuity_tokens))


def tell(story: Known, sought: Sought, tokens: int) -> ContinuityTold:
    """Tell what a writer has to know, in at most ``tokens``; equal arguments give equal text.

    What found no room is counted by part.
    """
    corrections = tuple(_corrections(story))
    corrected = _fitting("corrections", corrections, tokens // 2) if corrections else ()
    tokens -= _size("corrections", corrected)
    rooms = {part: tokens * share // 100 for part, share in _SHARES.items()}
    lines: dict[ToldPart, Sequence[str]] = {
        "now": tuple(_now(story)),
        "people": tuple(_people(story, sought)),
        "threads": tuple(_threads(story, sought.chapter)),
    }
    left = tokens - sum(min(rooms[part], _size(part, told)) for part, told in lines.items())
    lines["story"] = _story(story.chapters, sought.chapter, left)
    spare = sum(max(0, rooms[part] - _size(part, lines[part])) for part in _SHARES)
    for part in _LEFTOVERS:
        more = min(spare, max(0, _size(part, lines[part]) - rooms[part]))
        rooms[part] += more
        spare -= more
    lines["corrections"] = corrections
    fitting = {part: _fitting(part, lines[part], rooms[part]) for part in _SHARES}
    shown: dict[ToldPart, Sequence[str]] = {"corrections": corrected, **fitting}
    cut = {part: len(lines[part]) - len(kept) for part, kept in shown.items()}
    return ContinuityTold(
        text="\n\n".join("\n".join([_HEADINGS[part], *kept]) for part, kept in shown.items() if kept),
        shown={part: len(kept) for part, kept in shown.items() if kept},
        cut={part: count for part, count in cut.items() if count},
    )


def _corrections(story: Known) -> Iterator[str]:
    """Each value once, with the one that the clerk had read."""
    misread = {(each.entity, each.trait, each.value): each.misread for each in story.facts if each.misread}
    for each in dict.fromkeys((one.about, one.trait, one.value) for one in story.corrections):
        about, trait, value = each
        wrong = f", not {misread[each]}" if each in misread else ""
        yield f"- {about}, {trait}: {value}{wrong}"


def _size(part: ToldPart, lines: Sequence[str]) -> int:
    """Tokens of a part."""
    return sum(_tokens(line) for line in (_HEADINGS[part], *lines)) if lines else 0


def _tokens(line: str) -> int:
    return estimate_tokens(line) + 1


def _fitting(part: ToldPart, lines: Sequence[str], room: int) -> Sequence[str]:
    """The first lines that fit; of the story, the last ones."""
    taken: list[str] = []
    left = room - _tokens(_HEADINGS[part])
    for line in reversed(lines) if part == "story" else lines:
        left -= _tokens(line)
        if left < 0:
            break
        taken.append(line)
    return tuple(reversed(taken)) if part == "story" else tuple(taken)


def _story(chapters: Sequence[ChapterStory], current: int, room: int) -> Sequence[str]:
    """One line a chapter; of the last ones all that is known."""
    lines: list[str] = []
    for early, late in _LINE_WORDS:
        lines = [f"- Chapter {each.chapter}: {_summary(each, current, early, late)}" for each in chapters]
        if _size("story", lines) <= room:
            break
    return lines


def _summary(told: ChapterStory, current: int, early: int, late: int) -> str:
    """The beginning of an earlier chapter, the end of one of the last."""
    words = " ".join(told.summaries).split()
    if told.chapter > current - _WHOLE:
        return " ".join(words if len(words) <= late else ["…", *words[-late:]])
    return " ".join(words if len(words) <= early else [*words[:early], "…"])


def _now(story: Known) -> Iterator[str]:
    """Values that change from scene to scene, as the last passage states them; the last of each counts."""
    found: dict[str, dict[str, str]] = {}
    for each in story.facts:
        if each.trait in NOW and each.mode == "told" and each.place.block in story.last_read:
            found.setdefault(each.entity, {})[each.trait] = each.value
    for entity, values in found.items():
        yield f"- {entity}: {'; '.join(f'{trait}: {value}' for trait, value in values.items())}"


def _people(story: Known, sought: Sought) -> Iterator[str]:
    """Those whom the outline names, then those of the last prose; the most told of first."""
    ranked = [
        (rank, -len(story.by_entity.get(each.name, ())), each.first.order, each)
        for each in story.entities
        if (rank := _rank(each, sought)) is not None and each.name in story.by_entity
    ]
    for *_, entity in sorted(ranked, key=lambda one: one[:3]):
        if line := _line(entity, story.by_entity[entity.name]):
            yield line


def _rank(entity: KnownEntity, sought: Sought) -> int | None:
    """0 if the outline names it, 1 if the last prose does, None if neither."""
    for rank, text in enumerate((sought.outline, sought.last_prose)):
        if any(is_named(name, text) for name in entity.names):
            return rank
    return None


def is_named(name: str, text: str) -> bool:
    """Whether a text names it: as whole words, where the script has any."""
    if name not in text:
        return name.casefold() in text.casefold() and is_named(name.casefold(), text.casefold())
    if not regex.search(r"\A\w", name) or regex.search(r"\p{Han}|\p{Hiragana}|\p{Katakana}|\p{Thai}", name):
        return True
    return regex.search(rf"(?<!\w){regex.escape(name)}(?!\w)", text) is not None


def _line(entity: KnownEntity, facts: Iterable[KnownFact]) -> str:
    traits: dict[str, list[KnownFact]] = {}
    for each in facts:
        if each.trait not in NOW:
            traits.setdefault(each.trait, []).append(each)
    told = "; ".join(f"{trait}: {_values(values)}" for trait, values in traits.items())
    also = f" (also {', '.join(entity.names[1:4])})" if len(entity.names) > 1 else ""
    return f"- {entity.name}{also}: {told}" if told else ""


def _values(facts: Sequence[KnownFact]) -> str:
    """The last value, with its chapter, and what stood before it."""
    now = facts[-1]
    before = {folded(each.value): each for each in facts if folded(each.value) != folded(now.value)}
    told = f"{now.value} ({_where(now)})"
    if not before:
        return told
    return f"{told}, before: {', '.join(f'{each.value} ({_where(each)})' for each in before.values())}"


def _where(fact: KnownFact) -> str:
    unsure = f"{_UNSURE[fact.mode]}, " if fact.mode in _UNSURE else ""
    return f"{unsure}ch. {fact.place.chapter}"


def _threads(story: Known, chapter: int) -> Iterator[str]:
    """Those that are due first, then the oldest."""
    open_ones = [each for each in story.threads if each.is_open]
    for each in sorted(open_ones, key=lambda one: (one.steps[-1][0] != "due", one.steps[0][1].order)):
        yield _thread(each, chapter)


def _thread(thread: KnownThread, chapter: int) -> str:
    first, (step, last) = thread.steps[0][1], thread.steps[-1]
    age = chapter - last.chapter
    since = f", {age} chapter{'s' if age > 1 else ''} ago" if age > 0 else ""
    due = ", due now" if step == "due" else ""
    return f"- {thread.name}: planted in ch. {first.chapter}, last in ch. {last.chapter}{since}{due}"
