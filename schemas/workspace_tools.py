"""Results of the workspace tools for built-in agents."""

from schemas.base import Value


class WrittenFile(Value):
    """A file that an agent changed."""

    path: str
    blob: str = ""
    """Git blob id of the whole file; empty if nothing was changed."""
    commit: str = ""
    merged: bool = False
    """Whether a concurrent change of other passages was merged; both changes are kept."""
