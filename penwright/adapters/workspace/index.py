"""Git's index, updated with the branch."""

from collections.abc import Mapping

from penwright.adapters.workspace.git.commands import GitFailed
from penwright.adapters.workspace.git.entries import Entry
from penwright.adapters.workspace.git.repository import Repository


def update_index(repository: Repository, entries: Mapping[str, Entry | None]) -> bool:
    """Put the branch's entries into the index; False while another git holds its lock."""
    if not entries:
        return True
    none = "0" * (64 if repository.objects.sha256 else 40)
    rows = [
        f"{entry.mode} {entry.sha}\t{path}\0" if entry else f"0 {none}\t{path}\0"
        for path, entry in sorted(entries.items(), key=lambda row: row[1] is not None)
    ]
    script = "".join(rows).encode("utf-8", "surrogateescape")
    status, _, complaint = repository.git.attempt("update-index", "-z", "--index-info", data=script)
    if status and "File exists" in complaint:
        return False
    if status:
        raise GitFailed("update-index", status, complaint)
    return True
