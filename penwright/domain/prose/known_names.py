"""Names that an author wrote down in a list of characters."""

import regex

_HEADING = regex.compile(r"^#{2,6}[ \t]+(.+)$", regex.MULTILINE)
_FIELD = regex.compile(
    r"^[ \t]*[-*+]?[ \t]*\**name\**[ \t]*:[ \t]*\**(.+)$", regex.MULTILINE | regex.IGNORECASE
)
_NAME = regex.compile(r"\b\p{Lu}[\p{L}'\u2019-]+")
_NO_NAMES = frozenset({"Protagonist", "Antagonist", "Others", "Characters", "Name"})


def known_names(characters: str) -> tuple[str, ...]:
    """The capitalised words of the headings and of the lines ``Name: …`` in Characters.md, each once."""
    lines = [
        found[1] for kind in (_HEADING, _FIELD) for found in kind.finditer(characters) if "[" not in found[1]
    ]
    names = dict.fromkeys(name for line in lines for name in _NAME.findall(line))
    return tuple(name for name in names if name not in _NO_NAMES)
