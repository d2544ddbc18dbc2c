"""Read what an actor or the narrator says; one with a fault is asked for once more, and the better counts."""

from pydantic import BaseModel

from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.guardrails.guardrail import Completion, CompletionChecker, Trajectory
from penwright.agents.state import StateView
from penwright.domain.prose.replies import Company, reply_findings
from penwright.domain.prose.rule_texts import described
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from penwright.roles.prompt_file import PromptFile
from penwright.roles.reply import kept, stored
from penwright.roles.scene.reply_text import Prose, delivery, prose_of
from penwright.roles.scene.role_params import RoleParams
from schemas.envelope import Envelope
from schemas.prose import Finding
from schemas.scene_roles import Spoken

_AGAIN = PromptFile.load("penwright.roles.scene", "again.md", "findings")
MOST_FINDINGS = 5
"""So many are kept and told."""


class TurnDone(CompletionChecker):
    """Done when the reply has no fault, or was asked for once more already."""

    name: str = "turn-done"

    def check(self, trajectory: Trajectory, output: BaseModel | str | None, state: StateView) -> Completion:
        assert isinstance(output, Spoken), "actors and narrators answer nothing else"
        if output.again or not output.findings:
            return Completion(complete=True)
        found = "\n".join(f"- {described(each)}" for each in output.findings)
        return Completion(complete=False, reason=_AGAIN.fill(findings=found))


def read_spoken(arrival: RawReply) -> Spoken:
    """Read a reply. One that was asked for once more counts only if it is whole and has fewer faults.

    Raises:
        ModelMistake: as ``prose_of``, of the first reply.
    """
    if arrival.before is None:
        return _spoken(arrival, prose_of(arrival))
    first = Spoken.model_validate(arrival.before).model_copy(update={"again": True})
    try:
        second = _spoken(arrival, prose_of(arrival)).model_copy(update={"again": True})
    except ModelMistake:
        return first
    is_better = len(second.findings) < len(first.findings) and not arrival.cut_off
    return second if is_better else first


def _spoken(arrival: RawReply, found: Prose) -> Spoken:
    return Spoken(
        text=kept(arrival, found.text),
        words=count_words(found.text),
        reported=found.reported,
        state_block=found.state_block,
        note=found.note,
        findings=_findings(arrival, found.text),
        **delivery(arrival),
    )


def _findings(arrival: RawReply, text: str) -> tuple[Finding, ...]:
    """Find faults against what the prompt showed; a narrator may be asked to tell what the persona says."""
    shown = next((each.envelope for each in arrival.params if isinstance(each, RoleParams)), None)
    if shown is None or arrival.demo:  # the demo model has few sentences, and would say others no better
        return ()
    envelope = stored(arrival, Envelope, shown)
    lines = (*envelope.history, *envelope.last_round, *envelope.this_round)
    persona = envelope.persona_name
    named = (*(each.name for each in envelope.people), *(each.name for each in lines))
    others = {envelope.own_name, *named} - {persona, ""}
    company = Company("" if envelope.instruction else persona, tuple(sorted(others)))
    return reply_findings(text, (each.text for each in lines), company)[:MOST_FINDINGS]
