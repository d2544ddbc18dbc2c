"""The words for a run that ended and changed no file."""

from gateway.desk.run_records.unchanged import why_unchanged
from penwright.roles.ink_clerk.definition import CLERK
from schemas.agent_run import AgentRunResult


def test_a_clerks_run_says_what_it_has_read() -> None:
    output = {"reading": {"sha256": "0" * 64, "size": 1}, "stated": 12, "lost": 1}
    ended = AgentRunResult(outcome="completed", agent=CLERK.name, run_id="r", subject="tide", output=output)

    assert why_unchanged(ended) == (
        "it read a passage and found 12 statements, and left out 1 whose quote does not stand in the text"
    )
