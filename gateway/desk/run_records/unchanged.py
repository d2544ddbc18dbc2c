"""The words for the end of a run, also of one that completed and changed no file."""

from activities.agents.transcripts import PIPELINE
from penwright.domain.text.counted import counted
from schemas.agent_run import AgentRunResult
from schemas.records import RunRow

CLERK = "ink/clerk"
"""The agent whose answer is a reading, which its caller commits."""


def why_unchanged(ending: AgentRunResult) -> str:
    """The reason for which a completed run published no commit; empty if it did, or did not complete."""
    if ending.commit or ending.outcome != "completed":
        return ""
    if ending.agent == CLERK:
        return _what_was_read(ending)
    if not ending.tool_calls:
        return "no file was changed: it answered and called no tool"
    return f"no file was changed: no commit came of its {counted(ending.tool_calls, 'tool call')}"


def _what_was_read(ending: AgentRunResult) -> str:
    output = ending.output if isinstance(ending.output, dict) else {}
    stated, lost = (int(str(output.get(key, 0))) for key in ("stated", "lost"))
    left_out = f", and left out {lost} whose quote does not stand in the text" if lost else ""
    return f"it read a passage and found {counted(stated, 'statement')}{left_out}"


def message_of(row: RunRow) -> str:
    """Message of a stored run's end; of an agent that completed, why it changed no file."""
    told = str(row.detail.get("message", ""))
    if told or row.pipeline != PIPELINE or row.outcome != "completed":
        return told
    return why_unchanged(AgentRunResult.model_validate(row.detail))
