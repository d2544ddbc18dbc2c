"""Which paths are safe inside a workspace."""

import re

from penwright.errors import Refused

_LONGEST = 4096


def safe(path: str) -> str:
    """``path`` itself, or ``Refused``: it must be relative, plain, and stay inside the workspace."""
    if not is_safe(path):
        raise Refused(
            "unsafe-path",
            f"{path!r} is not a plain path inside the workspace; name a file relative to its top folder",
            path=path.encode("utf-8", "replace").decode(),
        )
    return path


def is_safe(path: str) -> bool:
    """Whether ``path`` is relative, plain, and stays inside the workspace."""
    parts = path.split("/")
    return not (
        not path
        or not _is_unicode(path)
        or len(path.encode()) > _LONGEST
        or any(sign in path for sign in "\\\0\n\r")
        or any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts)
        or any(_is_git(part) for part in parts)
        or re.match(r"[A-Za-z]:", path)
    )


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
