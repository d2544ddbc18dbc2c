"""Write files for a plan: nothing is changed before the plan is published, and reads see what was written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import BinaryIO

from penwright.agents.files.filesystem import LARGEST_FILE, Filesystem
from penwright.agents.files.paths import canonical
from penwright.agents.tools.plan import Plan
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.trace import MutationClass
from schemas.workspace import Create, Delete, Modify, Operation, ReadBaseline


class DraftFiles:
    """The files of a workspace as one call wants them; ``plan`` is the difference."""

    def __init__(self, files: Filesystem) -> None:
        self._files = files
        self._drafts: dict[str, bytes | None] = {}
        """Whole contents by path; None: the file goes."""

    def read(self, path: str) -> bytes:
        """A whole file, as written here or as it stands; ``NotFound`` ``no-such-file``."""
        spelled = _spelled(path)
        if spelled not in self._drafts:
            return self._files.read(spelled)
        draft = self._drafts[spelled]
        if draft is None:
            raise NotFound("no-such-file", f"this call has removed {spelled!r}")
        return draft

    def write(self, path: str, content: bytes) -> None:
        """Make or replace a file.

        Raises:
            Refused: ``not-text`` unless it is UTF-8 without NUL; ``file-too-large``.
        """
        spelled = _spelled(path)
        if len(content) > LARGEST_FILE:
            raise Refused("file-too-large", f"{spelled!r} may have at most {LARGEST_FILE} bytes")
        _text(spelled, content)
        self._drafts[spelled] = content

    @contextmanager
    def writing(self, path: str, *, append: bool = False) -> Iterator[BinaryIO]:
        """A stream of bytes; they are the file once the block ends, and nothing if it raises."""
        stream = BytesIO()
        if append and self.exists(path):
            stream.write(self.read(path))
        yield stream
        self.write(path, stream.getvalue())

    def delete(self, path: str) -> None:
        """Remove a file; ``NotFound`` ``no-such-file``."""
        self.read(path)
        self._drafts[_spelled(path)] = None

    def rename(self, path: str, to: str) -> None:
        """Move a file; what stands at ``to`` is replaced."""
        content = self.read(path)
        self.delete(path)
        self.write(to, content)

    def exists(self, path: str) -> bool:
        spelled = _spelled(path)
        if spelled in self._drafts:
            return self._drafts[spelled] is not None
        return self._files.exists(spelled)

    def plan(self, mutation: MutationClass, *, seen: Sequence[ReadBaseline] = ()) -> Plan | None:
        """Make a plan of the changes, files in the order of their first change; None without changes."""
        found = (self._operation(path, draft) for path, draft in self._drafts.items())
        operations = tuple(each for each in found if each is not None)
        return Plan(operations=operations, mutation=mutation, seen=tuple(seen)) if operations else None

    def _operation(self, path: str, draft: bytes | None) -> Operation | None:
        base = self._files.digest(path)
        if draft is None:
            return Delete(path=path, base=base) if base else None
        if base and self._files.read(path) == draft:
            return None
        content = _text(path, draft)
        return Modify(path=path, content=content, base=base) if base else Create(path=path, content=content)


def _spelled(path: str) -> str:
    spelled = canonical(path)
    if spelled is None:
        raise UsageMistake("bad-path", f"{path[:200]!r} is not a path in the workspace; nothing was changed")
    return spelled


def _text(path: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise Refused("not-text", f"{path!r} would not be UTF-8 text; nothing was changed")
    return text
