"""Build an envelope: the answer first, then what is never cut, then each section by its share."""

from collections.abc import Mapping

from penwright.domain.scene.envelope.filling import Filling, total
from penwright.domain.scene.envelope.filling_sections import Rooms, fill, with_kept
from penwright.domain.scene.envelope.fitting import bare, fixed_parts
from penwright.domain.scene.envelope.sections import Sections, sections, wants, with_round_notes
from penwright.domain.scene.envelope.sharing import allotted, rooms
from penwright.domain.scene.envelope.shortening import Count
from penwright.domain.text.fences import SCENE
from schemas.envelope import (
    Envelope,
    EnvelopeCase,
    EnvelopeFor,
    PromptRoom,
    Section,
    TokenBudget,
    TokenUse,
    TooSmall,
)

_LARGEST = 32_768
"""Tokens of a prompt with its answer where the scene says nothing."""
_SAFE = 8_192
"""The same, of a model whose size is not known."""
_ANSWERS: Mapping[EnvelopeFor, int] = {"director": 1_500, "summariser": 1_200}
"""Tokens that an answer may need, by role: a plan of many people, a summary of many rounds."""


def build(case: EnvelopeCase, count: Count, room: PromptRoom) -> Envelope | TooSmall:
    """Cut what the role may know to its budget.

    Args:
        count: returns the tokens of each text, as the role's model counts them.
        room: what is known of the role and its model.

    Returns:
        The envelope, with every item that was kept or dropped; ``context-too-small`` if the last round, the
        people and the states alone do not fit.
    """
    sized = _in_material(count)
    context = _context(case, room)
    answer = max(case.located.scene.settings.answer_tokens, min(_ANSWERS.get(case.for_, 0), context // 5))
    envelope = bare(case, context - answer - room.instructions, sized)
    found = sections(case, sized)
    own_parts = {"instructions": room.instructions} | fixed_parts(envelope, case, count)
    fixed = sum(own_parts.values())
    if sum(wants(found).values()) > context - answer - fixed - found.frames:
        found = with_round_notes(case, found, sized)
    budget = TokenBudget(
        context=context,
        answer=answer,
        fixed=fixed + found.frames,
        parts=own_parts | {"frames": found.frames},
        counter=room.counter,
    )
    return _within(case, envelope, found, budget, sized)


def _in_material(count: Count) -> Count:
    """Count texts as they stand in a fence, with the empty line after them."""
    return lambda texts: count([f"{SCENE.escaped(text)}\n\n" for text in texts])


def _context(case: EnvelopeCase, room: PromptRoom) -> int:
    wished = case.located.scene.settings.context_tokens
    if wished is None:
        return min(room.model_context or _SAFE, _LARGEST)
    return min(wished, room.model_context or wished)


def _within(
    case: EnvelopeCase, envelope: Envelope, found: Sections, budget: TokenBudget, sized: Count
) -> Envelope | TooSmall:
    space = budget.context - budget.answer - budget.fixed
    least: dict[Section, int] = {"history": _least(case, found)}
    if least["history"] > space:
        return _too_small(case, budget, least["history"])
    weights = {name: int(getattr(case.located.scene.settings.shares, name)) for name in found.parts}
    given = rooms(space, weights, wants(found), least)
    fillings = fill(found, Rooms(given, weights), sized, oldest_first=case.for_ == "summariser")
    budget = budget.model_copy(
        update={
            "sections": _uses(allotted(space, weights), fillings),
            "left": space - sum(filling.used for filling in fillings.values()),
        }
    )
    return with_kept(case, envelope, found, fillings, budget)


def _uses(shares: Mapping[Section, int], fillings: Mapping[Section, Filling]) -> tuple[TokenUse, ...]:
    return tuple(
        TokenUse(section=name, allotted=share, given=fillings[name].used - share, used=fillings[name].used)
        for name, share in shares.items()
    )


def _too_small(case: EnvelopeCase, budget: TokenBudget, least: int) -> TooSmall:
    return TooSmall(
        message=(
            f"a prompt of {budget.context} tokens is too small: {budget.answer} are for the answer, "
            f"{budget.fixed} for instructions, people and states, and {least} for the last round and this "
            f"one. Raise `context_tokens` of the scene {case.located.scene.id!r}, lower its `answer_tokens`, "
            "or give the role a model with a larger context"
        ),
        budget=budget,
    )


def _least(case: EnvelopeCase, found: Sections) -> int:
    """Tokens that history must get: the last round and this one; of a summariser, the first message."""
    if case.for_ == "summariser":
        return total(found.parts.get("history", ())[:1])
    return total(found.rounds)
