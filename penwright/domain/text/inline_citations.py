"""The citations that stand in a manuscript as ``[[@type{key, fields}]]``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.text.citation_tokens import Token, tokens_of
from schemas.citations import CitationFinding

_MOST_FINDINGS = 1_000
"""Of one kind; how many more there are is said in one sentence."""
_LONGEST_NAME = 200
"""Characters of a key that a finding names."""
_KEY = re.compile(r"\[\[@([A-Za-z]+)\s*\{\s*([^,}\s]*)")
NO_SOURCE = "[no source]"
"""Stands in a sentence that no source was found for."""
_NO_SOURCE = re.compile(rf"[ \t]*{re.escape(NO_SOURCE)}", re.IGNORECASE)
_NAMED_KEY = re.compile(r"@(?:\{([^{}]+)\}|(\w+(?:[:.#$%&+?<>~/-]\w+)*))")


@dataclass(frozen=True, slots=True)
class InlineCitation:
    """One citation and where it stands; ``text[start:end]`` begins with ``[[`` and ends with ``]]``."""

    start: int
    end: int
    kind: str
    """Type of its entry in lower case, such as ``article``."""
    key: str
    """Empty if it has none."""
    entry: str
    """The BibTeX between the brackets, as written."""


@dataclass(frozen=True, slots=True)
class CitationsFound:
    """Every citation of a text, in order, and what is wrong with others."""

    citations: tuple[InlineCitation, ...] = ()
    findings: tuple[CitationFinding, ...] = ()


def find_citations(text: str) -> CitationsFound:
    """Read every citation of ``text``; one in code, maths or a comment is none.

    One whose braces or brackets do not close is a finding, ``UNBALANCED_CITATION``; it is never cut off.
    Linear in ``text``.
    """
    tokens = tokens_of(text)
    citations = tuple(citation_of(text, each) for each in tokens if each.kind == "citation")
    broken = tuple(_broken(text, tokens))
    keyless = tuple(_keyless(text, citations))
    return CitationsFound(citations, tuple(sorted((*broken, *keyless), key=lambda each: each.line)))


def entries_in(text: str) -> tuple[str, ...]:
    """The entries of a text's citations, each once."""
    return tuple(dict.fromkeys(each.entry for each in find_citations(text).citations))


def keys_named_in(text: str, tokens: Sequence[Token]) -> tuple[tuple[str, int], ...]:
    """The keys that pandoc's own citations name, ``[@key]`` and ``@key``, each with its token's place."""
    return tuple(
        (braced or plain, token.start)
        for token in tokens
        if token.kind in ("marker", "textual")
        for braced, plain in _NAMED_KEY.findall(text[token.start : token.end])
    )


def unknown_key(key: str) -> CitationFinding:
    """The finding that no entry explains a key."""
    said = f"nothing says what {key!r} is; cite it once as [[@…]], or import it into references.bib"
    return CitationFinding(code="UNKNOWN_KEY", message=said, key=key)


def no_parent(key: str, parent: str) -> CitationFinding:
    """The finding that an entry takes fields of one that is not there."""
    said = (
        f"{key!r} takes fields of {parent!r}, which is not there; import that entry into references.bib, too"
    )
    return CitationFinding(code="NO_PARENT", message=said, key=key)


def protected_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of everything that begins as a citation does, broken ones included; in order."""
    return tuple((each.start, each.end) for each in tokens_of(text) if each.kind in ("citation", "broken"))


def without_citations(text: str) -> str:
    """The text's own words: citations and ``NO_SOURCE`` are left out, with the blanks right before each."""
    return without_marks(_without(text, protected_spans(text)))


def without_marks(text: str) -> str:
    """The text without ``NO_SOURCE``; what stands in code, formulas and citations stays."""
    return _without(text, marks_in(text))


def marks_in(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each ``NO_SOURCE`` in a text's own words, with the blanks before it."""
    if NO_SOURCE not in text.casefold():
        return ()
    tokens = tokens_of(text)
    marks = ((each.start(), each.end()) for each in _NO_SOURCE.finditer(text))
    return tuple(
        mark for mark in marks if not any(each.start < mark[1] and mark[0] < each.end for each in tokens)
    )


def without_whole_citations(text: str) -> str:
    """The same, but one that does not close stays: where it ends cannot be known."""
    if "[[@" not in text:
        return text
    return _without(
        text, tuple((each.start, each.end) for each in tokens_of(text) if each.kind == "citation")
    )


def with_keys_alone(text: str) -> str:
    """The text for reading: of each citation its key alone, ``[orr2019tide]``; broken ones stay."""
    if "[[@" not in text:
        return text
    kept: list[str] = []
    behind = 0
    for each in find_citations(text).citations:
        if each.key:
            kept.append(f"{text[behind : each.start]}[{each.key}]")
            behind = each.end
    return "".join([*kept, text[behind:]])


def citation_of(text: str, token: Token) -> InlineCitation:
    """The citation that a token of ``text`` is."""
    head = _KEY.match(text, token.start, token.end)
    assert head is not None, "a citation token begins with its type and a brace"
    inner = text[token.start + 2 : token.end].removesuffix("]]").rstrip()
    return InlineCitation(token.start, token.end, head[1].lower(), head[2], inner)


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    kept: list[str] = []
    behind = 0
    for start, end in spans:
        kept.append(text[behind:start].rstrip(" \t"))
        behind = end
    return "".join([*kept, text[behind:]])


def _broken(text: str, tokens: tuple[Token, ...]) -> Iterator[CitationFinding]:
    parts = [each for each in tokens if each.kind == "broken"]
    for line, each in zip(_lines(text, [each.start for each in parts]), parts[:_MOST_FINDINGS], strict=False):
        found = _KEY.match(text, each.start, each.end)
        begins = text[each.start : min(each.end, each.start + 60)]
        message = f"this citation does not close: {begins!r}; end it with as many braces as it opens and ]]"
        key = found[2][:_LONGEST_NAME] if found else ""
        yield CitationFinding(code="UNBALANCED_CITATION", message=message, line=line, key=key)
    if (more := len(parts) - _MOST_FINDINGS) > 0:
        yield CitationFinding(
            code="UNBALANCED_CITATION", message=f"{more} more citations do not close; mend these first"
        )


def _keyless(text: str, citations: tuple[InlineCitation, ...]) -> Iterator[CitationFinding]:
    parts = [each for each in citations if not each.key][:_MOST_FINDINGS]
    for line, each in zip(_lines(text, [each.start for each in parts]), parts, strict=True):
        begins = text[each.start : each.start + 60]
        message = f"this citation has no key: {begins!r}; write one after the opening brace, and a comma"
        yield CitationFinding(code="NO_KEY", message=message, line=line)


def _lines(text: str, places: list[int]) -> Iterator[int]:
    """The line of each place, from 1."""
    line, counted = 1, 0
    for place in places:
        line += text.count("\n", counted, place)
        counted = place
        yield line
