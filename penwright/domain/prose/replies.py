"""Everything that is wrong with a reply in a scene: it repeats a message, or speaks for the user's persona.

What cannot be decided is no fault: a name that two people share, a quote without an end, words that somebody
said before and that are quoted now.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.prose.checked import Place
from penwright.domain.prose.findings import finding
from penwright.domain.prose.indexing import folded_of
from penwright.domain.prose.reading import Paragraph, read
from penwright.domain.prose.repeats import repeats
from schemas.prose import Finding

_SAY = (
    r"(?:say|ask|answer|replie|whisper|mutter|murmur|shout|add|agree|insist|yell|crie|demand|respond|retort"
    r"|announce|mumble|stammer|explain|declare|exclaim)(?:s|e?d)|said"
    r"|sagte?|fragte?|antwortete?|flüsterte?|murmelte?|rief|ruft|erwiderte?"
    r"|dit|demand[ea]|répondit|répond|murmur[ea]|dijo|dice|preguntó|pregunta|respondió|responde|susurró"
)
_OPEN, _CLOSED = '“„«"‘「『', '”“»"’」』'
_EARLIER = (
    r"(?!\s+(?:nothing|no|not|little|yesterday|once|earlier|before|last|that (?:day|night|morning)|years)\b)"
)
"""Words that may follow on a name and a verb only where nothing is said now."""
_TITLES = (
    "the a an of mr mrs ms miss dr sir dame lord lady captain doctor professor saint king queen prince "
    "princess father mother brother sister uncle aunt old young der die das herr frau le la el los "
    "monsieur madame don doña señor señora"
)
_SHORTEST_NAME = 2


@dataclass(frozen=True, slots=True)
class Company:
    """The people in a scene, by name."""

    persona: str = ""
    """The one whom the user plays; empty if not known."""
    others: tuple[str, ...] = ()


def reply_findings(reply: str, earlier: Iterable[str], company: Company) -> tuple[Finding, ...]:
    """The faults of a reply: what it repeats, then what it says for the persona.

    Args:
        earlier: the messages that its role was shown, oldest first.
    """
    paragraphs = read(reply)
    before = tuple(paragraph for text in earlier for paragraph in read(text))
    echoes = repeats(paragraphs, before, _may_stand_twice)
    spoken = _spoken_for(paragraphs, before, company)
    return (
        *(finding("echo", place, reply, hard=True) for place in echoes),
        *(finding("speaks-for-persona", place, reply, hard=True) for place in spoken),
    )


def _may_stand_twice(paragraph: Paragraph) -> bool:
    """Verse and block quotes; unlike in a book, a speech or ``*an action*`` may fill a paragraph."""
    return paragraph.is_verse or paragraph.text.startswith(">")


def _spoken_for(
    paragraphs: Iterable[Paragraph], before: Sequence[Paragraph], company: Company
) -> Iterator[Place]:
    """Lines under the persona's name, and quotes that are said by it."""
    names = "|".join(r"\s+".join(map(re.escape, each.split())) for each in _called(company))
    if not names:
        return
    line = re.compile(rf"^[ \t]*[*_]*(?:{names})[*_]*:[*_]*[ \t]+\S.*[.!?…*{_CLOSED}].*", re.MULTILINE)
    after = re.compile(
        rf"[*_]*,?\s+(?:(?:{names})(?:\s+\w+ly)?\s+(?:{_SAY})\b|(?:{_SAY})\s+(?:{names})(?![\w’'-]))(?!,?\s+who\b){_EARLIER}"
    )
    to = re.compile(
        rf"(?:\A|[.!?…{_CLOSED}]\s+)[*_]*(?:{names})(?:\s+\w+ly)?\s+(?:{_SAY})(?:\s+\w+ly)?[,:]\s*[*_]*\Z"
    )
    for each in paragraphs:
        if not each.text.startswith(">"):
            yield from (
                Place(each.start + found.start(), each.start + found.end())
                for found in line.finditer(each.text)
            )
        yield from _attributed(each, before, after, to)


def _attributed(
    paragraph: Paragraph, before: Sequence[Paragraph], after: "re.Pattern[str]", to: "re.Pattern[str]"
) -> Iterator[Place]:
    """Quotes beside which the persona is named as who says them."""
    text = paragraph.text
    if text.count('"') % 2:
        return
    for start, end in paragraph.speech:
        if text[start] not in _OPEN or end - start < 3 or text[end - 1] not in _CLOSED:
            continue
        ending = after.match(text, end)
        if (ending or to.search(text[:start])) and not _was_said(text[start:end], before):
            yield Place(paragraph.start + start, paragraph.start + (ending.end() if ending else end))


def _was_said(quote: str, before: Sequence[Paragraph]) -> bool:
    """Whether the words stand in a message already."""
    words = " ".join(word for each in read(quote) for word in folded_of(each.words))
    return any(f" {words} " in f" {' '.join(folded_of(each.words))} " for each in before)


def _called(company: Company) -> tuple[str, ...]:
    """The names that mean the persona and nobody else: the whole one, and the first if there are several."""
    others = {word.casefold() for name in company.others for word in name.split()}
    whole = company.persona.split()
    if not whole or len("".join(whole)) < _SHORTEST_NAME or not whole[0][0].isupper():
        return ()
    if company.persona.casefold() in {" ".join(name.split()).casefold() for name in company.others}:
        return ()
    first = whole[0]
    if len(whole) == 1:
        return () if first.casefold() in others else (first,)
    is_own = first.isalpha() and first.casefold() not in others.union(_TITLES.split())
    return (" ".join(whole), first) if is_own else (" ".join(whole),)
