"""Directions of people for the director: holding, approval and change of plans; notes for rounds."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from gateway.desk.engine.connection import Engine
from gateway.desk.engine.waits import quietly
from gateway.desk.scene import finding
from gateway.desk.scene.changes import undo
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.scene.rounds import begin, no_round_runs, scene_of, stop, watch
from gateway.desk.scene.steering import changed, forget, merged
from gateway.desk.scene.views import round_of
from gateway.desk.scene.waiting_plan import held
from gateway.desk.services import Services
from penwright.errors import Refused, UsageMistake
from schemas.director import ApprovedTurn, PlanApproval, Steering
from schemas.director_round import DirectorRoundInput
from schemas.scene import PassRecord
from schemas.worlds import Scene

_NAMES: Final = "names"
_LOOK: Final = "`penwright scene show {0}` shows the plan that waits, and who is there"
_STEPS: Final = {
    "unknown-name": _NAMES,
    "no-guidance": 'write it as `--act "NAME=GUIDANCE"`',
    "duplicate-actor": "name each character once",
    "too-many-turns": "leave some out, and let them act in the next round",
    "guidance-too-long": "say it shorter, or put long facts into a lorebook",
    "has-acted": "leave it out: it acts again in the next round",
    "no-round-runs": "`penwright scene say {0} TEXT` begins one",
}
"""Code of a refused approval -> what to do; ``{0}`` is the scene's id."""
_ROOM: Final = (
    "`penwright scene form {0} --set settings.context_tokens=NUMBER` gives prompts more room, if the model "
    "has it; `--set settings.answer_tokens=NUMBER` gives answers less"
)
_AFTER_NO_PLAN: Final = {"context-too-small": _ROOM, "prompt-past-window": _ROOM}
"""Code of a director's failure -> what to do."""
_POLL_S = 0.2
LONGEST_NOTE = 4_000
"""Characters of a note for the director."""


async def approve(
    services: Services,
    named: str,
    turns: Sequence[ApprovedTurn] | None = None,
    *,
    pass_number: int = 0,
    who: str = "",
) -> PassRecord:
    """Have the plan that is held be played; returns it as the director made it.

    Args:
        turns: who acts, in this order; None: as planned.
        pass_number: the pass whose plan was looked at; 0: the one that waits now.
        who: who approves; empty: the person of the services.

    Raises:
        NotFound: ``no-such-scene``.
        Refused: ``no-round-runs``, ``no-plan-held``; or what of it cannot be played: ``unknown-name``,
            ``no-guidance``, ``duplicate-actor``, ``has-acted``, ``other-plan`` and so on.
    """
    scene, waits = await asyncio.to_thread(_waiting, services, named)
    approval = PlanApproval(
        who=who or services.person(),
        pass_number=pass_number or waits.number,
        turns=None if turns is None else tuple(turns),
    )
    async with services.engine() as engine:
        try:
            await engine.rounds.approve_plan(scene.id, approval)
        except Refused as refusal:
            raise await asyncio.to_thread(_with_names, services, scene, refusal) from refusal
        await _tell_kept(services, engine, scene)
    return waits


async def _tell_kept(services: Services, engine: Engine, scene: Scene) -> None:
    """Give the round whose plan is played the note that was kept while the plan waited."""
    kept = Steering(note=scene.steering.note, within=scene.steering.within)
    if kept.note and await _heard(engine, scene, kept):
        await asyncio.to_thread(forget, services, scene.id, kept)


async def _heard(engine: Engine, scene: Scene, asked: Steering) -> bool:
    """Whether a round runs that could take it."""
    try:
        await engine.rounds.steer(scene.id, asked)
    except Refused as over:
        if over.code not in ("no-round-runs", "round-over", "nothing-to-steer"):
            raise
        return False
    return True


async def note(
    services: Services,
    named: str,
    text: str,
    *,
    standing: bool = False,
    within: tuple[str, ...] | None = None,
) -> bool:
    """Tell the director something; returns whether it is for the round that runs.

    While a plan waits the note is kept: the round has it once the plan is approved, else the next one has.

    Args:
        standing: for every round from now on, in place of what was said before; empty takes it back.
            Otherwise for one round: the one that runs, or else the next.
        within: ids of those whom the director may bring in in that round; None: everyone.

    Raises:
        UsageMistake: ``empty-message``, ``note-too-long``.
    """
    said = text.strip()
    _check(said, standing)
    scene = await asyncio.to_thread(scene_of, services, named)
    if standing:
        await asyncio.to_thread(_keep, services, scene.id, said)
        return False
    asked = Steering(note=said, within=within)
    waits = await asyncio.to_thread(_waits, services, scene)
    if not waits:
        async with services.engine() as engine:
            if await _heard(engine, scene, asked):
                return True
    await asyncio.to_thread(_keep_for_next, services, scene.id, asked)
    return waits


async def ask(services: Services, named: str, text: str) -> DirectorRoundInput:
    """Have the director plan a round as a person asks; the plan with its changes waits for them.

    Raises:
        UsageMistake: ``empty-message``, ``note-too-long``.
        Refused: ``round-runs``.
    """
    said = text.strip()
    _check(said, standing=False)
    return (await begin(services, named, RoundOptions(kind="continue", direct=said))).given


async def propose(services: Services, named: str, text: str) -> tuple[Scene, PassRecord]:
    """The plan that ``ask`` asks for, once it waits.

    Raises:
        Refused: ``no-plan``: the director gave none that can be used, and nothing is changed; as ``ask``.
    """
    given = await ask(services, named, text)
    while (found := await asyncio.to_thread(_proposed, services, given.scene)) is not None:
        scene, waits = found
        if waits is not None:
            return scene, waits
        await asyncio.sleep(_POLL_S)
    ended = await watch(services, given.scene, quietly)
    why = f": {ended.message.rstrip('.')}" if ended.message else ""
    raise Refused(
        "no-plan",
        f"the director of {given.scene!r} gave no usable plan{why}; nothing is changed",
        hint=_AFTER_NO_PLAN.get(ended.code, "say it in other words").format(given.scene),
    )


def _proposed(services: Services, id: str) -> tuple[Scene, PassRecord | None] | None:
    """The plan, once it waits; None: the round is over."""
    with services.open_store() as store:
        scene = finding.scene(store, id)
        return None if store.scenes.running(id) is None else (scene, held(store, scene))


async def reject(services: Services, named: str, *, who: str = "") -> Scene:
    """Take back the plan that is held, with all that it changed; the round is as if it had not begun.

    Raises:
        Refused: ``no-round-runs``, ``no-plan-held``.
    """
    scene, _ = await asyncio.to_thread(_waiting, services, named)
    await stop(services, scene.id, "the plan was rejected", who=who)
    await watch(services, scene.id, quietly)
    await asyncio.to_thread(partial(undo, services, scene.id, who=who))
    return scene


def hold(services: Services, named: str, on: bool) -> Scene:
    """Whether plans of this scene wait for a person from the next round on; returns the scene."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        changed(
            store,
            scene.id,
            lambda now: now.model_copy(
                update={"settings": now.settings.model_copy(update={"hold_plan": on})}
            ),
        )
        return finding.scene(store, scene.id)


def _waiting(services: Services, named: str) -> tuple[Scene, PassRecord]:
    with services.open_store() as store:
        scene = finding.scene(store, named)
        if store.scenes.running(scene.id) is None:
            raise no_round_runs(scene.id)
        newest = round_of(store, scene).passes
        waits = held(store, scene)
    if waits is None:
        planned = f"the plan of pass {newest[-1].number} is being played" if newest else "it is being made"
        look = f"`penwright scene show {scene.id}` tells once it waits"
        hold = f"`penwright scene form {scene.id} --set settings.hold_plan=true` holds later ones"
        raise Refused(
            "no-plan-held",
            f"no plan of {scene.id!r} waits for approval; {planned}",
            hint=look if scene.settings.hold_plan else hold,
        )
    return scene, waits


def _waits(services: Services, scene: Scene) -> bool:
    with services.open_store() as store:
        return store.scenes.running(scene.id) is not None and held(store, scene) is not None


def _with_names(services: Services, scene: Scene, refusal: Refused) -> Refused:
    """The refusal with a next step: the names that would do where an unknown one was given."""
    if refusal.details.get("hint"):
        return refusal
    if (hint := _STEPS.get(refusal.code, _LOOK).format(scene.id)) != _NAMES:
        return Refused(refusal.code, refusal.message, hint=hint)
    with services.open_store() as store:
        names = finding.who_there_is(finding.cast(store, scene))
    return Refused(refusal.code, refusal.message, hint=names)


def _check(said: str, standing: bool) -> None:
    if not said and not standing:
        raise UsageMistake("empty-message", "the note is empty; nothing was told")
    if "\0" in said or len(said) > LONGEST_NOTE:
        raise UsageMistake(
            "note-too-long",
            f"a note for the director is text of at most {LONGEST_NOTE:,} characters",
            hint="put long facts into a lorebook",
        )


def _keep(services: Services, scene: str, said: str) -> None:
    with services.open_store() as store:
        changed(
            store,
            scene,
            lambda now: now.model_copy(update={"notes": now.notes.model_copy(update={"direction": said})}),
        )


def _keep_for_next(services: Services, scene: str, asked: Steering) -> None:
    with services.open_store() as store:
        changed(store, scene, lambda now: now.model_copy(update={"steering": merged(now.steering, asked)}))
