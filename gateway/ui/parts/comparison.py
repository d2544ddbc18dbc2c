"""Comparison of two versions of texts: file by file and passage by passage, each word by word."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gateway.ui.elements.html import attribute, box, sentence, text
from gateway.ui.parts.editing.prose import stretches
from penwright.domain.text.comparing.changed_passages import ChangedPassage, changed_passages
from penwright.domain.text.comparing.word_diff import Change, word_diff

_LONGEST = 60_000
"""Characters of a comparison that are shown."""
_MANY = 400
"""Passages of a comparison that are shown."""


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    """A changed passage, ready to be shown."""

    said: str
    """Note where its words are not merely changed: that it is new, gone or moved."""
    changes: tuple[Change, ...]
    notes_gone: tuple[str, ...]
    notes_new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """One file of a comparison."""

    path: str
    passages: tuple[ComparedPassage, ...]
    why_none: str = ""
    """Reason why it has none."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Difference between two versions."""

    files: tuple[ComparedFile, ...]
    shortened: bool = False
    """Whether the rest was left out."""


def compared(texts: Iterable[tuple[str, str, str] | str]) -> Compared:
    """Compare texts; may take a second, so it is done outside the loop that serves all pages.

    Args:
        texts: path, text before and after; or the path alone of a file that was not read.
    """
    files: list[ComparedFile] = []
    room, count, left_out = _LONGEST, _MANY, False
    for each in texts:
        if isinstance(each, str):
            files.append(ComparedFile(each, (), "It is too long to be compared here, or no text."))
            continue
        passages = []
        for passage in changed_passages(*each[1:]):
            room, count = room - len(passage.before) - len(passage.after), count - 1
            if room < 0 or count < 0:
                left_out = True
                break
            passages.append(_shown(passage))
        none = "" if passages or left_out else "Only marks and line ends changed."
        files.append(ComparedFile(each[0], tuple(passages), none))
    return Compared(tuple(files), left_out)


def _shown(passage: ChangedPassage) -> ComparedPassage:
    noted = passage.notes_gone or passage.notes_new
    if passage.before == passage.after:
        said = "" if noted else "moved, its words unchanged"
    else:
        said = "new" if not passage.before else "" if passage.after else "taken out"
    changes = word_diff(passage.before, passage.after)
    return ComparedPassage(said, changes, passage.notes_gone, passage.notes_new)


def comparison(found: Compared, rest: str) -> None:
    """Draw it.

    Args:
        rest: how to see what was left out.
    """
    if not found.files:
        text("p", "Both are the same text.", classes="soft")
    with box(classes="compared scrolled-down") as place:
        attribute(place, "tabindex", "0")
        for file in found.files:
            text("h3", file.path)
            if file.why_none:
                text("p", file.why_none, classes="soft")
            said = ""
            for passage in file.passages:
                _passage(passage, passage.said if passage.said != said else "")
                said = passage.said
    if found.shortened:
        sentence(rest)


def _passage(passage: ComparedPassage, said: str) -> None:
    with box(classes="change-of"):
        if said:
            text("p", said, classes="soft")
        if passage.changes:
            stretches(passage.changes)
        for note in _notes(passage):
            text("p", note, classes="note")


def _notes(passage: ComparedPassage) -> Iterator[str]:
    yield from (f"Note put in: {each}" for each in passage.notes_new)
    yield from (f"Note no longer there: {each}" for each in passage.notes_gone)
