"""Parts that are never left out: the people of a scene, shortened where there are many, and all that is true
now.
"""

from collections import defaultdict

from penwright.domain.scene.envelope import people
from penwright.domain.scene.envelope.filling import Filling, counted, shared, whole
from penwright.domain.scene.envelope.rendering import parts
from penwright.domain.scene.envelope.shortening import Count
from schemas.envelope import Envelope, EnvelopeCase, Item, Person, TokenBudget

_PEOPLE_SHARE = 4
"""People other than the acting character get this part of a prompt at most: a quarter."""
_AVAILABLE_SHARE = 8
_NO_BUDGET = TokenBudget(context=0, answer=0, fixed=0, counter="")


def bare(case: EnvelopeCase, space: int, count: Count) -> Envelope:
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


def fixed_parts(bare: Envelope, case: EnvelopeCase, count: Count) -> dict[str, int]:
    """Return the tokens of a bare envelope's parts by kind."""
    sizes = defaultdict[str, int](int)
    found = parts(bare, case.for_)
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
