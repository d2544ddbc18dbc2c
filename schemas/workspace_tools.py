"""What the workspace tools answer an agent of the house."""

from schemas.base import Value


class WrittenFile(Value):
    """A file that an agent changed."""

    path: str
    blob: str = ""
    """Git blob id of the whole file; empty if nothing had to be changed."""
    commit: str = ""
    merged: bool = False
    """Whether somebody else had changed other passages of it meanwhile; both changes stand."""
