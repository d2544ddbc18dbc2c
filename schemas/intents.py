"""Intents: why text may change, and who said so."""

from enum import StrEnum

from schemas.base import Value


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
