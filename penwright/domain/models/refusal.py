"""Answers that decline: by the vendor's protocol, or in the words in which models are known to do it."""

import re
from typing import Final

from penwright.domain.models.thought import without_thought
from penwright.domain.text.words import count_words
from schemas.model import ModelResponse

_APOLOGIES: Final = (
    r"(?:i'm|i am) (?:\w+ )?sorry",
    r"sorry",
    r"i (?:sincerely )?apologi[sz]e",
    r"apologies",
    r"unfortunately",
    r"i (?:understand|appreciate)\b[^.!?\n]{0,160}",
)
_DECLINES: Final = (
    *(r"i can't", r"i cannot", r"i can not", r"i won't", r"i will not", r"i must decline to"),
    *(r"(?:i'm|i am) (?:unable|not able|not willing) to", r"(?:i'm|i am) not comfortable"),
    *(r"i (?:don't|do not) feel comfortable", r"i have to decline to"),
)
_DEEDS: Final = (
    *("answer", "assist", "complete", "comply", "continue", "create", "creating", "depict", "engage"),
    *("fulfil", "fulfill", "generate", "generating", "help", "proceed", "produce", "provide", "write"),
    *("writing",),
)
_OF_THE_ASKER: Final = frozenset(
    {
        *("content", "explicit", "graphic", "guidelines", "instructions", "material", "policies", "policy"),
        *("prompt", "request", "requests", "sexual"),
    }
)
"""Words that belong to what was asked, not to a story."""
_FILLERS: Final = frozenset(
    {
        *("a", "any", "chapter", "for", "in", "of", "out", "passage", "scene", "session", "story", "task"),
        *("text", "that", "the", "these", "this", "those", "with", "writing", "you", "your"),
    }
)
"""Words that name the thing declined and nothing besides."""
_NEEDS_NO_THING: Final = frozenset({"comply", "continue", "proceed"})
_TO_THE_ASKER: Final = (
    *("as an ai", "content policy", "guidelines", "happy to help", "i can help", "i'd be happy"),
    *("i would be happy", "if you'd like", "if you would like", "let me know", "would you like"),
    *("your request", "this request", "that request", "violates"),
)
"""Words to the asker in a reply that declines, after its first sentence."""
_OPENINGS: Final = (
    rf"as an? (?:ai|language model|ai language model|ai assistant)\b[^.!?\n]*\b(?:{'|'.join(_DECLINES)})\b",
    r"(?:es )?tut mir leid, (?:aber )?(?:ich kann|dabei kann ich|das kann ich)\b[^.!?\n]*"
    r"\b(?:helfen|anfrage|inhalte?)\b",
    r"(?:je suis )?désolée?, (?:mais )?je ne (?:peux|suis)\b[^.!?\n]*\b(?:demande|contenu|vous aider avec)\b",
    r"lo siento, (?:pero )?no puedo\b[^.!?\n]*\b(?:ayudar(?:te|le)? con|solicitud|contenido)\b",
    r"(?:很)?(?:抱歉|对不起),(?:但)?我(?:无法|不能)[^。!?\n]*(?:协助|请求|要求|内容)",
    r"(?:申し訳ありませんが|申し訳ございませんが)、[^。!?\n]*(?:リクエスト|ご要望|コンテンツ|お手伝い)",
)
"""Beginnings of a reply that are enough by themselves."""
_LONGEST: Final = 120
"""Words: a longer text that begins so is prose."""

_FIRST = re.compile(
    rf"(?:(?:{'|'.join(_APOLOGIES)})(?:, but |, |\. | but | that )?)?(?:but |however, )?"
    rf"(?:{'|'.join(_DECLINES)}) (?:\w+ly )?(?P<deed>{'|'.join(_DEEDS)})\b(?P<thing>[^.!?\n]*)(?:[.!?]|\Z)"
)
_KNOWN = re.compile("|".join(_OPENINGS))
_PLAINER = str.maketrans({"\u2019": "'", "\uff0c": ","})


def is_refusal(response: ModelResponse) -> bool:
    """Whether a model, or its vendor, declined to answer."""
    if response.finish_reason == "refusal":
        return True
    return not response.tool_calls and declines(without_thought(response.text))


def declines(text: str) -> bool:
    """Whether a whole reply declines in words; prose that begins alike does not."""
    said = " ".join(text.translate(_PLAINER).casefold().split())
    if not said or count_words(said) > _LONGEST:
        return False
    if _KNOWN.match(said):
        return True
    first = _FIRST.match(said)
    return first is not None and _is_about_the_task(first, rest=said[first.end() :])


def _is_about_the_task(first: re.Match[str], *, rest: str) -> bool:
    words = re.findall(r"[^\W\d_]+", first["thing"])
    if _OF_THE_ASKER.intersection(words):
        return True
    names_it = bool(words) or first["deed"] in _NEEDS_NO_THING
    if not names_it or not _FILLERS.issuperset(words) or words == ["you"]:
        return False
    return not rest.strip() or any(each in rest for each in _TO_THE_ASKER)
