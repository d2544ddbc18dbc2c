"""Repositories of books with a given number of words and sessions, laid out as sessions leave them."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK
from penwright.domain.book.files.layout import (
    CONFIG,
    FULL_BOOK,
    MATERIAL_FOLDER,
    README,
    REVIEW,
    STATE,
    SUMMARY,
    changelog_path,
    chapter_path,
    tag_base,
)
from schemas.workspace import Workspace
from tests.support.books.repos import git, identify

TEXT_VARIABLE = "PENWRIGHT_BENCH_TEXT"
"""Names a text file to take the prose from; made-up words otherwise."""
WORDS_PER_SESSION = 500
FIRST = datetime(2015, 1, 5, 7, 30, tzinfo=UTC)
_TEXT_EVERY = 100
"""The long text is part of every hundredth commit only, so that building takes seconds."""
_SYLLABLES = ("ba", "ren", "ti", "lo", "sk", "mer", "und", "a", "vel", "qui", "dor", "e", "han", "ist")


@dataclass(frozen=True, slots=True)
class Size:
    """How much of a book there is."""

    words: int
    commits: int

    @property
    def name(self) -> str:
        return f"{self.words // 1000}k/{self.commits}"


LONG_BOOK = Size(1_000_000, 2_000)


def prose(words: int, seed: int = 1) -> str:
    """Paragraphs of about a hundred words; the same for the same seed."""
    state, paragraphs, line = seed, [], []
    for number in range(words):
        state = (state * 1103515245 + 12345) % 2**31
        line.append(_SYLLABLES[state // 7 % 14] + _SYLLABLES[state // 101 % 14] + "s" * (state // 997 % 2))
        if number % 100 == 99:
            paragraphs.append(" ".join(line) + ".")
            line = []
    return "\n\n".join([*paragraphs, " ".join(line)]).strip() + "\n"


@cache
def text_of(words: int) -> str:
    """Prose of ``words`` words, in paragraphs: from the named text, over and over, or made up."""
    source = os.environ.get(TEXT_VARIABLE)
    if not source:
        return prose(words)
    paragraphs = Path(source).read_text(encoding="utf-8").replace("<!--", "").split("\n\n")
    taken: list[str] = []
    count = 0
    while count < words:
        for paragraph in paragraphs:
            own = paragraph.split()[: words - count]
            count += len(own)
            taken += [" ".join(own)] if own else []
    return "\n\n".join(taken) + "\n"


def make_book(folder: Path, size: Size) -> Workspace:
    """The book, checked out; its tags are loose, as sessions leave them."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    identify(folder)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=b"".join(_history(size)), check=True)
    git(folder, "reset", "-q", "--hard", "main")
    return Workspace(path=str(folder))


def _history(size: Size) -> Iterator[bytes]:
    """A fast-import stream: one commit, one Changelog entry and one tag a session."""
    paragraphs = text_of(size.words).split("\n\n")
    summary = ""
    for number in range(1, size.commits + 1):
        at = FIRST + timedelta(days=number)
        summary += f"## {at:%Y-%m-%d %H:%M}, {WORDS_PER_SESSION} words\n\n{prose(20, number)}\n"
        files = {
            changelog_path(at): f"# Session of {at:%Y-%m-%d}\n\n{prose(60, number)}",
            REVIEW: prose(WORDS_PER_SESSION, number),
        }
        if number == 1:
            files |= _material(size)
        if number % _TEXT_EVERY == 0 or number == size.commits:
            shown = paragraphs[: max(1, len(paragraphs) * number // size.commits)]
            files |= {FULL_BOOK: "\n\n".join([EMPTY_FULL_BOOK.strip(), *shown]) + "\n", SUMMARY: summary}
        message = (
            f"Close session {number}\n\n"
            f"Penwright-Op: old-{number}\nPenwright-Sync: -\nPenwright-Contributor: engine\n"
        )
        yield from _commit(at, message, files)
        yield f"\nreset refs/tags/{tag_base(at)}\nfrom refs/heads/main\n\n".encode()


def _commit(at: datetime, message: str, files: dict[str, str]) -> Iterator[bytes]:
    who = f"Penwright <penwright@localhost> {int(at.timestamp())} +0000"
    yield f"commit refs/heads/main\ncommitter {who}\ndata {len(message.encode())}\n{message}".encode()
    for path, text in files.items():
        yield f'M 100644 inline "{path}"\ndata {len(text.encode())}\n'.encode() + text.encode() + b"\n"


def _material(size: Size) -> dict[str, str]:
    """Text written by a person before the first session, and the engine's own files."""
    chapters = max(2, min(60, size.words // 10_000))
    config = {
        "target_length": size.words * 2,
        "chapter_count": chapters,
        "chapter_structure": "linear",
        "words_per_session": WORDS_PER_SESSION,
        "words_per_chapter": size.words * 2 // chapters,
        "words_per_page": 250,
        "language": "English",
    }
    named = ("Soul", "Outline", "Lore", "Characters")
    return {
        CONFIG: "".join(f"{key}: {value}\n" for key, value in config.items()),
        STATE: f"current_chapter: {max(1, chapters // 2)}\ncurrent_chapter_word_count: 0\n",
        README: "# A long book\n\n- **Status:** Writing\n",
        **{f"{MATERIAL_FOLDER}/{name}.md": f"# {name}\n\n{prose(600)}" for name in named},
        **{
            chapter_path(number): f"# Chapter {number}\n\n{prose(150, number)}"
            for number in range(1, chapters + 1)
        },
    }
