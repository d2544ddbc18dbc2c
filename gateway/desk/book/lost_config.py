"""A book whose Config.yml was deleted: the last committed one, and putting it back."""

import os
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.book.books import Book
from gateway.desk.services import Services
from penwright.adapters.scaffold.repository_folder import git
from penwright.domain.book.files.layout import CONFIG
from penwright.domain.trailers import RESET, STEP
from penwright.errors import NotFound, Refused

_SEARCHED = 50
"""How many of the newest commits that changed the file may lack it."""


@dataclass(frozen=True, slots=True)
class RestoredConfig:
    """The file that was put back."""

    path: str
    commit: str
    """The commit it was taken from."""


def restore_config(services: Services, book: Book) -> RestoredConfig:
    """Put the last committed Config.yml back into the folder; nothing is committed.

    Raises:
        Refused: ``config-exists``.
        NotFound: ``no-config-in-history``.
    """
    top = Path(book.workspace.path)
    if os.path.lexists(top / CONFIG):
        raise Refused(
            "config-exists",
            f"{str(top / CONFIG)!r} is there; nothing was changed",
            hint="to get the last committed one back, rename the file, then run the command again",
        )
    changes = _changes(top, book.workspace.branch)
    commit = next((each for each in changes if _has_config(top, each)), None)
    if commit is None:
        raise NotFound(
            "no-config-in-history",
            f"no commit of {str(top)!r} has a {CONFIG!r}",
            hint=f"`penwright book init {top} --keep` makes a new one",
        )
    text = services.workspaces().snapshot(book.workspace, (CONFIG,), at=commit).files[CONFIG].text
    _write(top / CONFIG, text)
    return RestoredConfig(CONFIG, commit)


def refuse_if_lost(top: Path, branch: str) -> None:
    """Raise ``Refused`` ``config-lost`` if the folder held a book whose Config.yml is missing.

    A book that was reset has lost nothing.
    """
    if os.path.lexists(top / CONFIG) or not (top / ".git").exists():
        return
    newest = next(iter(_changes(top, branch)), None)
    if newest and not _is_reset(top, newest):
        raise Refused(
            "config-lost",
            f"{str(top)!r} is a book whose {CONFIG!r} was deleted; nothing was changed",
            hint=f"`penwright book restore {top}` brings it back as it was",
        )


def _is_reset(top: Path, commit: str) -> bool:
    step = f"--format=%(trailers:key={STEP},valueonly)"
    return git(top, "show", "--no-patch", step, commit).strip() == RESET


def _changes(top: Path, branch: str) -> list[str]:
    """The commits that changed the file, newest first."""
    asked = ("rev-list", f"--max-count={_SEARCHED}", f"refs/heads/{branch}", "--", CONFIG)
    return git(top, *asked, check=False).split()


def _has_config(top: Path, commit: str) -> bool:
    return bool(git(top, "rev-parse", "--verify", "--quiet", f"{commit}:{CONFIG}", check=False))


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(exist_ok=True)
    fresh = place.with_name(f".{place.name}.restored")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(place)
