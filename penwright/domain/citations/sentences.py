"""A manuscript's sentences, numbered, with their offsets.

Citations, maths, code and addresses are never divided. A sentence has the citations that follow it. Where it
is not sure that a sentence ends, it does not: two sentences in one cost less than half a sentence.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.citations.abbreviations import is_abbreviation
from penwright.domain.citations.passages import Passage, passages_of
from penwright.domain.text.citation_tokens import Token, tokens_of
from penwright.domain.text.inline_citations import InlineCitation, citation_of, keys_named_in

_CLOSERS = "'\"”’»)\\]}*_」』）】》"
_END = re.compile(
    rf"(?P<spaced>[.!?…؟۔։፧]+[{_CLOSERS}]*)(?=\s|$|\[|<sup>|[⁰¹²³⁴-⁹])"
    rf"|(?P<dense>[。！？｡।॥።៕။]+[{_CLOSERS}]*)"
)
"""Ends that a sentence may have; the dense ones need no blank after them."""
NOTE_MARKS = re.compile(
    r"(?:\[\^[^\]\s]{1,60}\]|\[\d{1,3}(?:[,;–-] ?\d{1,3}){0,9}\](?!\()|[⁰¹²³⁴-⁹]+|<sup>[^<]{1,20}</sup>)+"
)
"""Marks of footnotes right behind the end of a sentence, which belong to it."""
_WORD_BEFORE = re.compile(r"[^\s(\[{“\"'’‘«„—–/]*$")
_OPENERS = "\"'“‘«„([{*_¿¡「『（【《"
_LONGEST_WORD = 40
_BLANK = re.compile(r"\s*")
_LETTER = re.compile(r"[^\W\d_]", re.UNICODE)
_REFERENCE_LIST = re.compile(
    r"(?:references|bibliography|works cited|literature cited|literatur(?:verzeichnis)?|références"
    r"|bibliographie|referencias|bibliografía|参考文献|参考資料)",
    re.IGNORECASE,
)
_SECTION_NUMBER = re.compile(r"^[\s\d.]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and its citations."""

    number: int
    """From 1, over all of the text."""
    start: int
    end: int
    """After its last citation; without blanks."""
    text: str
    section: str
    """Title of the heading above it."""
    offered: bool
    """Whether it may be cited for; headings, tables, lists of references and lines without words are not."""
    citations: tuple[InlineCitation, ...]
    keys: tuple[str, ...] = ()
    """Keys that it names without an entry, as ``[@key]`` or ``@key``."""


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of ``text``, in order and apart; between them stand blanks, marks, code and comments."""
    tokens = tokens_of(text)
    starts = [token.start for token in tokens]
    found = (
        (passage, span)
        for passage in passages_of(text, tokens)
        if passage.kind in ("prose", "heading", "table")
        for span in _spans(text, passage, _inside(passage, tokens, starts))
    )
    return tuple(
        _sentence(text, number, passage, span, _tokens_in(span, tokens, starts))
        for number, (passage, span) in enumerate(found, 1)
    )


def is_reference_heading(title: str) -> bool:
    """Whether a heading stands above a list of references."""
    return _REFERENCE_LIST.fullmatch(_SECTION_NUMBER.sub("", title).strip()) is not None


def _inside(passage: Passage, tokens: Sequence[Token], starts: Sequence[int]) -> Sequence[Token]:
    return _tokens_in((passage.start, passage.end), tokens, starts)


def _tokens_in(span: tuple[int, int], tokens: Sequence[Token], starts: Sequence[int]) -> Sequence[Token]:
    return tokens[bisect_right(starts, span[0] - 1) : bisect_right(starts, span[1] - 1)]


def _sentence(
    text: str, number: int, passage: Passage, span: tuple[int, int], tokens: Sequence[Token]
) -> Sentence:
    start, end = span
    return Sentence(
        number=number,
        start=start,
        end=end,
        text=text[start:end],
        section=passage.section,
        offered=_is_offered(text, passage, span, tokens),
        citations=tuple(citation_of(text, each) for each in tokens if each.kind == "citation"),
        keys=tuple(key for key, _ in keys_named_in(text, tokens)),
    )


def _is_offered(text: str, passage: Passage, span: tuple[int, int], tokens: Sequence[Token]) -> bool:
    if passage.kind != "prose" or is_reference_heading(passage.section):
        return False
    if any(each.kind == "broken" for each in tokens):
        return False
    behind, words = span[0], []
    for token in tokens:
        words.append(text[behind : token.start])
        behind = token.end
    return _LETTER.search("".join([*words, text[behind : span[1]]])) is not None


def _spans(text: str, passage: Passage, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of a block; a heading is one."""
    start = _skip(text, passage.start, passage.end)
    if passage.kind == "prose":
        for end in _ends(text, passage, tokens):
            if end > start:
                yield start, end
                start = _skip(text, end, passage.end)
    stop = passage.start + len(text[passage.start : passage.end].rstrip())
    if start < stop:
        yield start, stop


def _skip(text: str, at: int, limit: int) -> int:
    found = _BLANK.match(text, at, limit)
    return found.end() if found else at


def _ends(text: str, passage: Passage, tokens: Sequence[Token]) -> Iterator[int]:
    """Find the ends of sentences, without the last one of the block if nothing marks its end."""
    follower = _Follower(text, tokens, passage.end)
    at = passage.start
    while found := _END.search(text, at, passage.end):
        token = follower.token_over(found.start())
        if token is not None:
            at = max(token.end, at + 1)
            continue
        at = found.end()
        end = follower.after_citations(at)
        if end > at:
            at = end
        if found["dense"] or _ends_here(text, found, end, passage.end, follower.ends_at(found.start())):
            yield end


class _Follower:
    """Goes along the tokens of a block."""

    def __init__(self, text: str, tokens: Sequence[Token], limit: int) -> None:
        self.text = text
        self.tokens = tokens
        self.starts = [token.start for token in tokens]
        self.limit = limit

    def token_over(self, place: int) -> Token | None:
        """The token that holds ``place``; None if it is prose."""
        at = bisect_right(self.starts, place) - 1
        return self.tokens[at] if at >= 0 and self.tokens[at].end > place else None

    def ends_at(self, place: int) -> bool:
        """Whether a token ends right before ``place``: no word stands there that could be shortened."""
        at = bisect_right(self.starts, place - 1) - 1
        return at >= 0 and self.tokens[at].end == place

    def after_citations(self, end: int) -> int:
        """The end of the marks of footnotes, citations and further end marks that follow ``end``."""
        while True:
            if note := NOTE_MARKS.match(self.text, end, self.limit):
                end = note.end()
            start = _skip(self.text, end, self.limit)
            at = bisect_right(self.starts, start) - 1
            is_next = at >= 0 and self.starts[at] == start
            if not is_next or self.tokens[at].kind not in ("citation", "marker", "broken"):
                return end
            end = self.tokens[at].end
            found = _END.match(self.text, end, self.limit)
            end = found.end() if found else end


def _ends_here(text: str, found: re.Match[str], end: int, limit: int, after_token: bool) -> bool:
    """Whether a mark that also has other uses ends a sentence."""
    following = _skip(text, end, limit)
    if following >= limit:
        return True
    if following == end:
        return False
    first = _first_sign(text, following, limit)
    if first.islower():
        return False
    if found[0][0] != ".":
        return True
    return not first.isdigit() and (after_token or not _is_short(text, found))


def _first_sign(text: str, at: int, limit: int) -> str:
    while at < limit and text[at] in _OPENERS:
        at += 1
    return text[at] if at < limit else ""


def _is_short(text: str, found: re.Match[str]) -> bool:
    """Whether the point belongs to an abbreviation or an initial."""
    if found[0].startswith(".."):
        return False
    before = text[max(0, found.start() - _LONGEST_WORD) : found.start()]
    word = _WORD_BEFORE.search(before)
    return word is not None and is_abbreviation(word[0])
