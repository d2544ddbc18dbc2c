"""A plan against the tree it would change, as the gate is shown it."""

from collections.abc import Mapping
from typing import Protocol

from schemas.workspace import MutationPlan, Rename

Texts = Mapping[str, tuple[bytes | None, bytes | None]]
"""Content before and after by path, None for no file."""


class Tip(Protocol):
    """The committed tree a plan would change."""

    def kind(self, path: str) -> str | None: ...
    def content(self, path: str) -> bytes | None: ...
    def names(self, folder: str) -> tuple[str, ...]: ...
    def blob(self, path: str) -> str: ...


class Case(Protocol):
    """A plan under its op id, the tree at the tip, and new content by path."""

    @property
    def plan(self) -> MutationPlan: ...
    @property
    def tip(self) -> Tip: ...
    @property
    def after(self) -> Mapping[str, bytes | str | None]: ...
    @property
    def op_id(self) -> str: ...


def touched(case: Case) -> list[str]:
    """Every path the plan names or would change; both ends of a move."""
    named = [operation.path for operation in case.plan.operations]
    named += [operation.to for operation in case.plan.operations if isinstance(operation, Rename)]
    return sorted({*named, *case.after})


def after_of(case: Case, path: str) -> bytes | None:
    """New content; what only moved keeps the content it has where it came from."""
    if path not in case.after:
        return case.tip.content(path)
    content = case.after[path]
    if not isinstance(content, str):
        return content
    return case.tip.content(next(source for source, to in _moves(case) if to == path))


def texts_of(case: Case) -> Texts:
    """Texts of each file before and after. One that only gets another name keeps its text."""
    moved = {source: to for source, to in _moves(case) if isinstance(case.after.get(to), str)}
    texts: dict[str, tuple[bytes | None, bytes | None]] = {}
    for path in sorted(case.after):
        before = case.tip.content(path)
        if path in moved and case.after[path] is None:
            texts[path] = before, before
        elif before is not None or path not in moved.values():
            texts[path] = before, after_of(case, path)
    return texts


def text_in(content: bytes | None) -> str | None:
    """A file's text, empty for no file; None for what is no text."""
    try:
        return None if b"\0" in (content or b"") else (content or b"").decode()
    except UnicodeDecodeError:
        return None


def _moves(case: Case) -> list[tuple[str, str]]:
    return [(each.path, each.to) for each in case.plan.operations if isinstance(each, Rename)]
