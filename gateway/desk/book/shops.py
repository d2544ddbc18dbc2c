"""The data of a book for a shop, and warnings of faults that a shop refuses."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from penwright.domain.book.files.cover import Cover
from penwright.domain.book.files.layout import CONFIG
from penwright.errors import UsageMistake

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg")
_LARGEST_COVER = 20 * 1024 * 1024


def picture(top: Path, cover: Cover) -> tuple[str, bytes]:
    """A file name for the cover's picture, and its content; empty without a cover.

    Raises:
        UsageMistake: ``no-cover``: it is no picture of the book's folder.
    """
    if not (named := cover.metadata.cover):
        return "", b""
    place = (top / named).resolve()
    inside = place.is_relative_to(top.resolve()) and place.is_file() and place.suffix.lower() in _PICTURES
    if not inside or place.stat().st_size > _LARGEST_COVER:
        raise UsageMistake(
            "no-cover",
            f"`cover` in {CONFIG!r} names {named!r}, which is no picture in the book's folder",
            hint=f"name a file of up to 20 MB that ends in {', '.join(_PICTURES)}, or delete the line",
        )
    return f"cover{place.suffix.lower()}", place.read_bytes()


def warnings(cover: Cover, faults: Sequence[str]) -> Iterator[str]:
    """Warnings of faults that shops refuse: data that is missing, a wrong ISBN, broken rules of EPUB."""
    if missing := [*cover.metadata.missing(cover.author)]:
        yield f"shops refuse an EPUB without {' and '.join(missing)}; set {', '.join(missing)} in {CONFIG!r}"
    if cover.metadata.isbn and not cover.metadata.has_isbn:
        yield f"{cover.metadata.isbn!r} is no ISBN, so the EPUB has none; correct `isbn` in {CONFIG!r}"
    yield from (f"a reader or shop may refuse the EPUB: {fault}" for fault in faults)
