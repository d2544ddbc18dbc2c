"""Intents: why text may change, and who said so."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from schemas.base import BlobRef, Effect, Value


class IntentStatus(StrEnum):
    """Where an intent stands; only ``IN_PROGRESS`` lets anybody write."""

    PENDING = "PENDING"
    IN_PROGRESS = "IN_PROGRESS"
    BLOCKED = "BLOCKED"
    COMPLETED = "COMPLETED"


class RelatedSpec(Value):
    """A document that an intent carries out."""

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
    """``sha256:`` of the whole entry as it stands in the registry, unknown keys included."""


class IntentPin(Value):
    """What an agent selected: an intent, exactly as it was worded then."""

    intent_id: str
    digest: str


class Selected(Value):
    """The handshake's answer."""

    pin: IntentPin
    context: str
    """Escaped XML: what the intent is for, where it may write, and what it must keep to."""
    overlaps: tuple[str, ...] = ()
    """Other intents in progress whose scope names some of the same files."""


class ApprovalNeed(Value):
    """A plan that the gate denies and a person may allow."""

    plan_digest: str
    """``sha256:`` of everything the plan would do, and of the intent's entry at the tip."""
    intent_id: str
    codes: tuple[str, ...]
    """Rules it breaks, by the gate's codes; empty when an approval was brought along that none needs."""
    reasons: tuple[str, ...]
    """One sentence for each code."""
    hint: str
    """What to do instead of allowing it."""
    paths: tuple[str, ...]


class ApprovalRequest(Value):
    """A session asks whether one plan may be published."""

    id: str
    need: ApprovalNeed
    effect: Effect
    """The change that was denied; it is asked for again under this identity, or the plan would be another."""
    expires_at: datetime
    prose: BlobRef | None = None
    """What was written, for whoever decides to read."""


class ApprovalDecision(Value):
    """The answer to a request; ``expired`` and a kill's ``denied`` are the session's own."""

    approval: str
    plan_digest: str
    decided: Literal["approved", "denied", "expired"]
    by: str
    """Who decided, as the transport knows them; never what an agent says of itself."""
    reason: str = ""


class Approval(Value):
    """A person's yes to one plan; it lets no other pass."""

    id: str
    plan_digest: str
    codes: tuple[str, ...]
    """The rules it lifts."""
    by: str
    reason: str = ""
