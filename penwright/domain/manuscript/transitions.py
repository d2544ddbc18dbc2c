"""Transitions of the manuscript loop by its steps' results; each returns the new state."""

from datetime import datetime
from typing import Final

from pydantic import JsonValue

from penwright.domain import approvals, control
from penwright.domain.manuscript.drafting import time_over
from penwright.domain.manuscript.entries import noted, noted_of, with_call
from penwright.domain.manuscript.left_out import no_room
from penwright.domain.manuscript.loop import Step
from penwright.domain.manuscript.loop_status import MERGED, merge_warning, stage
from penwright.domain.manuscript.policy import (
    NOT_PLANNED,
    instructions_in_force,
    legal_actions,
    tried_key,
    written_key,
)
from penwright.domain.manuscript.scoring import critiqued
from penwright.domain.manuscript.stopping import ending, is_cut_short
from penwright.domain.text.counted import counted
from schemas.base import Cause
from schemas.control import KillRequest
from schemas.holding import DocumentHeld
from schemas.manuscript import (
    Amended,
    AmendRequest,
    AnnounceDraft,
    AskRole,
    Choice,
    EndManuscript,
    EvidenceGathered,
    GatherEvidence,
    ManuscriptInput,
    ManuscriptOpened,
    ManuscriptResult,
    ManuscriptState,
    OpenManuscript,
    ProgressKept,
    Reply,
    RoleAnswered,
    Seen,
    StopRequest,
    Upkeep,
)
from schemas.manuscript_roles import Critiqued, Decided, Edited, Guided, Planned
from schemas.manuscript_text import NovelPushed, PushNovel

KEPT_TRIES: Final = 300
"""Tries that are remembered; a run of many actions must still fit into one message."""


def held(state: ManuscriptState, outcome: DocumentHeld) -> ManuscriptState:
    return control.after_step(state, held=outcome)


def opened(
    given: ManuscriptInput, state: ManuscriptState, outcome: ManuscriptOpened, now: datetime
) -> ManuscriptState:
    """The clock starts; what an earlier run left counts if it was made under these instructions."""
    state = control.started(state, now, None).model_copy(
        update={
            "opened": outcome,
            "guidance_basis": outcome.guidance_basis,
            "plan_basis": outcome.plan_basis,
            "version": outcome.version,
            "left_out": outcome.emptied,
        }
    )
    return control.after_step(control.limited(state, time_over(given, state)))


def looked(given: ManuscriptInput, state: ManuscriptState, seen: Seen, now: datetime) -> ManuscriptState:
    """Text and row as they are now. A plan that an earlier run left is taken to fit the text as it stands."""
    for said in seen.left_out:
        state = _warned(given, state, now, said, code="file-left-out")
    fits = state.plan_revision or seen.revision
    changes = {"seen": seen, "revision": seen.revision, "words": seen.words, "version": seen.version}
    return control.after_step(state, **changes, plan_revision=fits)


def _warned(
    given: ManuscriptInput, state: ManuscriptState, now: datetime, said: str, *, code: str
) -> ManuscriptState:
    """The warning once, however often it is met."""
    if said in state.left_out:
        return state
    state = noted(given, state, now, "look", "skipped", said, code=code)
    return state.model_copy(update={"left_out": (*state.left_out, said)})


def kept(state: ManuscriptState, outcome: ProgressKept, stored: Upkeep) -> ManuscriptState:
    """Forget what was stored, not what came meanwhile by an update."""
    newer = state.unkept.entries[len(stored.entries) :]
    left = {
        name: value
        for name in Upkeep.model_fields
        if name != "entries" and (value := getattr(state.unkept, name)) != getattr(stored, name)
    }
    return control.after_step(state, version=outcome.version, unkept=Upkeep(entries=newer, **left))


def pushed(
    given: ManuscriptInput, state: ManuscriptState, outcome: NovelPushed, now: datetime
) -> ManuscriptState:
    """The branch is at the remote, or not; a text that was merged there is not the one that was scored."""
    state = control.after_step(state, pushed=outcome)
    if outcome.merged is None:
        return state
    summary = merge_warning(given, state, outcome.merged)
    facts: dict[str, JsonValue] = dict(outcome.merged.model_dump(mode="json"))
    return noted(given, state, now, "push", "done", summary, code=MERGED, facts=facts)


def ended(state: ManuscriptState, said: ManuscriptResult) -> ManuscriptState:
    return control.after_step(control.ended(state), entries=said.entries, ended_as=said)


def gathered(
    given: ManuscriptInput,
    state: ManuscriptState,
    section: str,
    outcome: EvidenceGathered,
    now: datetime,
) -> ManuscriptState:
    """Evidence on a section is there, or as much of it as could be had; the history says what is missing."""
    evidence = {**state.evidence, section: outcome}
    abstracts = outcome.passages - outcome.own
    found = f"{counted(outcome.own, 'passage')} of own sources, {counted(abstracts, 'abstract')}"
    unasked = f" Could not be asked: {', '.join(outcome.unasked)}." if outcome.unasked else ""
    summary = f"{section!r}: {found}.{unasked}"
    code = "sources-not-asked" if outcome.unasked else ""
    kept = outcome.evidence.model_dump() if outcome.evidence else None
    facts: dict[str, JsonValue] = {"section": section, "evidence": kept}
    state = noted(given, state, now, "gather_evidence", "done", summary, code=code, facts=facts)
    return control.after_step(state, evidence=evidence)


def answered(
    given: ManuscriptInput, state: ManuscriptState, outcome: RoleAnswered, now: datetime
) -> ManuscriptState:
    """A role's run is over, whatever came of it."""
    request = outcome.request
    if outcome.unshown:
        state = _warned(given, state, now, no_room(request.role, outcome.unshown), code="no-room")
    state = control.spent(state, outcome.cost_micros, outcome.unknown_prices).model_copy(
        update={
            "calls": state.calls + outcome.calls,
            "tokens": state.tokens + outcome.tokens,
            "capped": state.capped or outcome.capped,
            "capped_by": state.capped_by or (outcome.code if outcome.capped else ""),
        }
    )
    state = with_call(with_call(state, outcome.call), outcome.second_call)
    if request.role == "manager":
        return control.after_step(_decided(given, state, outcome, now))
    state = _counted(state, outcome).model_copy(update={"again": None})
    if outcome.delivery is None:
        return control.after_step(_nothing_delivered(given, state, outcome, now), seen=None, chosen=None)
    return control.after_step(_delivered(given, state, outcome, now), seen=None, chosen=None)


def not_asked(
    given: ManuscriptInput, state: ManuscriptState, request: AskRole, now: datetime
) -> ManuscriptState:
    """The run was told to end while the prompt was made: no model is asked, and nothing is paid."""
    return answered(given, state, RoleAnswered(request=request, cut=True), now)


def _counted(state: ManuscriptState, outcome: RoleAnswered) -> ManuscriptState:
    """An action was tried; the second reply to failed operations belongs to the first."""
    request = outcome.request
    if outcome.cut or request.again is not None:
        return state
    key = tried_key(request.action, request.section, request.fingerprint)
    keys = (key, written_key(request.section)) if request.section else (key,)
    older = [(name, times) for name, times in state.tried.items() if name not in keys]
    tried = dict([*older, *((name, state.tried.get(name, 0) + 1) for name in keys)][-KEPT_TRIES:])
    return state.model_copy(update={"tried": tried, "decisions": state.decisions + 1})


def _decided(
    given: ManuscriptInput, state: ManuscriptState, outcome: RoleAnswered, now: datetime
) -> ManuscriptState:
    """The manager's choice if it is legal, otherwise the policy's first; either way the history says so."""
    legal = legal_actions(given, state)
    if outcome.cut or not legal:
        return state.model_copy(update={"seen": None})
    said = outcome.delivery
    if not isinstance(said, Decided):
        summary = f"The manager gave no usable answer ({outcome.code}): {legal[0].action} instead."
        state = noted_of(given, state, now, outcome.request, "failed", summary, code="no-decision")
        return state.model_copy(update={"chosen": legal[0]})
    choice = next((each for each in legal if each.action == said.action), None)
    if choice is None:
        summary = f"The manager chose {said.action}, which is not legal now: {legal[0].action} instead."
        state = noted_of(given, state, now, outcome.request, "refused", summary, code="overruled")
        return state.model_copy(update={"chosen": legal[0]})
    return state.model_copy(update={"chosen": _with_items(choice, said)})


def _with_items(choice: Choice, said: Decided) -> Choice:
    if choice.action != "revise_manuscript":
        return choice
    return choice.model_copy(update={"items": said.action_items})


def _nothing_delivered(
    given: ManuscriptInput, state: ManuscriptState, outcome: RoleAnswered, now: datetime
) -> ManuscriptState:
    request = outcome.request
    if outcome.cut or is_cut_short(state):
        summary = "The run was told to end before the reply came."
        return noted_of(given, state, now, request, "skipped", summary, code="interrupted")
    summary = f"The {request.role} delivered nothing ({outcome.code}): {outcome.message}"
    state = noted_of(given, state, now, request, "failed", summary, code=outcome.code)
    if request.again is None or state.trouble:
        state = state.model_copy(update={"trouble": summary})
    if outcome.useless or outcome.capped:
        return state
    return control.failed(state, stage(given, state), Cause(code=outcome.code, message=outcome.message))


def _delivered(
    given: ManuscriptInput, state: ManuscriptState, outcome: RoleAnswered, now: datetime
) -> ManuscriptState:
    request, briefed = outcome.request, outcome.briefed
    assert briefed is not None, "what is delivered answers a prompt"
    match outcome.delivery:
        case Guided() as said:
            upkeep = state.unkept.model_copy(update={"guidance": said.format_guidance})
            state = state.model_copy(update={"unkept": upkeep, "guidance_basis": briefed.basis})
            return noted_of(
                given, state, now, request, "done", f"Format guidance in {counted(said.words, 'word')}."
            )
        case Planned() as said:
            upkeep = state.unkept.model_copy(update={"plan": said.section_plan})
            planned: dict[str, object] = {"plan_basis": briefed.basis, "plan_revision": briefed.seen.revision}
            planned |= {"plan_after": state.critiques, "evidence": {}}
            state = state.model_copy(update={"unkept": upkeep, **planned})
            return noted_of(
                given, state, now, request, "done", f"A plan of {len(said.section_plan)} sections."
            )
        case Critiqued() as said:
            return critiqued(given, state, request, briefed, said, now)
        case Edited() as said if said.count:
            reply = Reply(request=request, edited=said, seen=briefed.seen)
            return state.model_copy(update={"reply": reply})
        case _:
            summary = f"The {request.role} found nothing to change."
            if request.again is None:
                state = state.model_copy(update={"trouble": summary})
            return noted_of(given, state, now, request, "unchanged", summary, code="nothing-to-change")


def failed(given: ManuscriptInput, state: ManuscriptState, step: Step, cause: Cause) -> ManuscriptState:
    """A step failed for good, and with most of them the run; what was delivered is kept."""
    match step:
        case OpenManuscript() if cause.final:
            refused = ManuscriptOpened(verdict="refused", code=cause.code, message=cause.message)
            return control.after_step(state, opened=refused)
        case GatherEvidence():
            unasked = EvidenceGathered(unasked=(cause.message,))
            return gathered(given, state, step.section, unasked, step.effect.issued_at)
        case AskRole() if cause.code == NOT_PLANNED:
            return control.after_step(_taken_out(given, state, step, cause), seen=None, chosen=None)
        case PushNovel():
            pending = NovelPushed(outcome="pending", code=cause.code, reason=cause.message)
            return pushed(given, state, pending, step.effect.issued_at)
        case AnnounceDraft():
            return approvals.announced(state, step.decision)
        case EndManuscript():
            return control.after_step(control.ended(control.failed(state, "end", cause)))
        case _:
            return control.after_step(control.failed(state, stage(given, state), cause))


def _taken_out(
    given: ManuscriptInput, state: ManuscriptState, step: AskRole, cause: Cause
) -> ManuscriptState:
    """People took the section out of the plan before its prompt was made."""
    now = step.effect.issued_at
    state = noted_of(given, state, now, step, "skipped", cause.message, code="section-deleted")
    return state.model_copy(update={"dropped": (*state.dropped, step.section), "trouble": cause.message})


# What people change while it runs.


def stopped(
    given: ManuscriptInput, state: ManuscriptState, request: StopRequest, now: datetime
) -> ManuscriptState:
    """End after the call in hand; at once where the run is paused or a person is asked.

    The first request counts.
    """
    if state.stop_asked is not None or ending(given, state) is not None:
        return state
    if approvals.is_waiting(state) or state.control.paused:
        state = control.stopped(state, KillRequest(who=request.who, reason=request.reason))
    state = control.resumed(state).model_copy(update={"stop_asked": request})
    summary = f"{request.who} asked to stop. {request.reason}"
    return noted(given, state, now, "stop", "done", summary, code="stop-asked")


def amended(
    given: ManuscriptInput, state: ManuscriptState, request: AmendRequest, now: datetime
) -> ManuscriptState:
    """Other instructions from the next prompt on: guidance, plan and critique are made anew.

    Scores under other instructions cannot be compared, and a cycle begun under them is not counted.
    """
    changes = {"amended": request.instructions, "best": None, "cycle_open": False, "chosen": None}
    upkeep = state.unkept.model_copy(update={"instructions": request.instructions})
    state = state.model_copy(update={**changes, "unkept": upkeep})
    return noted(
        given, state, now, "amend", "done", f"{request.who} changed the instructions.", code="amended"
    )


def unamendable(
    given: ManuscriptInput, state: ManuscriptState, request: AmendRequest
) -> tuple[str, str] | None:
    """Code and message of why the instructions cannot be changed; None if they can."""
    if ending(given, state) is not None:
        return "run-over", "the run is ending; give the instructions to a new one"
    if not request.instructions.size:
        return "empty-instructions", "the instructions are empty; nothing was changed"
    if request.instructions.sha256 == instructions_in_force(given, state):
        return "same-instructions", "these instructions are in force already; nothing was changed"
    return None


def answer_to_amend(state: ManuscriptState, request: AmendRequest) -> Amended:
    """Answer to a person who amends."""
    message = "they count from the next prompt on: guidance, plan and critique are made anew"
    return Amended(instructions=request.instructions, pass_index=state.pass_index, message=message)


def carried(state: ManuscriptState) -> ManuscriptState:
    """The state as it continues as new: the document is taken again."""
    return state.model_copy(update={"held": None})
