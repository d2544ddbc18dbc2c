"""Sheets of characters that the creator writes: a whole one from a line, or one field of it anew."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.desk.agents.role_calls import Answer, RoleCall, answered
from gateway.desk.engine.waits import Wait
from gateway.desk.services import Services
from gateway.desk.worlds import storing
from gateway.desk.worlds.kinds import CHARACTER
from gateway.desk.worlds.storing import Conflict, EntityFields, Subject
from penwright.domain.scene.envelope.rendering import OPENING, indented
from penwright.domain.text.fences import SCENE
from penwright.domain.text.nearest import meant
from penwright.errors import PermanentError, Refused, UsageMistake
from schemas.scene_roles import SHEET_FIELDS, SheetWritten
from schemas.worlds import Character

_LONGEST_WISH = 20_000


@dataclass(frozen=True, slots=True)
class WrittenSheet:
    """A character as it is stored now."""

    character: Character
    difference: tuple[str, ...]
    """Lines of a diff; empty for a new character."""
    answer: Answer[SheetWritten]


async def write_new(services: Services, wish: str, wait: Wait, *, name: str = "") -> WrittenSheet:
    """Make a character of a wish.

    Args:
        name: what it is called, whatever the creator calls it.

    Raises:
        UsageMistake: ``empty-wish``, ``wish-too-long``, ``no-name``.
        PermanentError: as ``answered``.
    """
    _check(wish)
    asked = f"{wish}\n\nThe name is {name}." if name else wish
    answer = await _asked(services, _task(asked), "characters", wait)
    values = _values(answer)
    values["name"] = name or values.get("name", "")
    if not values["name"]:
        raise UsageMistake(
            "no-name",
            "the creator gave the character no name, so it was not stored",
            hint=f"repeat with `--name NAME`; `penwright run show {answer.run_id}` shows the sheet",
        )
    new = Character(id="", name=values["name"])
    made = await asyncio.to_thread(storing.create, services, CHARACTER, new, EntityFields(values=values))
    return WrittenSheet(made, (), answer)


async def rewrite(services: Services, named: str, wish: str, wait: Wait, *, field: str = "") -> WrittenSheet:
    """Have the sheet of a character, or one field of it, written anew by a wish.

    Raises:
        UsageMistake: ``empty-wish``, ``wish-too-long``, ``unknown-field``; as ``found``.
        Refused: ``changed-meanwhile``: another caller wrote the same fields while the creator did.
        PermanentError: ``nothing-written``; as ``answered``.
    """
    _check(wish, field)
    subject: Subject[Character] = await asyncio.to_thread(storing.subject, services, CHARACTER, named)
    task = _task(wish, subject.thing, field)
    answer = await _asked(services, task, f"character/{subject.thing.id}", wait)
    values = {name: value for name, value in _values(answer).items() if field in ("", name)}
    if not values:
        raise PermanentError(
            "nothing-written",
            f"the creator wrote nothing for the field {field!r}",
            hint=f"say more in the wish; `penwright run show {answer.run_id}` shows what it wrote",
        )
    return await asyncio.to_thread(_stored, subject, values, answer)


def _stored(
    subject: Subject[Character], values: Mapping[str, Any], answer: Answer[SheetWritten]
) -> WrittenSheet:
    mine = storing.wanted_of(CHARACTER, subject.thing, EntityFields(values=values))[0]
    changed = storing.change(subject, mine)
    if isinstance(changed, Conflict):
        fields = ", ".join(each.field for each in changed.clashes)
        raise Refused(
            "changed-meanwhile",
            f"{subject.title} was changed meanwhile in what the creator wrote ({fields}); nothing was stored",
            hint=f"repeat it, or take the text from `penwright run show {answer.run_id}`",
        )
    return WrittenSheet(changed.thing, changed.difference, answer)


async def _asked(services: Services, task: str, subject: str, wait: Wait) -> Answer[SheetWritten]:
    return await answered(services, RoleCall("scene/creator", task, subject, "creator"), SheetWritten, wait)


def _values(answer: Answer[SheetWritten]) -> dict[str, Any]:  # Any: JSON of the fields
    return answer.delivered.fields.model_dump(mode="json", exclude_none=True)


def _task(wish: str, character: Character | None = None, field: str = "") -> str:
    """The creator's task: the sheet and the wish are material, the name of the field is not."""
    told = [f"- field: {field}"] if field else []
    parts = ["\n".join([OPENING, "", *told])]
    if character is not None:
        values = ((name, getattr(character, name)) for name in SHEET_FIELDS)
        lines = (f"{name}: {indented(_text(value))}" for name, value in values if value)
        parts.append(SCENE.fenced("sheet", character.name, "\n".join(lines)))
    return "\n\n".join([*parts, SCENE.fenced("request", "", wish)])


def _text(value: object) -> str:
    return "; ".join(value) if isinstance(value, tuple) else str(value)


def _check(wish: str, field: str = "") -> None:
    if not wish.strip():
        raise UsageMistake("empty-wish", "the creator is told nothing", hint="say in a line who it is")
    if len(wish) > _LONGEST_WISH:
        raise UsageMistake("wish-too-long", f"the wish has {len(wish):,} characters, of {_LONGEST_WISH:,}")
    if field and field not in SHEET_FIELDS:
        raise UsageMistake(
            "unknown-field",
            f"a sheet has no field {field!r}{meant(field, SHEET_FIELDS)}",
            hint=f"there are {', '.join(SHEET_FIELDS)}",
        )
