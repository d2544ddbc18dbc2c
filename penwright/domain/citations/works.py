"""When two references name one work: the same DOI, else the same PMID, else title, first author and year."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from typing import Generic, TypeVar

from penwright.domain.citations import identifiers
from schemas.scholarly import Reference

T = TypeVar("T")
_Marks = tuple[str, str, str, tuple[str, str, int | None] | None]
_NOT_WORD = re.compile(r"[\W_]+")


def same_work(one: Reference, other: Reference) -> bool:
    """Whether both name one work; identifiers that both have decide alone, in the order DOI, PMID, arXiv."""
    return _agree(_marks(one), _marks(other))


class KnownWorks(Generic[T]):
    """Works by what they may be known by, so that one is found without comparing it with all of them."""

    def __init__(self) -> None:
        self._all: list[tuple[_Marks, T]] = []
        self._bearing: defaultdict[tuple[int, object], list[int]] = defaultdict(list)

    def add(self, work: Reference, name: T) -> None:
        """Note a work under a name."""
        marks = _marks(work)
        for mark in _given(marks):
            self._bearing[mark].append(len(self._all))
        self._all.append((marks, name))

    def find(self, work: Reference) -> T | None:
        """The name of the same work; the first one of several, None if there is none."""
        marks = _marks(work)
        bearing = {at for mark in _given(marks) for at in self._bearing.get(mark, ())}
        same = (at for at in bearing if _agree(self._all[at][0], marks))
        first = min(same, default=None)
        return None if first is None else self._all[first][1]


def _marks(work: Reference) -> _Marks:
    """DOI, PMID, arXiv id and description, each in its one form; empty where there is none."""
    ids = identifiers.doi(work.doi), identifiers.pmid(work.pmid), identifiers.arxiv(work.arxiv)
    return *ids, _described(work)


def _given(marks: _Marks) -> Iterator[tuple[int, object]]:
    return ((kind, mark) for kind, mark in enumerate(marks) if mark)


def _agree(one: _Marks, other: _Marks) -> bool:
    """The first mark that both have decides."""
    return next((mine == theirs for mine, theirs in zip(one, other, strict=True) if mine and theirs), False)


def _described(work: Reference) -> tuple[str, str, int | None] | None:
    """Title, first surname and year as they are compared; None without a title."""
    title = folded(work.title)
    surname = folded(work.people[0].family) if work.people else ""
    return (title, surname, work.year) if title else None


def folded(text: str) -> str:
    """Letters and digits alone, without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return _NOT_WORD.sub("", "".join(sign for sign in plain if not unicodedata.combining(sign)))
