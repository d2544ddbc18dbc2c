"""No seat is told what its character did not witness: not by its view, its events, its export, an error."""

import json
from collections.abc import Awaitable, Callable, Coroutine
from itertools import count
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.desk.engine.waits import quietly
from gateway.desk.scene import casting, changes, creating, rounds
from gateway.desk.scene.creating import NewScene
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.scene.table.events import SeatEvent, events_of
from gateway.desk.scene.table.exporting import export_of
from gateway.desk.scene.table.saying import say
from gateway.desk.scene.table.seats import invite, seat_of
from gateway.desk.scene.table.views import table_of
from penwright.errors import PenwrightError, UsageMistake
from schemas.base import Effect, OpId
from schemas.director import CastMember
from schemas.scene import CloseRound, OpenRound, Round
from schemas.seats import Seat
from schemas.worlds import Character, Scene, SceneNotes, World
from tests.support.gateway.services import StageServices

_T = TypeVar("_T")
CAST = ("ann", "bob", "cleo", "dov")
ACTS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(CAST)),
    st.tuples(st.just("come"), st.sampled_from(CAST)),
    st.tuples(st.just("go"), st.sampled_from(CAST)),
    st.tuples(st.just("undo"), st.just("")),
)


class Table:
    """A scene with a seat for each of the first three, played by a script; it knows who witnessed what."""

    def __init__(self) -> None:
        self.services = StageServices()
        worlds = self.services.store.worlds
        worlds.create(World(id="", name="Skerrow"))
        for name in CAST:
            worlds.create(Character(id="", name=name.capitalize(), secrets=f"SECRET-OF-{name}."))
        creating.create(self.services, NewScene(title="Quay", world="skerrow", cast=("Ann", "Bob")))
        self._note(plot="PLOT-OF-THE-SCENE", goals="GOALS-OF-THE-SCENE", direction="DIRECTION-OF-THE-SCENE")
        self.links = {who: invite(self.services, "quay", who).secret for who in CAST[:3]}
        self.here, self.numbers = {"ann", "bob"}, count(1)
        self.said: list[tuple[str, frozenset[str]]] = []
        """Tokens with who witnessed each."""
        self.met: dict[str, set[str]] = {who: {who, *(self.here if who in self.here else ())} for who in CAST}

    def _note(self, **notes: str) -> None:
        scene = self.services.store.worlds.read(Scene, "quay")
        assert scene is not None
        self.services.store.worlds.change(scene.model_copy(update={"notes": SceneNotes(**notes)}))

    def seat(self, who: str) -> Seat:
        return seat_of(self.services, self.links[who])

    def act(self, kind: str, who: str) -> None:
        if kind == "say" and who in self.here:
            self._say(who)
        elif kind == "undo" and self.said:
            changes.undo(self.services, "quay")
            self.said.pop()
            self.here = set(self.services.store.scenes.state("quay").roster)
        elif kind == "come":
            casting.change(self.services, "quay", [who], [])
            self.here.add(who)
        elif kind == "go" and who in self.here:
            casting.change(self.services, "quay", [], [who])
            self.here.discard(who)
        for each in self.here:
            self.met[each] |= self.here

    def _say(self, who: str) -> None:
        number, store = next(self.numbers), self.services.store
        token = f"TOKEN-{number:04}-TOKEN"
        effect = Effect(op_id=OpId(f"scene/quay#s{number}:1"), issued_at=self.services.now())
        voice = CastMember(id=who, name=who.capitalize())
        opened = store.scenes.open_round(
            OpenRound(effect=effect, scene="quay", session=f"s{number}", text=token, voice=voice)
        )
        played = Round(
            scene="quay",
            number=opened.number,
            kind="message",
            status="completed",
            before=opened.state,
            started_at=effect.issued_at,
        )
        ended = effect.model_copy(update={"op_id": OpId(f"scene/quay#s{number}:2")})
        store.scenes.close_round(
            CloseRound(
                effect=ended,
                scene="quay",
                round=played,
                state=store.scenes.state("quay"),
                session=f"s{number}",
            )
        )
        self.said.append((token, frozenset(self.here)))

    def witnessed(self, who: str) -> list[str]:
        return [token for token, there in self.said if who in there]

    def told(self, who: str) -> str:
        """All that a seat can read now."""
        services, seat = self.services, self.seat(who)
        files = [export_of(services, seat, form).content.decode() for form in ("markdown", "json")]
        return "\n".join([repr(table_of(services, seat, limit=200)), *files])


@settings(max_examples=25, deadline=None)
@given(st.lists(ACTS, max_size=30))
def test_a_seat_reads_what_its_character_witnessed_and_nothing_else(acts: list[tuple[str, str]]) -> None:
    table = Table()
    heard: dict[str, list[SeatEvent]] = {who: [] for who in table.links}
    marks = {who: events_of(table.services, table.seat(who))[-1].mark for who in table.links}
    for kind, who in acts:
        table.act(kind, who)
        for each in table.links:
            new = events_of(table.services, table.seat(each), marks[each])
            heard[each] += new
            marks[each] = new[-1].mark if new else marks[each]

    for who in table.links:
        view = table_of(table.services, table.seat(who), limit=200)
        assert [each.text for each in view.messages] == table.witnessed(who)
        told = table.told(who) + repr(heard[who])
        everything = {f"TOKEN-{number:04}-TOKEN" for number in range(1, next(table.numbers))}
        taken_back = everything - {token for token, _ in table.said}
        unheard = everything - set(table.witnessed(who)) - taken_back
        assert not [each for each in unheard if each in told]
        assert not [each for each in CAST if each != who and f"SECRET-OF-{each}" in told]
        assert not [each for each in ("PLOT", "GOALS", "DIRECTION") if f"{each}-OF-THE-SCENE" in told]
        strangers = set(CAST) - table.met[who]
        assert not [each for each in strangers if each in told.casefold()]


@settings(max_examples=15, deadline=None)
@given(st.lists(ACTS, max_size=20))
def test_of_what_its_character_does_not_witness_a_seat_gets_no_event(acts: list[tuple[str, str]]) -> None:
    table = Table()
    table.act("go", "cleo")
    mark = events_of(table.services, table.seat("cleo"))[-1].mark
    for kind, who in acts:
        table.act(kind, who if who != "cleo" else "dov")
        assert events_of(table.services, table.seat("cleo"), mark) == ()


def test_events_tell_each_message_once_also_from_a_mark_in_between() -> None:
    table = Table()
    start = events_of(table.services, table.seat("ann"))[-1].mark
    for _ in range(3):
        table.act("say", "bob")

    whole = events_of(table.services, table.seat("ann"), start)

    assert [each.message.text for each in whole if each.message] == table.witnessed("ann")
    for place, event in enumerate(whole):
        assert events_of(table.services, table.seat("ann"), event.mark) == whole[place + 1 :]


def test_a_message_that_is_taken_back_is_told_as_a_change() -> None:
    table = Table()
    table.act("say", "bob")
    mark = events_of(table.services, table.seat("ann"))[-1].mark

    table.act("undo", "")

    assert [each.kind for each in events_of(table.services, table.seat("ann"), mark)] == ["changed"]


@pytest.mark.parametrize("mark", ["1", "a.b.c.d.xyz", "0" * 500, "../..", "a.b.c.d.e.f", "a.b.c.d.é"])
def test_a_mark_that_is_none_of_ours_is_refused(mark: str) -> None:
    with pytest.raises(UsageMistake, match="the cursor is none of ours"):
        events_of((table := Table()).services, table.seat("ann"), mark)


def test_two_seats_have_no_name_of_a_message_in_common() -> None:
    table = Table()
    table.act("say", "bob")

    views = [table_of(table.services, table.seat(who)).messages for who in ("ann", "bob")]

    assert views[0][0].text == views[1][0].text
    assert views[0][0].id != views[1][0].id
    assert "quay/" not in json.dumps([each.id for view in views for each in view])


def test_a_seat_reads_on_from_a_message_in_both_directions() -> None:
    table = Table()
    for _ in range(5):
        table.act("say", "bob")
        table.act("say", "ann")
    whole = table_of(table.services, table.seat("ann"), limit=200).messages
    seat = table.seat("ann")

    newest = table_of(table.services, seat, limit=3)
    assert (newest.messages, newest.older) == (whole[-3:], True)
    assert table_of(table.services, seat, before=whole[3].id, limit=9).messages == whole[:3]
    assert table_of(table.services, seat, after=whole[3].id, limit=2).messages == whole[4:6]


async def test_a_seat_is_refused_in_words_that_name_no_round_and_nobody() -> None:
    table = Table()
    casting.change(table.services, "quay", ["dov"], [])
    await rounds.begin(table.services, "quay", RoundOptions(kind="continue", direct="Dov comes."))

    with pytest.raises(PenwrightError) as refusal:
        await say(table.services, table.seat("ann"), "Now?", turn=_impatient)

    table.services.rounds.answered.set()
    await rounds.watch(table.services, "quay", quietly)
    assert refusal.value.code == "round-runs"
    told = refusal.value.message + repr(refusal.value.details)
    assert not [each for each in ("quay", "session", "round 1", "Dov", "penwright") if each in told]


async def _impatient(awaited: Awaitable[_T], progress: Callable[[], Awaitable[object]], /) -> _T:
    """A wait that is over at once."""
    assert isinstance(awaited, Coroutine)
    awaited.close()
    raise TimeoutError
