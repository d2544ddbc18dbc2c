"""Path patterns of scopes and ignore files, anchored at the top of the workspace."""

import re
from functools import lru_cache


@lru_cache(maxsize=2048)
def compiled(pattern: str) -> re.Pattern[str]:
    """``*`` and ``?`` stay inside a folder, ``**`` crosses folders, a ``/`` at the end is the subtree."""
    pattern = pattern.removeprefix("/")
    if pattern.endswith("/"):
        pattern += "**"
    parts = pattern.split("/")
    rule = ""
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        if part == "**":
            rule += ".+" if last else "(?:[^/]+/)*"
        else:
            rule += segment(literal(part)) + ("" if last else "/")
    return re.compile(rule, re.DOTALL)


def literal(part: str) -> str:
    """A part with the signs that mean something in a pattern written as ``%23`` (#), ``%2F`` and ``%25``."""
    return part.replace("%23", "#").replace("%2F", "/").replace("%25", "%")


def segment(part: str) -> str:
    """One part of a pattern as a regular expression."""
    return "".join(
        {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign)) for sign in re.sub(r"\*+", "*", part)
    )


def matches(pattern: str, path: str) -> bool:
    """Whether the whole of ``path`` is what ``pattern`` says."""
    return compiled(pattern).fullmatch(path) is not None
