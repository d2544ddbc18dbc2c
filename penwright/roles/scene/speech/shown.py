"""The part of a reply that may be shown while it comes."""

import re

from penwright.domain.models.structured_output import closing
from penwright.roles.scene.speech.tags import OPENING, is_known
from penwright.roles.scene.speech.wrapped import unannounced
from penwright.roles.scene.state_block import last_block

_WRAPPED = re.compile(
    r"\A(?:(?:`{3,}|~{3,}).*|\[|(?:\[\s*)?\{\s*(?:[\"'“}].*)?|j(?:s(?:on?)?)?|json\s*[\[{].*)\Z", re.DOTALL
)
"""A reply that is a fence or JSON so far, or may become it."""
_OBJECT = re.compile(r"(?:^[ \t]*(?:`{3,}|~{3,})[ \t]*\w*\s*)?(?:^[ \t]*\[\s*)?\{\s*(?:\"|\Z)", re.MULTILINE)
_TAG = re.compile(r"^<(?:[A-Za-z]|\Z)", re.MULTILINE)
_FENCE_END = re.compile(r"[\s\]]*(?:`{3,}|~{3,})?\s*\Z")
_UNSURE = re.compile(r"\n?[ \t]*(?:`{1,2}|~{1,2}|(?:`{3,}|~{3,})[ \t]*\w{0,5}[ \t]*)\Z|\s+\Z")
"""Text that may become the beginning of a block."""


def shown(reply_so_far: str) -> str:
    """The part of an unfinished reply that may be shown: neither JSON, tags nor a block that may be the last.

    What is shown is always a beginning of the same text; it may fall back when a block turns out to be one.
    """
    text = reply_so_far.lstrip()
    if _WRAPPED.match(text) or unannounced(text)[1]:
        return ""
    ends = [block.start()] if (block := last_block(text)) else []
    ends += [found.start() for found in _OBJECT.finditer(text) if _is_last(text, found)][:1]
    ends += [found.start() for found in _TAG.finditer(text) if _is_tagged(text[found.start() :])][:1]
    return _UNSURE.sub("", text[: min(ends, default=len(text))]).rstrip()


def _is_last(text: str, found: re.Match[str]) -> bool:
    """Whether an object inside a reply has no end yet, or nothing after it."""
    end = closing(text, text.index("{", found.start()))
    return end is None or _FENCE_END.fullmatch(text, end) is not None


def _is_tagged(text: str) -> bool:
    found = OPENING.match(text)
    return found is not None and (found["name"] is None or not text[found.end() :] or is_known(found["name"]))
