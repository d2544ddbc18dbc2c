"""Rounds of scenes: started or queued, followed, told something, ended."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from gateway.desk.engine.messages import not_acknowledged
from gateway.desk.engine.pipelines import Message
from gateway.desk.engine.rounds import Rounds
from gateway.desk.engine.waits import Wait, quietly
from gateway.desk.scene import finding, following, numbers, steering
from gateway.desk.scene.following import Spoken, Teller, Told
from gateway.desk.scene.orders import RoundOptions, order_of
from gateway.desk.scene.waiting_plan import held
from gateway.desk.services import Services
from penwright.errors import EngineUnavailable, PermanentError, Refused
from schemas.base import Effect, OpId, Progress
from schemas.control import KillRequest
from schemas.director_round import DirectorRoundInput, DirectorRoundResult, NumberedResult
from schemas.scene import CloseRound
from schemas.worlds import Scene

_PATIENCE_S = 5.0
_NUMBER_S = 2.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Played:
    """A round that was started."""

    given: DirectorRoundInput
    result: NumberedResult | None = None
    """None: no caller waited for its end."""


def _always() -> None:
    """Allow every round."""


async def play(
    services: Services,
    named: str,
    wanted: RoundOptions,
    *,
    queue: bool = False,
    turn: Wait = quietly,
    wait: Wait | None,
    told: Told | None = None,
    check: Callable[[], None] = _always,
) -> Played:
    """Start a round, and wait for its end; without ``wait``, return as soon as it is started.

    Nobody waits for the end of a round that was started before with the session of ``wanted``.

    Args:
        queue: wait for the end of a round that runs, in place of a refusal.
        turn: waits for that end; a ``TimeoutError`` of it is the refusal after all.
        told: is given each message once it is stored.
        check: raises where the round may not be played; asked again, as ``order_of`` is, after each wait.

    Raises:
        Refused: ``round-runs``; and as ``order_of``.
    """
    if wanted.session and (stored := await asyncio.to_thread(_stored, services, named, wanted.session)):
        return Played(stored)
    given = await asyncio.to_thread(_order, services, named, wanted, check)
    async with services.engine() as engine:
        seen = await asyncio.to_thread(_seen, services, given.scene) if told else frozenset()
        while not await _started(engine.rounds, given, check):
            if wanted.session and await engine.rounds.session(given.scene) == wanted.session:
                return Played(given)
            if not queue:
                raise await _busy(services, engine.rounds, given.scene)
            try:
                await _turn(engine.rounds, given.scene, turn)
            except TimeoutError:
                raise await _busy(services, engine.rounds, given.scene) from None
            given = await asyncio.to_thread(_order, services, given.scene, wanted, check)
            seen = await asyncio.to_thread(_seen, services, given.scene) if told else frozenset()
        await asyncio.to_thread(steering.taken, services, given)
        if wait is None:
            return Played(given)
        ended = await _ending(services, engine.rounds, given, wait, Teller(told, seen) if told else None)
    return Played(given, ended)


def _stored(services: Services, named: str, session: str) -> DirectorRoundInput | None:
    """The round of this session, if it stands in the store, without what was asked of it."""
    given = DirectorRoundInput(scene=scene_of(services, named).id, session=session)
    return given if _stands(services, given) else None


def _order(
    services: Services, named: str, wanted: RoundOptions, check: Callable[[], None]
) -> DirectorRoundInput:
    check()
    return order_of(services, named, wanted)


async def _started(rounds: Rounds, given: DirectorRoundInput, check: Callable[[], None]) -> bool:
    await asyncio.to_thread(check)
    return await rounds.start(given)


async def begin(
    services: Services,
    named: str,
    wanted: RoundOptions,
    *,
    queue: bool = False,
    turn: Wait = quietly,
    check: Callable[[], None] = _always,
) -> Played:
    """Start a round and return once it stands in the store, where pages look for it; as ``play``.

    Without a worker it returns after a few seconds all the same.
    """
    played = await play(services, named, wanted, queue=queue, turn=turn, wait=None, check=check)
    patient_until = time.monotonic() + _PATIENCE_S
    while not await asyncio.to_thread(_stands, services, played.given):
        if time.monotonic() > patient_until:
            break
        await asyncio.sleep(_POLL_S)
    return played


def _stands(services: Services, given: DirectorRoundInput) -> bool:
    with services.open_store() as store:
        return store.scenes.has_session(given.scene, given.session)


async def watch(services: Services, named: str, wait: Wait, told: Told | None = None) -> NumberedResult:
    """Wait for the end of the round that runs, or return how the last one ended.

    Raises:
        Refused: ``no-round-runs``, if none ever ran.
    """
    scene = await asyncio.to_thread(scene_of, services, named)
    seen = await asyncio.to_thread(_seen_before_the_round, services, scene.id)
    async with services.engine() as engine:
        given = DirectorRoundInput(scene=scene.id, session="")
        ended = await _ending(services, engine.rounds, given, wait, Teller(told, seen) if told else None)
    if ended is None:
        raise no_round_runs(scene.id)
    return ended


async def round_progress(services: Services, scene: str) -> Progress | None:
    """Progress of the round that runs; None when none does, or no engine or worker answers."""
    try:
        async with services.engine() as engine:
            return await engine.rounds.progress(scene)
    except EngineUnavailable:
        return None


async def send(services: Services, named: str, message: Message) -> Scene:
    """Kill, pause or resume the round; returns once it has confirmed that.

    Raises:
        Refused: ``no-round-runs``.
        EngineUnavailable: the error of ``not_acknowledged``.
    """
    scene = await asyncio.to_thread(scene_of, services, named)
    async with services.engine() as engine:
        answer = await engine.rounds.signal(scene.id, message)
    if answer.found == "nothing":
        if isinstance(message, KillRequest) and await asyncio.to_thread(
            _closed_lost, services, scene, message
        ):
            return scene
        raise no_round_runs(scene.id)
    if not answer.heard:
        raise not_acknowledged(scene.id, answer)
    return scene


async def stop(services: Services, named: str, reason: str, *, who: str = "") -> Scene:
    """End the round in mid-reply: what is spoken stays; ``Refused`` ``no-round-runs``.

    Args:
        who: who asks; empty: the person of the services.
    """
    scene = await asyncio.to_thread(scene_of, services, named)
    async with services.engine() as engine:
        if await engine.rounds.progress(scene.id) is None:
            raise no_round_runs(scene.id)
        await engine.rounds.halt(scene.id, KillRequest(who=who or services.person(), reason=reason))
    return scene


def scene_of(services: Services, named: str) -> Scene:
    """The scene that ``named`` means; raises as ``finding.scene``."""
    with services.open_store() as store:
        return finding.scene(store, named)


def more_room(scene: str) -> str:
    """The next step where a prompt of the scene has no room for what may not be cut."""
    return f"`penwright scene state {scene} --set context_tokens=N` makes room"


def no_round_runs(scene: str) -> Refused:
    """Make the error for a missing round."""
    return Refused(
        "no-round-runs",
        f"no round runs in {scene!r}",
        hint=f"`penwright scene say {scene} TEXT` begins one, `penwright scene show {scene}` shows the last",
    )


async def _busy(services: Services, rounds: Rounds, scene: str) -> Refused:
    session = await rounds.session(scene)
    number, waits = await _numbered(services, rounds, scene)
    progress = await rounds.progress(scene)
    which = f"round {number}" if number else "a round"
    if progress is not None and progress.paused:
        stands, way = "is paused", f"`penwright scene resume {scene}` lets it go on"
    elif waits:
        stands, way = "waits for approval of its plan", f"`penwright scene approve {scene}` plays it"
    else:
        stands, way = "runs", "`--queue` waits for its end"
    return Refused(
        "round-runs",
        f"{which} {stands} in {scene!r} (session {session or 'unknown'}); nothing was started",
        hint=f"{way}, `penwright scene stop {scene}` ends it",
        round=str(number or ""),
        session=session,
    )


async def _numbered(services: Services, rounds: Rounds, scene: str) -> tuple[int | None, bool]:
    """As ``_running``; a round that has just begun gets its number within moments, and is waited for."""
    patient_until = time.monotonic() + _NUMBER_S
    while True:
        found = await asyncio.to_thread(_running, services, scene)
        over = time.monotonic() > patient_until
        if found[0] is not None or over or await rounds.progress(scene) is None:
            return found
        await asyncio.sleep(_POLL_S)


def _running(services: Services, named: str) -> tuple[int | None, bool]:
    """The round that runs, and whether its plan waits for a person."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        number = numbers.numbering(store, scene.id).number(store.scenes.running(scene.id))
        return number or None, held(store, scene) is not None


async def _turn(rounds: Rounds, scene: str, wait: Wait) -> None:
    """Wait until the round that runs has ended, however it ended."""

    async def ended() -> None:
        with suppress(PermanentError):
            await rounds.result(scene)

    await wait(ended(), lambda: rounds.progress(scene))


def _seen(services: Services, scene: str) -> frozenset[Spoken]:
    with services.open_store() as store:
        return following.spoken(store, scene)


def _seen_before_the_round(services: Services, scene: str) -> frozenset[Spoken]:
    """Marks of the messages before the running round; without one, of all."""
    with services.open_store() as store:
        running = store.scenes.running(scene)
        said = store.scenes.messages(scene, newest=following.NEWEST)
    return following.marks(each for each in said if each.round != running)


def _closed_lost(services: Services, scene: Scene, request: KillRequest) -> bool:
    """Close a round that is open in the store while nothing plays it; False if there is none.

    The next round would do it as well; until then nothing in the scene could be changed.
    """
    now = services.now()
    with services.open_store() as store:
        number = store.scenes.running(scene.id)
        lost = store.scenes.round(scene.id, number) if number is not None else None
        if lost is None:
            return False
        ended = {"status": "stopped", "code": "killed", "reason": request.reason, "ended_at": now}
        store.scenes.close_round(
            CloseRound(
                effect=Effect(op_id=OpId(f"{lost.op_id}/killed"), issued_at=now),
                scene=scene.id,
                round=lost.model_copy(update=ended),
                state=store.scenes.state(scene.id),
            )
        )
    return True


async def _ending(
    services: Services, rounds: Rounds, given: DirectorRoundInput, wait: Wait, teller: Teller | None
) -> NumberedResult | None:
    waited: Awaitable[DirectorRoundResult | None] = rounds.result(given.scene, given.session)
    if teller is not None:
        waited = following.told_until(services, given.scene, waited, teller)
    ended = await wait(waited, lambda: rounds.progress(given.scene))
    return await asyncio.to_thread(_numbered_end, services, ended) if ended is not None else None


def _numbered_end(services: Services, ended: DirectorRoundResult) -> NumberedResult:
    with services.open_store() as store:
        return numbers.ended(store, ended)
