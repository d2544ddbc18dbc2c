"""Everything that is wrong with a change of a manuscript, by rules; none of them asks a model.

Its lengths are judged beside the plan, in ``standing``.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from penwright.domain.citations.sentences import Sentence, sentences_of
from penwright.domain.manuscript.planned_sections import headed
from penwright.domain.manuscript.sections import bare_title, sections_of
from penwright.domain.prose.checked import Place, checked
from penwright.domain.prose.findings import finding
from penwright.domain.prose.reading import Paragraph, read
from penwright.domain.prose.repeats import loops, repeats
from penwright.domain.text.inline_citations import without_whole_citations
from schemas.manuscript_text import SceneSection
from schemas.prose import BookIndex, Draft, Finding

NEAR: Final = 100_000
"""Characters on either side of an edit with which it is compared."""
LONGEST_STRETCH: Final = 1_000_000
"""Characters that are read at most, which take two seconds."""
MOST_FINDINGS: Final = 8
"""So many of one change are kept."""
_NO_PROSE: Final = ("|", "```", "~~~", "$$", "\\begin", "\\[", "<!--", "[^")
"""Beginnings of a table, code, a formula, a comment and a footnote, which may stand twice."""
_INSIDE: Final = re.compile(r"[.!?…”\"][ \t]+(#{1,6}[ \t]+\w.*)|^[^#\s].*\n(#{1,6}[ \t]+\w.*)", re.MULTILINE)
"""A heading within a line, or right below one."""
_NUMBER: Final = r"\d+(?:[.,]\d+)*"
_FIGURE: Final = re.compile(
    rf"[$€£]\s?(?P<money>{_NUMBER})"
    rf"|(?<![\w.,])(?P<measure>{_NUMBER})[\s-]?(?:%|‰|°|(?:per\s?cent|percentage|Prozent|pour cent|por ciento"
    r"|thousand|million|billion|trillion|Millionen|Milliarden|Mio|Mrd|millions|milliards|times|fold"
    r"|k?m|cm|mm|nm|k?g|mg|ml|ha|kW|MW|GW|[kMGT]Wh|[kMG]?Hz|ms|[kMGT]B|euros?|dollars?|years|Jahre)\b)"
    rf"|\b[nprN]\s?[=<>≤≥]\s?(?P<statistic>\d*\.?{_NUMBER})"
    r"|\b(?i:in|since|by|until|between|after|before|during|im Jahr|seit|bis|en|depuis|desde)"
    r"\s+(?P<year>1[5-9]\d\d|20\d\d)\b(?![\s-]?\w+s\b)"
)
_ANY_NUMBER: Final = re.compile(_NUMBER)
_SPEECH: Final = '“„«"「'


@dataclass(frozen=True, slots=True)
class Change:
    """A manuscript before and after a model's edits, and what the model had to go by."""

    before: str
    after: str
    planned: tuple[str, ...] = ()
    """Titles of the plan."""
    told: str = ""
    """Words of people: instructions, and a wish for this change."""


def change_findings(change: Change) -> tuple[Finding, ...]:
    """The faults of what an edit wrote: repeats, headings, and numbers without a source, at most eight.

    It is compared with what stands near it. Places are those in that stretch, without its citations. There
    are none for what ``why_unread`` names.
    """
    change = _near(change)
    if len(change.after) > LONGEST_STRETCH:
        return ()
    edit = _Edit(change)
    found = (
        *(finding("loop", place, edit.written, hard=True) for place in _loops(edit.written)),
        *(finding("echo", place, edit.after, hard=True) for place in _echoes(edit)),
        *_headings(edit),
        *(finding("unsourced-number", place, change.after, hard=False) for place in _unsourced(change)),
    )
    return found[:MOST_FINDINGS]


def why_unread(change: Change) -> str:
    """In a sentence, why no rule reads a change; empty if rules do."""
    if len(_near(change).after) <= LONGEST_STRETCH:
        return ""
    return f"No rule read it: its edits lie over {LONGEST_STRETCH:,} characters apart."


def _near(change: Change) -> Change:
    """The stretch from an edit's first to its last place, and ``NEAR`` characters on either side."""
    before, after = change.before, change.after
    head = _shared(before, after)
    tail = min(_shared(before[::-1], after[::-1]), len(before) - head, len(after) - head)
    start = after.rfind("\n\n", 0, max(0, head - NEAR)) + 1
    border = after.find("\n\n", len(after) - max(0, tail - NEAR))
    left = len(after) - border if border >= 0 else 0
    return replace(change, before=before[start : len(before) - left], after=after[start : len(after) - left])


def _shared(one: str, other: str) -> int:
    """The number of characters at the beginning of both."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def still_there(found: Finding, text: str) -> bool:
    """Whether a manuscript still has a fault: its quote stands, or a dropped heading does not."""
    if found.rule == "heading-dropped":
        return not headed(found.other, text)
    if found.rule == "unsourced-number":
        return any(each.text.startswith(found.quote) and not _is_cited(each) for each in sentences_of(text))
    return found.quote in without_whole_citations(text)


class _Edit:
    """A change without citations, whose fields would seem to be repeated."""

    def __init__(self, change: Change) -> None:
        self.before, self.after = map(without_whole_citations, (change.before, change.after))
        self.planned = frozenset(map(bare_title, change.planned))
        self.told = " ".join(change.told.casefold().split())
        self.new, self.old = _parted(read(self.before), read(self.after))

    @property
    def written(self) -> str:
        """The paragraphs that are new or changed."""
        return "\n\n".join(each.text for each in self.new)

    @cached_property
    def sections(self) -> tuple[tuple[SceneSection, ...], tuple[SceneSection, ...]]:
        """Before and after."""
        return sections_of(self.before), sections_of(self.after)


def _parted(
    before: Sequence[Paragraph], after: Sequence[Paragraph]
) -> tuple[tuple[Paragraph, ...], tuple[Paragraph, ...]]:
    """The paragraphs that were written now, and those that stood, each as often as it did."""
    left, new, old = Counter(each.text for each in before), list[Paragraph](), list[Paragraph]()
    for each in after:
        (old if left[each.text] > 0 else new).append(each)
        left[each.text] -= 1
    return tuple(new), tuple(old)


def _loops(written: str) -> Iterable[Place]:
    return loops(checked(Draft(prose=written), BookIndex()))


def _echoes(edit: _Edit) -> Iterator[Place]:
    return repeats(edit.new, edit.old, _may_repeat)


def _may_repeat(paragraph: Paragraph) -> bool:
    return paragraph.is_quotation or paragraph.text.lstrip().startswith(_NO_PROSE)


def _headings(edit: _Edit) -> Iterator[Finding]:
    """Headings that an edit drops, doubles, invents, or puts into a paragraph."""
    before, after = edit.sections
    stood, stand = ({bare_title(each.title) for each in sections} for sections in edit.sections)
    for each in before:
        title = bare_title(each.title)
        if title not in stand and (title in edit.planned or title not in edit.told):
            yield Finding(rule="heading-dropped", quote="", start=0, end=0, hard=True, other=each.title)
    for each in _doubled(before, after):
        yield _heading(each, edit.after, "it stands twice")
    for each in after:
        title = bare_title(each.title)
        if title not in stood | edit.planned and title not in edit.told and _is_chief(each, edit):
            yield _heading(each, edit.after, "it is not in the plan")
    yield from _inside(edit)


def _doubled(before: Sequence[SceneSection], after: Sequence[SceneSection]) -> Iterator[SceneSection]:
    """Later headings that stand more often below the same one than they did."""
    stood, seen = Counter(_paths(before)), Counter[tuple[str, str]]()
    for each, path in zip(after, _paths(after), strict=True):
        seen[path] += 1
        if seen[path] > max(1, stood[path]):
            yield each


def _paths(sections: Sequence[SceneSection]) -> list[tuple[str, str]]:
    """The titles of each section and of the one that it belongs to."""
    paths, above = [], list[SceneSection]()
    for each in sections:
        above = [upper for upper in above if upper.level < each.level]
        paths.append((bare_title(above[-1].title) if above else "", bare_title(each.title)))
        above.append(each)
    return paths


def _is_chief(section: SceneSection, edit: _Edit) -> bool:
    """Whether a heading is on the level of the planned ones, and not the title of the whole text."""
    levels = [each.level for each in edit.sections[1] if bare_title(each.title) in edit.planned]
    if not levels:
        return False
    is_title = section.level < min(levels) and not edit.after[: section.start].strip()
    return section.level <= min(levels) and not is_title


def _heading(section: SceneSection, text: str, other: str) -> Finding:
    end = text.find("\n", section.start)
    place = Place(section.start, len(text) if end < 0 else end, other)
    return finding("heading", place, text, hard=True)


def _inside(edit: _Edit) -> Iterator[Finding]:
    for each in edit.new:
        if any(sign in each.text for sign in ("```", "~~~", "<!--")):
            continue
        for found in _INSIDE.finditer(each.text):
            group = 1 if found[1] else 2
            place = Place(
                each.start + found.start(group), each.start + found.end(group), "inside a paragraph"
            )
            yield finding("heading", place, edit.after, hard=True)


def _unsourced(change: Change) -> Iterator[Place]:
    """New sentences with a figure that neither people gave, nor the text had, nor a cited work may have."""
    sentences = sentences_of(change.after)
    cited = (each.text for each in sentences if _is_cited(each))
    known = {
        _plain(number)
        for text in (change.told, change.before, *cited)
        for number in _ANY_NUMBER.findall(text)
    }
    for each in sentences:
        if (
            not each.offered
            or each.text in change.before
            or _is_cited(each)
            or any(sign in each.text for sign in _SPEECH)
        ):
            continue
        figures = [next(filter(None, found.groups())) for found in _FIGURE.finditer(each.text)]
        if unknown := [number for number in figures if _plain(number) not in known]:
            yield Place(each.start, each.end, ", ".join(dict.fromkeys(unknown)))


def _is_cited(sentence: Sentence) -> bool:
    return bool(sentence.citations or sentence.keys)


def _plain(number: str) -> str:
    return number.replace(",", ".").lstrip("0") or "0"
