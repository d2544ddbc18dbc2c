"""A clerk's run over one passage: its input, and the reading in its result."""

from penwright.agents.loop.reporting import failure_cause, has_delivered, why_none
from penwright.agents.loop.run import Run, begin
from penwright.roles.calls import book_call_input
from penwright.roles.ink_clerk.answer import ClerkOutput
from penwright.roles.ink_clerk.definition import CLERK
from schemas.base import Cause
from schemas.book_session import Brief
from schemas.continuity import ContinuityInput, PassageRead, ReadPassage

ROLE = "clerk"
_MODEL_CALLS = 3
"""The reading, one more if it cannot be used, and room so that this is not taken for the last turn."""
USELESS = frozenset(
    {
        *("empty-reply", "cut-off", "oversize-reply", "no-json", "invalid-output", "json-reply"),
        *("half-json", "nothing-read", "loop", "refused", "model-refused"),
    }
)
"""Codes of runs whose model answered, with nothing that can be used: asking again costs the same again."""


def run_id_of(given: ContinuityInput, number: int) -> str:
    """The id of the clerk's run over the ``number``-th passage of a run."""
    return f"continuity/{given.book_id}/{given.session}/{number}"


def engaged(given: ContinuityInput, brief: Brief, number: int) -> Run:
    """A new run of the clerk."""
    run_id = run_id_of(given, number)
    task = book_call_input(given, brief, CLERK, run_id=run_id, model_role=ROLE, model_calls=_MODEL_CALLS)
    return begin(CLERK, task)


def passage_read(step: ReadPassage, run: Run) -> PassageRead | Cause:
    """The reading; or why there is none: as a part of the result where the model's answers are no use."""
    spent = run.state.spent
    paid = {"cost_micros": spent.cost_micros, "unknown_prices": spent.unknown_prices}
    if not has_delivered(run):
        cause = failure_cause(run)
        if cause.code not in USELESS:
            return cause
        return PassageRead(words=step.brief.portion.words, failure=why_none(run), **paid)
    output = ClerkOutput.model_validate(run.state.output)
    return PassageRead(
        reading=output.reading, words=step.brief.portion.words, stated=output.stated, lost=output.lost, **paid
    )
