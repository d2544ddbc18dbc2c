"""A book whose Config.yml was deleted or is broken: the last committed one, putting it back, and advice."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from gateway.desk.durable_file import durable_file
from gateway.desk.services import Services
from gateway.desk.works.books import Book, workspace_at
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.book.refusal_steps import step_after
from penwright.domain.text.placeholders import with_names
from penwright.domain.trailers import RESET, STEP
from penwright.errors import BrokenBook, NotFound, Refused
from penwright.ports.history import Commit
from schemas.workspace import Workspace

_SEARCHED = 50
"""Number of the newest commits that changed the file that may lack it, or have a broken one."""
_ASIDE = ".broken"
"""Ending of the name under which a broken file stays in the folder."""


@dataclass(frozen=True, slots=True)
class RestoredConfig:
    """The file that was put back."""

    path: str
    commit: str
    """The commit it was taken from."""
    aside: str = ""
    """Copy of the broken file that was replaced; empty if there was none, or it held nothing."""


def restore_config(services: Services, book: Book) -> RestoredConfig:
    """Put the last committed Config.yml that can be read back into the folder; nothing is committed.

    A broken file that lies there is set aside.

    Raises:
        Refused: ``config-exists``.
        NotFound: ``no-config-in-history``.
    """
    top = Path(book.workspace.path)
    broken = os.path.lexists(top / CONFIG) and _is_broken(top / CONFIG)
    if os.path.lexists(top / CONFIG) and not broken:
        raise Refused(
            "config-exists",
            f"{str(top / CONFIG)!r} is there; nothing was changed",
            hint="to get the last committed one back, rename the file, then run the command again",
        )
    for commit in _changes(services, book.workspace):
        found = services.workspaces().snapshot(book.workspace, (CONFIG,), at=commit.sha).files.get(CONFIG)
        if found is not None and _is_readable(found.text):
            aside = _set_aside(top / CONFIG) if broken else ""
            _write(top / CONFIG, found.text)
            return RestoredConfig(CONFIG, commit.sha, f"{CONFIG}{_ASIDE}" if aside else "")
    raise NotFound(
        "no-config-in-history",
        f"no commit of {str(top)!r} has a {CONFIG!r} that can be read",
        hint=f"`penwright book init {quote(str(top))} --keep` makes a new one",
    )


def has_sound_config(book: Book) -> bool:
    """Whether the folder, whatever is committed, has a Config.yml that can be read."""
    place = Path(book.workspace.path, CONFIG)
    return place.is_file() and not _is_broken(place)


def _is_broken(place: Path) -> bool:
    """Whether a plain file lies there that holds no settings."""
    if place.is_symlink() or not place.is_file():
        return False
    try:
        return not _is_readable(place.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        return True


def _is_readable(text: str) -> bool:
    try:
        read_config(text)
    except BrokenBook:
        return False
    return True


def _set_aside(place: Path) -> str:
    """Keep a broken file under another name, unless it holds nothing; returns that name."""
    if not place.read_bytes().strip():
        return ""
    return str(place.rename(place.with_name(f"{place.name}{_ASIDE}")))


def refuse_if_lost(services: Services, top: Path) -> None:
    """Raise ``Refused`` ``config-lost`` if the folder held a book whose Config.yml is missing.

    A book that was reset has lost nothing.
    """
    if os.path.lexists(top / CONFIG) or not (top / ".git").exists():
        return
    newest = next(iter(_changes(services, workspace_at(services, top))), None)
    if newest and newest.trailers.get(STEP) != RESET:
        raise Refused(
            "config-lost",
            f"{str(top)!r} is a book whose {CONFIG!r} was deleted; nothing was changed",
            hint=f"`penwright book restore {quote(str(top))}` brings it back as it was",
        )


def _changes(services: Services, workspace: Workspace) -> tuple[Commit, ...]:
    """The commits that changed the file, newest first."""
    return services.history().log(workspace, _SEARCHED, paths=(CONFIG,))


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(exist_ok=True)
    with durable_file(place, over=True) as file:
        file.write(text.encode())


@contextmanager
def naming_restore(book: Book) -> Iterator[None]:
    """Let an error about the book's Config.yml name the command that brings back the last sound one."""
    try:
        yield
    except BrokenBook as broken:
        place = book.workspace.path
        told, step = dict(broken.details), step_after(broken.code, place)
        if step and "hint" not in told:
            saves = f"`penwright book session {shlex.quote(place)}` saves it, then writes"
            told["hint"] = f"the folder has a sound one: {saves}" if has_sound_config(book) else step
        raise BrokenBook(broken.code, with_names(broken.message, {"BOOK": place}), **told) from broken
