"""The demo model as a book's clerk: names that come twice, and facts in a few wordings of English."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from penwright.adapters.models.demo.cast import NOT_NAMES
from penwright.adapters.models.demo.task import LABEL, as_json
from penwright.domain.text.words import split_words
from penwright.roles.book_text import BookText

_SENTENCES = re.compile(r"[^.!?…。！？\n]+(?:[.!?…。！？]+[”’」\"]?|$)", re.MULTILINE)
_NAME = r"[A-ZÀ-ÖØ-Þ][\w’-]*[a-zà-ÿ](?: [A-ZÀ-ÖØ-Þ][\w’-]*[a-zà-ÿ])?"
_INSIDE = re.compile(rf"(?<=[a-z,;] )({_NAME})")
"""A name that does not begin a sentence."""
_KIN = "sister|brother|mother|father|daughter|son|wife|husband|aunt|uncle"
_FACTS: Mapping[str, Sequence[str]] = {
    "eyes": (
        rf"(?P<who>{_NAME})[’']s (?P<value>[a-z]+) eyes",
        rf"(?P<who>{_NAME}) had (?P<value>[a-z]+) eyes",
        rf"(?P<who>{_NAME})[’']s eyes were (?P<value>[a-z]+)",
    ),
    "age": (rf"(?P<who>{_NAME}) was (?P<value>[a-z-]+|\d+) years old",),
    "kin": (rf"(?P<who>{_NAME}) was the (?P<value>(?:{_KIN}) of {_NAME})",),
    "dead": (rf"(?P<who>{_NAME}) (?P<value>died|was dead)\b",),
    "holds": (rf"(?P<who>{_NAME}) (?:held|carried|took) the (?P<value>[a-z]+)",),
    "place": (rf"(?P<who>{_NAME}) (?:[a-z]+ ){{1,3}}(?:in|at|into|to) the (?P<value>[a-z]+)",),
}
_LONGEST = 150
_MOST = 8
"""Items of each kind."""


def clerk_answer(texts: Sequence[BookText]) -> str | None:
    """A reading of the passage among ``texts``; None if there is none."""
    passage = next((each.text for each in texts if each.kind == "passage"), None)
    if passage is None:
        return None
    sentences = [each.strip() for each in _SENTENCES.findall(passage) if each.strip()]
    people = list(_people(passage, sentences)) or list(_anything(sentences))
    return as_json(
        summary=" ".join([*sentences[:1], *sentences[-1:], LABEL]) if sentences else LABEL,
        people=people[:_MOST],
        facts=list(_facts(sentences))[: 3 * _MOST],
        threads=list(_threads(sentences))[:1],
    )


def _people(passage: str, sentences: Sequence[str]) -> Iterator[dict[str, str]]:
    for name, count in Counter(_INSIDE.findall(passage)).most_common():
        quote = next((each for each in sentences if name in each), "")
        if count > 1 and quote and name not in NOT_NAMES:
            yield {"name": name, "quote": quote[:_LONGEST]}


def _anything(sentences: Sequence[str]) -> Iterator[dict[str, str]]:
    """The longest word of the first sentence: a clerk that finds nothing is asked again."""
    for sentence in sentences[:1]:
        name = max(split_words(sentence), key=len, default="")
        if name:
            yield {"name": name, "quote": sentence[:_LONGEST]}


def _facts(sentences: Sequence[str]) -> Iterator[dict[str, str]]:
    for sentence in sentences:
        for trait, patterns in _FACTS.items():
            for found in (re.search(pattern, sentence) for pattern in patterns):
                if found and found["who"] not in NOT_NAMES:
                    quote = sentence[: max(_LONGEST, found.end())][-_LONGEST:]
                    value = "yes" if trait == "dead" else found["value"]
                    yield {"about": found["who"], "trait": trait, "value": value, "quote": quote}
                    break


def _threads(sentences: Sequence[str]) -> Iterator[dict[str, str]]:
    for sentence in sentences:
        if sentence.endswith(("?", "？")):
            yield {"thread": sentence[:60], "step": "planted", "quote": sentence[:_LONGEST]}
