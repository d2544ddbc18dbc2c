"""The edits of a session's editor: a few passages, each with a reason from a closed list."""

from typing import get_args

from penwright.domain.prose.mending import applied, edits_in
from penwright.domain.text.counted import counted
from penwright.errors import ModelMistake
from schemas.patching import Operation
from schemas.prose import LONGEST_QUOTE, EditReason, PassageEdit

MOST_EDITS = 5
REASONS: tuple[EditReason, ...] = get_args(EditReason)
NOTHING = "the editor proposed no edits"


def edited(prose: str, reply: str) -> tuple[str, tuple[PassageEdit, ...], str]:
    """The prose after an editor's edits, those that were made, and why none was; empty if some were.

    An edit without a reason of the list is not made.
    """
    try:
        asked = edits_in(reply).operations
    except ModelMistake as mistake:
        return prose, (), f"the editor's reply held no usable edits ({mistake.code})"
    reasoned = [each for each in asked if _reason(each)]
    made = applied(reasoned, prose, most=MOST_EDITS)
    taken = tuple(
        PassageEdit(reason=reason, before=_before(each), after=_beginning(each.replace))
        for each, result in zip(reasoned, made.results, strict=True)
        if result.outcome == "applied" and (reason := _reason(each))
    )
    if taken and made.text != prose:
        return made.text, taken, ""
    none = f"none of the editor's {counted(len(asked), 'edit')} could be made" if asked else NOTHING
    return prose, (), none


def _reason(edit: Operation) -> EditReason | None:
    said = "-".join(edit.reason.strip(" `*_\"'.,;").casefold().replace("_", " ").split())
    return next((each for each in REASONS if each == said), None)


def _before(edit: Operation) -> str:
    """Empty where the edit only puts something in."""
    return _beginning(edit.find) if edit.kind in ("replace", "delete") else ""


def _beginning(passage: str) -> str:
    text = " ".join(passage.split())
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE].rpartition(' ')[0]} …"
