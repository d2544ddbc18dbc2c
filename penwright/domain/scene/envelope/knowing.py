"""Knowledge of a role: only that is a candidate for its envelope.

The director knows all. A character knows the messages it witnessed, its own card, memories, intentions, and
what is public of others. The other roles hear every message and know nothing that is private.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.scene.witnesses import witnessed
from schemas.envelope import EnvelopeCase, EnvelopeFor, PromptMessage, Recalled
from schemas.scene import CharacterState, SceneMessage
from schemas.scene_summary import Stretch
from schemas.worlds import Notes, SceneNotes

_FORESIGHT = ("plot", "goals")
"""Notes on what is to come; a character who reads them, or a summary with them, plays them ahead."""
_UNFORESEEING: tuple[EnvelopeFor, ...] = ("character", "summariser")
_FIELDS = ("description", "scenario", "location", "time_of_day", *_FORESIGHT, "author_note")
_DIRECTED: tuple[EnvelopeFor, ...] = ("director", "character", "narrator")
"""Roles that write what is played, or plan it."""
_TOLD_TO = ("character", "narrator")
"""Roles that get the director's guidance. A director plans anew, without the guidance of its last pass."""


@dataclass(frozen=True, slots=True)
class VisibleMessages:
    """The messages a role may know, oldest first."""

    older: tuple[SceneMessage, ...] = ()
    last_round: tuple[SceneMessage, ...] = ()
    """Of the newest round before the one at hand of which the role knows any message."""
    this_round: tuple[SceneMessage, ...] = ()
    cut: int | None = None
    """Round of which older messages than those may not have been looked at."""


def visible_messages(case: EnvelopeCase) -> VisibleMessages:
    """Return what the role may know of the newest messages; older ones are not looked at.

    A summariser may know all that there are: they are the portion that it is to sum up.
    """
    if case.for_ == "summariser":
        return VisibleMessages(older=tuple(each for each in case.messages if _is_known(case, each)))
    window = case.located.scene.settings.history_messages
    looked_at = case.messages[-window:]
    cut = looked_at[0].round if len(looked_at) == window else None
    known = tuple(message for message in looked_at if _is_known(case, message))
    before = tuple(message for message in known if message.round < case.round)
    last = max((message.round for message in before), default=0)
    return VisibleMessages(
        older=tuple(message for message in before if message.round < last),
        last_round=tuple(message for message in before if message.round == last),
        this_round=tuple(message for message in known if message.round == case.round),
        cut=cut,
    )


def _is_known(case: EnvelopeCase, message: SceneMessage) -> bool:
    if message.undone or message.round > case.round:
        return False
    return case.for_ != "character" or witnessed(message, case.who)


def line(message: SceneMessage) -> PromptMessage:
    """The message as a prompt has it."""
    return PromptMessage(id=message.id, name=message.name, text=message.text, round=message.round)


def stretches(case: EnvelopeCase) -> tuple[Stretch, ...]:
    """Return the stretches of the summary, oldest first; a character gets those that it witnessed."""
    if case.for_ == "summariser":
        return ()
    is_character = case.for_ == "character"
    return tuple(each for each in case.stretches if not is_character or case.who in each.witnesses)


def memories(case: EnvelopeCase) -> tuple[Recalled, ...]:
    """Return the memories that the role may have, best first."""
    if case.for_ == "director":
        return _remembered_by_all(sorted(case.memories, key=lambda each: -each.score), names(case))
    is_own = case.for_ == "character"
    return tuple(each for each in case.memories if is_own and each.character == case.who)


def _remembered_by_all(found: Sequence[Recalled], names: Mapping[str, str]) -> tuple[Recalled, ...]:
    """Each line once, with the names of all who remember it; a line is one message of a round."""
    owners: dict[tuple[str, int, str], list[Recalled]] = {}
    for memory in found:
        for line in filter(str.strip, memory.text.splitlines()):
            owners.setdefault((memory.scene, memory.round, line), []).append(memory)
    together: dict[tuple[str, ...], list[str]] = {}
    first: dict[tuple[str, ...], list[Recalled]] = {}
    for (_, _, line), those in owners.items():
        ids = tuple(dict.fromkeys(each.id for each in those))
        together.setdefault(ids, []).append(line)
        first.setdefault(ids, those)
    return tuple(
        first[ids][0].model_copy(
            update={"id": "+".join(ids), "text": "\n".join(lines), "who": _named(first[ids], names)}
        )
        for ids, lines in together.items()
    )


def _named(memories: Sequence[Recalled], names: Mapping[str, str]) -> str:
    return ", ".join(dict.fromkeys(names.get(each.character, each.character) for each in memories))


def names(case: EnvelopeCase) -> dict[str, str]:
    """Return the names of all people by id."""
    played = case.located.persona
    return (
        {member.id: member.name for member in case.cast}
        | {character.id: character.name for character in case.characters}
        | ({played.id: played.name} if played else {})
    )


def states(case: EnvelopeCase) -> tuple[CharacterState, ...]:
    """Return states; what a character intends is known to the director and to itself."""
    return tuple(
        state
        if case.for_ == "director" or (case.for_ == "character" and state.id == case.who)
        else state.model_copy(update={"intentions": ""})
        for state in case.states
    )


def notes(case: EnvelopeCase) -> tuple[tuple[str, str, str], ...]:
    """Return level, field and text of the notes that are not empty, outermost level first."""
    located = case.located
    levels: tuple[tuple[str, Notes | SceneNotes], ...] = (
        ("world", located.world.notes),
        ("campaign", located.campaign.notes),
        ("arc", located.arc.notes),
        ("scene", located.scene.notes),
    )
    fields = [name for name in _FIELDS if case.for_ not in _UNFORESEEING or name not in _FORESIGHT]
    return tuple(
        (level, field, text)
        for level, of_level in levels
        for field in fields
        if (text := getattr(of_level, field, "").strip())
    )


def is_directed(for_: EnvelopeFor) -> bool:
    """Whether author's notes are direction for the role; for the others they are material."""
    return for_ in _DIRECTED


def guidance(case: EnvelopeCase) -> dict[str, str]:
    """Return what the role is told to do now, by the envelope's field; absent if it is empty."""
    told = {"instruction": case.instruction}
    if case.for_ in _TOLD_TO:
        told = {
            "character_guidance": case.guidance,
            "entry_guidance": case.entry_guidance,
            "exit_guidance": case.exit_guidance,
        } | told
    return {field: text for field, text in told.items() if text.strip()}


def open_guidance(case: EnvelopeCase) -> str:
    """Return what the director tells everyone who acts."""
    return case.open_guidance if case.for_ in _TOLD_TO else ""
