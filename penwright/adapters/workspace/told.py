"""What ``git log`` says of commits and of the log outside the branch, read as values.

Pure, so that it may be done in another process.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from penwright.adapters.workspace.recording import COMMIT, HEAD, KIND, LEDGER_BLOB
from penwright.adapters.workspace.repository import OP
from penwright.adapters.workspace.trailers import trailers_in
from penwright.domain.trace.governed import RULES
from penwright.domain.trace.layout import FOLDER
from schemas.base import CommitSha
from schemas.trace import Anchor, PathChange, TracedCommit

BETWEEN = b"\0\0"
"""Stands in front of each commit and nowhere else: no message holds a zero, and no part of these is empty."""
COMMITS = "--format=%x00%x00%H %ct %P%x00%an <%ae>%x00:%B%x00"
"""In front of ``--raw``, whose lines name both blobs."""
ENTRIES = "--format=%x00%x00%H %ct%x00:%B%x00"
_LISTED = frozenset({"Trace-Id", "Trace-Head"})
_ESCAPE = re.compile(r"\\([abfnrtv\"\\]|[0-7]{3})")
_SIGNS = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, '"': 34, "\\": 92}


def commits_in(told: bytes) -> Sequence[TracedCommit]:
    """Some commits with every file they changed; ``told`` neither begins nor ends within one."""
    return [_commit(each, None) for each in _apart(told)]


def commits_outside(told: bytes) -> Sequence[TracedCommit]:
    """The same without changes in the folder of the ledger, but with those of the rules."""
    return [_commit(each, _is_outside) for each in _apart(told)]


def anchors_in(clone: str, told: bytes) -> Sequence[Anchor]:
    """Some entries of a clone's log."""
    return [_anchor(clone, each) for each in _apart(told)]


def _apart(told: bytes) -> Sequence[str]:
    # Names of files may be of any bytes; all at once, for there are a hundred thousand.
    text = told.decode("utf-8", "surrogateescape")
    return [each for each in text.split(BETWEEN.decode()) if each]


def _commit(told: str, wanted: Callable[[str], bool] | None) -> TracedCommit:
    """A few words about one commit, and a line for each changed file."""
    head, author, message, rows = told.split("\0")
    sha, at, *parents = head.split()
    return TracedCommit(
        CommitSha(sha),
        tuple(parents),
        datetime.fromtimestamp(int(at), UTC),
        _shown(author),
        _trailers(message),
        _paths(rows, wanted),
    )


def _paths(rows: str, wanted: Callable[[str], bool] | None) -> tuple[PathChange, ...]:
    """Changed files, or those of them whose names are ``wanted``. Links and submodules are no text."""
    found: list[PathChange] = []
    for row in rows.split("\n"):
        old_is, new_is = row.startswith(":100"), row.startswith("100", 8)
        if not (old_is or new_is):
            continue
        told, _, path = row.partition("\t")
        if wanted is None or wanted(path):
            _, _, old, new, _ = told.split(" ")
            found.append(PathChange(_name(path), old if old_is else None, new if new_is else None))
    return tuple(found)


@lru_cache(maxsize=4096)
def _is_outside(path: str) -> bool:
    name = _name(path)
    return not name.startswith(f"{FOLDER}/") or name in RULES


def _trailers(message: str) -> dict[str, str]:
    """By name. Where a squash kept the trailers of several commits, what lists ids lists all of them."""
    found = trailers_in(_shown(message[1:]))
    told = dict(found)
    if len(told) < len(found):
        for name in told.keys() & _LISTED:
            told[name] = ",".join([value for each, value in found if each == name])
    return told


def _shown(text: str) -> str:
    """Without what is no text: signs put in its place."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@lru_cache(maxsize=4096)
def _name(path: str) -> str:
    if not path.startswith('"'):
        return path
    # A sign by its number is one byte of what may be several.
    raw = _ESCAPE.sub(_unescaped, path[1:-1]).encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "surrogateescape")


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    return bytes([_SIGNS[sign] if sign in _SIGNS else int(sign, 8)]).decode("utf-8", "surrogateescape")


def _anchor(clone: str, told: str) -> Anchor:
    head, message, _ = told.split("\0")
    entry, at = head.split(" ")
    said = _trailers(message)
    heads = said.get(HEAD)
    # By place: a hundred thousand are made, and naming each field is felt.
    return Anchor(
        entry,
        clone,
        "revocation" if said.get(KIND) == "revocation" else "record",
        datetime.fromtimestamp(int(at), UTC),
        said.get(COMMIT, ""),
        tuple(heads.split(",")) if heads else (),
        said.get(LEDGER_BLOB, ""),
        said.get(OP, ""),
    )
