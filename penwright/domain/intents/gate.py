"""The gate: every rule that may deny a plan, in order. What cannot be determined is denied."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from penwright.domain.book_layout import ENGINE_OWNED
from penwright.domain.intents import paths
from penwright.domain.intents.approval import weighed
from penwright.domain.intents.globs import matches
from penwright.domain.intents.ignoring import IGNORE_FILES, Ignored, read_ignored
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, Registry, read_registry
from penwright.domain.intents.scope import Scope
from penwright.domain.intents.tools import Kind, kind_of
from schemas.intents import Intent, IntentPin, IntentStatus
from schemas.workspace import Denial, MutationPlan, Rename

_SELECT = "call `select_active_intent` with the id of an intent in progress"
_ASK_A_PERSON = "ask a person to change the registry with `penwright intent`"


class Tip(Protocol):
    """The committed tree a plan would change."""

    def kind(self, path: str) -> str | None: ...
    def content(self, path: str) -> bytes | None: ...
    def names(self, folder: str) -> tuple[str, ...]: ...


class Case(Protocol):
    """A plan, the tree at the tip, and new content by path."""

    @property
    def plan(self) -> MutationPlan: ...
    @property
    def tip(self) -> Tip: ...
    @property
    def after(self) -> Mapping[str, bytes | str | None]: ...
    @property
    def op_id(self) -> str: ...


class IntentGate:
    """Lets a plan pass only under an intent that is in progress, unchanged, and owns what is touched."""

    def judge(self, case: Case) -> Denial | None:
        """None allows. Nothing but the plan and the tip is looked at."""
        found: list[Denial] = []
        try:
            return weighed(case, _judged(case, found), found)
        except _Denied as denied:
            return (*found, denied.denial)[0]
        except Exception as error:  # whatever went wrong, nobody has said yes
            return _denial(
                "HOOK_BLOCKED",
                "GATE_FAILED",
                f"the gate could not decide ({error!r})",
                "look at the worker's log",
            )


class _Denied(Exception):
    def __init__(self, denial: Denial) -> None:
        super().__init__(denial.message)
        self.denial = denial


def _judged(case: Case, found: list[Denial]) -> Intent | None:
    """The plan's intent, if it needs one; what a person may allow is added to ``found``, the rest raised."""
    kind = kind_of(case.plan.tool)
    if kind is None:
        raise _no(
            "HOOK_BLOCKED", "UNKNOWN_TOOL", f"no tool {case.plan.tool!r} may change text", "use a known tool"
        )
    if kind == "engine":
        return None
    touched = _touched(case)
    if kind == "person":
        _refuse_but_registry(touched)
        return None
    registry = _registry(case.tip)
    intent = _writable(registry, case.plan.pin)
    found += _changed(intent, case.plan.pin)
    ignored = _ignored(case.tip)
    if ignored.intent(intent.id):
        raise _no(
            "INTENT_IGNORED",
            "INTENT_IGNORED",
            f"{intent.id!r} stands in .intentignore",
            "select another intent",
        )
    governed = [path for path in touched if not _is_bookkeeping(kind, path)]
    for path in governed:
        _refuse_path(case.tip, path, ignored)
    found += _out_of_scope(case, intent, governed)
    return intent


def _touched(case: Case) -> list[str]:
    """Every path the plan names or would change; both ends of a move."""
    named = [operation.path for operation in case.plan.operations]
    named += [operation.to for operation in case.plan.operations if isinstance(operation, Rename)]
    return sorted({*named, *case.after})


def _is_bookkeeping(kind: Kind, path: str) -> bool:
    return kind == "writer" and any(matches(pattern, path) for pattern in ENGINE_OWNED)


def _refuse_but_registry(touched: Sequence[str]) -> None:
    others = [path for path in touched if path != REGISTRY]
    if others:
        raise _no(
            "SCOPE_VIOLATION",
            "SCOPE_VIOLATION",
            f"this command changes the registry only, not {others[0]!r}",
            "edit the file yourself and commit it",
            paths=", ".join(others),
        )


def _registry(tip: Tip) -> Registry:
    if tip.kind(REGISTRY) not in (None, "file"):
        raise _no(
            "MISSING_OR_INVALID_INTENT", "REGISTRY_UNREADABLE", f"{REGISTRY} is no plain file", _ASK_A_PERSON
        )
    try:
        return read_registry(tip.content(REGISTRY))
    except BrokenRegistry as error:
        code = error.code.upper().replace("-", "_")
        raise _no("MISSING_OR_INVALID_INTENT", code, error.message, _ASK_A_PERSON) from error


def _writable(registry: Registry, pin: IntentPin | None) -> Intent:
    available = ", ".join(registry.ids) or "none"
    if pin is None or not pin.intent_id.strip():
        message = "no intent is selected"
        raise _no("MISSING_OR_INVALID_INTENT", "INTENT_NOT_SELECTED", message, _SELECT, available=available)
    intent = registry.find(pin.intent_id)
    if intent is None:
        message = f"there is no intent {pin.intent_id!r}; the registry has: {available}"
        raise _no("MISSING_OR_INVALID_INTENT", "INTENT_UNKNOWN", message, _SELECT, available=available)
    if intent.status is not IntentStatus.IN_PROGRESS:
        message = f"{intent.id!r} is {intent.status}, not {IntentStatus.IN_PROGRESS}"
        hint = f"a person starts it with `penwright intent start {intent.id}`"
        raise _no("MISSING_OR_INVALID_INTENT", "INTENT_NOT_WRITABLE", message, hint)
    return intent


def _changed(intent: Intent, pin: IntentPin | None) -> list[Denial]:
    if pin is not None and intent.digest == pin.digest:
        return []
    changed = _denial(
        "MISSING_OR_INVALID_INTENT",
        "INTENT_CHANGED",
        f"{intent.id!r} was changed since it was selected",
        "select it again, and read what it asks now",
        expected=pin.digest if pin else "",
        actual=intent.digest,
    )
    return [changed]


def _ignored(tip: Tip) -> Ignored:
    texts = []
    for path in IGNORE_FILES:
        if tip.kind(path) not in (None, "file"):
            raise _no("HOOK_BLOCKED", "IGNORE_UNREADABLE", f"{path} is no plain file", "make it a text file")
        try:
            texts.append((tip.content(path) or b"").decode())
        except UnicodeDecodeError as error:
            raise _no(
                "HOOK_BLOCKED", "IGNORE_UNREADABLE", f"{path} is not UTF-8", "make it a text file"
            ) from error
    return read_ignored(*texts)


def _refuse_path(tip: Tip, path: str, ignored: Ignored) -> None:
    if (wrong := paths.why_unsafe(path)) is not None:
        hint = "name a file relative to the top of the workspace"
        raise _no("SCOPE_VIOLATION", "PATH_ESCAPE", f"{path!r} {wrong}", hint, paths=repr(path))
    if (pattern := ignored.path(path)) is not None:
        raise _no(
            "INTENTIGNORE_PATH_BLOCKED",
            "PATH_IGNORED",
            f"{path!r} is protected by {pattern!r} in .intentignore",
            "leave it as it is",
            paths=path,
            pattern=pattern,
        )
    if paths.protected(path):
        hint = "leave it to the engine and to people"
        raise _no("SCOPE_VIOLATION", "PATH_PROTECTED", f"{path!r} is protected", hint, paths=path)
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        part = "/".join(parts[:depth])
        if tip.kind(part) in ("link", "submodule"):
            hint = "name a plain file"
            raise _no("SCOPE_VIOLATION", "PATH_LINK", f"{part!r} is a link or a submodule", hint, paths=path)
    if (twin := paths.twin(tip, path)) is not None:
        message = f"{path!r} differs from {twin!r} only in case or Unicode form"
        raise _no(
            "SCOPE_VIOLATION", "PATH_TWIN", message, f"write {twin!r}, or choose another name", paths=path
        )


def _out_of_scope(case: Case, intent: Intent, governed: Sequence[str]) -> list[Denial]:
    scope = Scope.of(intent.owned_scope)
    if governed and scope.empty:
        message = f"{intent.id!r} owns nothing"
        raise _no("SCOPE_VIOLATION", "SCOPE_EMPTY", message, _ASK_A_PERSON, paths=", ".join(governed))
    outside = [path for path in governed if not _is_owned(case, scope, path)]
    if not outside:
        return []
    denial = _denial(
        "SCOPE_VIOLATION",
        "SCOPE_VIOLATION",
        f"{intent.id!r} does not own {', '.join(map(repr, outside))}",
        f"keep to its scope, or {_ASK_A_PERSON}",
        paths=", ".join(outside),
        scope=", ".join(intent.owned_scope),
    )
    return [denial]


def _is_owned(case: Case, scope: Scope, path: str) -> bool:
    if not scope.may_own(path):
        return False
    if scope.by_name(path):
        # A long book is not read to be told that all of it is owned.
        return True
    return scope.allows(path, case.tip.content(path), _after(case, path)) is not None


def _after(case: Case, path: str) -> bytes | None:
    """New content; what only moved keeps the content it has where it came from."""
    if path not in case.after:
        return case.tip.content(path)
    content = case.after[path]
    if not isinstance(content, str):
        return content
    moved = (each.path for each in case.plan.operations if isinstance(each, Rename) and each.to == path)
    return case.tip.content(next(moved))


def _no(error_type: str, code: str, message: str, hint: str, **details: str) -> _Denied:
    return _Denied(_denial(error_type, code, message, hint, **details))


def _denial(error_type: str, code: str, message: str, hint: str, **details: str) -> Denial:
    return Denial(
        error_type=error_type,
        error_code=code,
        message=message,
        recoverable=code != "GATE_FAILED",
        action_hint=hint,
        details=details,
    )
