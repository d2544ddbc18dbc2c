"""Runs of the manuscript loop in words."""

from collections.abc import Sequence

from gateway.cli import writers
from gateway.cli.live import money
from gateway.cli.output import Printer
from gateway.desk.manuscript import scenes
from gateway.desk.manuscript.runs import Written
from gateway.desk.services import Services
from gateway.desk.works.documents import Document
from penwright.domain.text.counted import counted
from schemas.agent_state import WHOLE_NOVEL
from schemas.manuscript import ManuscriptResult


def note_if_new(services: Services, out: Printer, found: Document) -> bool:
    """Say that no commit has the scene yet, so that a mistyped name is seen; returns whether it is new."""
    if not scenes.is_new(services, found.novel, found.scene):
        return False
    if found.scene != WHOLE_NOVEL:
        listed = f"`penwright manuscript list {found.novel.novel_id}` shows those there are"
        out.note(f"{found.scene!r} is a new scene of {found.novel.title!r}; {listed}.")
    return True


def joined_lines(found: Document, written: Written) -> list[str]:
    """Lines on a start that met a run."""
    if written.fresh:
        return []
    if written.amended is not None:
        return [
            f"A run on {found.name} goes on already; it has the new instructions: {written.amended.message}"
        ]
    return [
        f"A run on {found.name} goes on already; this joins it: its instructions and settings stay as "
        "they are, and others are not taken. `--amend` gives it new instructions."
    ]


def started_lines(found: Document, written: Written) -> list[str]:
    """A run that no command waits for."""
    verb = f"Run {written.given.session} is" if written.fresh else "It is"
    return [f"{verb} at work; `penwright manuscript watch {found.words}` shows it."]


def ending_lines(found: Document, ended: ManuscriptResult, not_made: str = "") -> list[str]:
    """Lines on the end of a run, and what can be done next.

    Args:
        not_made: the edits that were refused, and why.
    """
    lines = [_head(ended), _figures(ended), *(f"warning: {said}" for said in ended.warnings)]
    if not_made:
        lines.append(f"not made: {not_made}")
    if ended.missing:
        lines.append(f"not written: {', '.join(ended.missing)}")
    if ended.push == "pending":
        lines.append(f"not pushed yet: {ended.push_reason or 'the remote did not take it'}")
    if ended.way_back:
        lines.append(f"an earlier text scored better; `{ended.way_back}` brings it back")
    lines.append(f"next: `penwright manuscript show {found.words}` prints it, {_further(ended, found)}")
    return lines


def step_of(found: Document, code: str) -> dict[str, str]:
    """Advise on a run that ended with ``code``, as an error's ``hint``; none if the code is unknown."""
    steps = {
        "nothing-to-revise": f"`penwright manuscript write {found.words} -i TEXT` has it written, "
        f"`penwright manuscript import FILE --into {found.novel.novel_id}` takes a text in",
        "document-busy": f"`penwright cite watch {found.options}` follows the scan, "
        f"`penwright cite kill {found.options}` ends it; then write again",
    }
    return {"hint": steps[code]} if code in steps else {}


def model_lines(models: Sequence[str], *, is_demo: bool) -> list[str]:
    """Lines on the writers; the demo model is called by its name."""
    return writers.model_lines(writers.DEMO if is_demo else ", ".join(models), "manuscript")


def _head(ended: ManuscriptResult) -> str:
    who, said = ended.stopped_by, ended.message
    if who and said.startswith((f"stopped by {who}", f"killed by {who}")):
        return said[:1].upper() + said[1:]
    return f"{ended.outcome.capitalize()}{f' by {who}' if who else ''}{f': {said}' if said else ''}"


def _figures(ended: ManuscriptResult) -> str:
    scores = []
    if ended.last is not None:
        scores.append(f"score {ended.last.score:.2f}")
    if ended.best is not None and ended.best != ended.last:
        scores.append(f"best {ended.best.score:.2f}")
    parts = [
        counted(ended.words, "word"),
        *scores,
        f"{ended.pass_index} {'pass' if ended.pass_index == 1 else 'passes'}",
        f"{counted(ended.calls, 'model call')}, {money(ended.cost_micros, ended.unknown_prices)}",
    ]
    return ", ".join(parts)


def _further(ended: ManuscriptResult, found: Document) -> str:
    if ended.outcome == "finished":
        place = f"{found.novel.novel_id}.html"
        return f"`penwright manuscript export {found.words} --output {place}` makes a document of it"
    return f"`penwright manuscript write {found.words}` goes on"
