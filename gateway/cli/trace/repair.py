"""Putting a damaged ledger back, after showing what that means."""

from gateway.cli.asking import confirm
from gateway.cli.output import Printer
from gateway.cli.trace.opening import shown_progress
from gateway.desk import trace_repair
from gateway.desk.services import Services
from penwright.domain.trace.repairing import Repair
from penwright.errors import WorkspaceBusy

_ATTEMPTS = 3


def repair(services: Services, named: str, out: Printer, *, sure: bool, only_look: bool) -> None:
    """Show the repair, ask, and publish it; plan it again if the branch moved meanwhile."""
    for _ in range(_ATTEMPTS):
        with shown_progress(out) as progress:
            plan = trace_repair.planned(services, named, progress)
        found = plan.repair
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
        commit = trace_repair.publish(services, plan)
        if commit is not None:
            out.result(_data(found, commit), f"The ledger is back, in commit {commit[:12]}.")
            return
    raise WorkspaceBusy("ledger-contended", "the ledger keeps changing; try again in a moment")


def _show(out: Printer, found: Repair) -> None:
    origin = (
        f"as commit {found.commit[:12]} holds it" if found.commit else "empty: no commit holds a sound one"
    )
    out.note(f"The ledger is put back {origin}, with every record that commits name.")
    for path, content in sorted(found.contents.items()):
        out.note(f"  {'remove' if content is None else 'rewrite'}  {path}")
    if found.dropped:
        out.note(f"  {found.dropped} line(s) that no commit names are dropped; git still has them.")


def _data(found: Repair, commit: str | None) -> dict[str, object]:
    return {
        "commit": commit,
        "from": found.commit,
        "files": sorted(found.contents),
        "dropped": found.dropped,
    }
