"""The control flow of the manuscript loop: which step is next.

Steps: hold the document, open; then, again and again, look at the text, have the manager decide, gather
evidence for a section, have one role work, apply what it delivered, keep that; at last push and end. What a
result changes is in ``outcomes``, what is legal in ``policy``, why a run ends in ``stopping``.
"""

from typing import Any, Final

from penwright.domain import approvals
from penwright.domain.approvals import AwaitDecision
from penwright.domain.manuscript.entries import Outcome, not_applied, noted
from penwright.domain.manuscript.loop_status import result, stage
from penwright.domain.manuscript.policy import fingerprint_of, lacks_evidence, legal_actions
from penwright.domain.manuscript.stopping import ending, is_cut_short
from schemas.base import Effect
from schemas.holding import DocumentHolder
from schemas.manuscript import (
    AnnounceDraft,
    ApplyDraft,
    AskRole,
    Choice,
    EndManuscript,
    GatherEvidence,
    HoldDocument,
    KeepProgress,
    LookAtManuscript,
    ManuscriptInput,
    ManuscriptSettings,
    ManuscriptState,
    OpenManuscript,
    Reply,
)
from schemas.manuscript_roles import Critiqued, ManagerAction, ManuscriptRole
from schemas.manuscript_text import PushNovel

Step = (
    HoldDocument
    | OpenManuscript
    | LookAtManuscript
    | GatherEvidence
    | AskRole
    | ApplyDraft
    | AnnounceDraft
    | AwaitDecision
    | KeepProgress
    | PushNovel
    | EndManuscript
)
WHAT: Final = "manuscript loop"
"""Name of its holder in the lock."""
ROLES: Final[dict[ManagerAction, ManuscriptRole]] = {
    "generate_format_guidance": "formatter",
    "generate_plan": "planner",
    "write_section": "writer",
    "critique_manuscript": "critic",
    "revise_manuscript": "reviser",
}
_OUTCOMES: Final[dict[str, Outcome]] = {
    "finished": "done",
    "unfinished": "unchanged",
    "stopped": "skipped",
    "refused": "refused",
    "failed": "failed",
}
"""Of the history's last entry, by the result's."""
_READS_CRITIQUE: Final = ("manager", "reviser")


def next_step(given: ManuscriptInput, state: ManuscriptState, effect: Effect) -> Step | None:
    """The first step whose result is missing, or None when the run has ended."""
    if state.control.ended:
        return None
    if not is_cut_short(state) and (first := _to_begin(given, state, effect)) is not None:
        return first
    if (asking := _while_asked(given, state, effect)) is not None:
        return asking
    if ending(given, state) is not None:
        return _push_or_end(given, state, effect)
    if state.reply is not None:
        return _apply(given, state, state.reply, effect)
    if state.again is not None:
        return _ask_again(given, state, effect)
    if not state.unkept.is_empty:
        return _keep(given, state, effect)
    if state.seen is None:
        instructions = settings_now(given, state).instructions
        return LookAtManuscript(**request_fields(given, effect), instructions=instructions)
    return _ask(given, state, effect)


def goes_on(state: ManuscriptState) -> bool:
    """Whether anything new may begin: a wait for a busy document, a call of a model."""
    return not is_cut_short(state)


def _to_begin(
    given: ManuscriptInput, state: ManuscriptState, effect: Effect
) -> HoldDocument | OpenManuscript | None:
    if state.held is None:
        return HoldDocument(holder=holder_of(given))
    if state.opened is None and not state.held.code:
        return OpenManuscript(
            **request_fields(given, effect),
            settings=given.settings,
            intent=given.intent,
            only_revise=given.only_revise,
        )
    return None


def _while_asked(
    given: ManuscriptInput, state: ManuscriptState, effect: Effect
) -> AnnounceDraft | AwaitDecision | None:
    """Notify people of a request, await the decision, notify them of it; None if there is no request."""
    if state.asked is None:
        return None
    if state.announced != ("asked" if state.decision is None else "decided"):
        return AnnounceDraft(**request_fields(given, effect), request=state.asked, decision=state.decision)
    return AwaitDecision() if state.decision is None else None


def _ask(given: ManuscriptInput, state: ManuscriptState, effect: Effect) -> AskRole | GatherEvidence:
    """Have the next action done, what it needs gathered, or the manager asked which that is."""
    legal = legal_actions(given, state)
    if state.chosen is None and len(legal) > 1:
        actions = tuple(choice.action for choice in legal)
        step = _role_step(given, state, effect, "manager", "finish")
        return step.model_copy(update={"legal": actions, "critique": _critique_for("manager", state, None)})
    choice = state.chosen or legal[0]
    if lacks_evidence(given, state, choice):
        return GatherEvidence(**request_fields(given, effect), section=choice.section, title=given.title)
    role = ROLES[choice.action]
    step = _role_step(given, state, effect, role, choice.action)
    found = state.evidence.get(choice.section)
    return step.model_copy(
        update={
            "section": choice.section,
            "critique": _critique_for(role, state, choice),
            "evidence": found.evidence if found else None,
        }
    )


def _role_step(
    given: ManuscriptInput,
    state: ManuscriptState,
    effect: Effect,
    role: ManuscriptRole,
    action: ManagerAction,
) -> AskRole:
    return AskRole(
        **request_fields(given, effect),
        role=role,
        action=action,
        settings=settings_now(given, state),
        run_id=_run_id(given, state, role),
        fingerprint=fingerprint_of(state),
        pass_index=state.pass_index,
        **_left(given, state),
    )


def _left(given: ManuscriptInput, state: ManuscriptState) -> dict[str, int | None]:
    """Amounts that the run's caps leave for a role."""
    limits = given.settings.limits
    caps = {
        "micros_left": (limits.cost_micros, state.control.cost_micros),
        "calls_left": (limits.calls, state.calls),
        "tokens_left": (limits.tokens, state.tokens),
    }
    return {name: None if most is None else max(most - used, 0) for name, (most, used) in caps.items()}


def _critique_for(role: ManuscriptRole, state: ManuscriptState, choice: Choice | None) -> Critiqued | None:
    """The critique as a role is handed it; None for roles that do not read it."""
    if role not in _READS_CRITIQUE:
        return None
    if state.critique is None:
        # A person's instruction stands in for a critique.
        wanted = choice.items if choice else ()
        return Critiqued(critique_summary="", score=0.0, action_items=wanted) if wanted else None
    said = state.critique.said
    return said.model_copy(update={"action_items": choice.items}) if choice and choice.items else said


def _ask_again(given: ManuscriptInput, state: ManuscriptState, effect: Effect) -> AskRole:
    """Have the role send again what failed; text and row are read anew for it, too."""
    assert state.again is not None, "operations have failed"
    return state.again.request.model_copy(
        update={
            "effect": effect,
            "run_id": _run_id(given, state, state.again.request.role),
            "again": state.again.results,
            "answers_to": state.again.operations,
            **_left(given, state),
        }
    )


def _apply(given: ManuscriptInput, state: ManuscriptState, reply: Reply, effect: Effect) -> ApplyDraft:
    # Reuse the op id of what was asked about: it is part of the approved plan, and finds an earlier publish.
    effect = state.asked.effect if state.asked is not None else effect
    return ApplyDraft(
        **request_fields(given, effect),
        action=reply.request.action,
        section=reply.request.section,
        snapshot=reply.seen,
        operations=reply.edited.operations,
        evidence=reply.request.evidence,
        pin=state.opened.pin if state.opened else None,
        approval=approvals.granted(state),
        model=reply.edited.model,
        overrides=reply.edited.overrides,
        max_hunks=given.settings.max_hunks,
        wish=given.only_revise,
    )


def _keep(given: ManuscriptInput, state: ManuscriptState, effect: Effect) -> KeepProgress:
    return KeepProgress(**_upkeep_fields(given, state, effect))


def _push_or_end(given: ManuscriptInput, state: ManuscriptState, effect: Effect) -> PushNovel | EndManuscript:
    if state.commit is not None and state.pushed is None:
        fields = {"subject": given.novel, "workspace": given.workspace, "session": given.session}
        return PushNovel(effect=effect, scene=given.scene, **fields)
    return _end(given, state, effect)


def _end(given: ManuscriptInput, state: ManuscriptState, effect: Effect) -> EndManuscript:
    """End, and say so in the history."""
    ended, now = result(given, state), effect.issued_at
    if state.reply is not None:
        state = not_applied(given, state, state.reply, now)
    done = "The revision is made." if given.only_revise else "The score is reached."
    summary = ended.message or done
    state = noted(given, state, now, "finish", _OUTCOMES[ended.outcome], summary, code=ended.code)
    ended = ended.model_copy(update={"entries": state.entries})
    return EndManuscript(**_upkeep_fields(given, state, effect), result=ended)


# Any: the fields of a request.
def request_fields(given: ManuscriptInput, effect: Effect) -> dict[str, Any]:
    """The fields of every request."""
    return {
        "effect": effect,
        "subject": given.novel,
        "workspace": given.workspace,
        "session": given.session,
        "scene": given.scene,
        "principal": given.principal,
    }


def _upkeep_fields(given: ManuscriptInput, state: ManuscriptState, effect: Effect) -> dict[str, Any]:
    return {
        **request_fields(given, effect),
        "upkeep": state.unkept,
        "base_version": state.version,
        "stage": stage(given, state),
        "words": state.words,
    }


def settings_now(given: ManuscriptInput, state: ManuscriptState) -> ManuscriptSettings:
    """The settings with the instructions that count now."""
    if state.amended is None:
        return given.settings
    return given.settings.model_copy(update={"instructions": state.amended})


def holder_of(given: ManuscriptInput) -> DocumentHolder:
    """The run as the holder of its document."""
    return DocumentHolder(
        novel=given.novel,
        scene=given.scene,
        workflow_id=f"manuscript/{given.document}",
        session=given.session,
        what=WHAT,
    )


def _run_id(given: ManuscriptInput, state: ManuscriptState, role: ManuscriptRole) -> str:
    """Of a role's run: no other step of this or another run has it, and its last word is the role."""
    return f"manuscript/{given.document}/{given.session}/{state.control.effects}/{role}"
