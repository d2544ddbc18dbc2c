"""Effect of a critique on a run: its passes, its best revision, and whether a revision made it worse."""

from datetime import datetime
from typing import Final

from penwright.domain.manuscript.entries import noted_of
from penwright.domain.text.counted import counted
from schemas.manuscript import AskRole, Briefed, CritiqueHeld, ManuscriptInput, ManuscriptState, Scored
from schemas.manuscript_roles import Critiqued

_NEAR: Final = 0.05
"""Distance from the score that is enough within which the critic is asked a second time."""


def is_near(score: float, least: float) -> bool:
    """Whether a score is so near to the one that is enough that a second opinion is worth a call."""
    return abs(score - least) <= _NEAR + 1e-9


def lower(one: Critiqued, other: Critiqued) -> Critiqued:
    """Of two opinions on one text the lower, with the score of the other."""
    first, second = sorted((one, other), key=lambda each: each.score)
    return first.model_copy(update={"other_score": second.score})


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
    state = noted_of(
        given, state, now, request, "done", _told(said), score=said.score, sub_scores=said.sub_scores
    )
    return state if before is None else _compared(given, state, request, before, scored, now)


def _told(said: Critiqued) -> str:
    """The score and what it is made of, in a line."""
    parts = ", ".join(f"{each.aspect} {each.score:.2f}" for each in said.sub_scores)
    total = f"Score {said.score:.2f}{f' ({parts})' if parts else ''}"
    told = [f"{total}, {counted(len(said.action_items), 'action item')}."]
    if said.other_score is not None:
        told.append(f"Asked twice: the other score was {said.other_score:.2f}, and the lower one counts.")
    if lost := sum(not each.quote for each in said.sub_scores):
        told.append(f"{counted(lost, 'of its quotes does', 'of its quotes do')} not stand in the text.")
    return " ".join(told)


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
