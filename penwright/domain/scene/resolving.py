"""Whom a name means: an id or a whole name, never a part of one, and never the persona."""

from collections.abc import Sequence
from typing import Final

from penwright.domain.text.slugs import folded
from schemas.director import CastMember, Note
from schemas.worlds import Persona

NARRATOR: Final = "narrator"
"""Stands for the narrator where the id of a character would stand; no character can have it as speaker."""
_SHOWN = 80
"""Characters of a name as a note quotes it."""


def resolve(who: str, cast: Sequence[CastMember], persona: Persona | None) -> str | Note:
    """Return the id of the one who is meant; a note for the director if there is no such one.

    Args:
        who: an id or a name, as a model or a person wrote it. An id must be exact; names and nicknames are
            compared without case.
        cast: all who are known. A name that one of those present has means that one, also where absent
            ones are called the same.
    """
    if _is_persona(who, persona):
        return _note("persona-named", who, "is the user, who speaks for themselves; never plan for them")
    found = _meant(who, cast)
    if len(found) == 1 and any(each.id == found[0] and each.taken for each in cast):
        return _note("taken-over", who, "is played by a person now, who speaks for it; never plan for it")
    if len(found) == 1:
        return found[0]
    if found:
        return _note("ambiguous-name", who, f"may be any of {', '.join(found)}; use one of these ids")
    return _note("unknown-name", who, "is no one here; use the names or ids that are listed")


def _meant(who: str, cast: Sequence[CastMember]) -> list[str]:
    """Ids of all who may be meant."""
    if any(member.id == who for member in cast):
        return [who]
    wanted = folded(who)
    found = {each.id: each.present for each in cast if wanted and wanted in _names(each)}
    present = [id for id, is_present in found.items() if is_present]
    return present if len(present) == 1 else sorted(found)


def name_of(character: str, cast: Sequence[CastMember]) -> str:
    """The name of a character; its id if it is not in the cast."""
    return next((each.name for each in cast if each.id == character), character)


def shortened(who: str) -> str:
    """A name as notes quote it."""
    return who if len(who) <= _SHOWN else f"{who[:_SHOWN]}…"


def with_id(name: str, id: str) -> str:
    """A name that several have, as a director is shown it and may write it."""
    return f"{name} ({id})"


def _names(member: CastMember) -> tuple[str, ...]:
    told = (member.name, member.nickname, member.written, with_id(member.name, member.id))
    return tuple(map(folded, told))


def _is_persona(who: str, persona: Persona | None) -> bool:
    return persona is not None and (who == persona.id or folded(who) == folded(persona.name))


def _note(code: str, who: str, text: str) -> Note:
    shown = shortened(who)
    return Note.model_validate({"code": code, "who": shown, "text": f"{shown!r} {text}."})
