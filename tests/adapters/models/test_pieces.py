"""Pieces of a reply go out now and then, without thoughts and reports, and nobody waits for them."""

import asyncio
import time

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.pieces import PieceCarrier
from penwright.adapters.models.provider import Hear
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.models.scripted import Script, ScriptedAnswer, ScriptedProvider
from penwright.errors import BudgetSpent, ModelUnavailable
from penwright.roles.scene import role_call
from schemas.budgets import Cap, Caps
from schemas.deltas import Delta
from schemas.model import ModelRequest, ModelResponse
from schemas.model_catalog import ModelCatalog
from schemas.scene import Author
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.deltas import MemoryDeltas
from tests.support.doubles.store import memory_store
from tests.support.scenes.prompts import scene_prompt
from tests.support.scenes.replies import SPOKEN
from tests.support.scenes.role_desk import SceneDesk

MODEL = Author(kind="model", name="quill-1")
PROSE = SPOKEN.partition("\n\n```state")[0]


def joined(deltas: list[Delta]) -> str:
    """What a reader has who puts the pieces where they belong."""
    text = ""
    for each in deltas:
        text = text[: each.position] + each.piece
    return text


async def test_pieces_are_gathered_and_only_prose_goes_out() -> None:
    deltas = MemoryDeltas()

    async with PieceCarrier(deltas, every_s=0.03).carrying("quay/4/ann", MODEL) as hear:
        for sign in f"<think>Hm. {SPOKEN}</think>\n{SPOKEN}":
            hear(sign)
            await asyncio.sleep(0.001)

    assert joined(deltas.sent) == PROSE
    assert 2 <= len(deltas.sent) < 20
    assert {(each.scene, each.round, each.character) for each in deltas.sent} == {("quay", 4, "ann")}


@pytest.mark.parametrize("address", ["", "quay", "quay/x/ann", "quay/4/", "/4/ann"])
async def test_an_address_that_is_none_gets_nothing_and_harms_nobody(address: str) -> None:
    deltas = MemoryDeltas()

    async with PieceCarrier(deltas).carrying(address, MODEL) as hear:
        hear("Hello.")

    assert deltas.sent == []


async def test_who_carries_slowly_holds_up_no_reply() -> None:
    class Slow(MemoryDeltas):
        def send(self, *piece: object) -> None:
            time.sleep(1.5)

    begun = time.monotonic()
    async with PieceCarrier(Slow()).carrying("quay/4/ann", MODEL) as hear:
        hear("Hello.")
        await asyncio.sleep(0.05)

    assert time.monotonic() - begun < 1


def model(deltas: MemoryDeltas, *answers: ScriptedAnswer) -> LedgeredModel:
    ledger = memory_store(clock=SystemClock()).ledger
    return LedgeredModel(ScriptedProvider(Script(answers=answers)), ledger, PieceCarrier(deltas))


async def test_an_answer_that_is_heard_is_stored_and_paid_once_as_any_other() -> None:
    deltas = MemoryDeltas()
    ledgered = model(deltas, ScriptedAnswer(text=PROSE))
    request = model_request("Go on.", stream_to="quay/4/ann")

    first = await ledgered.complete(request)
    heard = len(deltas.sent)
    again = await ledgered.complete(request)

    assert first.text == again.text == PROSE
    assert again.repeated
    assert joined(deltas.sent[:heard]) == PROSE
    assert len(deltas.sent) == heard


async def test_after_a_failed_attempt_the_reply_begins_anew() -> None:
    deltas = MemoryDeltas()
    ledgered = model(
        deltas, ScriptedAnswer(heard="A lost beginning. And", text=PROSE, fault="unavailable", times=1)
    )
    request = model_request("Go on.", stream_to="quay/4/ann")

    with pytest.raises(ModelUnavailable):
        await ledgered.complete(request)
    await ledgered.complete(request)

    assert deltas.sent[0].piece.startswith("A lost beginning.")
    assert joined(deltas.sent) == PROSE
    assert sum(each.position == 0 for each in deltas.sent) == 2


async def test_nothing_goes_out_where_json_is_wanted_or_nobody_asked() -> None:
    deltas = MemoryDeltas()
    ledgered = model(deltas, ScriptedAnswer(text=PROSE))

    await ledgered.complete(model_request("Go on.", op_id="a"))
    await ledgered.complete(
        model_request("Go on.", op_id="b", stream_to="quay/4/ann", output_schema={"type": "object"})
    )

    assert deltas.sent == []


async def test_a_characters_call_streams_through_the_whole_way_and_a_directors_does_not() -> None:
    deltas, store = MemoryDeltas(), memory_store(clock=SystemClock())
    desk = SceneDesk(ModelRouter(ModelCatalog(), ledger=store.ledger, deltas=deltas), store)
    director = desk.call("director", scene_prompt(), stream_to="quay/4/director")
    ann = desk.call("character", scene_prompt(who="Ann"), stream_to="quay/4/ann", name="Ann")

    await desk.run(director)
    assert deltas.sent == []
    run = await desk.run(ann.model_copy(update={"run_id": "scene/quay#s1:5"}))

    text, _ = role_call.reply_of(run)
    assert joined(deltas.sent) == store.blobs.get(text).decode()


class Endless(ScriptedProvider):
    """Begins to speak, and never ends."""

    def __init__(self) -> None:
        super().__init__(Script())
        self.spoken = asyncio.Event()

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        assert hear is not None
        hear("Half a sen")
        self.spoken.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_reply_that_is_cancelled_while_it_streams_gives_its_reservation_back() -> None:
    deltas = MemoryDeltas()
    ledger = memory_store(clock=SystemClock(), caps=Caps(run=Cap(tokens=600))).ledger
    endless, asked = Endless(), model_request("Go on.", stream_to="quay/4/ann")
    asking = asyncio.create_task(LedgeredModel(endless, ledger, PieceCarrier(deltas)).complete(asked))
    await asyncio.wait_for(endless.spoken.wait(), 20)
    next_one = model_request("And you?", op_id="next", stream_to="quay/4/bob")
    answers = ScriptedProvider(Script(answers=(ScriptedAnswer(text="Here."),)))
    other = LedgeredModel(answers, ledger, PieceCarrier(deltas))
    with pytest.raises(BudgetSpent):
        await other.complete(next_one)

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    assert ledger.spending(asked.scope, day=SystemClock().now())["run"].calls == 0
    assert (await other.complete(next_one)).text == "Here."


async def test_a_cancelled_call_leaves_no_task_behind() -> None:
    deltas = MemoryDeltas()
    ledger = memory_store(clock=SystemClock()).ledger
    endless = Endless()
    ledgered = LedgeredModel(endless, ledger, PieceCarrier(deltas))
    before = asyncio.all_tasks()
    asking = asyncio.create_task(ledgered.complete(model_request("Go on.", stream_to="quay/4/ann")))
    await asyncio.wait_for(endless.spoken.wait(), 20)

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == before
