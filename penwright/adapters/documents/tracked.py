"""Tracked changes and comments of a DOCX: marked in its XML, so that they come through pandoc in place.

Pandoc itself accepts or rejects the changes. Its ``--track-changes=all`` is not used: it moves the blanks at
the edges of a change out of it, and joins what is left with one blank too many.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import unescape
from itertools import count
from xml.etree import ElementTree

from penwright.adapters.documents.archives import with_changes
from penwright.domain.text.comparing.passage_pairs import paired
from penwright.domain.text.markdown_escapes import escaped_start
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.people_notes import ink_note
from schemas.documents import Changes, DocumentComment, PassageEdit, ReadDocument

_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")

# Noncharacters of Unicode, which no text has.
_PERSON, _COMMENT, _END = "\ufdd0", "\ufdd1", "\ufdd2"
_MARK = re.compile(f"([{_PERSON}{_COMMENT}])([0-9]+){_END}")
_KINDS = rb"(?:ins|del|moveFrom|moveTo)"
_ATTRIBUTES = rb"(?:\s(?:[^<>]*[^<>/])?)?"
_CHANGE = re.compile(
    rb"<w:(?P<kind>%s)(?P<said>%s)>(?:(?!</w:(?P=kind)>).)*?<w:(?:t|delText)%s>"
    % (_KINDS, _ATTRIBUTES, _ATTRIBUTES),
    re.DOTALL,
)
_PARAGRAPH_MARK = re.compile(
    rb"<w:pPr>(?:(?!</w:pPr>).)*?<w:(?:ins|del)(?P<said>\s[^<>]*)/>(?:(?!</w:pPr>).)*?</w:pPr>", re.DOTALL
)
_NAMED = re.compile(rb"<w:(?P<kind>%s)(?P<said>(?:\s[^<>]*?)?)(?P<end>/?>)" % _KINDS)
_REFERENCE = re.compile(rb'<w:commentReference\s[^<>]*?w:id="(?P<id>[0-9]+)"[^<>]*/>')
_AUTHOR = re.compile(rb'\sw:author="([^"]*)"')
_ANY = re.compile(rb"<w:%s[\s/>]" % _KINDS)
_NAMELESS = "a reviewer"

_WHOLE = re.compile(
    rb"(?P<style><w:pPr>(?:(?!</w:pPr>).)*)(?P<rest></w:pPr>\s*<w:(?P<kind>ins|del)(?P<said> [^<>]*)>"
    rb"(?:(?!</w:(?P=kind)>).)*</w:(?P=kind)>\s*</w:p>)",
    re.DOTALL,
)
_NUMBER = re.compile(rb'(<w:(?:ins|del)\s(?:[^<>]*\s)?w:id=")[0-9]+')
_ANY_NUMBER = re.compile(rb'\sw:id="([0-9]+)"')


@dataclass(frozen=True, slots=True)
class Marked:
    """A document with a mark in each change and at each comment."""

    content: bytes
    people: tuple[str, ...]
    """Names of those who changed it, by the number in a mark."""
    comments: Mapping[str, DocumentComment]
    """By the number in a mark, without their places."""
    changes: int


def marked(archive: bytes) -> Marked:
    """Mark what ``checked_archive`` returned."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        texts = {name: packed.read(name) for name in packed.namelist()}
    people: list[str] = []
    changes = sum(len(_ANY.findall(texts.get(name, b""))) for name in _PARTS)
    comments = _comments(texts.get("word/comments.xml", b""))
    content = with_changes(archive, lambda name, text: _with_marks(text, people) if name in _PARTS else text)
    return Marked(content, tuple(people), comments, changes)


def settled(read: ReadDocument, found: Marked, changes: Changes) -> ReadDocument:
    """The document whose changes pandoc has accepted or rejected, its comments as INK notes in the text."""
    pieces = (
        piece
        for passage in paragraphs(read.markdown)
        for piece in (without_marks(passage), *map(ink_note, _placed(passage, found).values()))
    )
    here = _placed(read.markdown, found)
    said = [_counted(f"tracked changes {changes}ed", found.changes, found.people), *_told(here, found)]
    return _plain(read).model_copy(
        update={
            "markdown": "\n\n".join(piece for piece in pieces if piece.strip()) + "\n",
            "people": found.people if changes == "accept" else (),
            "left_out": (*read.left_out, *filter(None, said)),
        }
    )


def to_review(base: ReadDocument, changed: ReadDocument, found: Marked) -> ReadDocument:
    """The document without its changes; they and the comments stand beside its text.

    Args:
        base, changed: as pandoc reads it, all changes rejected or accepted.
    """
    comments = _placed(changed.markdown, found) | _placed(base.markdown, found)
    edits = tuple(_edits(base.markdown, changed.markdown, found))
    said = (_counted("tracked changes to be reviewed", found.changes, found.people), *_told(comments, found))
    return _plain(base).model_copy(
        update={
            "markdown": without_marks(base.markdown),
            "edits": edits,
            "comments": tuple(comments.values()),
            "left_out": (*base.left_out, *filter(None, said)),
        }
    )


def without_marks(markdown: str) -> str:
    """The text of a conversion; what begins a line after a mark was not escaped there, and is now."""
    lines = (
        escaped_start(_MARK.sub("", line).lstrip(" ")) if _MARK.match(line) else _MARK.sub("", line)
        for line in markdown.split("\n")
    )
    return "\n".join(lines)


def _plain(read: ReadDocument) -> ReadDocument:
    fields = {name: _MARK.sub("", getattr(read, name)).strip() for name in ("title", "author", "abstract")}
    return read.model_copy(update=fields)


def _placed(markdown: str, found: Marked) -> dict[str, DocumentComment]:
    """The comments whose place is in a converted text, by their numbers, each with its passage."""
    return {
        number: found.comments[number].model_copy(update={"passage": without_marks(passage).strip()})
        for passage in paragraphs(markdown)
        for number in _numbers(passage, _COMMENT)
        if number in found.comments
    }


def _told(placed: Mapping[str, DocumentComment], found: Marked) -> Iterator[str]:
    """The comments that came in, and those that have no place in the text."""
    yield _counted("comments as INK notes", len(placed), [each.by for each in placed.values()])
    for number, each in found.comments.items():
        if number not in placed:
            yield f"comment left out, because its passage is not in the text: {each.by}: {each.text}"


def _counted(what: str, number: int, people: Iterable[str]) -> str:
    """``tracked changes accepted: 6, by Anna Bell and Ben Ode``; empty without any."""
    names = [*dict.fromkeys(people)]
    by = f", by {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}" if names else ""
    return f"{what}: {number}{by}" if number else ""


def _edits(before: str, after: str, found: Marked) -> Iterator[PassageEdit]:
    """Each passage that changed; a new paragraph goes with the one before it, or else the one after."""
    old, new = _passages(before), _passages(after)
    before_texts, after_texts = ([text for text, _ in side] for side in (old, new))
    for kind, start, end, first, last in SequenceMatcher(
        None, before_texts, after_texts, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        for olds, news in _joined(
            paired(before_texts, after_texts, range(start, end), range(first, last)), len(old)
        ):
            numbers = _numbers("".join(raw for _, raw in (*old[olds], *new[news])), _PERSON)
            people = dict.fromkeys(found.people[int(number)] for number in numbers)
            yield PassageEdit(
                before="\n\n".join(before_texts[olds]),
                after="\n\n".join(after_texts[news]),
                people=tuple(people) or _only(found.people),
            )


def _only(people: Sequence[str]) -> tuple[str, ...]:
    """The author of a change without a mark: the end of a paragraph has none."""
    return tuple(people) if len(people) == 1 else (_NAMELESS,)


def _joined(pairs: Iterable[tuple[range, range]], count: int) -> Iterator[tuple[slice, slice]]:
    """The pairs, so joined that each has a passage of the old text, which has ``count``, if it has any."""
    joined: list[tuple[range, range]] = []
    for olds, news in pairs:
        if joined and not (olds and joined[-1][0]):
            olds, news = range(joined[-1][0].start, olds.stop), range(joined[-1][1].start, news.stop)
            joined.pop()
        joined.append((olds, news))
    for olds, news in joined:
        ahead = not olds and olds.start > 0
        after = not olds and not ahead and olds.start < count
        yield slice(olds.start - ahead, olds.stop + after), slice(news.start - ahead, news.stop + after)


def _passages(markdown: str) -> list[tuple[str, str]]:
    """The paragraphs of a converted text, each without and with its marks."""
    found = ((without_marks(each).strip(), each) for each in paragraphs(markdown))
    return [each for each in found if each[0]]


def _numbers(text: str, sign: str) -> list[str]:
    return [number for kind, number in _MARK.findall(text) if kind == sign]


def _with_marks(xml: bytes, people: list[str]) -> bytes:
    """The XML with marks; ``people`` gets the names that are new."""

    def mark(said: bytes) -> bytes:
        name = _AUTHOR.search(said)
        person = " ".join(unescape(name[1].decode("utf-8", "replace")).split()) if name else ""
        if (person := person or _NAMELESS) not in people:
            people.append(person)
        return f"{_PERSON}{people.index(person)}{_END}".encode()

    xml = _NAMED.sub(_with_name, xml)
    xml = _CHANGE.sub(lambda match: match[0] + mark(match["said"]), xml)
    xml = _PARAGRAPH_MARK.sub(lambda match: match[0] + b"<w:r><w:t>%s</w:t></w:r>" % mark(match["said"]), xml)
    sign = f"<w:t>{_COMMENT}%d{_END}</w:t>".encode()
    return _REFERENCE.sub(lambda match: sign % int(match["id"]), xml)


def _with_name(change: re.Match[bytes]) -> bytes:
    """A change with a number and an author: without them pandoc leaves its text out."""
    said = change["said"]
    missing = b"".join(
        b" " + name + b'="' + value + b'"'
        for name, value in ((b"w:id", b"0"), (b"w:author", _NAMELESS.encode()))
        if name + b"=" not in said
    )
    return change[0] if not missing else b"<w:" + change["kind"] + missing + said + change["end"]


def _comments(xml: bytes) -> dict[str, DocumentComment]:
    """The comments by their numbers. Names are read without their namespace, of which there are two."""
    elements = ElementTree.fromstring(xml).iter() if xml else ()
    return dict(_comment(each) for each in elements if _local(each.tag) == "comment")


def _comment(element: ElementTree.Element) -> tuple[str, DocumentComment]:
    said = {_local(name): value for name, value in element.items()}
    lines = (
        "".join(part.text or "" for part in line.iter() if _local(part.tag) == "t")
        for line in element.iter()
        if _local(line.tag) == "p"
    )
    by = " ".join(said.get("author", "").split()) or _NAMELESS
    return said.get("id", ""), DocumentComment(by=by, text=" ".join(" ".join(lines).split()))


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def with_paragraph_marks(xml: bytes) -> bytes:
    """Return ``word/document.xml`` so that accepting or rejecting a paragraph leaves no empty one."""
    return _numbered(_WHOLE.sub(rb"\g<style><w:rPr><w:\g<kind>\g<said> /></w:rPr>\g<rest>", xml))


def _numbered(xml: bytes) -> bytes:
    """Give each change a number of its own: pandoc counts insertions and deletions apart."""
    numbers = count(max(map(int, _ANY_NUMBER.findall(xml)), default=0) + 1)
    return _NUMBER.sub(lambda found: found[1] + b"%d" % next(numbers), xml)
