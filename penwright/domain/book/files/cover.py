"""Lines on the cover of a book: from ``Config.yml``, or from the README of an older book."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from penwright.domain.book.files.metadata import NO_METADATA, Metadata, metadata_in
from penwright.domain.book.files.yaml_files import read_values

_TITLE = re.compile(r"^# +(\S.*?) *$", re.MULTILINE)
_AUTHOR = re.compile(r"^\*by (\S.*?)\* *$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cover:
    """Title page of a book, and whether a list of contents follows it."""

    title: str
    author: str = ""
    language: str = "English"
    """As the author names it."""
    contents: bool = True
    metadata: Metadata = NO_METADATA


def read_cover(config: str, readme: str, *, untitled: str) -> Cover:
    """Read the keys ``title``, ``author``, ``language`` and ``contents``, and those of ``metadata``.

    Args:
        untitled: the title if neither file has one.

    Raises:
        BrokenBook: ``config-broken-yaml`` or ``config-duplicate-key``.
    """
    values = read_values(config)
    title, author = _TITLE.search(readme), _AUTHOR.search(readme)
    return Cover(
        title=_text(values, "title") or (title[1] if title else untitled),
        author=_text(values, "author") or (author[1] if author else ""),
        language=_text(values, "language") or "English",
        contents=values.get("contents") is not False,
        metadata=metadata_in(values),
    )


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return "" if value is None else " ".join(str(value).split())
