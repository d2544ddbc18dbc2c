"""New objects. git writes them, and makes them durable before it says what they are called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from penwright.adapters.workspace.git.commands import GitCommands, GitFailed, ProcessGroup, complaint_of
from penwright.adapters.workspace.git.entries import FOLDER, SUBMODULE, Entry
from penwright.adapters.workspace.git.layout import temporary_path

_SETTINGS = ("core.compression=1", "core.fsyncObjectFiles=true")
"""Before 2.36 git does not know ``core.fsync``; later ones know both and warn."""
_TREES = ("mktree", "-z", "--missing", "--batch")
"""Without ``--missing`` a partial clone would fetch the files of every folder that is written."""


@dataclass(slots=True)
class ObjectWriter:
    """One git for each kind of object, started for the first of them."""

    git: GitCommands
    folder: Path
    """Folder of contents for git to read."""
    _started: dict[tuple[str, ...], ProcessGroup] = field(default_factory=dict)

    def write(self, kind: str, content: bytes) -> str:
        """Id of a new blob or commit; git refuses a malformed commit."""
        temporary = temporary_path(self.folder)
        try:
            temporary.write_bytes(content)
            command = ("hash-object", "-t", kind, "-w", "--no-filters", "--stdin-paths")
            return self._ask(command, _quoted(temporary) + b"\n")
        finally:
            temporary.unlink(missing_ok=True)

    def write_tree(self, entries: Mapping[str, Entry]) -> str:
        """Id of a new tree."""
        rows = (_row(name, entry) for name, entry in entries.items())
        return self._ask(_TREES, b"".join((*rows, b"\0")))

    def close(self) -> None:
        """End every git."""
        while self._started:
            self._started.popitem()[1].__del__()

    def _ask(self, command: tuple[str, ...], request: bytes) -> str:
        if command not in self._started:
            self._started[command] = self.git(c=_SETTINGS).start(*command)
        process = self._started[command]
        try:
            process.stdin.write(request)
            process.stdin.flush()
        except BrokenPipeError:
            answer = b""
        else:
            answer = process.stdout.readline()
        if not answer:
            raise GitFailed(command[0], 128, complaint_of(process))
        return bytes(answer).decode("ascii").strip()


def _row(name: str, entry: Entry) -> bytes:
    kind = {FOLDER: "tree", SUBMODULE: "commit"}.get(entry.mode, "blob")
    return f"{entry.mode} {kind} {entry.sha}\t{name}\0".encode("utf-8", "surrogateescape")


def _quoted(path: Path) -> bytes:
    """As git reads a path from a line, whatever is in it."""
    escaped = bytes(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'
