"""A session's run of its editor: its input, and the session's prose afterwards."""

from penwright.agents.loop.reporting import has_delivered, why_none
from penwright.agents.loop.run import Run, begin
from penwright.domain.book.transitions import unedited
from penwright.domain.trailers import joined_models
from penwright.roles.calls import book_call_input
from penwright.roles.ink_session_editor.answer import EditorOutput
from penwright.roles.ink_session_editor.definition import SESSION_EDITOR
from penwright.roles.ink_writer.role_call import run_id_of
from schemas.agent_run import AgentRunInput
from schemas.book_session import BookSessionInput, Brief
from schemas.outside_session import SessionProse

ROLE = "writer-editor"
"""Settings map it to a model; without one of its own it is the writer's."""
MODEL_CALLS = 2
"""One, with room so that it is not taken for the last turn."""


def engaged(given: BookSessionInput, brief: Brief) -> Run:
    """A new run of the editor."""
    return begin(SESSION_EDITOR, task_of(given, brief))


def task_of(given: BookSessionInput, brief: Brief) -> AgentRunInput:
    """The input of the editor's run."""
    run_id = f"{run_id_of(given)}/editor"
    return book_call_input(
        given, brief, SESSION_EDITOR, run_id=run_id, model_role=ROLE, model_calls=MODEL_CALLS
    )


def edited(draft: SessionProse, run: Run) -> SessionProse:
    """The session's prose after its editor's run; the draft, and the reason, if it gave no edits."""
    spent = run.state.spent
    paid = draft.model_copy(
        update={
            "cost_micros": draft.cost_micros + spent.cost_micros,
            "unknown_prices": draft.unknown_prices + spent.unknown_prices,
        }
    )
    if not has_delivered(run):
        return unedited(paid, why_none(run))
    output = EditorOutput.model_validate(run.state.output)
    changes = {"prose": output.prose, "words": output.words, "craft": output.craft}
    return paid.model_copy(update={**changes, "model": joined_models(draft.model, output.model)})
