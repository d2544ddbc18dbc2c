"""The map of intents, ``intent_map.md``: where the text of each is, and which intents changed a chapter.

It is made from the trace, except the notes that people write between the marked lines, which stay.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from penwright.domain.text.markdown_cells import cell, path_cell, value_of
from penwright.domain.trace.intent_map.tallies import KINDS, MapRow, Tally

_TITLE = "# Intent map"
_INTRODUCTION = (
    "Where the text of each intent stands, counted in blocks: headings, paragraphs and the like.",
    "Made anew whenever text changes. Write between the note lines only; what stands there is kept.",
)
_LABELS = tuple(kind if kind == "AI" else kind.capitalize() for kind in KINDS)
_COLUMNS = ("File", "Heading", "Blocks", *_LABELS, "Last change")
_CHAPTERS = "## By chapter"
_CHAPTER_COLUMNS = ("File", "Chapter", "Intents")
_NAME = 200
"""Signs of a name that are shown."""
_WITHOUT = "Without an intent"
_WHOLE, _OF_NONE, _OF = "the whole", "what has no intent", "intent "
_BEGIN = re.compile(r"<!-- notes on (.+) -->")
_END = "<!-- end of notes -->"
_DIGITS = re.compile(r"([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Notes:
    """Texts that people wrote into the map."""

    general: str = ""
    intents: Mapping[str | None, str] = field(default_factory=dict)
    """By intent, None being the part without one; never empty texts."""


def render(tallies: Mapping[MapRow, Tally], *, names: Mapping[str, str], notes: Notes = Notes()) -> str:
    """The file. The same tallies, names and notes make the same text."""
    places = sorted(tallies, key=_place_order)
    rows: dict[str | None, list[str]] = {intent: [] for intent in notes.intents}
    for place in places:
        rows.setdefault(place.intent, []).append(_row(place, tallies[place]))
    lines = [_TITLE, "", *_INTRODUCTION, "", *_noted(_WHOLE, notes.general)]
    for intent in sorted(rows, key=_order):
        noted = _noted(_subject(intent), notes.intents.get(intent, ""))
        lines += ["", f"## {_named(intent, names)}", "", *noted]
        lines += ["", *_table(_COLUMNS, rows[intent])] if rows[intent] else []
    return "\n".join([*lines, "", _CHAPTERS, "", *_table(_CHAPTER_COLUMNS, _chapters(places)), ""])


def notes_in(text: str) -> Notes:
    """The notes in a map; other lines that only a person can have written join the general ones."""
    lines = _lines(text)
    kept = _notes(lines)
    return Notes("\n".join(filter(None, [kept.general, *_foreign(_outside_notes(lines))])), kept.intents)


def merged(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """The map of one side with the notes of both; the next record counts anew."""
    old, mine, other = (content.decode("utf-8", "replace") for content in (base, ours, theirs))
    notes = _all_notes(*map(notes_in, (old, mine, other)))
    return "\n".join(_with_notes(other if _is_same_but_notes(mine, old) else mine, notes)).encode()


def _with_notes(text: str, notes: Notes) -> Iterator[str]:
    """The lines of a map with other notes; those on what it does not name come last."""
    left = {_WHOLE: notes.general, **{_subject(intent): note for intent, note in notes.intents.items()}}
    outside = list(_outside_notes(_lines(text)))
    by_hand = set(_foreign(outside))
    for line in outside:
        if begun := _BEGIN.fullmatch(line):
            yield from _noted(begun[1], left.pop(begun[1], ""))
        elif line != _END and line not in by_hand:
            yield line
    for subject, note in left.items():
        yield from _noted(subject, note) if note else ()


def _is_same_but_notes(text: str, other: str) -> bool:
    return list(_outside_notes(_lines(text))) == list(_outside_notes(_lines(other)))


def _all_notes(old: Notes, mine: Notes, other: Notes) -> Notes:
    noted = {
        intent: _both(*(notes.intents.get(intent, "") for notes in (old, mine, other)))
        for intent in {**mine.intents, **other.intents}
    }
    general = _both(old.general, mine.general, other.general)
    return Notes(general, {intent: note for intent, note in noted.items() if note})


def _both(old: str, mine: str, other: str) -> str:
    if other in (mine, old):
        return mine
    return other if mine == old else f"{mine}\n{other}"


def _named(intent: str | None, names: Mapping[str, str]) -> str:
    if intent is None:
        return _WITHOUT
    name = names.get(intent, "")
    return f"{cell(intent)}: {cell(name[:_NAME])}" if name else cell(intent)


def _row(place: MapRow, tally: Tally) -> str:
    last = tally.last.isoformat().replace("+00:00", "Z")
    counts = map(str, (tally.blocks, *tally.counts))
    return _line((cell(place.path), path_cell(place.heading), *counts, last))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _table(columns: Sequence[str], rows: Iterable[str]) -> Sequence[str]:
    return _line(columns), f"|{'---|' * len(columns)}", *rows


def _chapters(places: Sequence[MapRow]) -> Iterator[str]:
    """The intents that changed each chapter."""
    for path, found in groupby(places, key=lambda place: place.path):
        there = list(found)
        depth = _chapter_depth([place.heading for place in there if place.heading])
        touched: dict[tuple[str, ...], set[str | None]] = {}
        for place in there:
            touched.setdefault(place.heading[:depth], set()).add(place.intent)
        for chapter, intents in touched.items():
            named = ", ".join(map(_short, sorted(intents, key=_order)))
            yield _line((cell(path), path_cell(chapter), named))


def _chapter_depth(headings: Sequence[tuple[str, ...]]) -> int:
    """Headings down to a chapter: the first level on which parts of the file differ."""
    levels = zip(*headings, strict=False)
    shared = next((at for at, titles in enumerate(levels) if len(set(titles)) > 1), None)
    return 1 + (min(map(len, headings), default=0) if shared is None else shared)


def _short(intent: str | None) -> str:
    return _WITHOUT.lower() if intent is None else cell(intent)


def _subject(intent: str | None) -> str:
    # Two hyphens in a row have no place inside a comment.
    return _OF_NONE if intent is None else _OF + cell(intent).replace("--", "-&#45;")


def _intent_of(subject: str) -> str | None:
    try:
        return None if subject == _OF_NONE else value_of(subject.removeprefix(_OF))
    except ValueError:
        # Written by hand: no name has such a sign.
        return subject.removeprefix(_OF)


def _noted(subject: str, notes: str) -> Iterator[str]:
    yield f"<!-- notes on {subject} -->"
    if notes:
        yield from (line.replace("<", "&lt;") if _is_mark(line) else line for line in _lines(notes))
    yield _END


def _is_mark(line: str) -> bool:
    return line.startswith("<!--") and (line == _END or _BEGIN.fullmatch(line) is not None)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _outside_notes(lines: Iterable[str]) -> Iterator[str]:
    noting = False
    for line in lines:
        if _is_mark(line):
            noting = line != _END
            yield line
        elif not noting:
            yield line


def _notes(lines: Iterable[str]) -> Notes:
    texts: dict[str, list[str]] = {}
    for subject, run, closed in _runs(lines):
        if subject:
            # Where its end was lost, a note runs on into what is not one.
            texts.setdefault(subject, []).extend(run if closed else _foreign([*run, _END]))
    found = {subject: "\n".join(run) for subject, run in texts.items()}
    general = found.pop(_WHOLE, "")
    return Notes(general, {_intent_of(subject): text for subject, text in found.items() if text})


def _runs(lines: Iterable[str]) -> Iterator[tuple[str, list[str], bool]]:
    """Lines between marks: what they are notes on, if any, and whether their end is marked."""
    subject, run = "", list[str]()
    for line in lines:
        if _is_mark(line):
            yield subject, run, line == _END
            begun = _BEGIN.fullmatch(line)
            subject, run = begun[1] if begun else "", []
        else:
            run.append(line)
    yield subject, run, False


def _foreign(lines: Iterable[str]) -> Iterator[str]:
    """Lines that only a person can have written."""
    listed = list(lines)
    for at, line in enumerate(listed):
        if not _is_ours(line, listed[at + 2 : at + 3]):
            yield line


def _is_ours(line: str, second: Sequence[str]) -> bool:
    """``second``: the line after the next one."""
    if line.startswith("## "):
        return line == _CHAPTERS or any(map(_is_mark, second))
    cells = line[2:-2].split(" | ") if line.startswith("| ") and line.endswith(" |") else []
    return (
        line in ("", _TITLE, *_INTRODUCTION)
        or len(cells) in (len(_COLUMNS), len(_CHAPTER_COLUMNS))
        or line.startswith(("|---|", "<!-- intent map 1, "))
        or _is_mark(line)
    )


def _order(intent: str | None) -> tuple[object, ...]:
    return intent is None, _natural(intent or "")


def _place_order(place: MapRow) -> tuple[object, ...]:
    return _natural(place.path), tuple(map(_natural, place.heading)), _order(place.intent)


def _natural(text: str) -> tuple[object, ...]:
    """Sort key that puts Chapter 2 before Chapter 10."""
    parts = _DIGITS.split(text)
    return tuple(int(part) if at % 2 else part.casefold() for at, part in enumerate(parts)), text
