"""Override sets as files, ``{root}/{namespace}/{key}/{tag}.json``, written atomically under checked names."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from penwright.adapters.overrides.file_format import LARGEST, dump_overrides, load_overrides
from penwright.domain.text.plain_names import RULE, is_plain_name
from penwright.errors import PermanentError, Refused, UsageMistake
from schemas.overrides import OverrideSet


class JsonOverrideFiles:
    """One file for each tag of each agent; implements ``OverrideFiles``."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, namespace: str, key: str, tag: str) -> OverrideSet | None:
        place = self._place(namespace, key, tag)
        content = _content(place)
        return (
            None
            if content is None
            else _check_place(load_overrides(content, str(place)), namespace, key, tag)
        )

    def keep(self, overrides: OverrideSet) -> OverrideSet:
        place = self._place(overrides.namespace, overrides.key, overrides.tag)
        with _writing(place), _beside(place, dump_overrides(overrides)) as whole, suppress(FileExistsError):
            os.link(whole, place)
        return self.read(overrides.namespace, overrides.key, overrides.tag) or overrides

    def replace(self, before: OverrideSet, after: OverrideSet) -> None:
        place = self._place(before.namespace, before.key, before.tag)
        if place != self._place(after.namespace, after.key, after.tag):
            raise changed_meanwhile(before)
        with _writing(place), _beside(place, dump_overrides(after)) as whole:
            if self.read(before.namespace, before.key, before.tag) != before:
                raise changed_meanwhile(before)
            os.replace(whole, place)

    def tags(self, namespace: str, key: str) -> tuple[str, ...]:
        check_names(namespace, key)
        names = (found.stem for found in (self._root / namespace / key).glob("*.json"))
        return tuple(sorted(name for name in names if is_plain_name(name)))

    def _place(self, namespace: str, key: str, tag: str) -> Path:
        check_names(namespace, key, tag)
        return self._root / namespace / key / f"{tag}.json"


def _content(place: Path) -> bytes | None:
    """Return the content of a regular file; None if ``place`` does not exist."""
    try:
        # Links are refused because they could lead anywhere; opening a pipe without O_NONBLOCK would hang.
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _unreadable(place, "it is not a regular file")
            content = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(place, error.strerror or str(error)) from error
    if len(content) > LARGEST:
        raise _unreadable(place, f"it is longer than {LARGEST} bytes")
    return content


def _unreadable(place: Path, why: str) -> UsageMistake:
    return UsageMistake(
        "overrides-unreadable",
        f"The override file {str(place)!r} cannot be read: {why}. "
        "Replace it by a regular file, or move it away.",
    )


@contextmanager
def _writing(place: Path) -> Iterator[None]:
    """Hold the folder's lock; the kernel releases it if the process dies."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with (place.parent / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for spare in place.parent.glob(".*.part"):
                spare.unlink(missing_ok=True)
            yield
    except OSError as error:
        raise PermanentError(
            "overrides-unwritable",
            f"The override file {str(place)!r} cannot be written: {error.strerror or error}. "
            "Nothing was changed; free disk space or make the folder writable for this user.",
        ) from error


@contextmanager
def _beside(place: Path, content: bytes) -> Iterator[Path]:
    """Write the content to a temporary file in the same folder; the block links or renames it into place."""
    with NamedTemporaryFile(dir=place.parent, prefix=".", suffix=".part", delete=False) as file:
        whole = Path(file.name)
        try:
            os.fchmod(file.fileno(), 0o644)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            yield whole
            _settle(place.parent)
        finally:
            whole.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_names(namespace: str, key: str, tag: str = "latest") -> None:
    """Raise ``UsageMistake`` unless all are valid names; they become folder and file names."""
    for what, name in (("namespace", namespace), ("key", key), ("tag", tag)):
        if not is_plain_name(name):
            raise UsageMistake(
                "bad-override-name",
                f"Invalid {what} {name[:80]!r} of overrides. Use {RULE}.",
            )


def _check_place(overrides: OverrideSet, namespace: str, key: str, tag: str) -> OverrideSet:
    """Return ``overrides`` if its header names the place where it was found; else raise ``UsageMistake``."""
    header = f"{overrides.namespace}/{overrides.key}/{overrides.tag}"
    if header != (place := f"{namespace}/{key}/{tag}"):
        raise UsageMistake(
            "override-misplaced",
            f"The header of the overrides at {place!r} says {header!r}. Correct it, or move the file.",
        )
    return overrides


def changed_meanwhile(overrides: OverrideSet) -> Refused:
    return Refused(
        "overrides-changed",
        f"The overrides {overrides.tag!r} of agent '{overrides.namespace}/{overrides.key}' have changed "
        "since they were read. Nothing was written: read them again and repeat the change.",
    )
