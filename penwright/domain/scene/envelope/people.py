"""The people of a scene in a prompt: the acting character in full, the others compact, and their states."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from penwright.domain.lore.macros import LastSaid, Moment, with_macros
from penwright.domain.scene.envelope import knowing
from penwright.domain.scene.envelope.knowing import names, states
from penwright.domain.scene.resolving import with_id
from penwright.domain.text.slugs import folded
from schemas.director import FIELDS
from schemas.envelope import EnvelopeCase, Person
from schemas.scene import CharacterState
from schemas.worlds import Character

_PUBLIC = ("appearance", "description")
"""Fields of a character that everyone in the scene may know."""
_FOR_DIRECTOR = (*_PUBLIC, "personality", "goals", "secrets")
_OWN = ("description", "personality", "appearance", "scenario", "goals", "secrets")
_TAKEN = "Played by a person, who speaks for this character: never plan for them."
_TAKES_TURNS = (
    "Played by a person, who speaks for this character: never write their words. "
    "List them last in the plan to say that they speak next."
)


def own_name(case: EnvelopeCase) -> str:
    """Return the name of the acting character; empty for other roles."""
    if case.for_ != "character":
        return ""
    acting = _acting(case)
    return acting.name if acting else names(case).get(case.who, case.who)


def own_text(case: EnvelopeCase) -> str:
    """Return the full text of the acting character; empty for other roles."""
    acting = _acting(case) if case.for_ == "character" else None
    return _described(case, acting, _OWN) if acting else ""


def examples(case: EnvelopeCase) -> str:
    """Return how the acting character talks."""
    return _of_card(case, "example_messages")


def card_prompt(case: EnvelopeCase) -> str:
    """Return the card's own prompt of the acting character."""
    return _of_card(case, "system_prompt")


def card_notes(case: EnvelopeCase) -> str:
    """Return the texts of the acting character's card that are meant for the end of a prompt."""
    return "\n\n".join(filter(None, (_of_card(case, "depth_note"), _of_card(case, "post_history"))))


def _of_card(case: EnvelopeCase, field: str) -> str:
    acting = _acting(case) if case.for_ == "character" else None
    if acting is None:
        return ""
    moment = moment_of(case, acting.nickname or acting.name)
    if field != "example_messages":
        moment = replace(moment, outlets=outlets(case, moment))
    return with_macros(getattr(acting, field), moment).strip()


def outlets(case: EnvelopeCase, moment: Moment) -> dict[str, str]:
    """Return the lore that is called by name, by that name."""
    found: dict[str, list[str]] = {}
    for text, place in zip(case.lore, case.lore_places, strict=False):
        if place.position == "outlet":
            found.setdefault(place.outlet, []).append(with_macros(text, moment))
    return {name: "\n".join(texts) for name, texts in found.items()}


def _acting(case: EnvelopeCase) -> Character | None:
    return next((each for each in case.characters if each.id == case.who), None)


def others(case: EnvelopeCase) -> tuple[Person, ...]:
    """Return those present besides the acting character and the persona, in the order of the cast."""
    known = {each.id: each for each in case.characters}
    persona = case.located.persona
    fields = _FOR_DIRECTOR if case.for_ == "director" else _PUBLIC
    acting = case.who if case.for_ == "character" else ""
    return tuple(
        Person(id=id, name=name, text=_told(case, known.get(id), id, fields))
        for id, name in _told_apart(case, _present(case).items()).items()
        if id != acting and (persona is None or id != persona.id)
    )


def _told(case: EnvelopeCase, character: Character | None, id: str, fields: Iterable[str]) -> str:
    text = _described(case, character, fields) if character is not None else ""
    taken = case.for_ == "director" and any(each.taken for each in case.cast if each.id == id)
    told = _TAKES_TURNS if case.located.scene.settings.turns == "director" else _TAKEN
    return f"{told}\n{text}".strip() if taken else text


def persona(case: EnvelopeCase) -> Person | None:
    """Return whom the user speaks as."""
    if (played := case.located.persona) is None:
        return None
    text = with_macros(played.description, moment_of(case))
    return Person(id=played.id, name=played.name, text=text.strip())


def available(case: EnvelopeCase) -> tuple[str, ...]:
    """Return the names of known characters who are not present; the director's business only."""
    if case.for_ != "director":
        return ()
    away = ((member.id, member.name) for member in case.cast if not member.present)
    return tuple(_told_apart(case, away).values())


def _told_apart(case: EnvelopeCase, named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the name of each id; for a director with the id, where others of the cast have it too."""
    if case.for_ != "director":
        return dict(named)
    having = Counter(folded(each.name) for each in case.cast)
    return {id: with_id(name, id) if having[folded(name)] > 1 else name for id, name in named}


def states_text(case: EnvelopeCase) -> str:
    """Return one line for each person who has a state."""
    known, having = names(case), states(case)
    called = _told_apart(case, ((each.id, known.get(each.id, each.id)) for each in having))
    return "\n".join(f"{called[each.id]}: {_state(each)}" for each in having)


def facts_text(facts: Mapping[str, str]) -> str:
    """Return one line for each fact or tracker."""
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def moment_of(case: EnvelopeCase, character: str = "") -> Moment:
    """Return what macros stand for in a text of ``character``, for the role that reads it."""
    scene = case.located.scene.id
    return Moment(
        character=character,
        user=case.located.persona.name if case.located.persona else "",
        group=tuple(_present(case).values()),
        now=case.at,
        seed=(scene, str(case.round)),
        lasting_seed=(scene,),
        said=lambda: _last_said(case),
    )


def _last_said(case: EnvelopeCase) -> LastSaid:
    """The newest messages that the role has heard."""
    heard = knowing.visible_messages(case)
    said = (*heard.older, *heard.last_round, *heard.this_round)
    by_user = next((each for each in reversed(said) if each.speaker == "user"), None)
    by_cast = next((each for each in reversed(said) if each.speaker == "character"), None)
    return LastSaid(
        message=said[-1].text if said else "",
        number=str(said[-1].number) if said else "",
        user=by_user.text if by_user else "",
        character=by_cast.text if by_cast else "",
        user_at=by_user.alternatives[by_user.chosen].at if by_user else None,
    )


def _present(case: EnvelopeCase) -> dict[str, str]:
    if case.cast:
        return {member.id: member.name for member in case.cast if member.present}
    return {each.id: each.name for each in case.characters}


def _described(case: EnvelopeCase, character: Character, fields: Iterable[str]) -> str:
    moment = moment_of(case, character.nickname or character.name)
    texts = [(field, with_macros(getattr(character, field), moment)) for field in fields]
    lines = [f"{field.capitalize()}: {text.strip()}" for field, text in texts if text.strip()]
    also = [f"Also called {character.nickname}."] if character.nickname else []
    return "\n".join([*also, *_renamed(case, character), *lines])


def _renamed(case: EnvelopeCase, character: Character) -> list[str]:
    """One line, if what the role may read of the past has the character under another name."""
    heard = knowing.visible_messages(case)
    said = (*heard.older, *heard.last_round, *heard.this_round)
    spoken_as = dict.fromkeys(each.name for each in said if each.speaker_id == character.id)
    before = [name for name in spoken_as if name not in (character.name, character.nickname)]
    return [f"Called {' and '.join(before)} in what was said earlier."] if before else []


def _state(state: CharacterState) -> str:
    fields = [f"{field}: {value}" for field in FIELDS if (value := getattr(state, field))]
    flags = [flag for flag in ("entered", "exited", "acted") if getattr(state, flag)]
    this_round = [f"this round: {', '.join(flags)}"] if flags else []
    return "; ".join([*fields, *this_round]) or "nothing known"
