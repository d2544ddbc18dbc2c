"""Double of a round from its beginning to its end."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from penwright.adapters.store.scenes.adding import numbered, refused
from penwright.adapters.store.scenes.messages import message_id, parse_id
from penwright.adapters.store.scenes.opening_rounds import (
    Plan,
    empty_message,
    import_unfinished,
    importing,
    no_reply,
    no_such_message,
    no_such_scene,
    replayed,
    replies_of,
    user_message,
)
from penwright.adapters.store.scenes.rounds import round_closed, round_runs
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.storing import alternative_of, check_ended, new_message
from penwright.adapters.store.scenes.telling import (
    pass_ended,
    plan_approved,
    round_ended,
    round_started,
    state_told,
    step_cancelled,
    step_started,
    turn_ended,
    world_agent_ended,
)
from penwright.adapters.store.scenes.views import reset_flags
from penwright.domain.scene.presence import recast
from penwright.domain.scene.replaying import falls_through
from schemas.base import Effect
from schemas.director import StateChange
from schemas.records import Event
from schemas.scene import (
    AddRounds,
    BeginStep,
    CloseRound,
    KeepPass,
    KeepTurn,
    OpenRound,
    Round,
    RoundOpened,
    SceneChanged,
    SceneMessage,
    SceneState,
    SceneWith,
    StateEvent,
)
from schemas.worlds import Character, Located, Persona, Scene
from tests.support.doubles.scenes.retelling import retell
from tests.support.doubles.scenes.shelf import Played, PlayedRound, Shelf


class Rounds:
    """The part of the double that plays; its caller holds the lock."""

    def __init__(self, shelf: Shelf, publish: Callable[[Sequence[Event]], None]) -> None:
        self._shelf = shelf
        self._publish = publish

    def open(self, request: OpenRound) -> RoundOpened:
        located = self._shelf.locate(request.scene)
        if located is None:
            return no_such_scene(request.scene)
        if importing(located.scene, request.session):
            return import_unfinished(located.scene)
        played = self._shelf.played[request.scene]
        running = played.running()
        if running is not None:
            number = running.round.number
            why = round_runs(request.scene, running.session)
            return RoundOpened(code="round-runs", number=number, message=why)
        plan = self._planned(request, played)
        return plan if isinstance(plan, RoundOpened) else self._opened(request, located, played, plan)

    def add(self, request: AddRounds) -> SceneChanged:
        located = self._shelf.locate(request.scene)
        if located is None:
            return refused(no_such_scene(request.scene))
        played = self._shelf.played[request.scene]
        for each in numbered(request, located.scene.rounds, len(played.messages), played.state):
            newest = played.newest()
            kept = PlayedRound(
                each.round,
                session=request.session,
                follows=newest.round.number if newest else 0,
                user_message=each.said.id if each.said else "",
            )
            played.messages += each.messages
            played.rounds.append(kept)
            self.put_state(request.scene, played.state)
            scene = cast(Scene, self._shelf.things[Scene][request.scene])
            self._shelf.things[Scene][request.scene] = scene.model_copy(update={"rounds": each.round.number})
            self._publish(each.events)
        return SceneChanged(round=len(played.rounds))

    def begin(self, request: BeginStep) -> None:
        if request.kind in ("world-agent", "summariser"):
            session = next(
                each.session
                for each in self._shelf.played[request.scene].rounds
                if each.round.number == request.round
            )
            self._publish([step_started(request, session)])
            return
        running = self._running(request.scene, request.round)
        step = (request.kind, request.pass_number, request.who)
        if step not in running.begun:
            running.begun.append(step)
            self._publish([step_started(request, running.session)])

    def keep_pass(self, request: KeepPass) -> int:
        running = self._running(request.scene, request.round)
        effect, session = request.effect, running.session
        known = [each.number for each in running.passes]
        if request.record.approved_by and request.record.number in known:
            running.passes[known.index(request.record.number)] = request.record
            self._publish([plan_approved(effect, request.scene, session, request)])
            return self._shelf.played[request.scene].state.version
        begun = self._end(running, request, "director", request.record.number)
        running.passes.append(request.record)
        changes = request.record.applied.changes
        events = self._change_state(effect, request.scene, request.round, session, changes, request.state)
        self._publish(
            [*begun, pass_ended(effect, request.scene, session, request.round, request.record), *events]
        )
        return self._shelf.played[request.scene].state.version

    def keep_turn(self, request: KeepTurn, text: str) -> str:
        running = self._running(request.scene, request.round)
        effect, session = request.effect, running.session
        message = self._keep_text(request, text) if request.text is not None else ""
        record = request.record.model_copy(update={"message": message or request.record.message})
        begun = self._end(running, request, "character", record.pass_number, record.character)
        running.turns.append(record)
        events: tuple[Event, ...] = ()
        if request.state != SceneState():
            events = self._change_state(
                effect, request.scene, request.round, session, request.changes, request.state
            )
        self._publish([*begun, turn_ended(request, session, record), *events])
        return message

    def close(self, request: CloseRound) -> Round:
        check_ended(request)
        running = self._running(request.scene, request.round.number)
        played = self._shelf.played[request.scene]
        before = played.state
        state = request.state
        state = self._brought_back(request, played, running) or state
        self.put_state(request.scene, self._recast(request, state))
        self._hand_over(request)
        self._settle(request)
        cancelled = [self._cancelled(request, running, step) for step in running.begun]
        running.begun.clear()
        kept = running.round
        running.round = request.round.model_copy(
            update={
                "scene": request.scene,
                "kind": kept.kind,
                "before": kept.before,
                "started_at": kept.started_at,
                "ended_at": request.round.ended_at or request.effect.issued_at,
                "op_id": kept.op_id,
            }
        )
        events = state_told(request.effect, request.scene, running.session, (), before, played.state)
        cancelled += world_agent_ended(request, running.session)
        self._publish([*cancelled, *events, round_ended(request.effect, running.session, running.round)])
        return self.seen(request.scene, played, running)

    def _brought_back(self, request: CloseRound, played: Played, running: PlayedRound) -> SceneState | None:
        if not running.replaces or not falls_through(request.round):
            return None
        played.hide(running.round.number, request.effect.issued_at)
        played.show(running.replaces)
        return running.restores

    def _recast(self, request: CloseRound, state: SceneState) -> SceneState:
        kept = cast(Scene, self._shelf.things[Scene][request.scene])
        if not (kept.coming or kept.going):
            return state
        done = {"coming": (), "going": (), "version": kept.version + 1}
        self._shelf.things[Scene][request.scene] = kept.model_copy(update=done)
        return recast(state, kept.coming, kept.going)

    def seen(self, scene: str, played: Played, one: PlayedRound) -> Round:
        """The round as a scene sees it."""
        changes: dict[str, object] = {"scene": scene}
        if one.round.status == "running":
            changes |= {"passes": tuple(one.passes), "turns": tuple(one.turns)}
        if one.round.number in played.undone and one.round.status != "failed":
            changes["status"] = "undone"
        return one.round.model_copy(update=changes)

    def put_state(self, scene: str, state: SceneState) -> int:
        """Make this the view; returns its version."""
        played = self._shelf.played[scene]
        before = played.state
        played.state = before
        roster_changed = self._shelf.put_roster(scene, state.roster, gone=True)
        changes = {"roster": played.state.roster, "version": before.version + 1}
        played.state = state.model_copy(update=changes)
        if roster_changed:
            kept = cast(Scene, self._shelf.things[Scene][scene])
            self._shelf.things[Scene][scene] = kept.model_copy(update={"version": kept.version + 1})
        return played.state.version

    def log(self, effect: Effect, scene: str, round: int, changes: Sequence[StateChange]) -> None:
        for change in changes:
            number = self._shelf.changes[-1].number + 1 if self._shelf.changes else 1
            event = StateEvent(
                scene=scene,
                round=round,
                number=number,
                change=change,
                at=effect.issued_at,
                op_id=effect.op_id,
            )
            self._shelf.changes.append(event)

    def _planned(self, request: OpenRound, played: Played) -> Plan | RoundOpened:
        if request.kind == "message" and not request.text.strip():
            return empty_message()
        if request.kind != "regenerate":
            return Plan(text=request.text if request.kind == "message" else "", before=played.state)
        if request.message:
            return self._one_message(request.scene, request.message, played)
        return self._whole_round(request.scene, played)

    def _one_message(self, scene: str, id: str, played: Played) -> Plan | RoundOpened:
        owner, number = parse_id(id)
        found = [one for one in played.messages if owner == scene and one.number == number]
        if not found or found[0].round in played.undone:
            return no_such_message(id)
        if found[0].speaker not in ("character", "narrator"):
            return no_reply(f"Message {id!r} is nobody's reply: it was not written by a model.")
        return Plan(before=played.state, regenerates=found[0])

    def _whole_round(self, scene: str, played: Played) -> Plan | RoundOpened:
        last = played.newest_retold()
        if last is None:
            return no_reply(f"Scene {scene!r} has no round that could be played again.")
        if last.regenerates:
            return self._one_message(scene, message_id(scene, last.regenerates), played)
        messages = [one for one in played.messages if one.round == last.round.number]
        if not messages:
            return no_reply(f"The last round of scene {scene!r} has no reply.")
        said = next((one for one in messages if one.speaker == "user"), None)
        before = last.round.before.model_copy(update={"version": played.state.version})
        return replayed(said, before, last.round.number, played.state)

    def _opened(self, request: OpenRound, located: Located, played: Played, plan: Plan) -> RoundOpened:
        number = located.scene.rounds + 1
        message = user_message(request, located, plan, number, len(played.messages) + 1)
        kept = cast(Scene, self._shelf.things[Scene][request.scene])
        self._shelf.things[Scene][request.scene] = kept.model_copy(update={"rounds": number})
        newest = played.newest_retold() if plan.replaces else played.newest()
        follows = (newest.follows if plan.replaces else newest.round.number) if newest else 0
        if plan.replaces and plan.restores is not None:
            played.hide(plan.replaces, request.effect.issued_at, SceneWith(state=plan.restores))
            self.put_state(request.scene, plan.before)
        if message is not None:
            played.messages.append(message)
        played.rounds.append(replace(_row(request, plan, number, message), follows=follows))
        said = message.id if message else ""
        self._publish(
            [round_started(request.effect, request.scene, request.session, number, request.kind, said)]
        )
        now = cast(Located, self._shelf.locate(request.scene))
        return RoundOpened(
            number=number,
            located=now,
            cast=self._shelf.cast_of(now),
            state=reset_flags(plan.before),
            user_message=said,
            regenerates=plan.regenerates,
            replays=plan.replaces,
            earlier=replies_of(one for one in played.messages if one.round == plan.replaces),
        )

    def _running(self, scene: str, number: int) -> PlayedRound:
        played = self._shelf.played.get(scene)
        if played is None:
            raise no_such("scene", scene)
        running = played.running()
        if running is None or running.round.number != number:
            raise round_closed(scene, number)
        return running

    def _end(
        self, running: PlayedRound, request: KeepPass | KeepTurn, kind: str, number: int, who: str = ""
    ) -> tuple[Event, ...]:
        if (kind, number, who) in running.begun:
            running.begun.remove((kind, number, who))
            return ()
        step = BeginStep.model_validate(
            {
                "effect": request.effect,
                "scene": request.scene,
                "round": request.round,
                "kind": kind,
                "pass_number": number,
                "who": who,
                "name": getattr(request, "name", ""),
            }
        )
        return (step_started(step, running.session),)

    def _cancelled(self, request: CloseRound, running: PlayedRound, step: tuple[str, int, str]) -> Event:
        kind, number, who = step
        begun = BeginStep.model_validate(
            {
                "effect": request.effect,
                "scene": request.scene,
                "round": request.round.number,
                "kind": kind,
                "pass_number": number,
                "who": who,
                "name": getattr(self._shelf.things[Character].get(who), "name", ""),
            }
        )
        return step_cancelled(request.effect, request.scene, running.session, begun)

    def _change_state(
        self,
        effect: Effect,
        scene: str,
        round: int,
        session: str,
        changes: Sequence[StateChange],
        state: SceneState,
    ) -> tuple[Event, ...]:
        before = self._shelf.played[scene].state
        self.put_state(scene, state)
        self.log(effect, scene, round, changes)
        return state_told(effect, scene, session, changes, before, self._shelf.played[scene].state)

    def _hand_over(self, request: CloseRound) -> None:
        kept = cast(Scene, self._shelf.things[Scene][request.scene])
        if request.hand_over in self._shelf.things[Persona] and request.hand_over != kept.persona:
            changes = {"persona": request.hand_over, "version": kept.version + 1}
            self._shelf.things[Scene][request.scene] = kept.model_copy(update=changes)

    def _settle(self, request: CloseRound) -> None:
        """Mark what was overruled, and add what is missing."""
        left = list(request.round.changes)
        for place, event in enumerate(self._shelf.changes):
            if (event.scene, event.round) == (request.scene, request.round.number):
                same = [one for one in left if _same(one) == _same(event.change)]
                if same:
                    left.remove(same[0])
                    settled = event.change.model_copy(update={"overruled": same[0].overruled})
                    self._shelf.changes[place] = event.model_copy(update={"change": settled})
        self.log(request.effect, request.scene, request.round.number, left)

    def _keep_text(self, request: KeepTurn, text: str) -> str:
        played = self._shelf.played[request.scene]
        if not request.replaces:
            carried = _found(request.scene, played, request.carries) if request.carries else None
            message = new_message(request, len(played.messages) + 1, text, carried)
            played.messages.append(message)
            return message.id
        message = _found(request.scene, played, request.replaces)
        again = alternative_of(request, text, message)
        texts = {"alternatives": (*message.alternatives, again), "chosen": again.index}
        played.messages[message.number - 1] = message.model_copy(update=texts)
        retell(self._shelf, request.scene, message.round)
        return message.id


def _row(request: OpenRound, plan: Plan, number: int, message: SceneMessage | None) -> PlayedRound:
    begun = Round(
        scene=request.scene,
        number=number,
        kind=request.kind,
        status="running",
        before=plan.before,
        started_at=request.effect.issued_at,
        op_id=request.effect.op_id,
    )
    return PlayedRound(
        round=begun,
        session=request.session,
        replaces=plan.replaces,
        restores=plan.restores,
        regenerates=plan.regenerates.number if plan.regenerates else 0,
        chosen_before=plan.regenerates.chosen if plan.regenerates else 0,
        user_message=message.id if message else "",
    )


def _found(scene: str, played: Played, id: str) -> SceneMessage:
    owner, number = parse_id(id)
    if owner != scene or not 0 < number <= len(played.messages):
        raise no_such("message", id)
    return played.messages[number - 1]


def _same(change: StateChange) -> tuple[str, ...]:
    return (change.subject, change.field, change.old, change.new, change.source)
