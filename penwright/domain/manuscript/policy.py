"""Legal actions of the manuscript loop, best first: the manager chooses only among several.

The order is format, plan, write in plan order, critique, revise, finish. Beside the next one it may be
legal to plan again: where people changed the text since it was planned, or a critique has come since. An
action that was tried twice while text, plan, passes and open items stayed the same is no longer legal; if
none is left, the run has stalled.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from penwright.domain.manuscript.planned_sections import unwritten
from penwright.domain.manuscript.wanted_length import is_off
from penwright.domain.text.counted import counted
from schemas.manuscript import Choice, ManuscriptInput, ManuscriptState, Seen, Stop
from schemas.manuscript_roles import ManagerAction

NOT_PLANNED: Final = "section-not-planned"
"""Code of an order for a section that people took out of the plan meanwhile."""
TRIES: Final = 2
"""Number of tries of an action on one fingerprint."""
OFF_LENGTH: Final = "off-length"
"""Code of a run that leaves the text or sections much shorter or longer than wanted."""
_WRITTEN_AT_MOST: Final = 3
"""Number of times a section is written in one run until it is as long as planned."""
NOT_MADE: Final = "Not made: "
"""Begins what a summary says of edits that were refused."""
_IN_OTHER_WORDS: Final = "Say it in other words, then revise again"
_AGAIN: Final = (
    "Nothing was changed: revise again, quoting the passage that is meant, or make the edit by hand"
)
_DIGITS: Final = 16


def instructions_in_force(given: ManuscriptInput, state: ManuscriptState) -> str:
    """The ``sha256`` of the instructions that count now."""
    return (state.amended or given.settings.instructions).sha256


def legal_actions(given: ManuscriptInput, state: ManuscriptState) -> tuple[Choice, ...]:
    """The legal actions, most advisable first; none if the run must end, for the reason in ``conclusion``."""
    fingerprint = fingerprint_of(state)
    return tuple(
        choice
        for choice in _candidates(given, state)
        if state.tried.get(tried_key(choice.action, choice.section, fingerprint), 0) < TRIES
    )


def conclusion(given: ManuscriptInput, state: ManuscriptState) -> tuple[Stop, str, str] | None:
    """Reason why the run ends, with code and message; None while there is something to do."""
    if given.only_revise:
        return _revision_made(given, state)
    legal = legal_actions(given, state)
    if legal and legal[0].action != "finish":
        return None
    if legal:
        return _finished(state)
    if _candidates(given, state):
        return "stalled", "no-progress", _stalled(given, state)
    return _below_the_score(given, state)


def fingerprint_of(state: ManuscriptState) -> str:
    """Equal as long as nothing has come of what was done."""
    seen = state.seen
    items = state.critique.said.action_items if state.critique else ()
    parts = (
        seen.revision if seen else "",
        seen.plan if seen else "",
        str(state.pass_index),
        *items,
    )
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def lacks_evidence(given: ManuscriptInput, state: ManuscriptState, choice: Choice) -> bool:
    """Whether sources are to be searched before a choice is carried out."""
    return given.evidence and bool(choice.section) and choice.section not in state.evidence


def tried_key(action: ManagerAction, section: str, fingerprint: str) -> str:
    """The name under which tries are counted."""
    return f"{action}:{section}:{fingerprint}"


def written_key(section: str) -> str:
    """The name under which is counted how often a section was written, whatever came of it."""
    return tried_key("write_section", section, "")


def missing(state: ManuscriptState) -> tuple[str, ...]:
    """Titles of the plan that are not written, in its order; those that people removed are not missed."""
    seen = state.seen
    return unwritten(seen.titles, (*seen.written, *state.drafted, *state.dropped)) if seen else ()


def lengths_told(state: ManuscriptState) -> str:
    """Tell of a text or sections that are far from the length wanted; empty if none is."""
    seen = state.seen
    if seen is None:
        return ""
    told = [f"{each.title!r} has {each.words:,} of {each.planned:,} words" for each in seen.off_length]
    sections = f"sections are not as long as planned: {', '.join(told)}"
    return "; ".join([*_text_length_told(seen), *([sections] if told else [])])


def _text_length_told(seen: Seen) -> Iterator[str]:
    wanted = seen.wanted
    if wanted is not None and is_off(seen.words, wanted):
        kind = "short" if seen.words < wanted.least else "long"
        has = counted(seen.words, "word")
        yield f"the text is far too {kind}: it has {has}, and the instructions ask for {wanted.said!r}"


def _pending(state: ManuscriptState, seen: Seen) -> tuple[str, ...]:
    """Titles to be written next: missing ones, and those that are to be lengthened or shortened."""
    again = {
        each.title
        for each in seen.off_length
        if each.title not in state.dropped and state.tried.get(written_key(each.title), 0) < _WRITTEN_AT_MOST
    }
    left = missing(state)
    return tuple(title for title in seen.titles if title in left or title in again)


def _finished(state: ManuscriptState) -> tuple[Stop, str, str]:
    if told := lengths_told(state):
        message = f"the score is reached, but {told}; edit the text or the plan, then write again"
        return "needs_input", OFF_LENGTH, message
    return "finished", "", ""


def _candidates(given: ManuscriptInput, state: ManuscriptState) -> tuple[Choice, ...]:
    """Actions that would be next if nothing had been tried in vain."""
    seen, basis = state.seen, instructions_in_force(given, state)
    if seen is None:
        return ()
    if given.only_revise:
        return _one_revision(given, state, seen)
    if not seen.guided or state.guidance_basis != basis:
        return (Choice(action="generate_format_guidance"),)
    if not seen.titles or state.plan_basis != basis:
        return (Choice(action="generate_plan"),)
    replan = (Choice(action="generate_plan"),) if seen.revision != state.plan_revision else ()
    if left := _pending(state, seen):
        return (Choice(action="write_section", section=left[0]), *replan)
    if state.critique is None or state.critique.basis != basis:
        return (Choice(action="critique_manuscript"), *replan)
    return _after_critique(given, state, seen)


def _one_revision(given: ManuscriptInput, state: ManuscriptState, seen: Seen) -> tuple[Choice, ...]:
    """The revision that was ordered, tried once; an empty text has nothing to revise."""
    if not seen.words or state.decisions:
        return ()
    return (Choice(action="revise_manuscript", items=(given.only_revise,)),)


def _revision_made(given: ManuscriptInput, state: ManuscriptState) -> tuple[Stop, str, str] | None:
    if _candidates(given, state):
        return None
    if not state.decisions:
        message = "the manuscript is empty, so there is nothing to revise; have it written first"
        return "refused", "nothing-to-revise", message
    if state.trouble:
        step = _AGAIN if NOT_MADE in state.trouble else _IN_OTHER_WORDS
        return "needs_input", "nothing-revised", f"{state.trouble} {step}"
    return "finished", "", ""


def _after_critique(given: ManuscriptInput, state: ManuscriptState, seen: Seen) -> tuple[Choice, ...]:
    assert state.critique is not None, "the text has its critique"
    said = state.critique.said
    if said.score >= given.settings.min_score:
        return (Choice(action="finish"),)
    if not said.action_items or state.pass_index >= given.settings.max_passes:
        return ()
    # A plan that people wrote past, or that is older than the critique, may be made again.
    may_plan = seen.revision != state.plan_revision or state.critiques > state.plan_after
    replan = (Choice(action="generate_plan"),) if may_plan else ()
    return (Choice(action="revise_manuscript"), *replan)


def _below_the_score(given: ManuscriptInput, state: ManuscriptState) -> tuple[Stop, str, str] | None:
    if state.critique is None:
        return None
    said, least = state.critique.said, given.settings.min_score
    if not said.action_items:
        message = (
            f"the critic gave {said.score:.2f}, below {least:.2f}, and named nothing to change; edit the "
            "text or the instructions, then write again"
        )
        return "needs_input", "nothing-to-revise", message
    passes = given.settings.max_passes
    message = (
        f"{state.pass_index} of {passes} passes are spent and the score is {said.score:.2f}, below "
        f"{least:.2f}; allow more passes, or take the text as it is"
    )
    return "passes_spent", "passes-spent", message


def _stalled(given: ManuscriptInput, state: ManuscriptState) -> str:
    choice = _candidates(given, state)[0]
    about = f" {choice.section!r}" if choice.section else ""
    why = f": {state.trouble}" if state.trouble else ""
    return f"{choice.action}{about} was tried {TRIES} times and changed nothing{why}"
