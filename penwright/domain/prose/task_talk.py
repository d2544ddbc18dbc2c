"""Find paragraphs in which a model talks about its task instead of telling the story.

Models put them before and after their prose ("Sure, here is the next scene:", "Word count: 300"), small ones
answer with nothing else. Those of other languages than English are in ``talk_languages``.
"""

import re
from collections.abc import Container, Sequence

from penwright.domain.prose import talk_languages
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words

LONGEST = 120
"""Words of a paragraph that may be talk; a longer one is prose."""
LONGEST_ELSEWHERE = 240
"""The same in characters, for languages whose words are not counted by blanks."""
PLAN_WORDS = 400
"""Most words of notes that are left out before a rule."""

_WORK = (
    r"(?:session|scene|chapter|passage|prose|draft|continuation|paragraphs?|outline|instructions?|story|"
    r"words|text|version|format|blocks?|markers?|task|request|book|report)"
)
_PLANNED = (
    r"(?:session|scene|chapter|passage|prose|draft|continuation|paragraphs?|outline|instructions|format|"
    r"blocks?|markers?|task|\d+ (?:new )?words)"
)
_HERE = rf"(?:here|below) (?:is|are)|here's|here comes|(?:let me|let's|i|i'll|i'd|i'm|i've)\b[^\n]*\b{_WORK}"
_YES = r"(?:sure(?: thing)?|certainly|of course|okay|ok|all right|alright|understood|absolutely|great|got it)"
_WRITE = r"(?:write|continue|craft|draft|produce|generate|answer|output|follow|rewrite|rework)"
_DONE = r"(?:written|kept|tried|continued|included|followed|made sure|ended|ensured|incorporated|avoided)"
_ABOUT = r"(?:about |approximately |around |roughly )?~?"
_COUNT = rf"(?:total )?(?:word ?count|words|length)\W*[:=]\W*{_ABOUT}\d[\d,. ]*(?: ?words)?\W*\Z"
_TALK = (
    rf"{_YES}\b\W+(?:{_HERE})\b",
    rf"(?:{_YES}|here's|(?:here|below) (?:is|are))\b[^\n]*:\Z",
    rf"(?:here's|(?:here|below) (?:is|are)) [^\n]*\b{_WORK}\b",
    rf"(?:first,? |now,? )?let me (?:plan|outline|start|begin|count|re-?read|{_WRITE})\b[^\n]*\b{_PLANNED}\b",
    r"(?:now )?(?:i|we) (?:will|need to|should|must|have to|am going to) (?:now )?"
    rf"{_WRITE}\b[^\n]*\b{_PLANNED}\b",
    rf"(?:now )?i'(?:ll|m going to) (?:now )?{_WRITE}\b[^\n]*\b{_PLANNED}\b",
    r"the user (?:wants|asks|asked|has asked|would like|is asking|needs)\b",
    r"(?:your|the) task (?:is|here is) to\b",
    r"as an ai\b",
    rf"as (?:requested|instructed|you (?:asked|requested))\b[^\n]*\b{_WORK}\b",
    rf"i hope (?:this|that|you)\b[^\n]*\b{_WORK}\b",
    r"(?:please )?let me know (?:if|whether|what|how)\b[^\n]*"
    rf"\b(?:{_WORK}|changes?|adjust\w*|revis\w+|feedback)\b",
    r"(?:please )?let me know (?:what you think|your thoughts)\W*\Z",
    r"(?:would you like|do you want) me to (?:continue|revise|write|adjust|go on|expand|change|proceed)\b",
    r"feel free to (?:ask|adjust|change|edit|modify|revise|let me know)\b",
    _COUNT,
    rf"{_ABOUT}\d[\d,]* (?:new )?words\W*\Z",
    r"\[?end of (?:the )?(?:session|scene|chapter|passage|draft|reply|response)\W*\Z",
    r"note to the (?:author|editor|user|reader)\W",
    rf"(?:please )?note(?: that|:) [^\n]*\b{_PLANNED}\b",
    r"in this (?:session|passage|continuation|draft|scene|chapter),? (?:i|we)\b",
    r"(?:i|we)(?:'ll| will) continue (?:the|your|this) (?:story|book|novel)\b",
    rf"i(?:'ve| have) (?:now )?{_DONE}\b[^\n]*\b(?:{_PLANNED}|tense|tone|style guide|guidelines)\b",
    r"thank you for (?:sharing|providing|the (?:detailed )?(?:outline|instructions))\b",
    r"(?:(?:summary|word count|next steps?|assistant|output|new prose)|"
    r"(?:revised|final|new|first)? ?(?:version|draft|text))\W*[:\n]",
    r"(?:this is )?the end of (?:the|this) (?:session|passage|draft)\W*\Z",
    r"continued in (?:the )?next (?:session|scene|chapter|part)\W*\Z",
    r"this (?:rewording|rephrasing)\b",
    r"(?:this|the) (?:revised|rewritten|reworded) (?:passage|version|text|sentence) (?:is|reads)\W*\Z",
    r"this (?:sentence|rewrite|revision) (?:is meant to|aims to)\b",
    r"this is a (?:minor change|simple, yet effective)\b",
    rf"i(?: tried to| attempted to|'m sorry,? but i)\b[^\n]*\b{_PLANNED}\b",
    r"(?:based on|following|as per|according to) (?:the|your) (?:outline|instructions|plan)\b",
    r"(?:to be continued|chapter \w+ \(continued\))\W*\Z",
    r"(?:this|the) (?:session|passage|continuation|draft|new prose) (?:is|has|continues|advances|ends|moves|"
    r"keeps|stays|follows|maintains|picks|introduces|sets|aims|comes)\b",
)
"""Beginnings of paragraphs about the task."""
_OPENING = re.compile(rf"\W*+(?:{_ABOUT}\d[\d,]* (?:new )?words\W+)?(?:{'|'.join(_TALK)})", re.IGNORECASE)
_ONLY_COUNT = re.compile(
    rf"\W*+(?:{_COUNT}|{talk_languages.COUNT})|[\[(*_ ]*[\[(*_]{_ABOUT}\d[\d,]* words[\])*_. ]*\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"[#*_=\s]*(?:(?:the |your )?(?:next|new) (?:scene|prose|passage|session|section|text|draft)|continuation"
    r"|(?:new )?prose)[#*_=:\s]*",
    re.IGNORECASE,
)
"""A heading that a model puts over its prose."""
_ELSEWHERE = re.compile(rf"\W*+{talk_languages.TALK}", re.IGNORECASE)
_SPEECH = tuple("\"\u201c\u2018\u00ab'\u2014")
_FENCE = ("```", "~~~")
_RULE = re.compile(r"(?:[-*_=~#\u2014][ \t]*){3,}")
_ITEM = re.compile(r"(?:[-*+\u2022]|\d{1,2}[.)])[ \t]+\S")


_TASK = re.compile(
    r"\b(?:(scene|chapter|section|passage|session|draft)s?|(outline)s?|(word (?:count|limit))"
    r"|\d[\d,]* (?:new )?(words)|(continu)(?:ation|e)|(instruction)s?|(beat)s?|(revis)(?:e|ed|ions?)"
    r"|(protagonist)|(narrat)(?:or|ion)|(prose)|(pacing)|(expectations)|(left off)|(style guide)|(the story)"
    r"|(writ)(?:e|ing)|(the user)|(requirements))\b",
    re.IGNORECASE,
)
_MOST_WORDS = 50
"""Words of a paragraph that may be talk for its words alone."""


def seems_talk(paragraph: str, usual: Container[str] = ()) -> bool:
    """Whether a paragraph is talk, or a short one that speaks of two things of the task.

    A story may do that, too: enough for a question, not enough to leave the paragraph out.

    Args:
        usual: words that are nothing unusual in this book, as ``chapter`` is in one about a writer.
    """
    if is_talk(paragraph):
        return True
    shown = paragraph.strip().replace("\u2019", "'")
    if shown.startswith(_SPEECH) or count_words(shown) > _MOST_WORDS:
        return False
    things = (found for found in _TASK.finditer(shown) if found[found.lastindex or 0].casefold() not in usual)
    return len({found.lastindex for found in things}) > 1


def is_talk(paragraph: str) -> bool:
    """Whether a paragraph is about the task, a count of words, or an offer to go on."""
    shown = paragraph.strip().replace("\u2019", "'")
    if not shown or shown.startswith((*_SPEECH, *_FENCE)) or count_words(shown) > LONGEST:
        return False
    if _OPENING.match(shown) or _LABEL.fullmatch(shown):
        return True
    return len(shown) <= LONGEST_ELSEWHERE and _ELSEWHERE.match(shown) is not None


def is_word_count(paragraph: str) -> bool:
    """Whether a paragraph only counts the words before it, such as ``*(Word count: 300)*``."""
    return _ONLY_COUNT.match(paragraph.strip()) is not None


def is_all_talk(text: str) -> bool:
    """Whether there is no paragraph of prose."""
    return all(is_talk(part) or _belongs_to_talk(part) for part in paragraphs(text))


def without_talk(text: str) -> str:
    """The text without the talk at its beginning and its end, and without rules and lists next to it; also
    without rules that frame it."""
    parts = paragraphs(text)
    framed = 0
    while 2 * framed < len(parts) - 2 and _is_rule(parts[framed]) and _is_rule(parts[-1 - framed]):
        framed += 1
    parts = parts[framed : len(parts) - framed]
    parts = parts[_opening_talk(parts) :]
    parts = parts[: len(parts) - _closing_talk(parts)]
    return "\n\n".join(parts)


def without_counts(text: str) -> str:
    """The text without counts of words at its end."""
    while (parts := paragraphs(text)) and is_word_count(parts[-1]):
        text = text.rstrip().removesuffix(parts[-1]).rstrip()
    return text


def _opening_talk(parts: Sequence[str]) -> int:
    """Number of paragraphs at the beginning that are no prose."""
    if not parts or not is_talk(parts[0]):
        return 0
    count = 1
    while count < len(parts) and (is_talk(parts[count]) or _belongs_to_talk(parts[count])):
        count += 1
    return max(count, _notes_before_rule(parts))


def _notes_before_rule(parts: Sequence[str]) -> int:
    """Length of notes that begin with talk and end with a rule; 0 without a rule, or after too much."""
    rule = next((at for at, part in enumerate(parts) if _is_rule(part)), 0)
    before, after = (sum(map(count_words, some)) for some in (parts[:rule], parts[rule + 1 :]))
    return rule + 1 if rule and before <= min(PLAN_WORDS, after) else 0


def _closing_talk(parts: Sequence[str]) -> int:
    """Number of paragraphs at the end that are no prose."""
    count = 0
    while count < len(parts) and is_talk(parts[-1 - count]):
        count += 1
    while count and count < len(parts) and _is_rule(parts[-1 - count]):
        count += 1
    return count


def _is_rule(paragraph: str) -> bool:
    return _RULE.fullmatch(paragraph.strip()) is not None


def _belongs_to_talk(paragraph: str) -> bool:
    return all(_ITEM.match(line.strip()) or _RULE.fullmatch(line.strip()) for line in paragraph.splitlines())
