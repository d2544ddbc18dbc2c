"""Repair of a damaged ledger: what it would change, and the commit that does."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gateway.desk.services import Services
from gateway.desk.trace import traces
from gateway.desk.works import changes
from gateway.desk.works.works import kind_at
from penwright.domain.trace.repairing import Repair, Witnesses, repaired, witnesses_of
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.report import VerifyReport
from schemas.workspace import Contributor, Create, Delete, Modify, MutationPlan, Operation, Workspace


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """Changes by a repair; none, if ``repair`` has no contents."""

    repair: Repair
    workspace: Workspace
    blobs: Mapping[str, str]
    """Ids of the files at the tip, by path."""
    unasked: str = ""
    """Reason why not every log outside the branch could be asked; empty if all were."""


def planned(
    services: Services, named: str, progress: traces.Progress, *, drop_unvouched: bool = False
) -> RepairPlan:
    """Plan a repair of the book's ledger. The logs of other clones are fetched first.

    ``drop_unvouched``: drop sound lines that nothing vouches for even if not every log was asked.
    """
    with traces.opened(services, named, progress) as (source, workspace):
        answer = services.workspaces(kind_at(workspace)).fetch_log(workspace, anyway=True)
        unasked = traces.why_not_asked(answer, workspace)
        witnesses = _witnesses(services, source, workspace, complete=not unasked)
        if drop_unvouched:
            witnesses = Witnesses(witnesses.heads, complete=True)
        return RepairPlan(repaired(source, witnesses), workspace, source.files(), unasked)


def _witnesses(services: Services, source: TraceSource, workspace: Workspace, *, complete: bool) -> Witnesses:
    """Collect what the logs in git and in the database vouch for."""
    in_git = source.anchors()
    there = {anchor.entry for anchor in in_git}
    stored = traces.stored_anchors(services, workspace)() or ()
    return witnesses_of([*(each for each in stored if each.entry not in there), *in_git], complete=complete)


def left(services: Services, named: str, progress: traces.Progress) -> VerifyReport:
    """Verify again and report what is left."""
    with traces.opened(services, named, progress) as (source, workspace):
        return traces.verified(services, source, workspace)


def clear(services: Services, plan: RepairPlan) -> None:
    """Remove what lies where the ledger belongs, in a commit of its own; the repair must be planned again.

    Raises:
        Refused: ``denied``.
    """
    obstacles = plan.repair.obstacles
    gone = tuple(Delete(path=path, base=plan.blobs[path]) for path in obstacles)
    _published(services, plan, "Clear the place of the ledger", gone)


def publish(services: Services, plan: RepairPlan) -> str | None:
    """Commit the repair; returns the commit, or None if the branch moved and it must be planned again.

    Raises:
        Refused: ``denied``.
    """
    return _published(services, plan, "Put the ledger back", tuple(_operations(plan)))


def _published(
    services: Services, plan: RepairPlan, message: str, operations: tuple[Operation, ...]
) -> str | None:
    change = MutationPlan(
        workspace=plan.workspace,
        message=message,
        contributor=Contributor.HUMAN,
        operations=operations,
        tool="trace.repair",
    )
    effect = changes.new_effect(services, "trace/repair")
    published = changes.publish(services, kind_at(plan.workspace), change, effect)
    return None if published.outcome == "conflict" or published.reconciled else published.commit


def _operations(plan: RepairPlan) -> Iterator[Operation]:
    for path, content in plan.repair.contents.items():
        if content is None:
            yield Delete(path=path, base=plan.blobs[path])
        elif path in plan.blobs:
            yield Modify(path=path, content=content.decode(), base=plan.blobs[path])
        else:
            yield Create(path=path, content=content.decode())
