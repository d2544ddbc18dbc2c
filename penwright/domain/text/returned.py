"""A document that came back with changes and comments: where its passages stand in the text by now."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from penwright.domain.text.ink_comments import Span
from penwright.domain.text.merging.three_way import merge
from penwright.domain.text.paragraphs import paragraph_spans, paragraphs
from penwright.domain.text.people_notes import ink_note
from schemas.documents import DocumentComment, PassageEdit
from schemas.patching import Merged

Brought = PassageEdit | DocumentComment
_SHOWN = 120
_SIGNS = re.compile(r"<!--.*?-->|[\W_]+", re.DOTALL)
_EDGES = re.compile(r"(?:<!--.*?-->\s*)*(?P<text>.*?)(?:\s*<!--.*?-->)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Returned:
    """The edits and comments of a document that came back; empty if there are none."""

    edits: tuple[PassageEdit, ...] = ()
    comments: tuple[DocumentComment, ...] = ()

    @property
    def people(self) -> tuple[str, ...]:
        """The names of all, in the order of the document; several of one edit as one name."""
        return tuple(dict.fromkeys([*map(names_of, self.edits), *map(names_of, self.comments)]))

    def by(self, people: str) -> "Returned":
        """The edits and comments of ``people``, one of the names."""
        return Returned(
            tuple(each for each in self.edits if names_of(each) == people),
            tuple(each for each in self.comments if names_of(each) == people),
        )


NOTHING = Returned()
"""Of a text without edits and comments."""


@dataclass(frozen=True, slots=True)
class TakenIn:
    """Counts of a document's changes and comments that were taken in, and the others."""

    waiting: int = 0
    """Changes that wait for a decision."""
    made: int = 0
    """Changes that are in the text."""
    comments: int = 0
    """Comments that are INK notes."""
    noted: int = 0
    """Changes that are INK notes."""
    again: int = 0
    """Changes and comments that were taken in before."""
    lost: tuple[str, ...] = ()
    """A sentence for each edit or comment that is not taken in."""


def together(shares: Sequence[TakenIn]) -> TakenIn:
    """The counts of several people's changes and comments as one."""
    return TakenIn(
        sum(each.waiting for each in shares),
        sum(each.made for each in shares),
        sum(each.comments for each in shares),
        sum(each.noted for each in shares),
        sum(each.again for each in shares),
        tuple(said for each in shares for said in each.lost),
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A passage of the text that a document is about."""

    start: int
    end: int
    before: str
    after: str
    """The passage as it reads by now, with the edit if there is one."""
    edit: PassageEdit | None = None
    comments: tuple[DocumentComment, ...] = ()

    @property
    def notes(self) -> str:
        """The comments as INK notes, each a paragraph with a blank line before; empty without any."""
        return "".join(f"\n\n{ink_note(each)}" for each in self.comments)


def places(text: str, returned: Returned) -> tuple[tuple[Place, ...], tuple[Brought, ...]]:
    """Find the passages of edits and comments, both in the order of the document.

    A passage is found by its letters and figures: other quotes, wrapping and marks of emphasis do not matter.

    Returns:
        The places in the order of the text, and what has none.
    """
    there = _Passages(text)
    found: dict[int, Place] = {}
    lost: list[Brought] = [*_enter_edits(there, returned.edits, found)]
    lost += _enter_comments(there, returned.comments, found)
    return tuple(found[index] for index in sorted(found)), tuple(lost)


def not_yet_in(text: str, returned: Returned) -> Returned:
    """Return what was not taken in before: a document may be given twice."""
    there = _Passages(text)
    return Returned(
        tuple(each for each in returned.edits if change_note(each) not in text and not there.has_made(each)),
        tuple(each for each in returned.comments if ink_note(each) not in text),
    )


def change_note(edit: PassageEdit) -> str:
    """The edit as an INK note, for a text in which only its author or a person may make it."""
    would = (
        f"tracked change: this would read: {edit.after}" if edit.after else "tracked change: this would go"
    )
    return ink_note(DocumentComment(by=names_of(edit), text=would))


def _enter_edits(
    there: "_Passages", edits: Sequence[PassageEdit], found: dict[int, Place]
) -> Iterator[PassageEdit]:
    """Enter the place of each edit by its number; yields those without one."""
    position = 0
    for edit in edits:
        index = there.index(_key(edit.before), position)
        if index is None or index in found:
            yield edit
        else:
            found[index], position = _edited(there.text, there.spans[index], edit), index


def _enter_comments(
    there: "_Passages", comments: Sequence[DocumentComment], found: dict[int, Place]
) -> Iterator[DocumentComment]:
    """Enter comments at their passages, or at the edits that make these; yields those without a place."""
    made = {_key(each): index for index, place in found.items() for each in paragraphs(place.after)}
    position = 0
    for comment in comments:
        wanted = _key(comment.passage)
        index = there.index(wanted, position)
        index = made.get(wanted) if index is None else index
        if index is None:
            yield comment
            continue
        here = found.get(index) or _unedited(there.text, there.spans[index])
        found[index], position = replace(here, comments=(*here.comments, comment)), index


def with_places(text: str, new: Sequence[tuple[Place, str]]) -> str:
    """The text with another one at each place; a passage that goes leaves no gap."""
    for place, words in sorted(new, key=lambda each: each[0].start, reverse=True):
        after = text[place.end :] if words else text[place.end :].lstrip("\n")
        text = f"{text[: place.start]}{words}{after}"
    return text


def names_of(about: Brought) -> str:
    """The names of those who made an edit or comment, in one line."""
    return about.by if isinstance(about, DocumentComment) else ", ".join(about.people)


def not_found(about: Brought) -> str:
    """A sentence about an edit or comment whose passage the text does not have."""
    is_deletion = isinstance(about, PassageEdit) and not about.after
    return left_out(about, "is gone already, or was changed" if is_deletion else "is not in the text")


def left_out(about: Brought, why: str) -> str:
    """A sentence about an edit or comment that is not taken in."""
    if isinstance(about, DocumentComment):
        return f"comment left out, because its passage {why}: {about.by}: {about.text}"
    old, new = (text[:_SHOWN] for text in (about.before, about.after))
    return f"change left out, because its passage {why}: {names_of(about)}: {old!r} would be {new!r}"


class _Passages:
    """The paragraphs of a text, and what they are found by."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans = [span for each in paragraph_spans(text) if (span := _bare(text, each))]
        self._keys = [_key(text[start:end]) for start, end in self.spans]

    def has_made(self, edit: PassageEdit) -> bool:
        """Whether its passages are there as it made them, and not as they were."""
        after = {*map(_key, paragraphs(edit.after))} - {""}
        return bool(after) and after <= {*self._keys} and self.index(_key(edit.before), 0) is None

    def index(self, wanted: str, position: int) -> int | None:
        """The next one from ``position`` on, or, where a text was rearranged, the first before it."""
        order = [*range(position, len(self._keys)), *range(position)] if wanted else []
        return next((index for index in order if self._keys[index] == wanted), None)


def _edited(text: str, span: Span, edit: PassageEdit) -> Place:
    before = text[slice(*span)]
    # What the text's own form differs in from the document's stays.
    merged = merge(edit.before, before, edit.after)
    return Place(*span, before, merged.text if isinstance(merged, Merged) else edit.after, edit)


def _unedited(text: str, span: Span) -> Place:
    before = text[slice(*span)]
    return Place(*span, before, before)


def _bare(text: str, span: Span) -> Span | None:
    """The span without comments at its edges; None if nothing else is in it."""
    found = _EDGES.fullmatch(text, *span)
    start, end = found.span("text") if found else span
    return (start, end) if start < end else None


def _key(passage: str) -> str:
    return _SIGNS.sub("", passage.casefold())
