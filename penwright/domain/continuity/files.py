"""The files that hold a book's readings: each is written once, and never changed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from penwright.domain.book.files.layout import CONTINUITY_FOLDER
from schemas.continuity import Reading
from schemas.workspace import TextFile

READINGS = f"{CONTINUITY_FOLDER}/*.jsonl"
"""Glob of the files."""


@dataclass(frozen=True, slots=True)
class Read:
    """All readings of a book, and what of its files is no reading."""

    readings: tuple[Reading, ...]
    damaged: tuple[str, ...] = ()
    """Places, as ``path:line``; a path for a file that is no text."""


def readings_path(session: str, batch: int) -> str:
    """Path of the file for the ``batch``-th commit of a run."""
    return f"{CONTINUITY_FOLDER}/{session}-{batch:03d}.jsonl"


def write_readings(readings: Iterable[Reading]) -> str:
    """Readings as the text of a file, one a line."""
    return "".join(f"{each.model_dump_json(exclude_defaults=True)}\n" for each in readings)


def load_readings(files: Mapping[str, TextFile], unreadable: Iterable[str] = ()) -> Read:
    """Read every file of readings; a line that is damaged leaves out that line.

    Args:
        unreadable: paths of files that are no text.
    """
    readings: list[Reading] = []
    damaged = [each for each in unreadable if each.startswith(f"{CONTINUITY_FOLDER}/")]
    for path in sorted(files):
        if path.startswith(f"{CONTINUITY_FOLDER}/"):
            for number, line in _lines(files[path].text):
                try:
                    readings.append(Reading.model_validate_json(line))
                except ValidationError:
                    damaged.append(f"{path}:{number}")
    return Read(tuple(readings), tuple(damaged))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
