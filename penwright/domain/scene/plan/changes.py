"""The states and trackers that a plan sets."""

from collections.abc import Iterable

from penwright.domain.scene import states
from penwright.domain.scene.plan.reading import PlanReader
from penwright.domain.scene.resolving import shortened
from schemas.director import FIELDS, ChangeSource, DirectorPlan, Note, StateChange


def planned_changes(
    reader: PlanReader, plan: DirectorPlan, pass_number: int, owns_trackers: bool
) -> tuple[StateChange, ...]:
    """Changes of people by name, then of trackers and facts; what is no usable value is noted."""
    source: ChangeSource = "pass-1" if pass_number == 1 else "pass-2"
    told = [
        (character, each.patch) for each in plan.states if (character := reader.find(each.who, each.or_else))
    ]
    found: list[StateChange] = []
    for character in reader.by_name(each for each, _ in told):
        patches = [patch for each, patch in told if each == character]
        values: dict[str, str | None] = {
            field: _one_of(reader, character, field, [getattr(patch, field) for patch in patches])
            for field in FIELDS
        }
        found += states.changes_of(reader.state, character, values, source, "director")
    if not owns_trackers:
        return tuple(found)
    for name in sorted({" ".join(each.name.split()) for each in plan.trackers} - {""}):
        given = [each.value for each in plan.trackers if " ".join(each.name.split()) == name]
        subject = states.WORLD if name in reader.state.world else states.TRACKER
        value: dict[str, str | None] = {name: _one_of(reader, subject, name, given)}
        found += states.changes_of(reader.state, subject, value, source, "director")
    return tuple(found)


def _one_of(reader: PlanReader, subject: str, field: str, given: Iterable[str | None]) -> str:
    """The value among those given that counts: the first by code point, so that their order does not."""
    values = sorted({states.real(each) for each in given} - {""})
    usable = [each for each in values if len(each) <= states.LONGEST]
    if len(usable) < len(values):
        _note(
            reader,
            subject,
            f"{shortened(field)} is longer than {states.LONGEST} characters and stays",
        )
    if len(usable) > 1:
        _note(reader, subject, f"{shortened(field)} has two values; {shortened(usable[0])!r} counts")
    return usable[0] if usable else ""


def _note(reader: PlanReader, subject: str, text: str) -> None:
    reader.notes.append(Note(code="bad-value", who=subject, text=f"{subject}: {text}."))
