"""Names given by people that are safe in files, tables and command lines."""

import re
import unicodedata

RULE = "1–64 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def is_plain_name(name: str) -> bool:
    """Whether ``name`` follows ``RULE``."""
    return _NAME.fullmatch(name) is not None


def hidden_sign(text: str) -> str | None:
    """A character by which ``text`` would look like another text; None if it has none.

    These are control characters, lone surrogates, line separators, byte order marks, and the controls of
    writing direction. Joiners are none: names in several scripts need them.
    """
    return next((sign for sign in text if _is_hidden(sign)), None)


def _is_hidden(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or sign in _DIRECTIONS


_DIRECTIONS = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
