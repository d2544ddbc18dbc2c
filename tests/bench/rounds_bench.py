"""A director round in a young scene and in one of 5,000 rounds."""

import asyncio
import time

from activities.scenes.memory import charge_of
from gateway.desk.engine.waits import quietly
from gateway.desk.installed_services import InstalledServices
from gateway.desk.scene import rounds
from gateway.desk.scene.orders import RoundOptions
from penwright.adapters.store import Store
from penwright.ports.scenes import Embeddings
from tests.adapters.store.scenes.builders import a_memory, a_pass, a_turn, an_effect, an_end, an_order
from tests.bench.engine import BenchEngine, running_engine
from tests.bench.report import Row, milliseconds, say
from tests.support.scenes.playhouse import build_scene
from workers.embedding import embeddings_of

LONG, MEASURED = 5_000, 10
BUDGET = 1.3
_AT_ONCE = 100
_FIRST = 2
"""Rounds before those that are measured: connections and indexes are made."""
_CAST = ("ann", "bob")
_SAID = "The lamp on the jetty went out at {0}, and the master of berth {0} blames the wind."


def run(long: int = LONG, measured: int = MEASURED) -> list[Row]:
    """Play rounds by the demo model, lay out the rounds between, and play on."""
    with running_engine() as engine:
        return [_measured(engine, long, measured)]


def _measured(engine: BenchEngine, long: int, measured: int) -> Row:
    services = InstalledServices(engine.home.environ)
    store = engine.store()
    try:
        scene = build_scene(store.worlds, roster=_CAST)
        early = asyncio.run(_played(services, scene, measured))
        say(f"rounds: {long:,} rounds are laid out")
        _lay_out(store, embeddings_of(engine.loaded, store.ledger), scene, long)
        late = asyncio.run(_played(services, scene, measured))
    finally:
        store.close()
    ratio = _middle(late) / _middle(early)
    return Row(
        part="rounds",
        measure=f"a round of two replies after {long:,} rounds; after {_FIRST}",
        found=milliseconds(_middle(late)),
        baseline=milliseconds(_middle(early)),
        ratio=ratio,
        budget=f"<= {BUDGET}x",
        within=ratio <= BUDGET,
    )


async def _played(services: InstalledServices, scene: str, measured: int) -> list[float]:
    """Milliseconds of each round, from the order to the engine's answer that it has ended."""
    costs = []
    for number in range(_FIRST + measured):
        began = time.perf_counter()
        order = RoundOptions(kind="message", text=f"Who lit lamp {number}?", who="sam")
        played = await rounds.play(services, scene, order, wait=quietly)
        if played.result is None or played.result.outcome != "completed":
            raise RuntimeError(f"round {number} ended as {played.result}")
        costs.append((time.perf_counter() - began) * 1000)
    return costs[_FIRST:]


def _lay_out(store: Store, embeddings: Embeddings, scene: str, long: int) -> None:
    """Rounds as the engine would have stored them: replies, states, summaries, and what both remember."""
    located = store.worlds.locate(scene)
    if located is None:
        raise RuntimeError("the scene is gone")
    for number in range(long):
        _round(store, scene, number)
        if number % _AT_ONCE == 0:
            texts = [_SAID.format(number + each) for each in range(_AT_ONCE) for _ in _CAST]
            made = [
                a_memory(scene, text, round=number + 1, who=_CAST[at % 2], world=located.world.id)
                for at, text in enumerate(texts)
            ]
            store.memories.remember(made, embeddings.embed(texts, charge_of(an_effect(), scene)))


def _round(store: Store, scene: str, number: int) -> None:
    said = _SAID.format(number)
    opened = store.scenes.open_round(an_order(scene, said))
    if opened.code:
        raise RuntimeError(opened.message)
    state = opened.state
    store.scenes.keep_pass(a_pass(scene, opened.number, state, actors=_CAST))
    for who in _CAST:
        store.scenes.keep_turn(
            a_turn(store, scene, opened.number, who, f"{who}: {said}", state=state, witnesses=_CAST)
        )
    store.scenes.close_round(an_end(scene, opened.number, state))
    if number % 8 == 0:
        shown = {each.number: each.text for each in store.scenes.messages(scene, newest=24)}
        store.scenes.summarised(scene, "They talked of the lamp.", an_effect().op_id, _CAST, shown)


def _middle(costs: list[float]) -> float:
    return sorted(costs)[len(costs) // 2]
