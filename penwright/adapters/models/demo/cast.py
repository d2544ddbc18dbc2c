"""Find the people, places and things of a book in its material."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from penwright.roles.book_text import BookText

_CHARACTERS = ("Characters.md",)
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][\w’'-]+(?: (?:(?:de|van|von|of|the) )?[A-ZÀ-ÖØ-Þ][\w’'-]+){0,2}")
_NAMED_LINE = re.compile(
    rf"^\s*(?:#+\s*|[-*+]\s+|\d+[.)]\s+)?(?:\*\*|__)?({_NAME.pattern})(?:\*\*|__)?\s*"
    r"(?=$|[:,(—–]| -|is\b|was\b)",
    re.MULTILINE,
)
_NOUN = re.compile(
    r"\b[Tt]he ([a-z]{4,})(?=(?: (?:of|in|on|at|from|with|that|and|under|near|behind|is|was))\b|[.,;:!?]|$)",
    re.MULTILINE,
)
_PLACE = re.compile(rf"\b(?:in|at|to|near|from|of|through|across) (the )?({_NAME.pattern})")
_BLANK = re.compile(r"\[[^\]\n]+\](?!\()")
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]+[”\"']?|[^.!?…\n]+$", re.MULTILINE)


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


NOT_NAMES = _words(
    """
    A Act Add After Age An And Antagonist Appearance Arc At Background Beat Beats Before Beginning Book
    But Chapter Character Characters Conflict Description Ending Fear Fears First Flaw Friday Full Genre Goal
    He Her His History How I If In It Keep Last Lore Main Major Manner Middle Minor Monday Motivation My Name
    Narrator Need Needs No Not Note Notes On One Others Our Outline Part Personality Place Places Plot Premise
    Protagonist Relationship Relationships Role Rules Saturday Scene Secret Setting She Short Soul Story
    Style Summary Sunday Supporting That The Their Theme Themes Then There These They This Three
    Thursday Timeline Tone Traits Tuesday Two Use Voice Want Wants We Wednesday What When Who Why World Write
    You
    """
)
_NOT_NOUNS = _words(
    """
    antagonist arc author beginning book chapter character characters city ending first harbour house
    last middle more most narrative narrator next only other others outline paragraph past people person
    plot present prose protagonist reader rest rework same scene sentence sentences session start story
    town truth village whole world
    """
)
_TITLES = _words(
    """
    Aunt Big Brother Captain Doctor Dr Father King Lady Little Lord Miss Mother Mr Mrs Ms Old Professor
    Queen Saint Sir Sister Uncle Young
    """
)
_GROUNDS = _words(
    """
    abbey archive attic bay beach bridge cabin camp castle causeway cave cellar church coast cottage
    desert farm field forest garden hospital hotel island kitchen library lighthouse market mill
    mountain office palace port prison quay river road school ship shore square station street temple
    theatre tower valley
    """
)
"""Nouns that name places, not things that people handle."""
_FALLBACK_NAMES = ("Ada", "Jonas")
_FALLBACK_PLACES = ("the harbour", "the house on the hill", "the station")
_FALLBACK_THINGS = ("the notebook", "the lantern", "the old radio")


@dataclass(frozen=True, slots=True)
class Character:
    """A name and its pronouns."""

    name: str
    he: str = "she"
    him: str = "her"
    his: str = "her"


@dataclass(frozen=True, slots=True)
class Cast:
    """The material of the demo model's sentences."""

    people: tuple[Character, ...]
    """At least two."""
    places: tuple[str, ...]
    things: tuple[str, ...]
    beats: tuple[str, ...]
    """Sentences of the current chapter's outline, in order; may be empty."""


def read_cast(texts: Sequence[BookText]) -> Cast:
    """Return the people, places, things and beats in ``texts``; defaults where there are none."""
    texts = [replace(text, text=_without_blanks(text.text)) for text in texts]
    characters = "\n".join(text.text for text in texts if text.name in _CHARACTERS)
    background = "\n".join(
        text.text for text in texts if text.kind in {"material", "current-outline", "text"}
    )
    people = [_character(name, characters) for name in _names(characters, background)]
    people += [_character(name, "") for name in _FALLBACK_NAMES if len(people) < 2]
    taken = {word for person in people for word in person.name.split()}
    return Cast(
        tuple(people[:5]),
        _distinct(_places(background, taken), _FALLBACK_PLACES, 6),
        _distinct(_things(background), _FALLBACK_THINGS, 8),
        tuple(_beats(texts)),
    )


def _without_blanks(text: str) -> str:
    """Remove lines with a placeholder of the template, such as "[what they avoid]"."""
    return "\n".join(line for line in text.splitlines() if not _BLANK.search(line))


def _names(characters: str, background: str) -> list[str]:
    """Return first names, most prominent first: those that begin a line of Characters.md, or frequent."""
    found: Counter[str] = Counter()
    for match in _NAMED_LINE.finditer(characters):
        first, *more = match.group(1).split()
        name = f"{first} {more[0]}" if first.rstrip(".") in _TITLES and more else first
        if first not in NOT_NAMES | _TITLES or " " in name:
            found.setdefault(name, 0)
    if not found:
        # In mid-sentence, a capitalized word is a name.
        for match in re.finditer(r"(?<=[a-z,] )([A-Z][a-zà-ÿ]{2,})\b(?! [A-Z])", background):
            if match.group(1) not in NOT_NAMES:
                found[match.group(1)] += 1
        return [name for name, count in found.most_common(4) if count > 1]
    return list(found)[:5]


def _character(name: str, characters: str) -> Character:
    """Choose pronouns by those in the character's description, else by the end of the name."""
    at = characters.find(name)
    later = re.compile(r"\n\s*(?:#|[-*+]\s+\*\*)").search(characters, at + 1) if at >= 0 else None
    end = min(at + 400, later.start() if later else at + 400)
    words = re.findall(r"[a-z]+", characters[at:end].lower()) if at >= 0 else []
    hers = sum(
        word in {"she", "her", "hers", "woman", "girl", "mother", "sister", "daughter"} for word in words
    )
    his = sum(word in {"he", "him", "his", "man", "boy", "father", "brother", "son"} for word in words)
    if his > hers or (his == hers and name[-1:] not in "aeiy"):
        return Character(name, "he", "him", "his")
    return Character(name)


def _places(background: str, taken: set[str]) -> Iterator[str]:
    for match in _PLACE.finditer(background):
        words = match.group(2).split()
        if not (set(words) & (taken | NOT_NAMES)) and not match.group(2).endswith((".md", ".yml")):
            yield f"{match.group(1) or ''}{match.group(2)}"
    yield from (f"the {noun}" for noun in _nouns(background) if noun in _GROUNDS)


def _things(background: str) -> Iterator[str]:
    return (f"the {noun}" for noun in _nouns(background) if noun not in _GROUNDS)


def _nouns(background: str) -> Iterator[str]:
    """Yield nouns after "the" that no other noun follows, most frequent first."""
    counted = Counter(match.group(1) for match in _NOUN.finditer(background))
    for noun, _ in counted.most_common(20):
        # Plurals would need another verb form, and words with the other endings are seldom nouns.
        if noun not in _NOT_NOUNS and not noun.endswith(("s", "ly", "ing", "ed", "est", "ous", "ful")):
            yield noun


def _distinct(found: Iterator[str], fallback: tuple[str, ...], most: int) -> tuple[str, ...]:
    chosen = list(dict.fromkeys(found))[:most]
    return tuple(chosen + [each for each in fallback if each not in chosen][: max(0, 3 - len(chosen))])


def _beats(texts: Sequence[BookText]) -> Iterator[str]:
    """Yield sentences of the current outline that are neither headings nor fields."""
    for text in texts:
        if text.kind != "current-outline":
            continue
        for line in re.sub(r"<!--.*?-->", "", text.text, flags=re.DOTALL).splitlines():
            stripped = re.sub(r"^\s*(?:[-*+>]|\d+[.)])\s*|[*_`]+", "", line).strip()
            if not stripped or line.lstrip().startswith("#") or stripped.endswith(":"):
                continue
            for sentence in _SENTENCE.findall(stripped):
                words = sentence.split()
                if 3 <= len(words) <= 25 and "[" not in sentence and "{" not in sentence:
                    yield " ".join(words).rstrip(".") + "."
