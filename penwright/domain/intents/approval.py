"""Plans that a person may allow although the gate denies them: one plan each, named by the digest of all it
would do.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final

from penwright.domain.intents.cases import Case, texts_of
from penwright.domain.intents.denials import one_of
from penwright.domain.intents.ownership import owners
from penwright.domain.text.comparing.line_diff import line_diff
from schemas.intents import ApprovalNeed, Intent
from schemas.workspace import Denial

UNREAD: Final = "REWRITE_UNREAD"
"""Code of a rewritten passage that no person has approved yet."""
APPROVABLE: Final = frozenset({"SCOPE_VIOLATION", "MUTATION_CLASS_UNDERSTATED", "INTENT_CHANGED", UNREAD})
"""Denials that a person may approve. Escapes, protected paths, links and broken registries are final."""


def weighed(
    case: Case, intent: Intent | None, found: Sequence[Denial], governed: Sequence[str]
) -> Denial | None:
    """The verdict on a plan in which nothing but ``found`` is wrong; None if a person has allowed that.

    Args:
        intent: the plan's intent at the tip; None for tools that need none.
        found: what the gate would deny, each with a code of ``APPROVABLE``.
        governed: the paths that the intent must own.
    """
    approval = case.plan.approval
    if intent is None or (not found and approval is None):
        return one_of(found) if found else None
    need = _need(case, intent, found, governed)
    if approval is None:
        return one_of(found).model_copy(update={"asks": need})
    if approval.plan_digest == need.plan_digest and set(need.codes) <= set(approval.codes):
        return None
    return Denial(
        error_type="APPROVAL_MISMATCH",
        error_code="APPROVAL_MISMATCH",
        message=f"approval {approval.id!r} is for another change than this one",
        recoverable=True,
        action_hint="ask again: the book or its intent changed since it was given",
        details={"expected": approval.plan_digest, "actual": need.plan_digest},
        asks=need,
    )


def plan_digest(
    *,
    intent_id: str,
    entry_digest: str,
    op_id: str,
    tool: str,
    contents: Mapping[str, tuple[str, str]],
    mutation_class: str,
) -> str:
    """One name for one plan.

    Args:
        entry_digest: of the intent's entry at the tip, which need not be the one that was selected.
        contents: digests of each path's content before and after; empty for no file.
    """
    said = [intent_id, entry_digest, op_id, tool, sorted(contents.items()), mutation_class]
    return f"sha256:{hashlib.sha256(json.dumps(said).encode()).hexdigest()}"


def _need(case: Case, intent: Intent, found: Sequence[Denial], governed: Sequence[str]) -> ApprovalNeed:
    digest = plan_digest(
        intent_id=intent.id,
        entry_digest=intent.digest,
        op_id=case.op_id,
        tool=case.plan.tool,
        contents={
            path: (_digest(case.tip.content(path)), _digest(content)) for path, content in case.after.items()
        },
        mutation_class=case.plan.mutation or "",
    )
    codes = tuple(denial.error_code for denial in found)
    denied = _denied(case, intent, codes, governed)
    return ApprovalNeed(
        plan_digest=digest,
        intent_id=intent.id,
        codes=codes,
        reasons=tuple(denial.message for denial in found),
        hint=found[0].action_hint if found else "",
        paths=tuple(sorted(case.after)),
        denied=denied,
        bookkeeping=tuple(sorted(set(case.after).difference(governed))),
        diff=_diff(case, denied),
    )


def _denied(case: Case, intent: Intent, codes: Sequence[str], governed: Sequence[str]) -> tuple[str, ...]:
    """List what is out of scope; all that is governed, where more than the scope is wrong."""
    if set(codes) - {"SCOPE_VIOLATION"}:
        return tuple(sorted(governed))
    owned = owners(case, intent, governed)
    return tuple(sorted(path for path in governed if path not in owned))


def _diff(case: Case, denied: Sequence[str]) -> str:
    """Diff of the denied changes, file by file. A file that only moves is named as both of its paths."""
    texts = texts_of(case)
    return "".join(
        line_diff(path, *texts[path])
        if path in texts and texts[path][0] != texts[path][1]
        else f"{path!r} is moved, and its text is unchanged\n"
        for path in denied
    )


def _digest(content: bytes | str | None) -> str:
    """A file that only moved is named by its blob id, which names its content as well."""
    if content is None or isinstance(content, str):
        return content or ""
    return hashlib.sha256(content).hexdigest()
