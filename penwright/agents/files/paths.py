"""Canonical paths: one spelling for one file."""

import unicodedata

from penwright.domain.intents.paths import why_unsafe


def canonical(path: str) -> str | None:
    """The canonical form of a path in the workspace; None if it is invalid."""
    if path.startswith("/") or "\\" in path:
        return None
    parts: list[str] = []
    for part in unicodedata.normalize("NFC", path).split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    spelled = "/".join(parts)
    return None if why_unsafe(spelled) else spelled
