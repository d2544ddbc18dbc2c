"""Which characters of a text one operation of a model's reply would change."""

from dataclasses import dataclass
from typing import NamedTuple

from penwright.domain.text.locator import locate, occurrences
from penwright.domain.text.merging.reconcile import uses_crlf
from penwright.domain.text.patching.patch_messages import refused_message
from schemas.patching import Ambiguous, NotFound, Operation, OperationResult, Span, Unique

_CLOSING = tuple(".,;:!?)]}”’")
_TELLING = 20
"""Characters from which new text that stands somewhere shows that the operation was carried out before."""


class Edit(NamedTuple):
    """``text`` takes the place of the characters from ``start`` to ``end``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """Operation with its result so far; without edits it changes nothing."""

    result: OperationResult
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class _Places:
    spans: tuple[Span, ...]
    distance: int
    exact: bool


def proposed(index: int, operation: Operation, text: str, within: Span | None = None) -> Proposed:
    """The edits of one operation, or why it has none.

    An empty ``find`` puts the text at the end, if the operation appends or the text is empty. Text that is
    inserted becomes a paragraph of its own after the end of a line and follows a space inside one; if it
    begins with whitespace itself, it is taken as it is, but at the end of a text it begins a paragraph.

    Args:
        within: where its passage is looked for first.
    """
    if not _is_count(operation.count):
        return refused(index, operation, "bad_count")
    at_end = operation.kind == "append" or (operation.kind != "delete" and not text.strip())
    if at_end and (operation.kind == "append" or not operation.find):
        return _inserted(index, operation, text, _Places((Span(start=len(text), end=len(text)),), 0, True))
    if not operation.find:
        return refused(index, operation, "empty_find")
    places = _places_within(index, operation, text, within) if within else _places(index, operation, text)
    if isinstance(places, Proposed):
        return places
    return (_inserted if operation.kind == "insert_after" else _replaced)(index, operation, text, places)


def refused(index: int, operation: Operation, outcome: str, **details: object) -> Proposed:
    """A result of an operation that changes nothing; ``details`` are its fields and those of its message."""
    message = refused_message(outcome, operation, details)
    fields = {name: details[name] for name in ("distance", "nearest") if name in details}
    return Proposed(
        OperationResult.model_validate({"index": index, "outcome": outcome, "message": message, **fields})
    )


def _is_count(count: int | str) -> bool:
    return count == "all" or (isinstance(count, int) and count >= 1)


def _places_within(index: int, operation: Operation, text: str, within: Span) -> _Places | Proposed:
    """The places in one section; in all of the text if the section has no such passage."""
    found = _places(index, operation, text[within.start : within.end])
    if isinstance(found, Proposed):
        return _places(index, operation, text) if found.result.outcome == "not_found" else found
    moved = (Span(start=each.start + within.start, end=each.end + within.start) for each in found.spans)
    return _Places(tuple(moved), found.distance, found.exact)


def _places(index: int, operation: Operation, text: str) -> _Places | Proposed:
    if operation.count != 1:
        spans, exact = occurrences(operation.find, text)
        if isinstance(operation.count, int) and 0 < len(spans) < operation.count:
            return refused(index, operation, "bad_count", found=len(spans))
        if spans:
            wanted = len(spans) if operation.count == "all" else int(operation.count)
            return _Places(spans[:wanted], 0, exact)
    match locate(operation.find, text):
        case Unique(span=span, distance=distance, exact=exact) if operation.count == 1:
            return _Places((span,), distance, exact)
        case Ambiguous() as found if operation.count == 1:
            nearest = "\n\n".join(each.excerpt for each in found.candidates)
            return refused(index, operation, "ambiguous", nearest=nearest, found=found.count)
        case NotFound() as missing:
            return _missing(index, operation, text, missing)
        case Unique() | Ambiguous() as near:
            nearest = text[near.span.start : near.span.end] if isinstance(near, Unique) else ""
            return refused(index, operation, "not_found", nearest=nearest)


def _missing(index: int, operation: Operation, text: str, missing: NotFound) -> Proposed:
    new = operation.replace.strip()
    if operation.kind == "replace" and len(new) >= _TELLING and occurrences(new, text)[0]:
        return refused(index, operation, "already_applied")
    near = missing.nearest
    details = {"distance": near.distance, "nearest": near.excerpt} if near else {}
    return refused(index, operation, missing.outcome, **details)


def _replaced(index: int, operation: Operation, text: str, places: _Places) -> Proposed:
    new = "" if operation.kind == "delete" else _fitted(operation, text, places)
    spans = [span for span in places.spans if not _stands(new, text, span)]
    return _applied(index, operation, places, [Edit(span.start, span.end, new) for span in spans])


def _stands(new: str, text: str, span: Span) -> bool:
    """Whether the new text stands there already, around the passage that it was made from."""
    return bool(new) and new in text[max(0, span.end - len(new)) : span.start + len(new)]


def _fitted(operation: Operation, text: str, places: _Places) -> str:
    """The new text with the line ends of the text.

    A passage that was found without the whitespace at its ends keeps it, so the new text gives it up.
    """
    find, new = operation.find, operation.replace
    if not places.exact:
        lead, trail = find[: len(find) - len(find.lstrip())], find[len(find.rstrip()) :]
        new = new.removeprefix(lead).removesuffix(trail)
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if uses_crlf(text) else new


def _inserted(index: int, operation: Operation, text: str, places: _Places) -> Proposed:
    new, last = _fitted(operation, text, places), len(text.rstrip())
    if operation.kind == "append" and last:
        new = new.lstrip()
    ends = (span.end for span in places.spans)
    edits = [
        Edit(end, end, _joined(text, end, new, last)) for end in ends if not _follows(new, text, end, last)
    ]
    return _applied(index, operation, places, edits)


def _follows(new: str, text: str, place: int, last: int) -> bool:
    """Whether the text to insert stands there already; at the end of the text it would stand before it."""
    bare = new.strip()
    if place >= last:
        return text.endswith(bare, 0, last)
    return text[place : place + len(new) + 4].lstrip().startswith(bare)


def _joined(text: str, place: int, new: str, last: int) -> str:
    """The text to insert with what parts it from its neighbours; ``last`` is the end of the last word."""
    before, after = text[max(0, place - 4) : place], text[place : place + 4]
    if new[0].isspace() or not last:
        return new
    if before.endswith("\n") or after.startswith(("\n", "\r\n")) or not after:
        line_end = "\r\n" if uses_crlf(text) else "\n"
        return _paragraph(before, after, new, line_end, is_last=place >= last)
    lead = "" if not before or before[-1].isspace() or new.startswith(_CLOSING) else " "
    return lead + new + ("" if after[0].isspace() or after.startswith(_CLOSING) else " ")


def _paragraph(before: str, after: str, new: str, line_end: str, *, is_last: bool) -> str:
    """The text between blank lines; at the end of all it has a line end if the text before it had one."""
    standing = len(before) - len(before.rstrip("\r\n"))
    lead = line_end * max(0, 2 - standing // len(line_end)) if before else ""
    following = len(after) - len(after.lstrip("\r\n")) + len(new) - len(new.rstrip("\r\n"))
    wanted = int(before.endswith("\n")) if is_last else 2
    return lead + new + line_end * max(0, wanted - following // len(line_end))


def _applied(index: int, operation: Operation, places: _Places, edits: list[Edit]) -> Proposed:
    if not edits:
        return refused(index, operation, "already_applied")
    message = "put at the end; an append does not look for a passage" if _is_aimed(operation) else ""
    result = OperationResult(
        index=index, outcome="applied", distance=places.distance, places=len(edits), message=message
    )
    return Proposed(result, tuple(edits))


def _is_aimed(operation: Operation) -> bool:
    return operation.kind == "append" and bool(operation.find)
