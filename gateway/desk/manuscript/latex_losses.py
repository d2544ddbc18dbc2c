"""A LaTeX source: its encoding, and what its conversion to Markdown does not keep, counted."""

import re
from typing import Final

_COMMENT: Final = re.compile(r"(?<!\\)%.*")
_INPUTENC: Final = re.compile(rb"\\usepackage\s*\[([^\]]*)\]\s*\{inputenc\}")
_ENCODINGS: Final = {
    **{"latin1": "cp1252", "ansinew": "cp1252", "cp1252": "cp1252", "latin9": "iso8859-15"},
    **{"latin2": "iso8859-2", "latin3": "iso8859-3", "latin4": "iso8859-4", "latin5": "iso8859-9"},
    **{"latin10": "iso8859-16", "cp1250": "cp1250", "cp1251": "cp1251", "cp1257": "cp1257"},
    **{"koi8-r": "koi8-r", "koi8-u": "koi8-u", "applemac": "mac-roman", "cp437": "cp437", "cp850": "cp850"},
    **{"cp852": "cp852", "cp866": "cp866"},
}
"""Python's names by those of ``inputenc``."""
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


def encoding_of(content: bytes) -> str:
    """Return the encoding that a source names for ``inputenc``; empty if it is UTF-8, or names none."""
    try:
        content.decode()
    except UnicodeDecodeError:
        named = _INPUTENC.search(content)
        return _ENCODINGS.get(named[1].decode("ascii", "replace").strip(), "") if named else ""
    return ""


def losses(source: str) -> tuple[str, ...]:
    """A sentence for each kind of part that is lost, with how many there are."""
    plain = _COMMENT.sub("", source)
    counted = ((said, len(pattern.findall(plain))) for pattern, said in _LOST)
    return tuple(said.format(number) for said, number in counted if number)
