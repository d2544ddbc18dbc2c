"""Values of the workspace in the browser and of its API that the store keeps."""

from datetime import datetime
from typing import Literal

from schemas.base import Value

CredentialKind = Literal["code", "session", "token"]
"""``code`` is spent at the first sign-in; ``session`` is a signed-in browser; ``token`` is a program's."""


class Credential(Value):
    """Rights of a caller who holds a secret; the store keeps only the digest of the secret."""

    id: str
    kind: CredentialKind
    name: str
    scopes: tuple[str, ...]
    subjects: tuple[str, ...] | None = None
    """The subjects it may touch; None means all."""
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None


class KeptAnswer(Value):
    """The answer to a request that changed something, for a caller that did not get it."""

    status: int
    headers: dict[str, str] = {}
    body: str = ""


class Reservation(Value):
    """State of a request by its key."""

    state: Literal["fresh", "under-way", "other-request", "answered"]
    """``fresh``: it is now reserved for the caller. ``other-request``: the key belongs to another body."""
    answer: KeptAnswer | None = None
