"""Sources: every stored text of a scene, and who may know it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from penwright.domain.scene.certificate.attendance import heard_by_all, present_at
from schemas.certificate import OwnedBook, SceneEvidence, SourceKind
from schemas.lore import LoreEntry
from schemas.scene import Round, SceneMessage
from schemas.worlds import Character, Notes, SceneNotes

_PRIVATE = (
    *("personality", "goals", "secrets", "scenario"),
    *("example_messages", "system_prompt", "post_history"),
)
_PUBLIC = ("name", "nickname", "description", "appearance")
_TO_COME = ("plot", "goals")
_NOTES = ("description", "scenario", "location", "time_of_day", "author_note")
_STATES = ("mood", "location", "activity", "clothing")


@dataclass(frozen=True, slots=True)
class Source:
    """One text, and those who may know it."""

    kind: SourceKind
    place: str
    """Where it stands, in words."""
    text: str
    known_by: frozenset[str] | None = None
    """Ids of characters; None: everyone."""
    rounds: frozenset[int] = frozenset()
    """Known only where all of these were played."""

    def open_to(self, who: str, path: frozenset[int]) -> bool:
        """Whether a character may know it at the end of a path of rounds."""
        return (self.known_by is None or who in self.known_by) and self.rounds <= path


class Paths:
    """The rounds that had been played when each round was, by stored numbers."""

    def __init__(self, evidence: SceneEvidence) -> None:
        self._aside = {each.id: each.follows for each in evidence.takes.aside}
        played = [each for each in range(1, evidence.takes.rounds + 1) if each not in self._aside]
        self._before = dict(zip(played, [0, *played], strict=False))
        self.now = frozenset(played)
        """The rounds that are played now."""

    def to(self, round: int) -> frozenset[int]:
        """Return the round and all that it follows."""
        path = set[int]()
        while round > 0 and round not in path:
            path.add(round)
            round = self._aside.get(round, self._before.get(round, 0))
        return frozenset(path)


def heard_by(message: SceneMessage, rounds: Mapping[int, Round]) -> frozenset[str]:
    """Return those who may know a message: they are named as its witnesses, and were there."""
    named = frozenset((*message.witnesses, *({message.speaker_id} - {""})))
    present = present_at(message, rounds)
    return named if present is None else named & present


def sources(evidence: SceneEvidence) -> Iterator[Source]:
    """Return every stored text that a prompt or a seat of the scene may hold."""
    yield from _messages(evidence)
    yield from _stretches(evidence)
    for each in evidence.characters:
        yield from _card(each)
    for owned in evidence.books:
        yield from _lore(owned, evidence)
    yield from _notes(evidence)
    yield from _guidance(evidence)
    yield from _states(evidence)
    for who, text in evidence.drafts:
        yield Source("draft", f"a draft at the seat of {who}", text, frozenset({who}))


def _messages(evidence: SceneEvidence) -> Iterator[Source]:
    rounds = {each.number: each for each in evidence.rounds}
    for message in evidence.messages:
        known_by = heard_by(message, rounds)
        for each in message.alternatives:
            place = f"message {message.stored}, by {message.name}"
            yield Source("message", place, each.text, known_by, frozenset({message.round}))
        yield Source("public", "a name", message.name)


def _stretches(evidence: SceneEvidence) -> Iterator[Source]:
    """A summary tells of many messages; its reader must have heard each of them."""
    rounds = {each.number: each for each in evidence.rounds}
    said = {each.stored: each for each in evidence.messages}
    for stretch in evidence.stretches:
        told = [said[number] for number in stretch.readings if number in said]
        place = f"a summary of messages {min(stretch.readings)} to {max(stretch.readings)}"
        known_by = heard_by_all(heard_by(each, rounds) for each in told)
        yield Source("summary", place, stretch.text, known_by, frozenset(each.round for each in told))


def _card(character: Character) -> Iterator[Source]:
    for field in _PRIVATE:
        place = f"{field.replace('_', ' ')} of {character.name}"
        yield Source("card", place, getattr(character, field), frozenset({character.id}))
    for field in _PUBLIC:
        yield Source("public", f"{field} of {character.name}", getattr(character, field))


def _lore(owned: OwnedBook, evidence: SceneEvidence) -> Iterator[Source]:
    for entry in owned.book.entries:
        known_by = _readers(entry, evidence.characters)
        if owned.owners is not None:
            known_by = frozenset(owned.owners) if known_by is None else known_by & frozenset(owned.owners)
        place = f"lore {entry.title or entry.uid!r} of {owned.book.name}"
        yield Source("lore" if known_by is not None else "public", place, entry.content, known_by)


def _readers(entry: LoreEntry, characters: tuple[Character, ...]) -> frozenset[str] | None:
    """Return the ids of those whom an entry lists; None if it is for everyone."""
    if not entry.characters and not entry.character_tags:
        return None
    ids = {each.id for each in characters}
    listed = {each.casefold() for each in entry.characters}
    meant = {each.id for each in characters if each.id in entry.characters}
    named = {each.id for each in characters if each.name.casefold() in listed - (ids - {each.id})}
    tags = {each.casefold() for each in entry.character_tags}
    tagged = {each.id for each in characters if tags & {tag.casefold() for tag in each.tags}}
    if entry.excludes:
        unknown = listed - ids - {each.name.casefold() for each in characters}
        return frozenset() if unknown else frozenset(ids - meant - named - tagged)
    either = (meant | named) if entry.characters else ids
    return frozenset(either & tagged if tags else either)


def _notes(evidence: SceneEvidence) -> Iterator[Source]:
    located = evidence.located
    if located.persona is not None:
        yield Source("public", "the persona", located.persona.name)
        yield Source("public", "the persona", located.persona.description)
    levels: dict[str, Notes | SceneNotes] = {
        "world": located.world.notes,
        "campaign": located.campaign.notes,
        "arc": located.arc.notes,
        "scene": located.scene.notes,
    }
    for level, notes in levels.items():
        for field in _NOTES:
            yield Source("public", f"{field} of the {level}", getattr(notes, field, ""))
        for field in _TO_COME:
            text = getattr(notes, field, "")
            yield Source("foresight", f"{field} of the {level}", text, frozenset())


def _guidance(evidence: SceneEvidence) -> Iterator[Source]:
    for played in evidence.rounds:
        for made in played.passes:
            yield Source("public", "open guidance", made.applied.open_guidance)
            for turn in (*made.applied.turns, *(made.planned or ())):
                for text in (turn.guidance, turn.entry_guidance, turn.exit_guidance):
                    place = f"guidance for {turn.character}"
                    yield Source("guidance", place, text, frozenset({turn.character}))


def _states(evidence: SceneEvidence) -> Iterator[Source]:
    """Return all values that states had; only what someone intends is private."""
    for played in evidence.rounds:
        for state in played.before.characters:
            yield from (Source("public", field, getattr(state, field)) for field in _STATES)
            yield _intention(state.id, state.intentions)
        for facts in (played.before.world, played.before.trackers):
            yield from (Source("public", name, value) for name, value in facts.items())
    told = [each.change for each in evidence.changes]
    told += [change for played in evidence.rounds for change in played.changes]
    for change in told:
        if change.field == "intentions" and change.subject not in ("world", "tracker"):
            yield from (_intention(change.subject, text) for text in (change.old, change.new))
        else:
            yield from (Source("public", change.field, text) for text in (change.old, change.new))


def _intention(who: str, text: str) -> Source:
    return Source("intention", f"intentions of {who}", text, frozenset({who}))
