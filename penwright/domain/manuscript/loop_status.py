"""The status of a manuscript run: its stage, the sentence people read, its progress and its result."""

from typing import Final, Literal

from penwright.domain import approvals, control
from penwright.domain.manuscript.policy import (
    OFF_LENGTH,
    lacks_evidence,
    legal_actions,
    lengths_told,
    missing,
)
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.domain.manuscript.stopping import ending
from schemas.base import Progress
from schemas.manuscript import ManuscriptInput, ManuscriptResult, ManuscriptState, Stop
from schemas.manuscript_roles import ManagerAction
from schemas.manuscript_text import SceneMerged

Outcome = Literal["finished", "unfinished", "stopped", "refused", "failed"]
Stage = Literal[
    "open",
    "look",
    "decide",
    "format",
    "plan",
    "evidence",
    "write",
    "critique",
    "revise",
    "approval",
    "end",
    "paused",
    "ended",
]
_OUTCOMES: Final[dict[Stop, Outcome]] = {
    "finished": "finished",
    "stopped": "stopped",
    "killed": "stopped",
    "refused": "refused",
    "failed": "failed",
}
"""Of every other reason it is ``unfinished``."""
MERGED: Final = "merged-with-remote"
"""Code of a push that merged the run's text with what another machine had pushed."""
_SHORT: Final = 12
"""Hex digits of a revision in a command."""
_STAGES: Final[dict[ManagerAction, Stage]] = {
    "generate_format_guidance": "format",
    "generate_plan": "plan",
    "write_section": "write",
    "critique_manuscript": "critique",
    "revise_manuscript": "revise",
    "finish": "end",
}


def stage(given: ManuscriptInput, state: ManuscriptState) -> Stage:
    """The run's stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.held is None or state.opened is None:
        return "open"
    if approvals.is_waiting(state):
        return "approval"
    if ending(given, state) is not None:
        return "end"
    return _stage_at_work(given, state)


def _stage_at_work(given: ManuscriptInput, state: ManuscriptState) -> Stage:
    if state.reply is not None:
        return _STAGES[state.reply.request.action]
    if state.again is not None:
        return _STAGES[state.again.request.action]
    legal = (state.chosen,) if state.chosen is not None else legal_actions(given, state)
    if not legal:
        return "look"
    if len(legal) > 1:
        return "decide"
    return "evidence" if lacks_evidence(given, state, legal[0]) else _STAGES[legal[0].action]


def result(given: ManuscriptInput, state: ManuscriptState) -> ManuscriptResult:
    """Result of the run; also asked for while it runs, to be recorded by its last step."""
    if state.ended_as is not None:
        return state.ended_as
    stop, code, message = ending(given, state) or ("stopped", "not-ended", "the run goes on")
    control_, asked = state.control, state.stop_asked
    merged = state.pushed.merged if state.pushed else None
    warnings = (
        *state.left_out,
        *([merge_warning(given, state, merged)] if merged else []),
        *(told for told in [lengths_told(state)] if told and code != OFF_LENGTH),
    )
    return ManuscriptResult(
        outcome=_OUTCOMES.get(stop, "unfinished"),
        stop=stop,
        code=code or (MERGED if merged else ""),
        message=message,
        novel=given.novel,
        scene=given.scene,
        session=given.session,
        stopped_by=control_.stop.who if control_.stop else asked.who if asked else "",
        pass_index=state.pass_index,
        words=merged.words if merged else state.words,
        revision=merged.revision if merged else state.revision,
        best=state.best,
        last=state.last,
        way_back=way_back(given, state),
        missing=missing(state),
        kept_reply=state.reply.edited.operations if state.reply else None,
        commit=state.commit,
        push=state.pushed.outcome if state.pushed else "",
        push_reason=state.pushed.reason if state.pushed and state.pushed.outcome == "pending" else "",
        decisions=state.decisions,
        calls=state.calls,
        tokens=state.tokens,
        cost_micros=control_.cost_micros,
        unknown_prices=control_.unknown_prices,
        entries=state.entries,
        warnings=warnings,
    )


def merge_warning(given: ManuscriptInput, state: ManuscriptState, merged: SceneMerged) -> str:
    """Warn that a push merged the run's text with another machine's, with commands ready to run."""
    document = f"{given.novel} {_quoted(given.scene)}"
    return (
        f"{MERGED}: another machine pushed this scene meanwhile, so the text is now both, with "
        f"{merged.words:,} words, and no score is of it; "
        f"`penwright manuscript diff {document} --since {state.revision[:_SHORT]}` shows what came in, "
        f"`penwright manuscript rollback {document} --to {state.revision[:_SHORT]}` goes back to this run's"
    )


def way_back(given: ManuscriptInput, state: ManuscriptState) -> str:
    """The command that brings the best-scoring revision back; empty if no later one scored lower."""
    best, last = state.best, state.last
    if best is None or last is None or best.revision == last.revision or best.score <= last.score:
        return ""
    return f"penwright manuscript rollback {given.novel} {_quoted(given.scene)} --to {best.revision}"


def _quoted(scene: str) -> str:
    return f"'{scene}'" if " " in scene or "'" in scene else scene


def progress(given: ManuscriptInput, state: ManuscriptState) -> Progress:
    """The status of the run, for people."""
    outcome, code = shown_outcome(result(given, state)) if state.control.ended else ("", "")
    return control.progress(
        state,
        pipeline=MANUSCRIPT_PROFILE.name,
        subject=given.document,
        stage=stage(given, state),
        detail=describe(given, state),
        words=state.words,
        outcome=outcome,
        code=code,
    )


def shown_outcome(ended: ManuscriptResult) -> tuple[str, str]:
    """A result's outcome as lists show it, and its code."""
    if ended.outcome == "unfinished":
        return ended.stop.replace("_", "-"), ended.code
    return control.shown_outcome(ended.outcome, ended.code), ended.code


def describe(given: ManuscriptInput, state: ManuscriptState) -> str:
    """One sentence for the Temporal UI and the command line."""
    doing = _describe_stage(given, state)
    if state.control.ended or state.last is None:
        return doing
    passes = f"pass {state.pass_index} of {given.settings.max_passes}"
    return f"{doing} ({passes}, last score {state.last.score:.2f})"


def _describe_stage(given: ManuscriptInput, state: ManuscriptState) -> str:
    match stage(given, state):
        case "open":
            return f"Opening {given.document}"
        case "paused":
            return control.pause_detail(state)
        case "approval":
            return _describe_request(given, state)
        case "format":
            return "Working out format guidance"
        case "plan":
            return "Planning the sections"
        case "evidence":
            return f"Gathering evidence on {_section(given, state)!r}"
        case "write":
            return f"Writing {_section(given, state)!r}"
        case "critique":
            return "Having the text criticised"
        case "revise":
            return "Revising"
        case "decide":
            return "Choosing what to do next"
        case "ended":
            return _describe_ending(result(given, state))
        case "look":
            return "Reading the text"
        case _:
            return "Finishing"


def _section(given: ManuscriptInput, state: ManuscriptState) -> str:
    if state.reply is not None:
        return state.reply.request.section
    if state.again is not None:
        return state.again.request.section
    legal = legal_actions(given, state)
    return (state.chosen or legal[0]).section


def _describe_request(given: ManuscriptInput, state: ManuscriptState) -> str:
    request = state.asked
    assert request is not None, "there is a request"
    return approvals.waiting_detail(given.novel, request, denied="ends the run and keeps the reply")


def _describe_ending(ended: ManuscriptResult) -> str:
    score = f", score {ended.last.score:.2f}" if ended.last else ""
    why = f": {ended.message}" if ended.message else ""
    return f"Run {ended.outcome}{score}{why}"
