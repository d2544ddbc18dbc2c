"""A session's run of the writer: its input, and the prose in its result."""

from penwright.agents.loop import reporting
from penwright.agents.loop.run import Run, begin
from penwright.domain.book.session_warnings import no_room
from penwright.roles.calls import book_call_input
from penwright.roles.ink_writer.answer import SessionOutput, next_request, unmended
from penwright.roles.ink_writer.completion import ROUNDS
from penwright.roles.ink_writer.definition import INK_WRITER
from penwright.roles.ink_writer.tools import TOOL_CALLS
from schemas.agent_run import AgentRunInput
from schemas.base import BookId, Cause
from schemas.book_session import BookSessionInput, Brief
from schemas.outside_session import SessionProse

ROLE = "writer"
MODEL_CALLS = 16
"""Turns of one session, the last one included; this bounds its history."""

_USELESS = frozenset(
    {
        *("empty-reply", "json-reply", "half-json", "no-prose", "prose-too-short"),
        *("unterminated-original", "turn-too-large", "task-talk", "loop"),
        *("rewrite-in-pieces", "rewrite-unchanged", "rewrite-cut", "rewrite-beyond"),
    }
)
"""Codes of replies that hold no usable session."""


def run_id_of(given: BookSessionInput) -> str:
    """The id of a session's run; other run ids contain no slashes."""
    return f"book/{given.book_id}/{given.session}"


def is_of_a_session(run_id: str) -> bool:
    """Whether this is the id of a session's run, not of another run or a sub-agent."""
    return run_id.startswith("book/") and run_id.count("/") == 2


def session_of(run_id: str) -> tuple[BookId, str]:
    """The book and the session of such a run."""
    _, book_id, session = run_id.split("/")
    return BookId(book_id), session


def engaged(given: BookSessionInput, brief: Brief) -> Run:
    """A new run of the writer."""
    return begin(INK_WRITER, task_of(given, brief))


def task_of(given: BookSessionInput, brief: Brief) -> AgentRunInput:
    """The input of the writer's run."""
    return book_call_input(
        given,
        brief,
        INK_WRITER,
        run_id=run_id_of(given),
        model_role=ROLE,
        model_calls=MODEL_CALLS,
        tool_calls=TOOL_CALLS,
        completion_rounds=ROUNDS,
    )


def delivered(run: Run, brief: Brief) -> SessionProse:
    """The prose of a run that ended with some, whatever ended it."""
    output, spent = SessionOutput.model_validate(run.state.output), run.state.spent
    if next_request(output) == "mend":  # its answer never came
        output = unmended(output, reporting.why_none(run))
    return SessionProse(
        prose=output.prose,
        words=output.words,
        summary=output.summary,
        arcs_closed=output.arcs_closed,
        human_edits=brief.human_edits,
        model=output.model,
        overrides=run.state.override_tag,
        warnings=(*brief.warnings, *no_room(run.state.unshown), *output.warnings),
        craft=output.craft,
        cost_micros=spent.cost_micros,
        unknown_prices=spent.unknown_prices,
    )


def failure_cause(run: Run) -> Cause:
    """Cause for which a run that was not stopped ended without prose."""
    cause = reporting.failure_cause(run)
    if cause.code not in _USELESS:
        return cause
    advice = "Nothing was changed. Try it with `penwright models test MODEL`, or give the role another model."
    return Cause(code="unusable-reply", message=f"{cause.message} {advice}", details={"problem": cause.code})
