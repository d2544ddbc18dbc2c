"""Resolution of a plan's operations, given the contents at the tip."""

from dataclasses import dataclass, field
from typing import Protocol, assert_never

from penwright.adapters.workspace import paths
from penwright.adapters.workspace.contents import appended, conflict_of, merge_contents
from penwright.domain.intents.denials import escape, one_of
from penwright.domain.intents.paths import why_unsafe
from penwright.errors import Refused
from schemas.workspace import (
    Append,
    Conflict,
    Create,
    Delete,
    Denial,
    Modify,
    MutationPlan,
    Operation,
    Place,
    Rename,
)

_OWN_TRAILERS = frozenset(
    f"penwright-{name}" for name in ("op", "request", "tag", "contributor", "reconciled")
)
_NULL = "0" * 40


class Held(Protocol):
    """Contents of the tip and the object database."""

    def at_tip(self, path: str) -> str | None:
        """Blob id of ``path``; None if there is none. Raises ``Refused`` for what is no file."""
        ...

    def content(self, path: str, blob: str) -> bytes | None:
        """Content of a blob; ``path`` says where it may lie at hand."""
        ...

    def blob_id(self, content: bytes) -> str:
        """The id a content has."""
        ...


@dataclass(slots=True)
class Resolved:
    """New content by path (None removes, a blob id keeps that blob), conflicts, and whether bases moved."""

    contents: dict[str, bytes | str | None] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    moved: bool = False


def refuse_unsound(plan: MutationPlan) -> None:
    """Raise ``Refused`` for a plan that can never be carried out."""
    touched = _named_in(plan)
    for path in touched:
        paths.safe(path)
    if not touched:
        raise Refused(
            "empty-plan", f"the plan {plan.message!r} changes nothing; give it at least one operation"
        )
    doubles = sorted({path for path in touched if touched.count(path) > 1})
    inside = sorted(path for path in touched for other in touched if path.startswith(other + "/"))
    if doubles or inside:
        raise Refused(
            "path-twice", f"the plan touches {(doubles or inside)[0]!r} twice; make one operation per path"
        )
    for key, _ in plan.trailers:
        if key.lower() in _OWN_TRAILERS or not key.replace("-", "").isalnum() or not key.isascii():
            raise Refused("unusable-trailer", f"{key!r} cannot be a trailer of a plan; choose another key")


def escaping(plan: MutationPlan) -> Denial | None:
    """The gate's denial of a path that leaves the workspace, for a plan under an intent; None if none does.

    The gate itself sees only what can be read at the tip, and such a path cannot.
    """
    unsafe = [path for path in _named_in(plan) if not paths.is_safe(path)]
    if plan.pin is None or not unsafe:
        return None
    return one_of([escape(path, why_unsafe(path) or "leads into git's own files") for path in unsafe])


def resolve(plan: MutationPlan, held: Held) -> Resolved:
    """Carry out every operation on what is at the tip, merging where a base has moved."""
    resolved = Resolved()
    made: dict[str, bytes] = {}
    for operation in plan.operations:
        _resolve_one(_named(operation, plan, held, made), held, made, resolved)
    resolved.contents = {
        path: new for path, new in resolved.contents.items() if not _is_same(path, new, held)
    }
    return resolved


def _named_in(plan: MutationPlan) -> list[str]:
    """Every path of a plan; both ends of a move."""
    named = [operation.path for operation in plan.operations]
    return named + [operation.to for operation in plan.operations if isinstance(operation, Rename)]


def _named(operation: Operation, plan: MutationPlan, held: Held, made: dict[str, bytes]) -> Operation:
    """The operation with the null id in its content replaced by the id that it represents."""
    if not isinstance(operation, Create | Modify) or operation.null_id_of is None:
        return operation
    other = next((each for each in plan.operations if each.path == operation.null_id_of), None)
    if isinstance(other, Create | Modify):
        content: bytes | None = other.content.encode()
    else:
        content = _from_base(other, held, made) if isinstance(other, Append) else None
    if content is None:
        raise Refused(
            "no-such-operation",
            f"{operation.path!r} names the id of {operation.null_id_of!r}, which the plan does not write",
        )
    return operation.model_copy(update={"content": operation.content.replace(_NULL, held.blob_id(content))})


def _from_base(operation: Append, held: Held, made: dict[str, bytes]) -> bytes | None:
    if operation.path not in made:
        base = held.content(operation.path, operation.base)
        if base is None:
            return None
        made[operation.path] = appended(base, operation.tail, moved=False)
    return made[operation.path]


def _is_same(path: str, new: bytes | str | None, held: Held) -> bool:
    blob = held.blob_id(new) if isinstance(new, bytes) else new
    return blob == held.at_tip(path)


def _resolve_one(operation: Operation, held: Held, made: dict[str, bytes], resolved: Resolved) -> None:
    now = held.at_tip(operation.path)
    match operation:
        case Create():
            _create(operation.path, operation.content.encode(), now, held, resolved)
        case Place():
            _place(operation, now, held, resolved)
        case Modify():
            _modify(operation, now, held, resolved)
        case Append():
            _append(operation, now, held, made, resolved)
        case Delete():
            if now not in (None, operation.base):
                resolved.conflicts.append(_conflict(operation.path, operation.base, None, now, held))
            resolved.moved |= now is None
            resolved.contents[operation.path] = None
        case Rename():
            _rename(operation, now, held, resolved)
        case _:
            assert_never(operation)


def _create(path: str, content: bytes, now: str | None, held: Held, resolved: Resolved) -> None:
    if now is not None and now != held.blob_id(content):
        resolved.conflicts.append(_conflict(path, None, content, now, held))
    resolved.contents[path] = content


def _place(operation: Place, now: str | None, held: Held, resolved: Resolved) -> None:
    content = held.content(operation.path, operation.blob) if operation.blob else operation.content
    if content is None:
        resolved.conflicts.append(_conflict(operation.path, operation.blob, None, now, held))
    else:
        _create(operation.path, content, now, held, resolved)


def _modify(operation: Modify, now: str | None, held: Held, resolved: Resolved) -> None:
    ours = operation.content.encode()
    resolved.contents[operation.path] = ours
    if now == operation.base or now == held.blob_id(ours):
        return
    resolved.moved = True
    base = held.content(operation.path, operation.base)
    theirs = None if now is None else held.content(operation.path, now)
    if base is None or theirs is None:
        resolved.conflicts.append(conflict_of(operation.path, base, ours, theirs))
        return
    merged = merge_contents(operation.path, base, ours, theirs)
    resolved.conflicts += merged.conflicts
    resolved.contents[operation.path] = merged.content


def _append(
    operation: Append, now: str | None, held: Held, made: dict[str, bytes], resolved: Resolved
) -> None:
    if now == operation.base:
        content = _from_base(operation, held, made)
    else:
        resolved.moved = True
        at_tip = None if now is None else held.content(operation.path, now)
        content = None if at_tip is None else appended(at_tip, operation.tail, moved=True)
    if content is None:
        resolved.conflicts.append(
            _conflict(operation.path, operation.base, operation.tail.encode(), None, held)
        )
    else:
        resolved.contents[operation.path] = content


def _rename(operation: Rename, now: str | None, held: Held, resolved: Resolved) -> None:
    there = held.at_tip(operation.to)
    if now is None and there == operation.base:
        resolved.moved = True
    elif now is None or there not in (None, now):
        resolved.conflicts.append(_conflict(operation.to, operation.base, None, there, held))
    else:
        resolved.moved |= now != operation.base
        resolved.contents[operation.path] = None
        resolved.contents[operation.to] = now


def _conflict(path: str, base: str | None, ours: bytes | None, theirs: str | None, held: Held) -> Conflict:
    old, other = (held.content(path, blob) if blob else None for blob in (base, theirs))
    return conflict_of(path, old, ours, other)
