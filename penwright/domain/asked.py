"""Digest of the request under an op id: an id names one request, and its commit answers no other."""

import hashlib
from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from penwright.domain.trailers import REQUEST
from penwright.errors import Refused
from schemas.base import OpId
from schemas.workspace import MutationPlan

_LENGTH = 32
_BESIDE: Final = {"effect", "approval", "workspace"}
"""Of a request: its name, what a person says about it, and where the workspace lies."""
_BODY: Final = {"message", "contributor", "operations", "tool", "pin", "mutation"}


def digest_of(request: BaseModel) -> str:
    """A name for what ``request`` asks; a field that a newer version adds does not change it."""
    return _digest(type(request).__name__, request.model_dump_json(exclude=_BESIDE, exclude_defaults=True))


def asked_by(plan: MutationPlan) -> str:
    """A name for what ``plan`` is made for; for the plan itself, if it does not say."""
    if plan.asked:
        return plan.asked
    # What a change is made from differs from one attempt to the next; what it makes does not.
    bases = {"operations": {"__all__": {"base"}}}
    return _digest("plan", plan.model_dump_json(include=_BODY, exclude=bases, exclude_defaults=True))


def refuse_another(op_id: OpId, asked: str, trailers: Mapping[str, str]) -> None:
    """Raise ``Refused`` if the commit with these trailers was made for another request.

    A commit of an earlier version does not say for which.
    """
    if trailers.get(REQUEST, asked) != asked:
        raise Refused(
            "op-id-reused",
            f"the op id {op_id!r} was used for another change already; nothing was changed. "
            "Give each change an id of its own",
            op_id=op_id,
        )


def _digest(kind: str, said: str) -> str:
    return hashlib.sha256(f"{kind} {said}".encode()).hexdigest()[:_LENGTH]
