"""The certificate of a scene: all that is stored of it is read, then compared."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from gateway.desk.scene import finding, numbers, views
from gateway.desk.scene.table import events, exporting
from gateway.desk.scene.table.events import SeatEvent
from gateway.desk.scene.table.seats import given
from gateway.desk.scene.table.views import MOST, SeatTable, table_of
from gateway.desk.services import CommandStore, Services
from penwright.domain.scene.certificate.certifying import certified
from penwright.domain.scene.certificate.passages import strings
from penwright.domain.scene.merging import merged_at
from penwright.errors import PenwrightError
from schemas.base import BlobRef
from schemas.certificate import Certificate, OwnedBook, SceneEvidence, SeatShown, StoredPrompt
from schemas.envelope import Envelope
from schemas.scene import Round, TakeName
from schemas.seats import Seat
from schemas.worlds import Character, Located, Scene

_ALL = 10_000_000
_ABOVE = ("world", "campaign", "arc", "scene")


@dataclass(frozen=True, slots=True)
class SceneCertificate:
    """A certificate with the names that people know rounds and characters by."""

    scene: Scene
    certificate: Certificate
    rounds: dict[int, TakeName]
    names: dict[str, str]


def certify(services: Services, named: str) -> SceneCertificate:
    """Compare every stored prompt and every seat of a scene with all that is stored of it.

    Raises:
        NotFound: as ``finding.scene``.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        evidence = with_seats(services, store, evidence_of(store, scene))
        known, names = numbers.numbering(store, scene.id), views.names(store, scene)
    ids = {each.number for each in evidence.rounds}
    return SceneCertificate(scene, certified(evidence), {id: known.name(id) for id in ids}, names)


def with_seats(services: Services, store: CommandStore, evidence: SceneEvidence) -> SceneEvidence:
    """Add what the seats show that are not over, and the drafts at them."""
    seats = given(store, evidence.located.scene.id)
    shown = tuple(part for each in seats for part in shown_at(services, each))
    drafts = tuple((each.character, each.draft) for each in seats if each.draft.strip())
    return evidence.model_copy(update={"seats": shown, "drafts": drafts})


def evidence_of(store: CommandStore, scene: Scene) -> SceneEvidence:
    """Read all that is stored of a scene and can tell who may have known what."""
    located = views.located(store, scene)
    rounds = store.scenes.rounds(scene.id, newest=_ALL)
    messages = store.scenes.messages(scene.id, newest=_ALL, undone=True)
    ids = {who for each in messages for who in (*each.witnesses, each.speaker_id)}
    ids |= {turn.character for each in rounds for turn in each.turns} | set(scene.roster)
    characters = tuple(_characters(store, located, ids))
    return SceneEvidence(
        located=located,
        takes=store.scenes.takes(scene.id),
        messages=messages,
        rounds=rounds,
        changes=store.scenes.changes(scene.id, newest=_ALL),
        stretches=store.scenes.stretches(scene.id),
        characters=characters,
        memories=store.memories.of(scene.id, newest=_ALL),
        books=tuple(_books(store, located, [each.id for each in characters])),
        prompts=tuple(prompt for each in rounds for prompt in _prompts(store, each)),
    )


def _characters(store: CommandStore, located: Located, ids: Collection[str]) -> Iterator[Character]:
    for id in sorted(ids):
        if (character := store.worlds.read(Character, id)) is not None:
            overrides = store.worlds.overrides(id)
            yield merged_at(character, overrides, located.world.id, located.campaign.id)


def _books(store: CommandStore, located: Located, characters: Collection[str]) -> Iterator[OwnedBook]:
    above = (located.world.id, located.campaign.id, located.arc.id, located.scene.id)
    places = (*zip(_ABOVE, above, strict=True), *(("character", each) for each in characters))
    attached = store.worlds.attachments(places)
    shared = {each.book for each in attached if each.level in _ABOVE}
    for id in dict.fromkeys(each.book for each in attached):
        if (book := store.worlds.lorebook(id)) is not None:
            owners = tuple(each.at for each in attached if each.book == id)
            yield OwnedBook(book=book, owners=None if id in shared else owners)


def _prompts(store: CommandStore, played: Round) -> Iterator[StoredPrompt]:
    for made in played.passes:
        if made.envelope is not None:
            yield _prompt(store, played.number, views.DIRECTOR, made.envelope)
    for turn in played.turns:
        if turn.envelope is not None:
            yield _prompt(store, played.number, turn.character, turn.envelope)


def _prompt(store: CommandStore, round: int, who: str, kept: BlobRef) -> StoredPrompt:
    try:
        envelope = Envelope.model_validate_json(store.blobs.get(kept))
    except ValidationError:
        return StoredPrompt(round=round, who=who, missing="it did not fit, so no model was asked")
    except PenwrightError as error:
        return StoredPrompt(round=round, who=who, missing=error.message)
    return StoredPrompt(round=round, who=who, envelope=envelope)


_TABLE: Final = TypeAdapter(SeatTable)
_EVENT: Final = TypeAdapter(SeatEvent)
_NO_TEXTS: Final = frozenset({"id", "mark", "kind", "speaker", "played_by", "order"})
"""Fields whose values are ids, or words of ours."""
_FROM_THE_BEGINNING: Final = "...."


def shown_at(services: Services, seat: Seat) -> Iterator[SeatShown]:
    """Return what the table, the events and the export of a seat show."""
    table = [strings(_TABLE.dump_python(each), without=_NO_TEXTS) for each in _tables(services, seat)]
    told = [_EVENT.dump_python(each) for each in events.events_of(services, seat, _FROM_THE_BEGINNING)]
    export = [exporting.export_of(services, seat).content.decode("utf-8", "replace")]
    parts: dict[Any, Any] = {
        "table": [text for each in table for text in each],
        "events": strings(told, without=_NO_TEXTS),
        "export": export,
    }
    for part, texts in parts.items():
        yield SeatShown(who=seat.character, part=part, texts=tuple(texts))


def _tables(services: Services, seat: Seat) -> Iterator[SeatTable]:
    """Return the newest view, and those before it until all messages are read."""
    table = table_of(services, seat, limit=MOST)
    yield table
    while table.older:
        table = table_of(services, seat, before=table.messages[0].id, limit=MOST)
        yield table
