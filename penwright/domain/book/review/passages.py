"""The waiting prose passage by passage, as an author reviews it, and the file after a decision."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from penwright.domain.book.review.delivery import Rework
from penwright.domain.book.review.markers import annotation_length, annotation_readings, own_line
from penwright.domain.book.review.waiting_prose import managed_length
from penwright.domain.text.cutting import Cut
from penwright.domain.text.ink_comments import Comment, Span, parse_comments, parse_marked
from penwright.errors import UsageMistake
from schemas.prose import Finding

Verdict = Literal["accept", "reject", "comment", "replace"]
_BLANK = re.compile(r"\n(?:[ \t]*\n)+")
_HEADING = re.compile(r"#{1,6}[ \t].*")
_LONGEST_NOTE = 2_000


@dataclass(frozen=True, slots=True)
class Passage:
    """One paragraph of new prose, or one reworked passage with what it replaces."""

    id: str
    """Of its content: another text is another passage."""
    kind: Literal["new", "reworked"]
    text: str
    """Without comments."""
    before: str = ""
    """Of a reworked one: the old text, without comments."""
    answered: str = ""
    """Of a reworked one: the note that it answers."""
    notes: tuple[str, ...] = ()
    """Notes of the author in it that the next session answers."""
    start: int = 0
    end: int = 0
    """Its place in the file, in code points; with LF."""
    kept: str = ""
    """Text that stays if it is accepted, with its comments."""
    restored: str = ""
    """Text that takes its place if it is rejected: the old one, with its comments."""
    found: tuple[Finding, ...] = ()
    """Findings of the rules of prose in it."""
    intended: tuple[Finding, ...] = ()
    """Those that the author means so."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Verdict of the author on one passage."""

    passage: str
    verdict: Verdict
    """``accept``: keep it; a reworked one loses its old text. ``reject``: take a new one out, and bring the
    old text of a reworked one back. ``comment``: ask for a rework. ``replace``: the author's own words."""
    text: str = ""
    """The note, or the words."""


def passages(review: str) -> tuple[Passage, ...]:
    """The passages of ``Review/current.md``, in story order.

    Args:
        review: the file with LF.
    """
    marked = parse_marked(review)
    markers = [each for each in marked.comments if each.kind == "marker"]
    blocks = tuple(_rework_blocks(review, markers))
    cuts = [
        *blocks,
        *(own_line(review, each.start, each.end) for each in markers),
        (0, managed_length(review)),
    ]
    found = [_reworked(review, block) for block in blocks]
    for start, end in _between(sorted(cuts), len(review)):
        found += (
            _new(review, span, marked.comments) for span in _paragraphs(review, start, end, marked.opaque)
        )
    return _numbered(_with_lone_notes(review, sorted(found, key=lambda each: each.start)))


def notes_without_prose(review: str) -> tuple[str, ...]:
    """The author's notes in a file without any passage at which they could stand."""
    return () if passages(review) else _read(review)[1]


def _with_lone_notes(review: str, found: Sequence[Passage]) -> Sequence[Passage]:
    """The prose; notes in paragraphs of their own stand at the passage before, which they are about.

    Notes of a heading, and those that stand first, are shown at the passage that follows.
    """
    prose: list[Passage] = []
    ahead: tuple[str, ...] = ()
    for each in found:
        if _is_prose(each):
            prose.append(replace(each, notes=(*ahead, *each.notes)))
            ahead = ()
        elif prose and not each.text:
            prose[-1] = _noted(review, prose[-1], each)
        else:
            ahead += each.notes
    if ahead and prose:
        prose[-1] = replace(prose[-1], notes=(*prose[-1].notes, *ahead))
    return prose


def _noted(review: str, passage: Passage, alone: Passage) -> Passage:
    """The passage with the notes that follow it; of a new one they are a part, and go where it goes."""
    notes = (*passage.notes, *alone.notes)
    if not alone.notes or passage.kind == "reworked" or review[passage.end : alone.start].strip():
        return replace(passage, notes=notes)
    return replace(passage, notes=notes, end=alone.end, kept=review[passage.start : alone.end])


def _is_prose(passage: Passage) -> bool:
    """A heading alone is nothing that an author accepts or rejects: it stands with what follows it."""
    return bool(passage.before or passage.text) and not (
        passage.kind == "new" and _HEADING.fullmatch(passage.text)
    )


def decided(review: str, decisions: Sequence[Decision]) -> str:
    """The file after the decisions; passages that are not named stay.

    Raises:
        UsageMistake: ``unknown-passage``: it was changed meanwhile; ``bad-note``: it would end the comment,
            is empty, or too long.
    """
    known = {each.id: each for each in passages(review)}
    cuts: list[tuple[Passage, str]] = []
    for decision in decisions:
        if decision.passage not in known:
            raise UsageMistake(
                "unknown-passage",
                "this passage was changed meanwhile",
                hint="load the page again and look at it",
            )
        passage = known[decision.passage]
        cuts.append((passage, _after(passage, decision)))
    for passage, text in sorted(cuts, key=lambda cut: cut[0].start, reverse=True):
        review = _with(review, passage, text)
    return review


def _after(passage: Passage, decision: Decision) -> str:
    match decision.verdict:
        case "accept":
            return passage.kept
        case "reject":
            return passage.restored
        case "comment":
            return f"{passage.kept.rstrip()} <!-- INK: {checked_note(decision.text)} -->"
        case "replace":
            return decision.text.strip("\n")
        case _ as never:
            assert_never(never)


def checked_note(text: str) -> str:
    """The text of an INK note; raises ``UsageMistake`` as ``decided``."""
    note = " ".join(text.split())
    if not note or len(note) > _LONGEST_NOTE or "--" in note or "\x00" in note:
        raise UsageMistake(
            "bad-note",
            f"a note has 1 to {_LONGEST_NOTE:,} characters, and no two hyphens in a row",
            hint="say in a sentence what you want there",
        )
    return note


def _with(review: str, passage: Passage, text: str) -> str:
    """The file with ``text`` in place of a passage; without one, a single blank line is left there."""
    before, after = review[: passage.start], review[passage.end :]
    if text:
        return f"{before}{text}{after}"
    return f"{before}{after.lstrip(chr(10))}" if before.endswith("\n") or not before else f"{before}{after}"


def _rework_blocks(review: str, markers: Sequence[Comment]) -> Iterator[Span]:
    """The spans of reworked passages, without the end of their last line."""
    opened: Comment | None = None
    for marker in markers:
        if marker.text == "REWORKED:START":
            opened = marker
        elif marker.text == "REWORKED:END" and opened is not None:
            yield opened.start, marker.end
            opened = None


def _reworked(review: str, block: Span) -> Passage:
    raw = review[block[0] : block[1]]
    marks = [each for each in parse_marked(raw).comments if each.kind == "marker"]
    inner_end = next(
        (each.start for each in marks if each.text in ("ORIGINAL:START", "REWORKED:END")), len(raw)
    )
    body = raw[marks[0].end : inner_end].strip("\n")
    ends = [each for each in marks if each.text in ("ORIGINAL:START", "ORIGINAL:END", "REWORKED:END")]
    before = raw[ends[0].end : ends[1].start].strip("\n") if ends[0].text == "ORIGINAL:START" else ""
    readings = annotation_readings(body[: annotation_length(body)].rstrip("\n"))
    kept = Rework(body).text
    text, notes = _read(kept)
    return Passage(
        id="",
        kind="reworked",
        text=text,
        before=_read(before)[0],
        answered=readings[-1][0] if readings else "",
        notes=notes,
        start=block[0],
        end=block[1],
        kept=kept,
        restored=before,
    )


def _read(raw: str) -> tuple[str, tuple[str, ...]]:
    """A text without its comments, and the notes among them."""
    return _without(raw, parse_comments(raw), 0)


def _without(raw: str, comments: Sequence[Comment], begin: int) -> tuple[str, tuple[str, ...]]:
    """``raw`` without ``comments``, and the notes among them; ``begin``: where it stands in their text."""
    text = Cut(raw, ((each.start - begin, each.end - begin) for each in comments)).text
    return text.strip(), tuple(each.text for each in comments if each.kind == "instruction")


def _new(review: str, span: Span, comments: Sequence[Comment]) -> Passage:
    start, end = span
    inside = [each for each in comments if start <= each.start < end and each.kind != "marker"]
    kept = review[start:end]
    text, notes = _without(kept, inside, start)
    return Passage(id="", kind="new", text=text, notes=notes, start=start, end=end, kept=kept)


def _between(cuts: Sequence[Span], length: int) -> Iterator[Span]:
    position = 0
    for start, end in cuts:
        if start > position:
            yield position, start
        position = max(position, end)
    if position < length:
        yield position, length


def _paragraphs(review: str, start: int, end: int, opaque: Sequence[Span]) -> Iterator[Span]:
    """The paragraphs of a stretch; a blank line in code divides nothing."""
    position = start
    for blank in _BLANK.finditer(review, start, end):
        if any(first < blank.start() < last for first, last in opaque):
            continue
        yield from _trimmed(review, position, blank.start())
        position = blank.end()
    yield from _trimmed(review, position, end)


def _trimmed(review: str, start: int, end: int) -> Iterator[Span]:
    text = review[start:end]
    if stripped := text.strip():
        first = start + text.index(stripped)
        yield first, first + len(stripped)


def _numbered(found: Sequence[Passage]) -> tuple[Passage, ...]:
    """The same with ids; equal passages are told apart by their order."""
    seen: Counter[str] = Counter()
    named = []
    for each in found:
        content = "\x1f".join((each.kind, each.text, each.before, *each.notes))
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        seen[digest] += 1
        named.append(replace(each, id=digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"))
    return tuple(named)
