"""Effect of a critique on a run: its passes, its best revision, and whether a revision made it worse."""

from datetime import datetime

from penwright.domain.manuscript.entries import noted_of
from schemas.manuscript import AskRole, Briefed, CritiqueHeld, ManuscriptInput, ManuscriptState, Scored
from schemas.manuscript_roles import Critiqued


def critiqued(
    given: ManuscriptInput,
    state: ManuscriptState,
    request: AskRole,
    briefed: Briefed,
    said: Critiqued,
    now: datetime,
) -> ManuscriptState:
    """Hold a critique for the steps after it; it closes the cycle that an earlier one opened."""
    passes = _passes(given, state, said)
    scored = Scored(revision=briefed.seen.revision, score=said.score, pass_index=passes)
    before = state.best
    state = state.model_copy(
        update={
            "critique": CritiqueHeld(said=said, revision=scored.revision, basis=briefed.basis),
            "critiques": state.critiques + 1,
            "cycle_open": True,
            "pass_index": passes,
            "last": scored,
            "best": scored if before is None or scored.score >= before.score else before,
            "unkept": state.unkept.model_copy(update={"pass_index": passes}),
            "trouble": "",
        }
    )
    items = len(said.action_items)
    summary = f"Score {said.score:.2f}, {items} action item{'' if items == 1 else 's'}."
    state = noted_of(given, state, now, request, "done", summary, score=said.score)
    return state if before is None else _compared(given, state, request, before, scored, now)


def _passes(given: ManuscriptInput, state: ManuscriptState, said: Critiqued) -> int:
    """A cycle is over at its second critique, or at its first if there is nothing to revise."""
    if state.cycle_open:
        return state.pass_index + 1
    has_no_use = said.score >= given.settings.min_score or not said.action_items
    return state.pass_index + 1 if has_no_use else state.pass_index


def _compared(
    given: ManuscriptInput,
    state: ManuscriptState,
    request: AskRole,
    best: Scored,
    scored: Scored,
    now: datetime,
) -> ManuscriptState:
    """Say so where the text has become worse than it was."""
    if scored.score >= best.score:
        return state
    fell = f"The score fell from {best.score:.2f} to {scored.score:.2f}"
    summary = f"{fell}; the better text is revision {best.revision}."
    return noted_of(given, state, now, request, "done", summary, code="regression", score=scored.score)
