"""Repair of a damaged ledger: what it would change, and the commit that does."""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gateway.desk import traces
from gateway.desk.services import Services
from penwright.domain.trace.repairing import Repair, repaired
from penwright.errors import Refused
from schemas.base import Effect, OpId
from schemas.workspace import Contributor, Create, Delete, Modify, MutationPlan, Operation, Workspace


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What a repair would change; nothing, if ``repair`` has no contents."""

    repair: Repair
    workspace: Workspace
    blobs: Mapping[str, str]
    """Ids of the files at the tip, by path."""


def planned(services: Services, named: str, progress: traces.Progress) -> RepairPlan:
    """What a repair of the book's ledger would change."""
    with traces.opened(services, named, progress) as (source, workspace):
        return RepairPlan(repaired(source), workspace, source.files())


def publish(services: Services, plan: RepairPlan) -> str | None:
    """Commit the repair; returns the commit, or None if the branch moved and it must be planned again.

    Raises:
        Refused: ``denied``.
    """
    change = MutationPlan(
        workspace=plan.workspace,
        message="Put the ledger back",
        contributor=Contributor.HUMAN,
        operations=tuple(_operations(plan)),
        tool="trace.repair",
    )
    op_id = OpId(f"trace/repair/{secrets.token_hex(8)}")
    published = services.workspaces().publish(change, Effect(op_id=op_id, issued_at=services.now()))
    if published.denial is not None:
        raise Refused("denied", f"{published.denial.message}; {published.denial.action_hint}")
    return None if published.outcome == "conflict" or published.reconciled else published.commit


def _operations(plan: RepairPlan) -> Iterator[Operation]:
    for path, content in plan.repair.contents.items():
        if content is None:
            yield Delete(path=path, base=plan.blobs[path])
        elif path in plan.blobs:
            yield Modify(path=path, content=content.decode(), base=plan.blobs[path])
        else:
            yield Create(path=path, content=content.decode())
