"""Text of files in any encoding: by its mark, as UTF-8, or as the encoding that its bytes look most like."""

import codecs
from dataclasses import dataclass
from encodings.aliases import aliases

from charset_normalizer import from_bytes

from penwright.domain.text.nearest import nearest
from penwright.errors import UsageMistake

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSED = [
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "koi8_r"),
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256"),
]
_USUAL = "cp1252"
"""The one that is meant where another is as likely, as cp1250 often is."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file."""

    text: str
    encoding: str = ""
    """In which it was read; empty for UTF-8."""
    guessed: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """For who gave the file."""
        if not self.guessed:
            return ()
        mend = "where signs are wrong, save it as UTF-8, or import it with `--encoding`"
        return (f"not UTF-8, so read as {self.encoding}, a guess: {mend}",)


def decoded(content: bytes, encoding: str = "") -> Decoded | None:
    """Decode a file; None if its bytes are text in no encoding that we know.

    Args:
        encoding: as the person named it; empty to find it.

    Raises:
        UsageMistake: ``unknown-encoding``, or ``wrong-encoding`` if the file is not in the named one.
    """
    if encoding:
        return _as_named(content, encoding)
    for mark, name in _MARKS:
        if content.startswith(mark):
            return _in(content, name)
    return _in(content, "utf-8") or _guessed(content)


def _in(content: bytes, name: str) -> Decoded | None:
    try:
        return Decoded(content.decode(name), "" if name == "utf-8" else name)
    except UnicodeDecodeError:
        return None


def _guessed(content: bytes) -> Decoded | None:
    found = from_bytes(content, cp_isolation=_GUESSED)
    if (best := found.best()) is None:
        return None
    usual = (each for each in found if each.encoding == _USUAL and each.chaos <= best.chaos)
    taken = next(usual, best)
    return Decoded(str(taken), taken.encoding, guessed=True)


def _as_named(content: bytes, encoding: str) -> Decoded:
    try:
        name = codecs.lookup(encoding).name
        text = content.decode(name)
    except LookupError:
        known = {*aliases, *aliases.values()} - {encoding}
        near = nearest(encoding.replace("-", "_"), known)
        hint = f"did you mean {near[0]!r}?" if near else "such as gb18030, shift_jis or windows-1252"
        raise UsageMistake("unknown-encoding", f"there is no encoding {encoding!r}", hint=hint) from None
    except UnicodeDecodeError as error:
        said = f"the file is not in {encoding} at byte {error.start}"
        hint = "leave out `--encoding` to see what it looks like"
        raise UsageMistake("wrong-encoding", said, hint=hint) from None
    if not content.isascii() and name != "utf-8" and _in(content, "utf-8"):
        said = f"the file is UTF-8, which {encoding} would make other signs of"
        raise UsageMistake("wrong-encoding", said, hint="leave out `--encoding`")
    return Decoded(text, name)
