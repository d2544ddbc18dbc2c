"""Text of files in any encoding: by its mark, as UTF-8, or as the encoding that its bytes look most like."""

import codecs
import re
from collections import Counter
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
_OF_EUROPE = ("cp1252", "cp1250", "cp1254", "cp1257", "iso8859_2")
"""Of languages with Latin letters; of two that fit as well, the first is meant."""
_OF_ONE_BYTE = [*_OF_EUROPE, "cp1251", "cp1253", "cp1255", "cp1256", "koi8_r"]
_OF_TWO = ["gb18030", "big5", "cp932", "euc_jp", "euc_kr"]
_LAST = ["cp874"]
"""Thai, whose letters are at all places beyond ASCII, so that any text could be it."""
_LETTERS = (
    *("àâæçéèêëîïôœùûüÿ", "äöüß", "áéíñóúü", "àáâãçéêíóôõú", "àèéìíîòóùú", "àçèéíïòóúü"),
    *("åäöéæø", "áðéíóúýþæö", "éëïèöüáó", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż"),
    *("áéíóöőúüű", "čćđšž", "ăâîşţ", "çğıöşüâîûi̇", "ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"),
)
"""Of each language what it writes beyond ASCII: a wrong encoding makes letters of several."""
_LONE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
_HIGH = re.compile(rb"[\x80-\xff]")


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
        mend = "where signs are wrong, save it as UTF-8, or import it with `--encoding`"
        return (f"{self.said}: {mend}",) if self.said else ()

    @property
    def said(self) -> str:
        """Note on what was guessed; empty if nothing was."""
        if not self.guessed:
            return ""
        if not self.encoding:
            return "damaged UTF-8, read with \ufffd in place of each broken sign"
        return f"not UTF-8, so read as {self.encoding}, a guess"


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
            return _in(content, name) or Decoded(content.decode(name, "replace"), name, guessed=True)
    return _in(content, "utf-8") or _damaged(content) or _guessed(content)


def _in(content: bytes, name: str) -> Decoded | None:
    try:
        return Decoded(content.decode(name), "" if name == "utf-8" else name)
    except UnicodeDecodeError:
        return None


def _damaged(content: bytes) -> Decoded | None:
    """Read a text of which most signs are UTF-8, which chance does not make of another encoding."""
    text = content.decode(errors="replace")
    broken = text.count("\ufffd")
    sound = sum(not each.isascii() for each in text) - broken
    return Decoded(text, guessed=True) if sound > 4 * broken else None


def _guessed(content: bytes) -> Decoded | None:
    among = _OF_ONE_BYTE if _is_sparse(content) else _OF_ONE_BYTE + _OF_TWO
    found = from_bytes(content, cp_isolation=among) or from_bytes(content, cp_isolation=_LAST)
    if (best := found.best()) is None:
        return None
    name = best.encoding
    if name in _OF_EUROPE:
        name = max(_OF_EUROPE, key=lambda each: _letters_of_one_language(content, each))
    elif name == "euc_kr" and len(_IDEOGRAPH.findall(str(best))) * 5 > len(_HIGH.findall(content)) / 2:
        name = "gb18030"  # Korean of today has next to none
    elif name in ("cp1251", "koi8_r") and str(best) in (str(best).lower(), str(best).upper()):
        # Letters of Hebrew, which has one case, stand where small ones of Russian do.
        name = "cp1255" if _in(content, "cp1255") else name
    return Decoded(content.decode(name, "replace"), name, guessed=True)


def _letters_of_one_language(content: bytes, name: str) -> int:
    """Return how many letters beyond ASCII one language writes, less the signs that none writes."""
    signs = Counter(each for each in content.decode(name, "replace").lower() if not each.isascii())
    none = signs["\ufffd"] + sum(number for each, number in signs.items() if "\x80" <= each < "\xa0")
    return max(sum(signs[each] for each in letters) for letters in _LETTERS) - none


def _is_sparse(content: bytes) -> bool:
    """Whether its signs beyond ASCII are few and single, as in the languages of Europe."""
    high = len(_HIGH.findall(content))
    return high * 10 < len(content) and len(_LONE.findall(content)) * 2 > high


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
