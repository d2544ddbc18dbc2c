"""Putting a damaged ledger back, after showing what that means."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gateway.cli.asking import confirm
from gateway.cli.output import Printer
from gateway.cli.trace.opening import shown_progress
from gateway.desk.services import Services
from gateway.desk.trace import repair as trace_repair
from gateway.desk.trace.repair import RepairPlan
from penwright.domain.text.placeholders import with_names
from penwright.domain.trace.repairing import Repair
from penwright.errors import WorkspaceBusy
from schemas.trace import Finding

_ATTEMPTS = 3


def repair(
    services: Services, named: str, out: Printer, *, sure: bool, only_look: bool, drop_unvouched: bool = False
) -> None:
    """Show the repair, ask, and publish it; plan it again if the branch moved meanwhile."""
    asked = False
    for _ in range(_ATTEMPTS):
        with shown_progress(out) as progress:
            plan = trace_repair.planned(services, named, progress, drop_unvouched=drop_unvouched)
        found = plan.repair
        if not (found.contents or found.obstacles):
            _note(out, _unvouched(plan))
            _tell(services, named, out, plan, None)
            return
        if not asked:
            shown = [*_plan_lines(plan), *_unvouched(plan)]
            _note(out, shown)
            if only_look:
                told = _data(found, None, ())
                out.result(told, "Nothing was changed; leave out --dry-run to put it back.")
                return
            confirm("Put the ledger back?", sure=sure, about=shown)
            asked = True
        if found.obstacles:
            trace_repair.clear(services, plan)
            with shown_progress(out) as progress:
                after = trace_repair.planned(services, named, progress, drop_unvouched=drop_unvouched)
            plan = replace(after, repair=replace(after.repair, obstacles=found.obstacles))
        commit = trace_repair.publish(services, plan)
        if commit is not None:
            _tell(services, named, out, plan, commit)
            return
    raise WorkspaceBusy("ledger-contended", "the ledger keeps changing; try again in a moment")


def _note(out: Printer, lines: Iterable[str]) -> None:
    for line in lines:
        out.note(line)


def _plan_lines(plan: RepairPlan) -> Iterator[str]:
    found = plan.repair
    origin = (
        f"as commit {found.commit[:12]} holds it" if found.commit else "empty: no commit holds a sound one"
    )
    yield f"The ledger is put back {origin}, with every record that commits or the log name."
    for path in found.obstacles:
        yield f"  remove   {path}, which lies where the ledger belongs"
    for path, content in sorted(found.contents.items()):
        yield f"  {'remove' if content is None else 'rewrite'}  {path}"
    if found.dropped:
        yield f"  {found.dropped} line(s) that nothing vouches for are dropped; git still has them."


def _unvouched(plan: RepairPlan) -> Iterator[str]:
    """Which lines are kept for want of a witness."""
    if plan.repair.unvouched:
        why = plan.unasked or "no log is known here"
        yield (
            f"  {plan.repair.unvouched} sound line(s) that no commit names are kept: {why}. "
            "If they are forged, --drop-unvouched drops them."
        )


def _tell(services: Services, named: str, out: Printer, plan: RepairPlan, commit: str | None) -> None:
    """The answer, with what the verifier still finds and how to go on."""
    with shown_progress(out) as progress:
        report = trace_repair.left(services, named, progress)
    stays = [each for each in report.findings if each.severity == "error"]
    first = (
        f"The ledger is back, in commit {commit[:12]}."
        if commit
        else "The ledger is as git says it should be; nothing to put back."
    )
    out.result(_data(plan.repair, commit, stays), [first, *_how_to_go_on(stays, named)])


def _how_to_go_on(stays: Sequence[Finding], book: str) -> Iterator[str]:
    by_code: dict[str, list[Finding]] = {}
    for each in stays:
        by_code.setdefault(each.code, []).append(each)
    if not by_code:
        return
    yield (
        f"What `penwright trace verify {shlex.quote(book)}` still finds is not "
        "a matter of the ledger's files:"
    )
    for code, found in by_code.items():
        yield f"  {len(found)} {code}: {found[0].message}"
        yield f"    next: {with_names(_AFTER_REPAIR.get(code, found[0].hint), {'BOOK': book})}"


_AFTER_REPAIR: Mapping[str, str] = {
    "BRANCH_REWOUND": "`git branch lost COMMIT` and `git merge lost` bring the commits back while git has "
    "them; if they were taken back on purpose, go on writing: this stays as a note of it",
    "LEDGER_TRUNCATED": "fetch from the clone that noted it, and run `penwright trace repair BOOK` again",
    "RECORD_MISSING": "fetch from a clone that still has the record, and run "
    "`penwright trace repair BOOK` again",
    "LOST": "nothing to repair: the text is gone; `git log -p -- PATH` shows who took it",
}
"""Advice where putting files back did not help; for any other code its own hint."""


def _data(found: Repair, commit: str | None, stays: Sequence[Finding]) -> dict[str, object]:
    return {
        "commit": commit,
        "from": found.commit,
        "files": sorted({*found.contents, *found.obstacles}),
        "dropped": found.dropped,
        "unvouched": found.unvouched,
        "left": [each.model_dump(mode="json") for each in stays],
    }
