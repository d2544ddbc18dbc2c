"""The handshake: an agent names the intent it works for, and gets what that intent asks."""

from collections.abc import Iterable

from penwright.domain.intents.ignoring import Ignored
from penwright.domain.intents.registry import Registry, unknown
from penwright.domain.intents.scope import Scope
from penwright.domain.text.escaping import attribute, element_text
from penwright.errors import Refused
from schemas.intents import Intent, IntentPin, IntentStatus, Selected

_LONGEST = 2000
"""Characters of one constraint or criterion that an agent is shown."""
_END = "</intent_context>"


def select_intent(registry: Registry, ignored: Ignored, intent_id: str) -> Selected:
    """Pin one intent as it is worded now.

    Raises:
        Refused: ``intent-not-selected``, ``intent-unknown``, ``intent-not-writable`` or ``intent-ignored``.
    """
    if not intent_id.strip():
        raise Refused("intent-not-selected", f"name an intent; the registry has: {', '.join(registry.ids)}")
    intent = registry.find(intent_id)
    if intent is None:
        raise unknown(intent_id, registry)
    if intent.status is not IntentStatus.IN_PROGRESS:
        raise Refused(
            "intent-not-writable",
            f"{intent_id!r} is {intent.status}; only an intent in progress allows writing. "
            f"Start it with `penwright intent start {intent_id} BOOK`",
            id=intent_id,
            status=intent.status.value,
        )
    if ignored.intent(intent_id):
        raise Refused(
            "intent-ignored", f"{intent_id!r} is in .intentignore; remove it there first", id=intent_id
        )
    return Selected(
        pin=IntentPin(intent_id=intent.id, digest=intent.digest),
        context=_context(intent),
        overlaps=_overlaps(intent, registry),
    )


def with_history(selected: Selected, history: str) -> Selected:
    """The answer with the past of the intent in its context: ``trace.history`` writes it, already escaped."""
    opened = selected.context.removesuffix(_END).rstrip("\n")
    lines = [f"  {line}" for line in history.splitlines()]
    return selected.model_copy(update={"context": "\n".join([opened, *lines, _END])})


def default_intent(registry: Registry, ignored: Ignored, path: str, apart: str = "") -> Intent | None:
    """The first intent in progress that may write ``path``, if possible one that may not write ``apart``."""
    if ignored.path(path) is not None:
        return None
    owners = [
        intent
        for intent in registry.intents
        if intent.status is IntentStatus.IN_PROGRESS
        and not ignored.intent(intent.id)
        and Scope.of(intent.owned_scope).may_own(path)
    ]
    own = (intent for intent in owners if apart and not Scope.of(intent.owned_scope).may_own(apart))
    return next(iter((*own, *owners)), None)


def _overlaps(intent: Intent, registry: Registry) -> tuple[str, ...]:
    """Others in progress that name one of the same files; reported, not forbidden."""
    own = {each.path.pattern for each in Scope.of(intent.owned_scope).includes}
    return tuple(
        other.id
        for other in registry.intents
        if other.id != intent.id
        and other.status is IntentStatus.IN_PROGRESS
        and own & {each.path.pattern for each in Scope.of(other.owned_scope).includes}
    )


def _context(intent: Intent) -> str:
    head = (
        f"<intent_context id={_attribute(intent.id)} name={_attribute(intent.name)} "
        f"status={_attribute(intent.status.value)} registry_digest={_attribute(intent.digest)}>"
    )
    body = (
        _block("owned_scope", "path", intent.owned_scope),
        _block("constraints", "constraint", intent.constraints),
        _block("acceptance_criteria", "criterion", intent.acceptance_criteria),
        _block("related_specs", "spec", (f"{spec.type}: {spec.ref}" for spec in intent.related_specs)),
    )
    return "\n".join([head, *(block for block in body if block), _END])


def _block(name: str, item: str, values: Iterable[str]) -> str:
    lines = [f"    <{item}>{element_text(_short(value))}</{item}>" for value in values]
    return "\n".join([f"  <{name}>", *lines, f"  </{name}>"]) if lines else ""


def _attribute(value: str) -> str:
    return attribute(_short(value))


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
