"""Intents: the reasons for which text may change; approvals of changes by people."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from schemas.base import BlobRef, Effect, Value


class IntentStatus(StrEnum):
    """Status of an intent; text may be written only under ``IN_PROGRESS``."""

    PENDING = "PENDING"
    IN_PROGRESS = "IN_PROGRESS"
    BLOCKED = "BLOCKED"
    COMPLETED = "COMPLETED"


class RelatedSpec(Value):
    """A document that an intent implements."""

    type: str
    ref: str


class Intent(Value):
    """One entry of the registry."""

    id: str
    name: str = ""
    status: IntentStatus
    owned_scope: tuple[str, ...] = ()
    """Path globs, ``path#heading`` selectors and ``!`` excludes. Empty: nothing may be written."""
    constraints: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    related_specs: tuple[RelatedSpec, ...] = ()
    digest: str = ""
    """``sha256:`` of the whole entry in the registry, including unknown keys."""


class IntentPin(Value):
    """The intent that an agent selected, with the digest of its entry at that time."""

    intent_id: str
    digest: str


class Selected(Value):
    """Result of selecting an intent."""

    pin: IntentPin
    context: str
    """Escaped XML: the intent's purpose, scope and constraints."""
    overlaps: tuple[str, ...] = ()
    """Other intents in progress whose scope names some of the same files."""


class ApprovalNeed(Value):
    """A plan that the gate denies but a person may approve."""

    plan_digest: str
    """``sha256:`` of the plan and of the intent's entry at the tip."""
    intent_id: str
    codes: tuple[str, ...]
    """Codes of the rules that it breaks; empty if it has an approval that is not needed."""
    reasons: tuple[str, ...]
    """One sentence for each code."""
    hint: str
    """Advice on what to do instead of approving it."""
    paths: tuple[str, ...]
    """All that it would write."""
    denied: tuple[str, ...] = ()
    """Those of ``paths`` that its intent may not write."""
    bookkeeping: tuple[str, ...] = ()
    """Those of ``paths`` that are the engine's own notes."""
    diff: str = ""
    """The changes of ``denied``, line by line; empty once it is stored."""
    stored_diff: BlobRef | None = None


class ApprovalRequest(Value):
    """A session's request that a person approve one plan."""

    id: str
    need: ApprovalNeed
    effect: Effect
    """Effect of the denied change. The retry reuses it, because the op id is part of the plan digest."""
    expires_at: datetime
    prose: BlobRef | None = None
    """The prose in question, for the person who decides."""


class ApprovalDecision(Value):
    """The answer to a request; ``expired``, and ``denied`` after a kill, come from the session itself."""

    approval: str
    plan_digest: str
    decided: Literal["approved", "denied", "expired"]
    by: str
    """Person who decided, as identified by the transport, never by an agent's own claim."""
    reason: str = ""


class Approval(Value):
    """A person's approval of one plan; valid for no other."""

    id: str
    plan_digest: str
    codes: tuple[str, ...]
    """Codes of the denials that it overrides."""
    by: str
    reason: str = ""
