"""The data of a book for shops, from ``Config.yml``: ISBN, description, rights, publisher, cover."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KEYS = ("isbn", "description", "rights", "publisher", "cover")
_NO_DIGIT = re.compile(r"[\s\u2010-\u2015-]+")


@dataclass(frozen=True, slots=True)
class Metadata:
    """Of one book; a field that is not set is empty."""

    isbn: str = ""
    """Thirteen digits, or ten that end in X perhaps."""
    description: str = ""
    rights: str = ""
    publisher: str = ""
    cover: str = ""
    """Path of a picture in the book's folder."""

    @property
    def has_isbn(self) -> bool:
        """Whether there is an ISBN whose check digit is right."""
        return _is_isbn(self.isbn)

    def missing(self, author: str) -> Iterator[str]:
        """The keys without which shops refuse an EPUB."""
        if not author:
            yield "author"
        if not self.cover:
            yield "cover"


NO_METADATA = Metadata()


def metadata_in(values: Mapping[str, object]) -> Metadata:
    """Take the fields out of the values of ``Config.yml``."""
    found = {key: " ".join(str(values[key]).split()) for key in KEYS if values.get(key) is not None}
    return Metadata(**{**found, "isbn": _NO_DIGIT.sub("", found.get("isbn", "")).upper()})


def _is_isbn(text: str) -> bool:
    if re.fullmatch(r"[0-9]{13}", text):
        return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(text)) % 10 == 0
    if re.fullmatch(r"[0-9]{9}[0-9X]", text):
        return sum((10 - at) * ("0123456789X".index(digit)) for at, digit in enumerate(text)) % 11 == 0
    return False
