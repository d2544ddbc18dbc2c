"""People at one table: seats are given and end, and each sees and says what its character may."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from gateway.desk.engine.waits import quietly
from gateway.desk.scene import casting, changes, rounds
from gateway.desk.scene.orders import RoundOptions, order_of
from gateway.desk.scene.table.saying import draft, say
from gateway.desk.scene.table.seats import Invitation, invite, leave, seat_of, seats, take_away
from gateway.desk.scene.table.views import table_of
from gateway.desk.worlds.kinds import CHARACTER
from gateway.desk.worlds.removing import removal, remove
from penwright.errors import NotFound, PenwrightError, Refused, UsageMistake
from schemas.seats import Seat
from schemas.worlds import Character, Scene
from tests.support.gateway.services import StageServices


def seated(services: StageServices, who: str = "Ann") -> Seat:
    """The seat of one who came by an invitation."""
    services.clock.later(seconds=1)
    return seat_of(services, invite(services, "quay", who).secret)


def taken(services: StageServices) -> tuple[str, ...]:
    scene = services.store.worlds.read(Scene, "quay")
    assert scene is not None
    return scene.taken


def refused(services: StageServices, invited: Invitation) -> str:
    with pytest.raises(PenwrightError) as refusal:
        seat_of(services, invited.secret)
    return refusal.value.code


def test_an_invitation_gives_the_character_to_the_person_and_shows_its_secret_once(
    services: StageServices,
) -> None:
    invited = invite(services, "quay", "Ann", timedelta(hours=2))

    seat = seat_of(services, invited.secret)

    assert (seat.character, seat.name, seat.scene) == ("ann", "Ann", "quay")
    assert taken(services) == ("ann",)
    assert invited.secret not in repr(services.store.seats.of("quay"))
    assert invited.secret not in repr(seats(services, "quay"))


def test_a_character_has_one_seat_at_a_time(services: StageServices) -> None:
    invite(services, "quay", "Ann")

    with pytest.raises(Refused) as refusal:
        invite(services, "quay", "Ann")

    assert refusal.value.code == "seat-given"
    assert "take-away quay ann" in refusal.value.details["hint"]


@pytest.mark.parametrize("lasts", [timedelta(), timedelta(days=-1), timedelta(days=367)])
def test_a_seat_lasts_some_time_and_no_more_than_a_year(services: StageServices, lasts: timedelta) -> None:
    with pytest.raises(UsageMistake, match="a seat lasts at most 366 days"):
        invite(services, "quay", "Ann", lasts)


def test_who_leaves_gives_the_character_back_and_the_link_opens_nothing(services: StageServices) -> None:
    invited = invite(services, "quay", "Ann")

    leave(services, seat_of(services, invited.secret))

    assert taken(services) == ()
    assert refused(services, invited) == "seat-left"


def test_a_seat_that_is_taken_away_gives_the_character_back(services: StageServices) -> None:
    invited = invite(services, "quay", "Ann")

    take_away(services, "quay", "ann")

    assert taken(services) == ()
    assert refused(services, invited) == "seat-taken-away"
    with pytest.raises(NotFound, match="nobody has a seat as Ann"):
        take_away(services, "quay", "ann")


def test_a_seat_that_has_expired_gives_the_character_back_before_the_next_round(
    services: StageServices,
) -> None:
    invited = invite(services, "quay", "Ann", timedelta(hours=1))
    services.clock.later(hours=1)

    with pytest.raises(Refused, match="played by the model"):
        order_of(services, "quay", RoundOptions(text="I am Ann.", voice="Ann"))

    assert taken(services) == ()
    assert refused(services, invited) == "seat-expired"
    assert invite(services, "quay", "Ann").seat.over is None


def test_a_link_that_was_never_given_opens_nothing(services: StageServices) -> None:
    invited = invite(services, "quay", "Ann")

    for secret in ("", "pws_", invited.secret[:-1], invited.secret + "a", "pw_" + invited.secret):
        with pytest.raises(NotFound, match="this link opens no seat"):
            seat_of(services, secret)


def test_no_other_way_gives_back_a_character_that_an_invited_person_plays(services: StageServices) -> None:
    invite(services, "quay", "Ann")

    with pytest.raises(Refused) as refusal:
        casting.give_back(services, "quay", "Ann")

    assert refusal.value.code == "seat-given"


def test_no_one_takes_over_what_an_invited_person_plays(services: StageServices) -> None:
    invite(services, "quay", "Ann")

    with pytest.raises(Refused) as refusal:
        casting.take_over(services, "quay", "Ann")

    assert refusal.value.code == "seat-given"


async def test_who_takes_over_after_a_seat_has_expired_keeps_the_character(services: StageServices) -> None:
    invited = invite(services, "quay", "Ann", timedelta(hours=1))
    services.clock.later(hours=1)

    casting.take_over(services, "quay", "Ann")
    order_of(services, "quay", RoundOptions(text="I am Ann.", voice="Ann"))

    assert taken(services) == ("ann",)
    assert refused(services, invited) == "seat-expired"
    casting.give_back(services, "quay", "Ann")
    assert taken(services) == ()


def test_a_branch_has_no_seats(services: StageServices) -> None:
    invite(services, "quay", "Ann")
    casting.take_over(services, "quay", "Bob")

    _, branch = changes.branch(services, "quay", 0, "Elsewhere")

    assert branch.taken == ("bob",)
    assert seats(services, branch.id) == ()


def test_presence_is_stored_now_and_then_and_is_over_a_minute_after_the_last_sign(
    services: StageServices,
) -> None:
    invited = invite(services, "quay", "Ann")
    assert [each.present for each in seats(services, "quay")] == [False]

    first = seat_of(services, invited.secret)
    services.clock.later(seconds=5)
    assert seat_of(services, invited.secret).seen_at == first.seen_at
    services.clock.later(seconds=10)
    assert seat_of(services, invited.secret).seen_at != first.seen_at

    assert [each.present for each in seats(services, "quay")] == [True]
    services.clock.later(seconds=60)
    assert [each.present for each in seats(services, "quay")] == [False]


def test_a_clock_that_was_set_back_keeps_nobody_at_the_table(services: StageServices) -> None:
    invited = invite(services, "quay", "Ann")
    seat_of(services, invited.secret)

    services.clock.later(hours=-3)

    assert [each.present for each in seats(services, "quay")] == [False]
    assert seat_of(services, invited.secret).seen_at == services.now()
    assert [each.present for each in seats(services, "quay")] == [True]


def test_the_turn_passes_over_one_whose_seat_has_just_expired(services: StageServices) -> None:
    ann, bob = (invite(services, "quay", who, timedelta(hours=n)) for who, n in (("Ann", 1), ("Bob", 2)))
    _set(services, turns="initiative")
    services.clock.later(minutes=59, seconds=50)
    seat_of(services, ann.secret)
    services.clock.later(seconds=10)

    table = table_of(services, seat_of(services, bob.secret))

    assert table.turn.yours
    assert {each.name: each.present for each in table.here} == {"Ann": False, "Bob": True, "Mira": False}


async def test_a_seat_speaks_as_its_character_and_no_model_does(services: StageServices) -> None:
    seat = seated(services)

    await say(services, seat, "I lit it.", turn=quietly)
    await rounds.watch(services, "quay", quietly)

    order = services.rounds.given[-1]
    assert order.voice is not None
    assert (order.voice.id, order.who) == ("ann", "Ann")
    said = services.store.scenes.messages("quay")[0]
    assert (said.name, said.text, said.speaker) == ("Ann", "I lit it.", "user")
    assert set(said.witnesses) == {"ann", "bob", "mira"}
    assert table_of(services, seat).messages[0].mine


async def test_a_character_that_is_elsewhere_says_nothing(services: StageServices) -> None:
    seat = seated(services, "Cleo")

    with pytest.raises(Refused) as refusal:
        await say(services, seat, "Am I here?", turn=quietly)

    assert refusal.value.code == "not-here"
    assert services.rounds.given == []


def test_a_draft_is_seen_by_its_own_seat_alone_and_gone_when_it_is_said(services: StageServices) -> None:
    ann, bob = invite(services, "quay", "Ann"), invite(services, "quay", "Bob")

    draft(services, seat_of(services, ann.secret), "I lit it, and")

    assert table_of(services, seat_of(services, ann.secret)).draft == "I lit it, and"
    assert table_of(services, seat_of(services, bob.secret)).draft == ""


async def test_what_was_typed_while_words_waited_stays_a_draft(services: StageServices) -> None:
    ann = seated(services)
    draft(services, ann, "One, ")
    casting.change(services, "quay", ["Cleo"], ())
    services.rounds.gate = asyncio.Event()
    await rounds.play(services, "quay", RoundOptions(text="Listen."), wait=None)

    waiting = asyncio.ensure_future(say(services, ann, "One.", turn=quietly))
    await asyncio.sleep(0.1)
    draft(services, ann, "And two")
    services.rounds.gate.set()
    await waiting
    assert table_of(services, services.store.seats.of("quay")[0]).draft == "And two"

    await say(services, services.store.seats.of("quay")[0], "And two.", turn=quietly)
    assert table_of(services, services.store.seats.of("quay")[0]).draft == ""


async def test_by_initiative_one_speaks_after_the_other(services: StageServices) -> None:
    ann, bob = seated(services), seated(services, "Bob")
    _set(services, turns="initiative")
    assert [table_of(services, each).turn.yours for each in (ann, bob)] == [True, False]

    with pytest.raises(Refused) as early:
        await say(services, bob, "Me first.", turn=quietly)
    await say(services, ann, "I lit it.", turn=quietly)
    await rounds.watch(services, "quay", quietly)

    assert early.value.code == "not-your-turn"
    assert table_of(services, ann).turn.who == "Bob"
    await say(services, bob, "Did you?", turn=quietly)
    await rounds.watch(services, "quay", quietly)
    assert [each.text for each in table_of(services, bob).messages] == ["I lit it.", "Did you?"]


async def test_while_a_round_runs_words_wait_for_its_end(services: StageServices) -> None:
    ann, bob = seated(services), seated(services, "Bob")
    services.rounds.gate = asyncio.Event()

    await asyncio.gather(say(services, ann, "One.", turn=quietly), say(services, bob, "Two.", turn=quietly))
    await rounds.watch(services, "quay", quietly)

    assert sorted(each.text for each in table_of(services, ann).messages) == ["One.", "Two."]


async def queued_behind_a_round(
    services: StageServices, seat: Seat, meanwhile: Callable[[], object]
) -> PenwrightError:
    """The refusal of words that waited for a round, in which something happened."""
    casting.change(services, "quay", ["Cleo"], ())
    services.rounds.gate = asyncio.Event()
    await rounds.play(services, "quay", RoundOptions(text="Listen."), wait=None)
    waiting = asyncio.ensure_future(say(services, seat, "As I was saying.", turn=quietly))
    await asyncio.sleep(0.1)
    meanwhile()
    services.rounds.gate.set()

    with pytest.raises(PenwrightError) as refusal:
        await waiting

    assert [each.text for each in services.rounds.given] == [services.store.blobs.put(b"Listen.")]
    return refusal.value


async def test_words_that_waited_are_not_said_for_a_seat_that_ended_meanwhile(
    services: StageServices,
) -> None:
    ann = seated(services)

    refusal = await queued_behind_a_round(services, ann, lambda: take_away(services, "quay", "Ann"))

    assert refusal.code == "seat-taken-away"


def test_a_removed_character_leaves_its_successor_to_the_model(services: StageServices) -> None:
    invited = invite(services, "quay", "Cleo")

    remove(services, removal(services, CHARACTER, "cleo"))
    services.store.worlds.create(Character(id="", name="Cleo"))

    assert taken(services) == ()
    assert refused(services, invited) == "seat-unknown"
    assert invite(services, "quay", "Cleo").seat.character == "cleo"


@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_name_means_no_character(services: StageServices, blank: str) -> None:
    for name in ("Bob", "Cleo"):
        nicknamed = services.store.worlds.find(Character, name)[0].model_copy(update={"nickname": "B"})
        services.store.worlds.change(nicknamed)

    with pytest.raises(NotFound, match="there is no character"):
        invite(services, "quay", blank)


async def test_a_seat_that_went_with_its_scene_or_character_opens_and_says_nothing(
    services: StageServices,
) -> None:
    cleo, ann = invite(services, "quay", "Cleo"), invite(services, "quay", "Ann")
    sitting = [seat_of(services, each.secret) for each in (cleo, ann)]
    services.store.worlds.remove(Character, "cleo")
    services.store.worlds.remove(Scene, "quay")

    for invited, seat in zip((cleo, ann), sitting, strict=True):
        with pytest.raises(NotFound) as refusal:
            await say(services, seat, "Still here?", turn=quietly)

        assert (refusal.value.code, refused(services, invited)) == ("seat-unknown", "seat-unknown")


async def test_words_that_waited_are_not_said_by_one_who_was_sent_out_meanwhile(
    services: StageServices,
) -> None:
    ann = seated(services)

    refusal = await queued_behind_a_round(
        services, ann, lambda: casting.change(services, "quay", add=(), remove=["Ann"])
    )

    assert refusal.code == "not-here"


async def test_by_initiative_words_that_one_sends_twice_take_one_turn(services: StageServices) -> None:
    services.store.worlds.create(Character(id="dov", name="Dov"))
    casting.change(services, "quay", ["Cleo", "Dov"], ())
    ann = seated(services)
    seated(services, "Bob")
    _set(services, turns="initiative")
    services.rounds.gate = asyncio.Event()

    sent = (say(services, ann, text, turn=quietly) for text in ("One.", "Two."))
    waiting = asyncio.ensure_future(asyncio.gather(*sent, return_exceptions=True))
    await asyncio.sleep(0.1)
    services.rounds.gate.set()
    ends = await waiting

    assert [end.code for end in ends if isinstance(end, PenwrightError)] == ["not-your-turn"]
    assert len(services.rounds.given) == 1


async def test_a_namesake_of_the_persona_witnesses_nothing_in_its_place(services: StageServices) -> None:
    namesake = services.store.worlds.create(Character(id="", name="Mira"))
    seat = seated(services, namesake.id)

    await rounds.play(services, "quay", RoundOptions(text="Nobody hears."), wait=quietly)

    assert table_of(services, seat).messages == ()


def test_the_turn_of_one_whom_a_seat_does_not_see_has_no_name(services: StageServices) -> None:
    cleo = seated(services, "Cleo")
    seated(services)
    _set(services, turns="initiative")

    turn = table_of(services, cleo).turn

    assert (turn.yours, turn.who) == (False, "")


def _set(services: StageServices, **settings: Any) -> None:
    """Change settings of the scene. Any: of several types."""
    scene = services.store.worlds.read(Scene, "quay")
    assert scene is not None
    knobs = scene.settings.model_copy(update=settings)
    services.store.worlds.change(scene.model_copy(update={"settings": knobs}))
