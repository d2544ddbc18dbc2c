"""Build an envelope: the answer first, then what is never cut, then each section by its share."""

from collections import defaultdict
from collections.abc import Mapping

from penwright.domain.scene.envelope import people
from penwright.domain.scene.envelope.filling import Filling, counted, shared, total, whole
from penwright.domain.scene.envelope.filling_sections import Rooms, fill, with_kept
from penwright.domain.scene.envelope.rendering import parts
from penwright.domain.scene.envelope.sections import Sections, sections, wants, with_round_notes
from penwright.domain.scene.envelope.sharing import allotted, rooms
from penwright.domain.scene.envelope.shortening import Count
from penwright.domain.text.fences import SCENE
from schemas.envelope import (
    Envelope,
    EnvelopeCase,
    EnvelopeFor,
    Item,
    Person,
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

_PEOPLE_SHARE = 4
"""People other than the acting character get this part of a prompt at most: a quarter."""
_AVAILABLE_SHARE = 8
_NO_BUDGET = TokenBudget(context=0, answer=0, fixed=0, counter="")


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
    envelope = uncut(case, context - answer - room.instructions, sized)
    found = sections(case, sized)
    own_parts = {"instructions": room.instructions} | _fixed_parts(envelope, case, count)
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


def uncut(case: EnvelopeCase, space: int, count: Count) -> Envelope:
    """Return the envelope with what is never cut, before history, lore, memories, notes and guidance.

    Args:
        space: tokens of the prompt without answer and instructions.
    """
    played = people.persona(case)
    present = (*([played] if played else []), *people.others(case))
    fitted, items = _fitted(present, space // _PEOPLE_SHARE, count)
    compact = fitted[1:] if played else fitted
    names, dropped = _available(case, space // _AVAILABLE_SHARE, count)
    is_director = case.for_ == "director"
    return Envelope(
        request_type=case.request_type,
        scene=case.located.scene.id,
        round=case.round,
        pass_number=case.pass_number,
        persona=fitted[0].text if played else "",
        persona_name=played.name if played else "",
        people=compact,
        cast="\n\n".join(f"{person.name}\n{person.text}".strip() for person in compact),
        available=names,
        own=people.own_text(case),
        own_name=people.own_name(case),
        examples=people.examples(case),
        card_prompt=people.card_prompt(case),
        card_notes=people.card_notes(case),
        states=people.states_text(case),
        world=people.facts_text(case.world),
        trackers=people.facts_text(case.trackers),
        notes_to_director=tuple(note.text for note in case.notes_to_director) if is_director else (),
        failed=case.failed if is_director else (),
        overruled=case.overruled if is_director else (),
        lore_verdicts=case.lore_verdicts,
        lore_books=case.lore_books,
        items=(*items, *dropped),
        budget=_NO_BUDGET,
    )


def _fixed_parts(uncut: Envelope, case: EnvelopeCase, count: Count) -> dict[str, int]:
    """Return the tokens of a bare envelope's parts by kind."""
    sizes = defaultdict[str, int](int)
    found = parts(uncut, case.for_)
    for (kind, _), tokens in zip(found, count([f"{text}\n\n" for _, text in found]), strict=True):
        sizes[kind] += tokens
    return dict(sizes)


def _fitted(
    present: tuple[Person, ...], room: int, count: Count
) -> tuple[tuple[Person, ...], tuple[Item, ...]]:
    """Shorten descriptions to a common length where all do not fit; every name stays."""
    described = [person for person in present if person.text]
    filling: Filling = shared(
        "people", counted([(each.id, each.text) for each in described], count), room, count
    )
    texts = {each.id: each.text for each in filling.kept}
    items = tuple(
        item if item.kept else item.model_copy(update={"kept": True, "tokens": 0, "reason": "name only"})
        for item in filling.items
    )
    return tuple(each.model_copy(update={"text": texts.get(each.id, "")}) for each in present), items


def _available(case: EnvelopeCase, room: int, count: Count) -> tuple[tuple[str, ...], tuple[Item, ...]]:
    """Return the names that fit, and the dropped ones as items; those who are present need no item."""
    ids = [member.id for member in case.cast if not member.present]
    found = counted(zip(ids, people.available(case), strict=False), count)
    filling = whole("people", found, room, "known")
    left = len(found) - len(filling.kept)
    more = (f"… and {left} more",) if left else ()
    dropped = tuple(item for item in filling.items if not item.kept)
    return tuple(each.text for each in filling.kept) + more, dropped
