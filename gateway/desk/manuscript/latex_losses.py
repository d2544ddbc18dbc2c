"""What a LaTeX source has and its conversion to Markdown does not keep, counted."""

import re
from typing import Final

_COMMENT: Final = re.compile(r"(?<!\\)%.*")
_LOST: Final = (
    (
        re.compile(r"(?<!\\)\\(?:input|include)\s*\{"),
        "files that it includes, left out: {}; import each as a scene",
    ),
    (
        re.compile(r"(?<!\\)\\(?:[acCv]|auto|eq|page|name|cpage|sub|full|short)?ref(?:range)?\*?\s*\{"),
        "cross-references turned into plain text: {}; their numbers no longer follow the text",
    ),
)


def losses(source: str) -> tuple[str, ...]:
    """A sentence for each kind of part that is lost, with how many there are."""
    plain = _COMMENT.sub("", source)
    counted = ((said, len(pattern.findall(plain))) for pattern, said in _LOST)
    return tuple(said.format(number) for said, number in counted if number)
