"""Find a thing by its id or its name."""

from typing import Any

from gateway.desk.worlds.kinds import EntityKind, Thing
from penwright.domain.text.escaping import printable
from penwright.domain.text.nearest import guess, nearest_of
from penwright.errors import NotFound, UsageMistake
from penwright.ports.scenes import Worlds
from schemas.lore import Lorebook, LoreEntry

_LISTED = 8
"""Candidates that a message names."""


def found(
    worlds: Worlds, kind: EntityKind[Any], name: str, *, below: str = ""
) -> Any:  # Any: of the kind's type
    """Return the one thing with this id, or with this name, compared without case.

    Args:
        below: id of the world, campaign or arc to which it must belong; empty: any.

    Raises:
        NotFound: ``no-such-world`` and so on, with names that are near.
        UsageMistake: ``ambiguous-name``, with the ids of all that have it.
    """
    candidates = [each for each in worlds.find(kind.type, name) if not below or above(each) == below]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise _ambiguous(kind, name, candidates)
    raise _missing(kind, name, worlds.list(kind.type, below=below))


def above(thing: object) -> str:
    """Return the id of what a campaign, arc or scene belongs to; empty for other things."""
    for field in ("world", "campaign", "arc"):
        if owner := getattr(thing, field, ""):
            return str(owner)
    return ""


def found_entry(book: Lorebook, name: str) -> LoreEntry:
    """Return the one entry with this uid, or this title, compared without case.

    Raises:
        NotFound: ``no-such-entry``.
        UsageMistake: ``ambiguous-name``.
    """
    wanted = name.casefold()
    same = [each for each in book.entries if each.uid == name]
    same = same or [each for each in book.entries if each.title.casefold() == wanted]
    if len(same) == 1:
        return same[0]
    if same:
        uids = ", ".join(each.uid for each in same[:_LISTED])
        raise UsageMistake(
            "ambiguous-name",
            f"{len(same)} entries of {book.id!r} are called {printable(name)!r}: {uids}",
            hint=f"give the uid, for instance `penwright lore show {book.id} {same[0].uid}`",
        )
    near = nearest_of(name, {each.uid: (each.uid, each.title) for each in book.entries})
    raise NotFound(
        "no-such-entry",
        f"the lorebook {book.id!r} has no entry {printable(name)!r}{guess(near)}",
        hint=f"`penwright lore show {book.id}` lists its {len(book.entries)} entries",
    )


def _ambiguous(kind: EntityKind[Thing], name: str, candidates: list[Any]) -> UsageMistake:
    listed = ", ".join(_told(each) for each in candidates[:_LISTED])
    more = f" and {len(candidates) - _LISTED} more" if len(candidates) > _LISTED else ""
    return UsageMistake(
        "ambiguous-name",
        f"{len(candidates)} {kind.plural} are called {printable(name)!r}: {listed}{more}",
        hint=f"give the id, for instance {candidates[0].id!r}",
        candidates=",".join(each.id for each in candidates),
    )


def _told(thing: Any) -> str:
    owner = above(thing)
    return f"{thing.id} (of {owner})" if owner else str(thing.id)


def _missing(kind: EntityKind[Any], name: str, all_of_them: tuple[Any, ...]) -> NotFound:
    near = nearest_of(name, {each.id: (each.id, kind.name_of(each)) for each in all_of_them}, most=_LISTED)
    lister = {"arc": "campaign arc list", "lorebook": "lore list"}.get(kind.word, f"{kind.word} list")
    return NotFound(
        f"no-such-{kind.word}",
        f"there is no {kind.word} {printable(name)!r}{guess(near)}",
        hint=f"`penwright {lister}` shows all {kind.plural}",
    )
