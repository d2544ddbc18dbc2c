"""Putting a damaged ledger back, after showing what that means."""

import secrets
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gateway.cli.asking import confirm
from gateway.cli.output import Printer
from gateway.cli.trace.opening import opened
from gateway.desk.services import Services
from penwright.errors import Refused, WorkspaceBusy

if TYPE_CHECKING:
    from penwright.domain.trace.repairing import Repair
    from schemas.workspace import Operation, Workspace

_ATTEMPTS = 3


def repair(services: Services, named: str, out: Printer, *, sure: bool, only_look: bool) -> None:
    """Show the repair, ask, and publish it; looked at anew whenever the branch moved meanwhile."""
    for _ in range(_ATTEMPTS):
        found, blobs, workspace = _looked(services, named, out)
        if not found.contents:
            out.result(
                {"commit": None, "from": found.commit, "files": [], "dropped": 0},
                "The ledger is as git says it should be; nothing to put back.",
            )
            return
        _show(out, found)
        if only_look:
            out.result(_data(found, None), "Nothing was changed; leave out --dry-run to put it back.")
            return
        confirm("Put the ledger back?", sure=sure)
        commit = _publish(services, workspace, tuple(_operations(found, blobs)))
        if commit is not None:
            out.result(_data(found, commit), f"The ledger is back, in commit {commit[:12]}.")
            return
    raise WorkspaceBusy("ledger-contended", "somebody keeps changing the ledger; try again in a moment")


def _looked(services: Services, named: str, out: Printer) -> "tuple[Repair, Mapping[str, str], Workspace]":
    from penwright.domain.trace.repairing import repaired

    with opened(services, named, out) as (source, workspace):
        return repaired(source), source.files(), workspace


def _show(out: Printer, found: "Repair") -> None:
    origin = (
        f"as commit {found.commit[:12]} holds it" if found.commit else "empty: no commit holds a sound one"
    )
    out.note(f"The ledger is put back {origin}, with every record that commits name.")
    for path, content in sorted(found.contents.items()):
        out.note(f"  {'remove' if content is None else 'rewrite'}  {path}")
    if found.dropped:
        out.note(f"  {found.dropped} line(s) that no commit names are dropped; git still has them.")


def _operations(found: "Repair", blobs: Mapping[str, str]) -> "Iterator[Operation]":
    from schemas.workspace import Create, Delete, Modify

    for path, content in found.contents.items():
        if content is None:
            yield Delete(path=path, base=blobs[path])
        elif path in blobs:
            yield Modify(path=path, content=content.decode(), base=blobs[path])
        else:
            yield Create(path=path, content=content.decode())


def _publish(services: Services, workspace: "Workspace", operations: "tuple[Operation, ...]") -> str | None:
    """The commit; None if the ledger changed meanwhile."""
    from schemas.base import Effect, OpId
    from schemas.workspace import Contributor, MutationPlan

    plan = MutationPlan(
        workspace=workspace,
        message="Put the ledger back",
        contributor=Contributor.HUMAN,
        operations=operations,
        tool="trace.repair",
    )
    op_id = OpId(f"trace/repair/{secrets.token_hex(8)}")
    published = services.workspaces().publish(plan, Effect(op_id=op_id, issued_at=services.now()))
    if published.denial is not None:
        raise Refused("denied", f"{published.denial.message}; {published.denial.action_hint}")
    return None if published.outcome == "conflict" or published.reconciled else published.commit


def _data(found: "Repair", commit: str | None) -> dict[str, object]:
    return {
        "commit": commit,
        "from": found.commit,
        "files": sorted(found.contents),
        "dropped": found.dropped,
    }
