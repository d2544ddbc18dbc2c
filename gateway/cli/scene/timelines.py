"""The timeline and the audit of one round, in words."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from gateway.cli.live import money
from gateway.cli.scene.reports import change_lines
from gateway.cli.wrapping import wrapped
from penwright.domain.control import shown_outcome
from penwright.domain.scene.plan.edits import changes_in_words
from penwright.domain.scene.remembering import shortened
from schemas.director import PlanApplied, Turn
from schemas.scene import NumberedRound, PassRecord, SceneMessage, TurnRecord

Names = Mapping[str, str]
"""Id -> name."""


_ANSWER_SHOWN = 1_500
"""Characters of an unusable answer; ``--json`` has all of it."""


def round_lines(
    found: NumberedRound,
    names: Names,
    said: Mapping[str, SceneMessage],
    answers: Mapping[int, str] = MappingProxyType({}),
) -> list[str]:
    """Pass by pass: who was to act and why, notes, what was said; then every change of a state.

    Args:
        said: the round's messages by id.
        answers: of a director who gave no usable plan, by pass.
    """
    status = shown_outcome(found.status, found.code)
    why = "" if found.code == status else found.code
    lines = wrapped("", f"{found.name.words.capitalize()} ({found.kind}): {status}{_why(why, found.reason)}")
    for made in found.passes:
        lines += _pass_lines(made, names)
        if answer := answers.get(made.number, "").strip():
            lines += wrapped("   it answered: ", shortened(answer, _ANSWER_SHOWN))
        lines += _turn_lines((each for each in found.turns if each.pass_number == made.number), names, said)
    passes = {each.number for each in found.passes}
    lines += _turn_lines((each for each in found.turns if each.pass_number not in passes), names, said)
    lines += [line for each in found.changes for line in change_lines(each, names)]
    for warning in found.warnings:
        lines += wrapped("warning: ", warning)
    return [*lines, f"cost {money(found.cost_micros, found.unknown_prices)}"]


def plan_lines(made: PassRecord, names: Names) -> list[str]:
    """A plan that waits: who acts, who comes and goes, and every change that it makes."""
    came = [each.who for each in made.applied.entries]
    lines = wrapped("comes in: ", _listed(came, names)) if came else []
    return [
        *_pass_lines(made, names),
        *lines,
        *(line for each in made.applied.changes for line in change_lines(each, names)),
    ]


def _pass_lines(made: PassRecord, names: Names) -> list[str]:
    applied = made.applied
    lines = wrapped(f"pass {made.number}: ", acting_order([each.character for each in applied.turns], names))
    lines += wrapped("   ", made.chosen) if made.chosen else []
    if made.approved_by:
        changed = changes_in_words(made, names)
        told = " ".join(changed) or "as the director made it"
        lines += wrapped("   ", f"approved by {made.approved_by}: {told}")
    for fault in made.failures:
        lines += wrapped("   an earlier reply: ", fault)
    for word, told in _told(applied, names):
        lines += wrapped(f"   {word}: ", told) if told else []
    for turn in applied.turns:
        lines += _guidance_lines(turn, names)
    for note in applied.notes:
        lines += wrapped(f"   note {note.code}: ", note.text)
    return lines


def _told(applied: PlanApplied, names: Names) -> tuple[tuple[str, str], ...]:
    return (
        ("left over", _listed(applied.left_over, names)),
        ("leaves", _listed(applied.leaving, names)),
        ("open guidance", applied.open_guidance),
    )


def _guidance_lines(turn: Turn, names: Names) -> list[str]:
    who = names.get(turn.character, turn.character)
    texts = (
        ("guidance", turn.guidance),
        ("entry guidance", turn.entry_guidance),
        ("exit guidance", turn.exit_guidance),
    )
    return [line for word, text in texts if text for line in wrapped(f"   {word} for {who}: ", text)]


def _turn_lines(turns: Iterable[TurnRecord], names: Names, said: Mapping[str, SceneMessage]) -> list[str]:
    """One turn each, of a long reply only how it begins."""
    lines = []
    for turn in turns:
        message = said.get(turn.message)
        words = f": {message.text}" if message else _why(turn.code, turn.reason)
        number = f" #{message.number}" if message and message.number else ""
        who = names.get(turn.character, turn.character)
        lines += wrapped("   ", f"{who} {turn.outcome}{number}{words}")[:2]
        lines += (
            wrapped("   note: ", turn.reason) if message and turn.outcome == "spoken" and turn.reason else []
        )
    return lines


def _why(code: str, reason: str) -> str:
    said = ": ".join(filter(None, (code, reason)))
    return f" ({said})" if said else ""


def acting_order(ids: Sequence[str], names: Names) -> str:
    """Return who acts, one after the other, by name."""
    return " → ".join(names.get(each, each) for each in ids) or "nobody acts"


def _listed(ids: Iterable[str], names: Names) -> str:
    return ", ".join(names.get(each, each) for each in ids)
