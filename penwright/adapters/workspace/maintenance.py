"""Packing: until then, every version of a long book is stored whole."""

from penwright.adapters.workspace.git.repository import Repository

_LOOSE_KIB = 256 * 1024
_LOOSE_COUNT = 20_000


def pack_if_grown(repository: Repository) -> bool:
    """Pack loose objects into deltas, and refs into one file, when there are many. Safe beside publishing."""
    raw = repository.git.run("count-objects", "-v").decode()
    counts = {key: int(value) for key, _, value in (line.partition(": ") for line in raw.splitlines())}
    if counts["size"] < _LOOSE_KIB and counts["count"] < _LOOSE_COUNT:
        return False
    # Loose objects that nothing reaches yet may belong to a publish in progress: they are not touched.
    repository.git.run("repack", "-d", "-q", timeout_s=1800)
    repository.git.run("pack-refs", "--all", timeout_s=300)
    return True


def commits_only_at(repository: Repository, sha: str) -> int:
    """How many commits a detached head holds that no branch, tag or remote has."""
    raw = repository.git.run("rev-list", "--count", sha, "--not", "--branches", "--tags", "--remotes")
    return int(raw.decode().strip())
