"""The certificate finds every way in which a seat can show what its character may not know."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gateway.desk.scene.table import certifying, events, exporting, views
from gateway.desk.scene.table.certifying import certify
from gateway.desk.scene.table.seats import invite
from gateway.desk.scene.table.views import SeatTable
from schemas.certificate import Certificate, SeatPart, SourceKind
from schemas.seats import Seat
from tests.support.doubles.scenes.scenes import MemoryScenes
from tests.support.each import for_each
from tests.support.gateway.services import StageServices
from tests.support.scenes.secret_scene import NAMES, SecretScene, token

EVERYONE = ("ann", "bob", "cleo", "mira")
Break = Callable[[pytest.MonkeyPatch], None]


@pytest.fixture(scope="module")
def table() -> StageServices:
    """A scene of twelve rounds at whose end each character has a seat, with a draft at it."""
    services = StageServices()
    played = SecretScene(store=services.store).play(12)
    for name in NAMES:
        seat = invite(services, played.scene, name).seat
        services.store.seats.keep_draft(seat.id, token("draft", name))
    return services


def certificate_of(services: StageServices) -> Certificate:
    return certify(services, "quay").certificate


def test_no_seat_shows_what_its_character_did_not_witness(table: StageServices) -> None:
    found = certificate_of(table)

    assert not found.leaks
    assert {(each.who, each.part) for each in found.seats} == {
        (who, part) for who in EVERYONE[:3] for part in ("table", "events", "export")
    }
    assert min(each.words for each in found.seats) > 100
    assert min(each.closed for each in found.seats) > 40


def everything_said_is_shown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(views, "witnessed", lambda *_: True)


def what_was_taken_back_is_shown(patch: pytest.MonkeyPatch) -> None:
    kept = MemoryScenes.messages

    def all_of_them(self: Any, scene: str, **how: Any) -> Any:
        found = kept(self, scene, **(how | {"undone": True}))
        return tuple(each.model_copy(update={"undone": False}) for each in found)

    patch.setattr(MemoryScenes, "messages", all_of_them)


def of_another(seat: Seat) -> Seat:
    after = EVERYONE[(EVERYONE.index(seat.character) + 1) % 3]
    return seat.model_copy(update={"character": after})


def the_card_of_another_is_shown(patch: pytest.MonkeyPatch) -> None:
    own = views._character
    patch.setattr(views, "_character", lambda store, seat, *more: own(store, of_another(seat), *more))


def the_state_of_another_is_shown(patch: pytest.MonkeyPatch) -> None:
    own = views._character

    def with_state(store: Any, seat: Seat, *more: Any) -> Any:
        other = own(store, of_another(seat), *more)
        return replace(own(store, seat, *more), state=other.state)

    patch.setattr(views, "_character", with_state)


def what_is_to_come_is_shown(patch: pytest.MonkeyPatch) -> None:
    own = views._place
    patch.setattr(views, "_place", lambda at: replace(own(at), scenario=at.scene.notes.plot))


def the_draft_of_another_is_shown(patch: pytest.MonkeyPatch) -> None:
    own = views.table_of

    def with_draft(services: Any, seat: Seat, **how: Any) -> SeatTable:
        other = next(each for each in services.store.seats.of(seat.scene) if each.character != seat.character)
        return replace(own(services, seat, **how), draft=other.draft)

    patch.setattr(certifying, "table_of", with_draft)


def everything(store: Any, seat: Seat) -> Any:
    said = store.scenes.messages(seat.scene, newest=1_000)
    return iter([each.model_copy(update={"witnesses": EVERYONE}) for each in reversed(said)])


def the_export_is_of_the_whole_scene(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(exporting, "heard_by", everything)


def events_tell_of_the_whole_scene(patch: pytest.MonkeyPatch) -> None:
    own = views.table_of

    def of_all(services: Any, seat: Seat, **how: Any) -> SeatTable:
        found = [views.shown(seat, each) for each in everything(services.store, seat)]
        return replace(own(services, seat, **how), messages=tuple(found[::-1]))

    patch.setattr(events, "table_of", of_all)


def those_who_come_later_hear_it_too(patch: pytest.MonkeyPatch) -> None:
    def present_now(store: Any, seat: Seat) -> Any:
        here = store.scenes.state(seat.scene).roster
        said = reversed(store.scenes.messages(seat.scene, newest=1_000))
        return iter([each.model_copy(update={"witnesses": here}) for each in said if seat.character in here])

    patch.setattr(views, "heard_by", present_now)


BROKEN: tuple[tuple[Break, SourceKind, SeatPart], ...] = (
    (everything_said_is_shown, "message", "table"),
    (what_was_taken_back_is_shown, "taken back", "table"),
    (the_card_of_another_is_shown, "card", "table"),
    (the_state_of_another_is_shown, "intention", "table"),
    (what_is_to_come_is_shown, "foresight", "table"),
    (the_draft_of_another_is_shown, "draft", "table"),
    (the_export_is_of_the_whole_scene, "message", "export"),
    (events_tell_of_the_whole_scene, "message", "events"),
    (those_who_come_later_hear_it_too, "message", "table"),
)


@for_each("break_filter, kind, part", BROKEN)
def test_a_broken_filter_of_seats_is_caught(
    table: StageServices, break_filter: Break, kind: SourceKind, part: SeatPart
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        break_filter(patch)
        leaks = certificate_of(table).leaks

    assert (kind, part) in {(each.kind, each.part) for each in leaks}
