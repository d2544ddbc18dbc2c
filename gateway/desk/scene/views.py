"""A scene as it is: its people, state and messages; its rounds, and what each role was shown."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from gateway.desk.scene import finding, numbers
from gateway.desk.services import CommandStore, Services
from penwright.domain.scene.numbering import Numbering
from penwright.errors import NotFound, PenwrightError
from schemas.base import BlobRef
from schemas.director import CastMember
from schemas.envelope import Envelope, Telemetry, TooSmall
from schemas.scene import NumberedRound, SceneMessage, SceneState, SceneView
from schemas.worlds import Located, Scene

DIRECTOR = "director"
_KEPT: Final[TypeAdapter[Envelope | TooSmall]] = TypeAdapter(Envelope | TooSmall)


@dataclass(frozen=True, slots=True)
class Shown:
    """A scene with its newest messages and rounds."""

    view: SceneView
    messages: tuple[SceneMessage, ...]
    rounds: tuple[NumberedRound, ...]
    """The newest, oldest first."""
    absent: int
    """Number of characters not present; the view may have fewer of them."""


@dataclass(frozen=True, slots=True)
class ShownEnvelope:
    """Envelope that one role was shown in one call."""

    scene: str
    round: int
    step: str
    """``pass 1`` or ``turn 2``."""
    who: str
    """``director``, or the id of a character."""
    envelope: Envelope | None
    missing: str = ""
    """Reason why it is not there."""


def look(
    services: Services, named: str, *, newest: int = 10, rounds: int = 3, others: int | None = None
) -> Shown:
    """A scene as it is; raises as ``finding.scene``.

    Args:
        others: how many are shown of those who are not present, besides who occurs in the rounds; None: all.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        messages, kept = (
            store.scenes.messages(scene.id, newest=newest),
            store.scenes.rounds(scene.id, newest=rounds),
        )
        known = numbers.numbering(store, scene.id)
        said, played = numbers.said(messages, known), tuple(numbers.numbered(each, known) for each in kept)
        if others is None:
            people = finding.cast(store, scene)
            absent = sum(not each.present for each in people)
        else:
            people, absent = finding.few(store, scene, others, _occurring(played))
        return Shown(_view(store, scene, people, known), said, played, absent)


def _occurring(played: Sequence[NumberedRound]) -> set[str]:
    """Ids of those whom rounds are about."""
    present = {id for each in played for made in each.passes for id in made.applied.roster}
    acting = {turn.character for each in played for turn in each.turns}
    return present | acting | {change.subject for each in played for change in each.changes}


def view(store: CommandStore, scene: Scene) -> SceneView:
    """The scene with all that is above it, its state and its people."""
    return _view(store, scene, finding.cast(store, scene), numbers.numbering(store, scene.id))


def _view(store: CommandStore, scene: Scene, people: tuple[CastMember, ...], known: Numbering) -> SceneView:
    place = located(store, scene)
    return SceneView(
        located=place.model_copy(update={"scene": numbers.shown(place.scene, known)}),
        state=numbers.state(store.scenes.state(scene.id), known),
        cast=people,
        rounds=known.newest,
        running=known.number(store.scenes.running(scene.id)) or None,
    )


def located(store: CommandStore, scene: Scene) -> Located:
    """The scene with all that is above it; raises ``NotFound`` if it was removed meanwhile."""
    found = store.worlds.locate(scene.id)
    if found is None:
        raise NotFound("no-such-scene", f"the scene {scene.id!r} was removed meanwhile")
    return found


def round_of(store: CommandStore, scene: Scene, number: int = 0, take: int = 0) -> NumberedRound:
    """One round; without a number or a take, the newest, hidden or not.

    Raises:
        NotFound: ``no-such-round``.
    """
    if not number and not take and (listed := numbers.newest(store, scene.id, 1)):
        return listed[0]
    known = numbers.numbering(store, scene.id)
    found = store.scenes.round(scene.id, numbers.id_of(scene.id, known, number, take))
    assert found is not None, "what has a number is there"
    return numbers.numbered(found, known)


def timeline(
    services: Services, named: str, number: int = 0, take: int = 0
) -> tuple[Scene, NumberedRound, tuple[SceneMessage, ...]]:
    """A round with its messages; raises as ``round_of``."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        found = round_of(store, scene, number, take)
        # A branch has the rounds of its origin under its own name.
        ids = [f"{scene.id}/{each.message.rpartition('/')[2]}" for each in found.turns if each.message]
        said = [each for id in ids if (each := store.scenes.message(id)) is not None]
        return scene, found, numbers.said(said, numbers.numbering(store, scene.id))


def unusable_answers(store: CommandStore, found: NumberedRound) -> dict[int, str]:
    """Read the director's answers in passes without a usable plan, by pass; without those that are gone."""
    answers: dict[int, str] = {}
    for made in found.passes:
        if made.outcome == "failed" and made.raw is not None:
            with suppress(PenwrightError):
                answers[made.number] = store.blobs.get(made.raw).decode("utf-8", "replace")
    return answers


def notes(services: Services, named: str, number: int, take: int) -> tuple[str, ...]:
    """List what was refused or merged in a round's plans, as sentences; raises as ``round_of``."""
    _, found, _ = timeline(services, named, number, take)
    told = [note.text for made in found.passes for note in made.applied.notes]
    return tuple(dict.fromkeys(told))


def names_in(services: Services, named: str) -> dict[str, str]:
    """As ``names``, of the scene that is called ``named``."""
    with services.open_store() as store:
        return names(store, finding.scene(store, named))


def message(services: Services, named: str, number: str) -> tuple[Scene, SceneMessage]:
    """One message with its alternatives; raises as ``finding.message``."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        return scene, finding.message(store, scene, number)


def messages(services: Services, named: str, *, newest: int, before: int = 0) -> tuple[SceneMessage, ...]:
    """Messages that were not taken back, oldest first.

    Args:
        newest: how many at most.
        before: only messages with a lower number; 0: all.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        known = numbers.numbering(store, scene.id)
        bound = known.stored_message(before) if before else None
        return numbers.said(store.scenes.messages(scene.id, newest=newest, before=bound), known)


def envelopes(
    services: Services, named: str, who: str = "", number: int = 0, take: int = 0
) -> tuple[ShownEnvelope, ...]:
    """Read the envelopes of the director and the cast in a round, or of one of them, in call order.

    Args:
        who: ``director``, or a character's id or name; empty: everyone.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-round``, ``no-such-character``, ``no-envelope``.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        wanted = who if who in ("", DIRECTOR) else finding.member(store, scene, who).id
        found = round_of(store, scene, number, take)
        shown = [each for each in _calls(store, found) if wanted in ("", each.who)]
    if not shown:
        asked = f"{wanted!r} was not asked" if wanted else "no role was asked"
        raise NotFound(
            "no-envelope",
            f"{asked} in {found.name.words} of {scene.id!r}",
            hint=f"`penwright scene show {scene.id} {found.name.options}` shows who acted",
        )
    return tuple(shown)


def telemetry(services: Services, named: str) -> tuple[Telemetry, ...]:
    """The token use of the newest prompts, oldest first."""
    with services.open_store() as store:
        scene = finding.scene(store, named).id
        known = numbers.numbering(store, scene)
        kept = store.scenes.telemetry(scene)
        return tuple(each.model_copy(update={"round": known.number(each.round)}) for each in kept)


def log(services: Services, named: str, *, newest: int = 20) -> tuple[Scene, tuple[NumberedRound, ...]]:
    """The newest rounds, oldest first."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        return scene, numbers.newest(store, scene.id, newest)


def state(services: Services, named: str) -> tuple[Scene, SceneState, dict[str, str]]:
    """The state of a scene, and the names of those it is about, by id."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        kept = store.scenes.state(scene.id)
        return scene, numbers.state(kept, numbers.numbering(store, scene.id)), names(store, scene)


def names(store: CommandStore, scene: Scene) -> dict[str, str]:
    """The names of all characters and of the persona, by id."""
    known = {each.id: each.name for each in finding.cast(store, scene)}
    persona = located(store, scene).persona
    return known | ({persona.id: persona.name} if persona else {})


def _calls(store: CommandStore, found: NumberedRound) -> list[ShownEnvelope]:
    """Pass by pass, the director's call and those of its turns."""
    calls = []
    for made in found.passes:
        calls.append(_shown(store, found, f"pass {made.number}", DIRECTOR, made.envelope))
        turns = [each for each in found.turns if each.pass_number == made.number]
        calls += [
            _shown(store, found, f"turn of pass {made.number}", each.character, each.envelope)
            for each in turns
        ]
    passes = {each.number for each in found.passes}
    rest = [each for each in found.turns if each.pass_number not in passes]
    calls += [_shown(store, found, "turn", each.character, each.envelope) for each in rest]
    return [each for each in calls if each.envelope is not None or each.missing]


def _shown(
    store: CommandStore, found: NumberedRound, step: str, who: str, kept: BlobRef | None
) -> ShownEnvelope:
    envelope, missing = None, ""
    if kept is not None:
        try:
            read = _KEPT.validate_json(store.blobs.get(kept))
            envelope, missing = (None, read.message) if isinstance(read, TooSmall) else (read, "")
        except PenwrightError as error:
            missing = error.message
    return ShownEnvelope(found.scene, found.number, step, who, envelope, missing)
