"""A claim compared with a work: what the work does for it, the share of its words, and a verbatim quote."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from penwright.domain.citations.abbreviations import is_abbreviation
from penwright.domain.citations.support.assent import assent, is_negated, is_turning
from penwright.domain.citations.support.words import Term, stem, terms_of
from penwright.domain.text.inline_citations import without_citations
from schemas.citations import ClaimSupport, Support
from schemas.library import LibraryPassage, LocatedQuote
from schemas.scholarly import Reference, ScholarlyRecord

_END = re.compile(r"(?<=[.!?])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]*[^\W_])")
_BREAK = re.compile(r"\n\s*\n")
_WORD_BEFORE = re.compile(r"[^\s(\[“\"]*$")
_CLOSED = re.compile(r"[.!?…][\"'”’»)\]]*$")
_QUOTED = re.compile(r"“[^”]{8,300}”|«[^»]{8,300}»|‘[^’]{12,300}’(?!\w)|\"[^\"\n]{8,300}\"")
_ASIDE = re.compile(r"\([^()]*[^\W\d_][^()]*\)")
_AUTHOR: Final = r"\b[A-Z][\w'’-]+,\s+(?:[A-Z]\.[\s-]?)+|^\s*\[\d+\]\s*(?:[A-Z]\.\s?)+[A-Z]\w+|10\.\d{4,9}/\S"
_VOLUME: Final = r"\b\d+\s*\(\d{1,4}\)[:,]?\s*\d+\s*[–-]\s*\d+|\b\d+\s*[,:]\s*\d+\s*[–-]\s*\d+"
_REFERENCE = re.compile(f"{_AUTHOR}|{_VOLUME}")
_BY = re.compile(_AUTHOR)
_IN = re.compile(_VOLUME)
_LONGEST: Final = 90
"""Words of a sentence at most; more is a table or a list without points, which has every word somewhere."""
_TITLE_WORDS: Final = 3
"""A title of fewer words may stand in any sentence."""


class Spoken(NamedTuple):
    """A sentence of a text."""

    start: int
    end: int
    own: str
    """Its words, without those in quotation marks, which are another's."""
    after: str
    """The sentence behind it."""


def spoken_in(text: str, titles: Iterable[str], *, whole: bool = True) -> Iterator[Spoken]:
    """The sentences that assert something, in order.

    Args:
        titles: of the work and of the section, which may stand among its sentences.
        whole: a sentence without its point is a heading or a caption, and left out.
    """
    spans = list(_spans(text, [each for each in map(_pattern, titles) if each]))
    said = [text[start:end] for start, end in spans]
    bare = [_ASIDE.sub(" ", each) for each in said]
    for at, (start, end) in enumerate(spans):
        if whole and not _CLOSED.search(said[at]):
            continue
        if len(said[at].split()) > _LONGEST or _is_of_reference(bare, at):
            continue
        after = said[at + 1] if at + 1 < len(said) else ""
        yield Spoken(start, end, _QUOTED.sub(lambda found: " " * len(found[0]), said[at]), after)


def _is_of_reference(sentences: Sequence[str], at: int) -> bool:
    """Whether a sentence is part of a reference: its authors stand before it, its volume behind it."""
    if _REFERENCE.search(sentences[at]):
        return True
    before = sentences[at - 1] if at else ""
    after = " ".join(sentences[at + 1 : at + 3])
    return bool(_BY.search(before)) or bool(_IN.search(after[:80]))


def _pattern(title: str) -> re.Pattern[str] | None:
    words = re.findall(r"\w+", title)
    if len(words) < _TITLE_WORDS:
        return None
    return re.compile(r"\W+".join(map(re.escape, words)) + r"\b", re.IGNORECASE)


def _spans(text: str, titles: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Places of sentences; a title and an empty line end one."""
    cuts = sorted(
        (each.start(), each.end()) for pattern in (*titles, _BREAK) for each in pattern.finditer(text)
    )
    start = 0
    for cut, behind in (*cuts, (len(text), len(text))):
        if cut > start:
            yield from _sentences(text, start, cut)
        start = max(start, behind)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for found in _END.finditer(text, start, end):
        before = _WORD_BEFORE.search(text[begin : found.start()].rstrip(".!?"))
        ended = text[found.start() - 1] != "." or before is None or not is_abbreviation(before[0])
        if ended:
            yield from _trimmed(text, begin, found.end())
            begin = found.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    begin = start + len(part) - len(part.lstrip())
    if part.strip():
        yield begin, begin + len(part.strip())


CARRIES: Final = 0.9
"""Least share of a claim's words in the sentence that is quoted for it."""
ABOUT: Final = 0.45
"""Least share in a sentence of an abstract that is about the claim."""
_WEAKEST_FIRST: Final[tuple[Support, ...]] = (
    *("contradicts", "no text", "not found", "abstract only", "says"),
)
_WEIGHTS: Final = {"word": 1.0, "name": 2.0, "number": 2.0, "direction": 0.5}
"""A number or a name says more of what a claim is about than another word, ``more`` or ``rise`` says less."""
_REPORTED = re.compile(
    r"[^.!?]{0,80}?\b(?:show|suggest|report|f[io]u?nd|argue|demonstrate|conclude|indicate|reveal|observe)\w*\s+that\s",
    re.IGNORECASE,
)
"""Words before a claim that only say that somebody says it."""
_REFERRING: Final = frozenset(
    ("they", "it", "this", "these", "those", "such", "he", "she", "its", "their", "both")
)
"""First words of a sentence that speaks of what the one before it names."""
_NOTHING: Final = ClaimSupport(support="not found", share=0)


class _Claim(NamedTuple):
    text: str
    weights: dict[Term, float]
    without_turns: dict[Term, float]
    """Those but numbers, directions and words that have an opposite: of a sentence that denies it too."""
    known: frozenset[str]
    """Stems that the work need not say of itself: its authors' names and its year."""


def support_in(claim: str, work: Reference, passages: Iterable[LibraryPassage]) -> ClaimSupport:
    """Compare a claim with the text of a work; its list of references says nothing."""
    found = _read(claim, work)
    judged = (_judged(found, said, each) for each in passages for said in _quotable(each, work))
    return max(judged, key=_most, default=_NOTHING)


def support_by_abstract(claim: str, work: ScholarlyRecord) -> ClaimSupport:
    """Compare a claim with a work's abstract, which may deny it and never says it."""
    if not work.abstract.strip():
        return ClaimSupport(support="no text", share=0)
    abstract = LibraryPassage(source=work.source, number=1, text=work.abstract)
    found = _read(claim, work)
    spoken = spoken_in(work.abstract, (work.title,), whole=False)
    return max((_of_abstract(found, each, abstract) for each in spoken), key=_most, default=_NOTHING)


def weakest(found: Iterable[ClaimSupport]) -> ClaimSupport:
    """Return the weakest of the supports of several works that are cited together."""
    return min(found, key=lambda each: (_WEAKEST_FIRST.index(each.support), each.share))


def overlap(claim: str, text: str) -> float:
    """Return the share of the claim's content words, names and numbers that a sentence has, 0 to 1."""
    return _share(_read(claim, Reference()).weights, _stems(text))


def _read(claim: str, work: Reference) -> _Claim:
    bare = without_citations(claim)
    if (told := _REPORTED.match(bare)) is not None and not is_negated(told[0]):
        bare = bare[told.end() :]
    names = (stem(word) for each in work.authors for word in each.family.split())
    known = frozenset((*names, str(work.year or "")))
    weights = {each: _WEIGHTS[each.kind] for each in terms_of(bare) if each.stem not in known}
    steady = {
        term: weight
        for term, weight in weights.items()
        if term.kind not in ("number", "direction") and not is_turning(term.stem)
    }
    return _Claim(bare, weights, steady, known)


def _quotable(passage: LibraryPassage, work: Reference) -> Iterator[Spoken]:
    """Sentences of a passage, and each with the next if that one speaks of the same."""
    if passage.is_reference_list:
        return
    before: Spoken | None = None
    for each in spoken_in(passage.text, (work.title, passage.section)):
        yield each
        if before is not None and each.own.split()[:1] and each.own.split()[0].casefold() in _REFERRING:
            yield Spoken(before.start, each.end, f"{before.own} {each.own}", each.after)
        before = each


def _judged(claim: _Claim, said: Spoken, passage: LibraryPassage) -> ClaimSupport:
    stems = _stems(said.own)
    share = _share(claim.weights, stems)
    if max(share, _share(claim.without_turns, stems)) < CARRIES:
        return ClaimSupport(support="not found", share=share)
    found = assent(claim.text, said.own, said.after, claim.known)
    if found == "mentions" or (found == "asserts" and share < CARRIES):
        return ClaimSupport(support="not found", share=share)
    support: Support = "says" if found == "asserts" else "contradicts"
    return ClaimSupport(support=support, share=share, quote=_quote(said, passage))


def _of_abstract(claim: _Claim, said: Spoken, abstract: LibraryPassage) -> ClaimSupport:
    """A denial in an abstract counts; any other sentence of it is about the claim or not."""
    found = _judged(claim, said, abstract)
    if found.support == "contradicts" or found.share < ABOUT:
        return found
    return ClaimSupport(support="abstract only", share=found.share, quote=_quote(said, abstract))


def _quote(said: Spoken, passage: LibraryPassage) -> LocatedQuote:
    words = passage.text[said.start : said.end]
    return LocatedQuote(source=passage.source, quote=words, page=passage.page, section=passage.section)


def _stems(text: str) -> frozenset[str]:
    return frozenset(each.stem for each in terms_of(text))


def _share(weights: dict[Term, float], stems: frozenset[str]) -> float:
    total = sum(weights.values())
    held = sum(weight for term, weight in weights.items() if term.stem in stems)
    return round(held / total, 2) if total else 0.0


def _most(found: ClaimSupport) -> tuple[bool, float, bool]:
    """Of sentences that say something of the claim, the one that has most of it; at par, a denial."""
    return found.quote is not None, found.share, found.support == "contradicts"
