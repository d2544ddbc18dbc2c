"""Which passages of a text differ from an older version of it, each with what it was and what it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.text.comparing.alignment import aligned
from penwright.domain.text.comparing.similarity import succession
from penwright.domain.text.cutting import Cut
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.paragraphs import paragraphs


@dataclass(frozen=True, slots=True)
class ChangedPassage:
    """One paragraph that was changed, put in, taken out, or put elsewhere unchanged."""

    before: str
    """Without comments; empty: it is new."""
    after: str
    """The same; empty: it is gone."""
    notes_gone: tuple[str, ...] = ()
    """INK notes that stood in it."""
    notes_new: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Paragraph:
    prose: str = ""
    notes: tuple[str, ...] = ()


def changed_passages(before: str, after: str) -> tuple[ChangedPassage, ...]:
    """The changed paragraphs in the order of the text, each old one in one change at most.

    Line ends, the engine's markers, and comments alone in a paragraph that are no INK notes change nothing.
    """
    old, new = _read(before), _read(after)
    same = aligned([each.prose for each in old], [each.prose for each in new])
    found: list[ChangedPassage] = []
    start = low = 0
    for one, other in (*same, (len(old), len(new))):
        found += [_change(was, now) for was, now in _paired(old[start:one], new[low:other])]
        if one < len(old) and set(old[one].notes) != set(new[other].notes):
            found.append(_change(old[one], new[other]))
        start, low = one + 1, other + 1
    return tuple(found)


def _read(text: str) -> list[_Paragraph]:
    found = [_paragraph(raw) for raw in paragraphs(text.replace("\r\n", "\n"))]
    return [each for each in found if each.prose or each.notes]


def _paragraph(raw: str) -> _Paragraph:
    comments = parse_comments(raw)
    text = Cut(raw, ((each.start, each.end) for each in comments)).text.strip()
    hidden = text.startswith("<!--") and text.find("-->") == len(text) - 3
    return _Paragraph("" if hidden else text, tuple(each.text for each in comments if each.kind != "marker"))


def _paired(old: Sequence[_Paragraph], new: Sequence[_Paragraph]) -> Iterator[tuple[_Paragraph, _Paragraph]]:
    """Each new paragraph with the old one that it came from, then the old ones that are gone."""
    origins = succession([each.prose for each in old], [each.prose for each in new]).successors
    used: set[int] = set()
    for number, paragraph in enumerate(new):
        origin = origins[number][0] if number in origins else -1
        yield old[origin] if origin >= 0 and origin not in used else _Paragraph(), paragraph
        used.add(origin)
    yield from ((each, _Paragraph()) for number, each in enumerate(old) if number not in used)


def _change(was: _Paragraph, now: _Paragraph) -> ChangedPassage:
    gone = tuple(each for each in was.notes if each not in now.notes)
    new = tuple(each for each in now.notes if each not in was.notes)
    return ChangedPassage(was.prose, now.prose, gone, new)
