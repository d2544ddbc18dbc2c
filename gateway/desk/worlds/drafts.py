"""Files of what a person types in an editor: each lasts until its text is stored."""

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from penwright.errors import PermanentError, UsageMistake

_SUFFIX = ".yml"


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that an editor opens."""

    path: Path

    def text(self) -> str:
        """Return what the file has now.

        Raises:
            UsageMistake: ``form-not-text``.
            PermanentError: ``form-gone``: the editor deleted it.
        """
        try:
            return self.path.read_text("utf-8")
        except UnicodeDecodeError:
            raise UsageMistake(
                "form-not-text", f"{str(self.path)!r} is not UTF-8", hint="save it as UTF-8"
            ) from None
        except FileNotFoundError:
            raise PermanentError(
                "form-gone", f"{str(self.path)!r} is gone; nothing was stored", hint="start again"
            ) from None

    def discard(self) -> None:
        """Delete the file: its text is stored, or was never changed."""
        self.path.unlink(missing_ok=True)


def begin(folder: Path, title: str, form: str) -> Draft:
    """Write a form to a new file in ``folder``; only its owner may read it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(_SUFFIX, f"{_stem(title)}-", folder)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(form)
    return Draft(Path(name))


def left_over(folder: Path, title: str) -> tuple[Path, ...]:
    """Return files of earlier edits of the same thing whose text was not stored, oldest first."""
    stem = re.escape(_stem(title))
    same = re.compile(rf"{stem}-[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")
    found = [path for path in folder.glob(f"*{_SUFFIX}") if same.fullmatch(path.name)]
    return tuple(sorted(found, key=lambda path: path.stat().st_mtime))


def _stem(title: str) -> str:
    return re.sub(r"\W+", "-", title)[:80]
