"""Callers of the desk, and what they may do."""

from dataclasses import dataclass
from typing import Literal

from penwright.errors import Refused

Scope = Literal["read", "write", "run", "approve", "admin"]
"""``read`` looks; ``write`` changes text and material; ``run`` starts, pauses and ends runs; ``approve``
answers what waits for a person; ``admin`` changes settings, tokens and budgets."""

SCOPES: tuple[Scope, ...] = ("read", "write", "run", "approve", "admin")


@dataclass(frozen=True, slots=True)
class Principal:
    """A person or a program that asks."""

    name: str
    scopes: frozenset[Scope]
    subjects: frozenset[str] | None = None
    """The books, manuscripts and scenes it may touch, by subject ("book/3f2a…"); None means all."""


def local_user(name: str) -> Principal:
    """The user of this operating system account, to whom the installation belongs."""
    return Principal(name, frozenset(SCOPES))


def require(principal: Principal, scope: Scope, subject: str | None = None) -> None:
    """``Refused`` ``not-permitted`` unless ``principal`` may do that with ``subject``.

    A listing has no subject; its rows are filtered with ``sees``.
    """
    if scope not in principal.scopes:
        raise Refused(
            "not-permitted",
            f"{principal.name} may not {scope} here",
            hint=f"use a token with this scope: `penwright web tokens create NAME --scope {scope}`",
        )
    if subject is not None and not sees(principal, subject):
        raise Refused(
            "not-permitted",
            f"{principal.name} may not touch {subject}",
            hint=f"use a token for it: `penwright web tokens create NAME --scope {scope} "
            f"--subject {subject}`",
        )


def require_all(principal: Principal, scope: Scope, what: str) -> None:
    """As ``require``, for ``what`` is about the whole installation: no caller bound to subjects gets it."""
    require(principal, scope)
    if principal.subjects is not None:
        raise Refused(
            "not-permitted",
            f"{what}: for callers who may touch every subject",
            hint=f"use a token without subjects: `penwright web tokens create NAME --scope {scope}`",
        )


def sees(principal: Principal, subject: str) -> bool:
    """Whether ``subject`` is among those that ``principal`` may touch."""
    return principal.subjects is None or subject in principal.subjects


def ids_seen(principal: Principal, kind: str) -> frozenset[str] | None:
    """Ids of the works of a kind (``scene``) among the subjects of ``principal``; None: all."""
    if principal.subjects is None:
        return None
    prefix = f"{kind}/"
    return frozenset(each.removeprefix(prefix) for each in principal.subjects if each.startswith(prefix))
