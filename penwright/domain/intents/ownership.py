"""Which pattern of an intent's scope owns what a plan touches."""

from collections.abc import Mapping, Sequence

from penwright.domain.intents.cases import Case, after_of
from penwright.domain.intents.denials import ASK_A_PERSON, approvable_denial, hard_denial
from penwright.domain.intents.scope import Scope
from schemas.intents import Intent
from schemas.workspace import Denial


def out_of_scope(case: Case, intent: Intent, governed: Sequence[str]) -> list[Denial]:
    """Return the approvable denials; empty if all is owned. Raises ``Denied`` if the intent owns nothing."""
    if governed and Scope.of(intent.owned_scope).empty:
        message = f"{intent.id!r} owns nothing"
        raise hard_denial("SCOPE_VIOLATION", "SCOPE_EMPTY", message, ASK_A_PERSON, paths=", ".join(governed))
    owned = owners(case, intent, governed)
    outside = [path for path in governed if path not in owned]
    if not outside:
        return []
    violation = approvable_denial(
        "SCOPE_VIOLATION",
        "SCOPE_VIOLATION",
        f"{intent.id!r} does not own {', '.join(map(repr, outside))}",
        f"keep to its scope, or {ASK_A_PERSON}",
        paths=", ".join(outside),
        scope=", ".join(intent.owned_scope),
    )
    return [violation]


def owners(case: Case, intent: Intent, governed: Sequence[str]) -> Mapping[str, str]:
    """The pattern that owns each path; paths that none owns are left out."""
    scope = Scope.of(intent.owned_scope)
    found = ((path, _owner(case, scope, path)) for path in governed)
    return {path: pattern for path, pattern in found if pattern is not None}


def _owner(case: Case, scope: Scope, path: str) -> str | None:
    if not scope.may_own(path):
        return None
    # A long book is not read just to find that all of it is owned.
    return scope.by_name(path) or scope.allows(path, case.tip.content(path), after_of(case, path))
