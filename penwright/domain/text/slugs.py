"""Ids made from names, and names as they are compared."""

import re
import unicodedata

_OTHER = re.compile(r"[\W_]+")
_LONGEST = 60


def slug(name: str, otherwise: str) -> str:
    """The id that a name gives, of letters and digits of any script; ``otherwise`` if it has none of them."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _OTHER.sub("-", folded).strip("-")[:_LONGEST].strip("-") or otherwise


def folded(name: str) -> str:
    """A name as it is compared: one form of each letter, no case, single spaces."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())
