"""Read a workspace's files for tools: canonical paths, bounded answers, links never followed.

It reads any tree with kinds, names, contents and digests, such as the tip of a workspace. It writes
nothing: text changes only by publishing.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Literal, Protocol

import regex

from penwright.agents.files.paths import canonical
from penwright.domain.text.globs import Glob
from penwright.errors import NotFound, Refused, UsageMistake

LARGEST_FILE = 32 * 1024 * 1024
"""Bytes of a file that is read at all."""
MOST_LINES = 2_000
"""Lines of one answer."""
MOST_HITS = 1_000
MOST_ENTRIES = 5_000
"""Files of one listing, or looked at by one search."""
DEEPEST = 16
"""Folders inside each other."""
_LONGEST_LINE = 2_000
"""Characters of a line that are shown of a hit, those around the first match."""
_SEARCH_LIMIT_S = 5.0
"""For one search."""

PathKind = Literal["file", "folder", "link", "submodule"]

_LONGEST_PATTERN = 500


class Tree(Protocol):
    """Source of files; the port of the same name is one."""

    def kind(self, path: str) -> PathKind | None: ...

    def content(self, path: str) -> bytes | None: ...

    def names(self, folder: str) -> tuple[str, ...]: ...

    def blob(self, path: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Stat:
    """Kind, digest and size of what is at a path."""

    path: str
    kind: PathKind
    digest: str = ""
    """Of a file's content: its blob id."""
    size: int = 0
    """Of a file, in bytes."""


@dataclass(frozen=True, slots=True)
class Text:
    """Lines of a text file."""

    path: str
    text: str
    digest: str
    """Of the whole file."""
    first: int
    """Line the text begins with, from 1."""
    lines: int
    """Of the whole file."""
    more: bool
    """Whether further lines follow."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Sorted paths, and whether there are more."""

    paths: tuple[str, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Hits:
    """Lines that match, by path and line, and whether there are more."""

    hits: tuple[Hit, ...]
    more: bool = False
    passed_over: tuple[str, ...] = ()
    """Files that could not be searched: no text, or too large."""


class Filesystem(Protocol):
    """Read files. Paths are relative to the workspace, in any spelling.

    Raises:
        UsageMistake: ``bad-path``, for an invalid path; ``bad-pattern``.
        NotFound: ``no-such-file``, ``no-such-folder``.
        Refused: ``file-too-large``, ``not-text``, ``is-a-link``, ``is-a-folder``.
    """

    def exists(self, path: str) -> bool: ...

    def stat(self, path: str) -> Stat: ...

    def digest(self, path: str) -> str:
        """Of a file; empty where there is none."""
        ...

    def list(self, folder: str = "") -> tuple[Stat, ...]:
        """The entries of a folder, by name; without sizes."""
        ...

    def glob(self, pattern: str) -> Listing:
        """Files by path: ``*``, ``?`` and ``[…]`` within a name, ``**`` for any folders."""
        ...

    def read(self, path: str) -> bytes:
        """A whole file, byte for byte."""
        ...

    def read_text(self, path: str, *, first: int = 1, lines: int = MOST_LINES) -> Text:
        """Lines of a UTF-8 file."""
        ...

    def grep(self, wanted: str, *, within: str = "**", plain: bool = True, most: int = MOST_HITS) -> Hits:
        """Lines that hold ``wanted``, or match it as a pattern; case does not count."""
        ...


@dataclass(frozen=True, slots=True)
class TreeFiles:
    """A ``Filesystem`` over a tree."""

    tree: Tree
    seconds: Callable[[], float] = monotonic
    """The clock for the time limit of a search."""

    def exists(self, path: str) -> bool:
        return self._found(_spelled(path)) is not None

    def stat(self, path: str) -> Stat:
        found = self._there(path, "no-such-file")
        kind = self.tree.kind(found)
        assert kind is not None, "it was found"
        size = len(self.tree.content(found) or b"") if kind == "file" else 0
        return Stat(found, kind, self.tree.blob(found), size)

    def digest(self, path: str) -> str:
        found = self._found(_spelled(path))
        return self.tree.blob(found) if found else ""

    def list(self, folder: str = "") -> tuple[Stat, ...]:
        found = "" if folder.strip("/") in ("", ".") else self._there(folder, "no-such-folder")
        if found and self.tree.kind(found) != "folder":
            raise NotFound("no-such-folder", f"{found!r} is not a folder; list its parent folder")
        paths = (f"{found}/{name}".removeprefix("/") for name in sorted(self.tree.names(found)))
        return tuple(Stat(path, self.tree.kind(path) or "file", self.tree.blob(path)) for path in paths)

    def glob(self, pattern: str) -> Listing:
        wanted = _path_pattern(pattern)
        found: list[str] = []
        for path in self._files():
            if wanted.matches(unicodedata.normalize("NFC", path)):
                if len(found) == MOST_ENTRIES:
                    return Listing(tuple(found), more=True)
                found.append(path)
        return Listing(tuple(found))

    def read(self, path: str) -> bytes:
        found = self._there(path, "no-such-file")
        kind = self.tree.kind(found)
        if kind != "file":
            what = "is a folder; list it" if kind == "folder" else f"is a {kind}, which is not followed"
            raise Refused(f"is-a-{kind}", f"{found!r} {what}")
        content = self.tree.content(found) or b""
        if len(content) > LARGEST_FILE:
            raise Refused(
                "file-too-large", f"{found!r} has {len(content)} bytes; at most {LARGEST_FILE} are read"
            )
        return content

    def read_text(self, path: str, *, first: int = 1, lines: int = MOST_LINES) -> Text:
        found = self._there(path, "no-such-file")
        every = _lines(_decoded(found, self.read(path)))
        begin = max(1, first)
        shown = every[begin - 1 : begin - 1 + max(0, min(lines, MOST_LINES))]
        more = begin - 1 + len(shown) < len(every)
        return Text(found, "".join(shown), self.tree.blob(found), begin, len(every), more)

    def grep(self, wanted: str, *, within: str = "**", plain: bool = True, most: int = MOST_HITS) -> Hits:
        rule, wished = _words_rule(wanted, plain=plain), max(1, min(most, MOST_HITS))
        listing, until = self.glob(within), self.seconds() + _SEARCH_LIMIT_S
        hits: list[Hit] = []
        passed_over: list[str] = []
        for path in listing.paths:
            try:
                text = _decoded(path, self.read(path))
            except Refused:
                passed_over.append(path)
                continue
            hits += islice(self._hits(path, text, rule, until), wished + 1 - len(hits))
            if len(hits) > wished:
                return Hits(tuple(hits[:wished]), more=True, passed_over=tuple(passed_over))
        return Hits(tuple(hits), more=listing.more, passed_over=tuple(passed_over))

    def _hits(self, path: str, text: str, rule: "regex.Pattern[str]", until: float) -> Iterator[Hit]:
        """Matching lines, each once."""
        number, begin = 0, -1
        try:
            for match in rule.finditer(text, timeout=max(0.01, until - self.seconds())):
                if match.start() < begin:
                    continue
                number += text.count("\n", max(0, begin), match.start()) + 1
                front = text.rfind("\n", 0, match.start()) + 1
                end = text.find("\n", match.start())
                begin = len(text) + 1 if end < 0 else end + 1
                yield Hit(path, number, _around(text, front, begin - 1, match.start()))
        except TimeoutError:
            raise UsageMistake(
                "bad-pattern", f"{rule.pattern!r} takes too long, on {path!r} at the latest; search for less"
            ) from None

    def _files(self, folder: str = "", depth: int = 0) -> Iterator[str]:
        """Every file, sorted by path within its folder."""
        for name in sorted(self.tree.names(folder)):
            path = f"{folder}/{name}".removeprefix("/")
            kind = self.tree.kind(path)
            if kind == "file":
                yield path
            elif kind == "folder" and depth < DEEPEST:
                yield from self._files(path, depth + 1)

    def _there(self, path: str, code: str) -> str:
        spelled = _spelled(path)
        found = self._found(spelled)
        if found is None:
            raise NotFound(
                code, f"there is no {spelled!r} in the workspace; list the folder to see what is there"
            )
        return found

    def _found(self, path: str) -> str | None:
        """The path as the tree spells it: names may be stored in another Unicode form."""
        if self.tree.kind(path) is not None:
            return path
        folder = ""
        for part in path.split("/"):
            name = next((n for n in self.tree.names(folder) if unicodedata.normalize("NFC", n) == part), None)
            if name is None:
                return None
            folder = f"{folder}/{name}".removeprefix("/")
        return folder


def _spelled(path: str) -> str:
    spelled = canonical(path)
    if spelled is None:
        raise UsageMistake(
            "bad-path", f"{path[:200]!r} is not a path in the workspace; give a plain path relative to it"
        )
    return spelled


def _lines(text: str) -> list[str]:
    """Lines with their ends, split as git splits them: only at line feeds."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _around(text: str, front: int, end: int, found: int) -> str:
    """The line between ``front`` and ``end``; of a long line the part around ``found``."""
    first = max(front, min(found - _LONGEST_LINE // 2, end - _LONGEST_LINE))
    return text[first : min(end, first + _LONGEST_LINE)]


def _decoded(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("not-text", f"{path!r} is not UTF-8 text; it cannot be shown") from None


def _path_pattern(pattern: str) -> Glob:
    """A glob for paths in Unicode's composed form; raises ``UsageMistake`` ``bad-pattern``."""
    composed = unicodedata.normalize("NFC", pattern)
    if not composed.strip("./") or len(pattern) > _LONGEST_PATTERN or ".." in composed.split("/"):
        raise UsageMistake("bad-pattern", f"{pattern[:200]!r} is no pattern of paths; try '**/*.md'")
    return Glob.of(composed)


def _words_rule(wanted: str, *, plain: bool) -> "regex.Pattern[str]":
    if not wanted or len(wanted) > _LONGEST_PATTERN:
        raise UsageMistake("bad-pattern", f"search for 1 to {_LONGEST_PATTERN} characters")
    try:
        return regex.compile(regex.escape(wanted) if plain else wanted, regex.IGNORECASE | regex.MULTILINE)
    except regex.error as error:
        raise UsageMistake(
            "bad-pattern", f"{wanted!r} is no pattern: {error}; search for plain words"
        ) from None
