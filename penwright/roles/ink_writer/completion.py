"""When a session is done, and what its writer is asked for until then."""

from pydantic import BaseModel

from penwright.agents.guardrails.guardrail import Completion, CompletionChecker, Trajectory
from penwright.agents.state import StateView
from penwright.domain.prose.mending import MOST_EDITS
from penwright.domain.prose.rule_texts import described
from penwright.roles.ink_writer.answer import SessionOutput, next_request
from penwright.roles.prompt_file import PromptFile

_HERE = "penwright.roles.ink_writer"
GO_ON = PromptFile.load(_HERE, "go_on.md", "written", "words_wanted", "missing")
_CUT = PromptFile.load(_HERE, "cut.md", "sentence")
_REWORK = PromptFile.load(_HERE, "rework_left.md", "instructions")
_MEND = PromptFile.load(_HERE, "mend.md", "findings", "edits")
_LAST_WORDS = 60
"""Words in which a session that was cut off at its full length comes to its end."""
_MOST_SHOWN = 20
"""Findings of which the writer is told."""
ROUNDS = 3
"""Times that a writer may be sent back: for more prose, for instructions it left out, and to mend."""


class SessionDone(CompletionChecker):
    """Done when the new prose ends whole, is long enough, answers every instruction and has no fault worth
    mending; or when the writer was asked for each of these once."""

    name: str = "session-done"

    def check(self, trajectory: Trajectory, output: BaseModel | str | None, state: StateView) -> Completion:
        assert isinstance(output, SessionOutput), "the writer answers nothing else"
        match next_request(output):
            case None:
                return Completion(complete=True)
            case "more":
                return Completion(complete=False, reason=_go_on(output))
            case "rework":
                return Completion(
                    complete=False, reason=_REWORK.fill(instructions=_listed(output.unanswered))
                )
            case "mend":
                found = _listed(tuple(map(described, output.craft.findings[:_MOST_SHOWN])))
                return Completion(complete=False, reason=_MEND.fill(findings=found, edits=str(MOST_EDITS)))


def _go_on(output: SessionOutput) -> str:
    """The request to add what is missing."""
    missing = max(output.words_wanted - output.new_words, _LAST_WORDS)
    asked = GO_ON.fill(
        written=str(output.new_words), words_wanted=str(output.words_wanted), missing=str(missing)
    )
    return f"{_CUT.fill(sentence=output.stops_in)}\n\n{asked}" if output.stops_in else asked


def _listed(lines: tuple[str, ...]) -> str:
    return "\n".join(f"{number}. {' '.join(line.split())}" for number, line in enumerate(lines, 1))
