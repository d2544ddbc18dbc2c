"""Ports of the workspace and its API: who may sign in, and what was answered."""

from datetime import datetime
from typing import Protocol

from schemas.base import OpId
from schemas.web import Credential, CredentialKind, KeptAnswer, Reservation


class Credentials(Protocol):
    """One-time codes, sessions of browsers, and tokens, each by the digest of its secret. All calls block."""

    def add(self, credential: Credential, digest: str) -> None:
        """Store a credential, and delete those that have expired."""
        ...

    def find(self, digest: str, now: datetime) -> Credential | None:
        """Return the credential of this digest; None if there is none that is valid at ``now``."""
        ...

    def take(self, digest: str, now: datetime) -> Credential | None:
        """Remove and return the credential of this digest: of concurrent callers one gets it."""
        ...

    def used(self, id: str, now: datetime, expires_at: datetime) -> None:
        """Note that a credential was used at ``now``, and until when it is valid from now on."""
        ...

    def listed(self, kind: CredentialKind, now: datetime) -> tuple[Credential, ...]:
        """Return the valid credentials of one kind, oldest first."""
        ...

    def remove(self, id: str, kind: CredentialKind) -> bool:
        """Remove a credential; returns whether there was one."""
        ...


class KeptAnswers(Protocol):
    """Answers to requests that change something, by op id. All calls block."""

    def reserve(self, op_id: OpId, request: str, now: datetime) -> Reservation:
        """Reserve ``op_id`` for the request with the digest ``request``, or say what is known of it.

        Answers are forgotten after 24 hours; a reservation without an answer after 5 minutes.
        """
        ...

    def keep(self, op_id: OpId, answer: KeptAnswer) -> None:
        """Store the answer to a reserved request."""
        ...

    def release(self, op_id: OpId) -> None:
        """Give up a reservation that has no answer."""
        ...
