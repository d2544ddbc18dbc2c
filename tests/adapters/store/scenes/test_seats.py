"""Seats of scenes, in PostgreSQL and in memory alike."""

from datetime import timedelta

import pytest

from schemas.seats import Seat
from schemas.worlds import Character, Scene
from tests.adapters.store.builders import AnyStore, SetClock
from tests.adapters.store.scenes.builders import a_scene


@pytest.fixture
def seat(store: AnyStore, clock: SetClock) -> Seat:
    scene, now = a_scene(store, "Ann", "Bob").id, clock.now()
    return Seat(id="a1", scene=scene, character="ann", name="Ann", since=now, expires_at=now + timedelta(1))


def test_a_seat_is_found_by_the_digest_of_its_secret_alone(store: AnyStore, seat: Seat) -> None:
    assert store.seats.give(seat, "digest")

    assert store.seats.find("digest") == seat
    assert store.seats.find("other") is None
    assert store.seats.of(seat.scene) == (seat,)


def test_a_character_has_one_seat_that_is_not_over(store: AnyStore, seat: Seat) -> None:
    store.seats.give(seat, "digest")
    later = seat.model_copy(update={"id": "a2", "since": seat.since + timedelta(hours=1)})
    other = later.model_copy(update={"id": "a3", "character": "bob", "name": "Bob"})

    assert not store.seats.give(later, "later")
    assert store.seats.give(other, "other")
    assert store.seats.end(seat.id, "left", later.since)
    assert store.seats.give(later, "later")

    assert [each.id for each in store.seats.of(seat.scene)] == ["a1", "a2", "a3"]


def test_a_seat_that_is_over_stays_so_and_its_draft_is_gone(store: AnyStore, seat: Seat) -> None:
    store.seats.give(seat, "digest")
    store.seats.keep_draft(seat.id, "I lit")
    store.seats.seen(seat.id, seat.since)
    found = store.seats.find("digest")
    assert found is not None
    assert (found.draft, found.seen_at) == ("I lit", seat.since)

    assert store.seats.end(seat.id, "taken-away", seat.since)
    store.seats.keep_draft(seat.id, "too late")

    assert not store.seats.end(seat.id, "left", seat.since)
    ended = store.seats.find("digest")
    assert ended is not None
    assert (ended.over, ended.over_at, ended.draft) == ("taken-away", seat.since, "")
    assert not store.seats.end("nobody", "left", seat.since)


def test_a_seat_goes_with_its_scene_and_with_its_character(store: AnyStore, seat: Seat) -> None:
    store.seats.give(seat, "ann")
    store.seats.give(seat.model_copy(update={"id": "b1", "character": "bob", "name": "Bob"}), "bob")

    store.worlds.remove(Character, "ann")
    assert store.seats.find("ann") is None
    assert [each.id for each in store.seats.of(seat.scene)] == ["b1"]

    store.worlds.remove(Scene, seat.scene)
    assert store.seats.find("bob") is None
