"""Paths inside a workspace: which are safe, and which match a glob."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from penwright.errors import Refused

_LONGEST = 4096


def safe(path: str) -> str:
    """``path`` itself, or ``Refused``: it must be relative, plain, and stay inside the workspace."""
    parts = path.split("/")
    wrong = (
        not path
        or len(path.encode("utf-8", "surrogateescape")) > _LONGEST
        or any(sign in path for sign in "\\\0\n\r")
        or any(
            part in ("", ".", "..") or len(part.encode("utf-8", "surrogateescape")) > 255 for part in parts
        )
        or any(_is_git(part) for part in parts)
        or not _is_unicode(path)
        or re.match(r"[A-Za-z]:", path)
    )
    if wrong:
        raise Refused(
            "unsafe-path",
            f"{path!r} is not a plain path inside the workspace; name a file relative to its top folder",
            path=path.encode("utf-8", "replace").decode(),
        )
    return path


def _is_git(part: str) -> bool:
    # Trailing dots and blanks, and signs without width, still mean .git on some file systems.
    bare = re.sub(r"[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]", "", part).rstrip(". ").lower()
    return bare == ".git" or bare.startswith(".git:") or bool(re.fullmatch(r"git~\d+", bare))


def _is_unicode(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether any glob matches: ``*`` and ``?`` stay inside a folder, ``**`` crosses folders."""
    return matcher(patterns)(path) is not None


def matcher(patterns: Sequence[str]) -> Callable[[str], object | None]:
    """``matches`` for thousands of paths: anything but None where a glob matches."""
    return _any_of(tuple(patterns)).fullmatch


@lru_cache(maxsize=128)
def stems(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """What each glob begins with: of a folder's thousand names few begin so, and only these are matched."""
    return tuple({re.split(r"[*?]", pattern, maxsplit=1)[0] for pattern in patterns})


@lru_cache(maxsize=128)
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    # In one, because a folder may hold thousands of names.
    return re.compile("|".join(f"(?:{_rule(pattern)})" for pattern in patterns) or r"(?!)", re.DOTALL)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_rule(pattern), re.DOTALL)


def _rule(pattern: str) -> str:
    rule, at = "", 0
    while at < len(pattern):
        sign = pattern[at]
        if pattern.startswith("**/", at):
            rule, at = rule + "(?:[^/]+/)*", at + 3
        elif pattern.startswith("**", at):
            rule, at = rule + ".*", at + 2
        else:
            rule, at = rule + {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign)), at + 1
    return rule


def may_hold(folder: str, patterns: Sequence[str]) -> bool:
    """Whether a path below ``folder`` (without slash at its end) could match."""
    return any(_meets(folder.split("/"), pattern.split("/")) for pattern in patterns)


def _meets(folder: Sequence[str], pattern: Sequence[str]) -> bool:
    for at, part in enumerate(folder):
        if at >= len(pattern) - 1 and "**" not in pattern[-1]:
            return False
        if "**" in pattern[min(at, len(pattern) - 1)]:
            return True
        if not _compiled(pattern[at]).fullmatch(part):
            return False
    return True
