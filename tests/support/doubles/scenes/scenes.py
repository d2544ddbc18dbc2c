"""Double of what happens in scenes."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from penwright.adapters.store.scenes.branching import no_such_round
from penwright.adapters.store.scenes.messages import parse_id
from penwright.adapters.store.scenes.opening_rounds import no_such_message, no_such_scene
from penwright.adapters.store.scenes.patching import patched, refused_patch
from penwright.adapters.store.scenes.remembering.stretches import stretch_of
from penwright.adapters.store.scenes.revising import (
    edited,
    no_such_alternative,
    nothing_to_redo,
    nothing_to_undo,
    refused,
    text_changed,
)
from penwright.adapters.store.scenes.rounds import followed, may_come_back, round_runs
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.telemetry import KEPT
from penwright.adapters.store.scenes.telling import differences, state_told, told
from penwright.domain.scene.stretches import standing
from penwright.domain.text.names import check_name
from penwright.ports.blobs import Blobs
from penwright.ports.clock import Clock
from schemas.base import Effect, OpId
from schemas.envelope import Telemetry
from schemas.records import Event
from schemas.scene import (
    AddRounds,
    BeginStep,
    BranchScene,
    ChooseAlternative,
    CloseRound,
    EditMessage,
    Heard,
    KeepPass,
    KeepTurn,
    OpenRound,
    PatchState,
    RedoRound,
    Round,
    RoundOpened,
    SceneChanged,
    SceneMessage,
    SceneState,
    SceneWith,
    StateEvent,
    Take,
    Takes,
    UndoRound,
)
from schemas.scene_summary import Outside, Stretch, SummedUp
from schemas.worlds import Scene
from tests.support.doubles.scenes.branches import branch_off, can_branch
from tests.support.doubles.scenes.retelling import retell
from tests.support.doubles.scenes.rounds import Rounds
from tests.support.doubles.scenes.shelf import Played, PlayedRound, Shelf

Answer = TypeVar("Answer")


class MemoryScenes:
    """Implements ``Scenes``."""

    def __init__(
        self, shelf: Shelf, clock: Clock, blobs: Blobs, publish: Callable[[Sequence[Event]], None]
    ) -> None:
        self._shelf = shelf
        self._clock = clock
        self._blobs = blobs
        self._rounds = Rounds(shelf, publish)
        self._publish = publish
        self._telemetry: dict[str, list[tuple[str, Telemetry]]] = {}

    def open_round(self, request: OpenRound) -> RoundOpened:
        return self._once(request.effect, lambda: self._rounds.open(request))

    def add_rounds(self, request: AddRounds) -> SceneChanged:
        return self._once(request.effect, lambda: self._rounds.add(request))

    def begin(self, request: BeginStep) -> None:
        self._once(request.effect, lambda: self._rounds.begin(request))

    def keep_pass(self, request: KeepPass) -> int:
        return self._once(request.effect, lambda: self._rounds.keep_pass(request))

    def keep_turn(self, request: KeepTurn) -> str:
        text = self._blobs.get(request.text).decode("utf-8") if request.text else ""
        return self._once(request.effect, lambda: self._rounds.keep_turn(request, text))

    def hear(self, scene: str, round: int, who: str, heard: Heard) -> None:
        """What was sent of a reply so far; in PostgreSQL the pieces say it."""
        with self._shelf.lock:
            self._shelf.heard[scene, round, who] = heard

    def heard(self, scene: str, round: int, who: str) -> Heard | None:
        with self._shelf.lock:
            return self._shelf.heard.get((scene, round, who))

    def close_round(self, request: CloseRound) -> Round:
        return self._once(request.effect, lambda: self._rounds.close(request))

    def edit(self, request: EditMessage) -> SceneChanged:
        return self._once(request.effect, lambda: self._edit(request))

    def choose(self, request: ChooseAlternative) -> SceneChanged:
        return self._once(request.effect, lambda: self._choose(request))

    def undo(self, request: UndoRound) -> SceneChanged:
        return self._once(request.effect, lambda: self._undo(request))

    def redo(self, request: RedoRound) -> SceneChanged:
        return self._once(request.effect, lambda: self._redo(request))

    def branch(self, request: BranchScene) -> SceneChanged:
        return self._once(request.effect, lambda: self._branch(request))

    def patch(self, request: PatchState) -> SceneChanged:
        return self._once(request.effect, lambda: self._patch(request))

    def summarised(
        self,
        scene: str,
        summary: str,
        op_id: str,
        witnesses: tuple[str, ...],
        shown: Mapping[int, str],
    ) -> bool:
        effect = Effect(op_id=OpId(op_id), issued_at=self._clock.now())
        with self._shelf.lock:
            if effect.op_id in self._shelf.results:
                return True
            if scene not in self._shelf.played:
                raise no_such("scene", scene)
            now = {each.number: each for each in self._said(scene) if each.number in shown}
            if not shown or {number: each.text for number, each in now.items()} != shown:
                return False
            self._once(effect, lambda: self._summarise(effect, scene, (summary, witnesses), now))
        return True

    def summed_up(self, scene: str) -> SummedUp:
        with self._shelf.lock:
            said = [each for each in self._said(scene) if each.speaker != "system"]
            found = standing(self.stretches(scene), {each.number: _reading(each) for each in said})
            covered = {number for each in found for number in each.readings}
            outside = tuple(
                Outside(
                    number=each.number,
                    round=each.round,
                    heard_by=frozenset({*each.witnesses, each.speaker_id} - {""}),
                )
                for each in said
                if each.number not in covered
            )
            return SummedUp(stretches=found, outside=outside)

    def stretches(self, scene: str) -> tuple[Stretch, ...]:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            return tuple(reversed(played.stretches)) if played else ()

    def _said(self, scene: str) -> tuple[SceneMessage, ...]:
        return self.messages(scene, newest=sys.maxsize)

    def state(self, scene: str) -> SceneState:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            return played.state if played else SceneState()

    def messages(
        self, scene: str, *, newest: int = 200, before: int | None = None, undone: bool = False
    ) -> tuple[SceneMessage, ...]:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            found = [_seen(played, one) for one in played.messages] if played else []
        wanted = [
            one for one in found if (before is None or one.number < before) and (undone or not one.undone)
        ]
        return tuple(wanted[-newest:]) if newest > 0 else ()

    def messages_of(self, scene: str, round: int) -> tuple[SceneMessage, ...]:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            found = [_seen(played, one) for one in played.messages] if played else []
        return tuple(one for one in found if one.round == round)

    def message(self, id: str) -> SceneMessage | None:
        with self._shelf.lock:
            return self._message(id)

    def rounds(self, scene: str, *, newest: int = 20) -> tuple[Round, ...]:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            found = [self._rounds.seen(scene, played, one) for one in played.rounds] if played else []
        return tuple(found[-newest:]) if newest > 0 else ()

    def round(self, scene: str, number: int) -> Round | None:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            found = [one for one in played.rounds if one.round.number == number] if played else []
            return self._rounds.seen(scene, cast(Played, played), found[0]) if found else None

    def has_session(self, scene: str, session: str) -> bool:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            return any(one.session == session for one in played.rounds) if played else False

    def takes(self, scene: str) -> Takes:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            return _takes(played) if played else Takes(rounds=0)

    def set_aside(self, scenes: Sequence[str]) -> Mapping[str, int]:
        with self._shelf.lock:
            known = {id: self._shelf.played[id] for id in scenes if id in self._shelf.played}
            counted = {
                id: sum(one.round.number in played.undone or bool(one.regenerates) for one in played.rounds)
                for id, played in known.items()
            }
        return {id: number for id, number in counted.items() if number}

    def running(self, scene: str) -> int | None:
        with self._shelf.lock:
            played = self._shelf.played.get(scene)
            running = played.running() if played else None
            return running.round.number if running else None

    def changes(self, scene: str, *, subject: str = "", newest: int = 100) -> tuple[StateEvent, ...]:
        with self._shelf.lock:
            found = [one for one in self._shelf.changes if one.scene == scene]
        wanted = [one for one in found if subject in ("", one.change.subject)]
        return tuple(wanted[-newest:]) if newest > 0 else ()

    def record(self, telemetry: Telemetry, op_id: str) -> None:
        with self._shelf.lock:
            self._shelf.check_there(Scene, telemetry.scene)
            kept = self._telemetry.setdefault(telemetry.scene, [])
            if all(op_id != earlier for earlier, _ in kept):
                kept.append((op_id, telemetry))
                del kept[:-KEPT]

    def telemetry(self, scene: str) -> tuple[Telemetry, ...]:
        with self._shelf.lock:
            there = scene in self._shelf.things[Scene]
            return tuple(one for _, one in self._telemetry.get(scene, ())) if there else ()

    def _once(self, effect: Effect, change: Callable[[], Answer]) -> Answer:
        with self._shelf.lock:
            if effect.op_id in self._shelf.results:
                return cast(Answer, self._shelf.results[effect.op_id])
            answer = change()
            if not getattr(answer, "code", "") or isinstance(answer, Round):
                self._shelf.results[effect.op_id] = answer
            return answer

    def _message(self, id: str) -> SceneMessage | None:
        scene, number = parse_id(id)
        played = self._shelf.played.get(scene)
        if played is None or not 0 < number <= len(played.messages):
            return None
        return _seen(played, played.messages[number - 1])

    def _edit(self, request: EditMessage) -> SceneChanged:
        message = self._message(request.message)
        if message is None or message.undone:
            return refused(no_such_message(request.message))
        if not request.text.strip():
            return SceneChanged(code="empty-message", message="A message needs at least one word.")
        text = edited(request, message)
        changes = {"alternatives": (*message.alternatives, text), "chosen": text.index}
        return self._put_text(request.effect, message, changes, request.who)

    def _choose(self, request: ChooseAlternative) -> SceneChanged:
        message = self._message(request.message)
        if message is None or message.undone:
            return refused(no_such_message(request.message))
        if not 0 <= request.index < len(message.alternatives):
            return no_such_alternative(request, message)
        return self._put_text(request.effect, message, {"chosen": request.index}, request.who)

    # Any: fields of a message.
    def _put_text(
        self, effect: Effect, message: SceneMessage, changes: dict[str, Any], who: str
    ) -> SceneChanged:
        scene = parse_id(message.id)[0]
        after = message.model_copy(update=changes)
        self._shelf.played[scene].messages[message.number - 1] = after
        retell(self._shelf, scene, message.round)
        done = text_changed(effect, scene, message, after.chosen, who)
        self._publish(done.events)
        return SceneChanged(scene=self._shelf.read(Scene, scene), round=message.round, messages=(message.id,))

    def _undo(self, request: UndoRound) -> SceneChanged:
        played, refusal = self._idle(request.scene)
        if refusal is not None or played is None:
            return refusal or refused(no_such_scene(request.scene))
        last = played.newest()
        if last is None:
            return nothing_to_undo(request.scene)
        hidden = tuple(one.id for one in played.messages if one.round == last.round.number)
        self._hide(played, last, request, undone=True)
        if last.replaces:
            played.show(last.replaces)
        before = played.state
        self._rounds.put_state(request.scene, last.restores or last.round.before)
        changes = differences(before, played.state, request.who)
        self._rounds.log(request.effect, request.scene, last.round.number, changes)
        data = {"round": last.round.number, "messages": list(hidden), "by": request.who}
        events = state_told(request.effect, request.scene, "", changes, before, played.state)
        self._publish([told(request.effect, request.scene, "", "round.undone", data), *events])
        return SceneChanged(
            scene=self._shelf.read(Scene, request.scene), round=last.round.number, messages=hidden
        )

    def _redo(self, request: RedoRound) -> SceneChanged:
        played, refusal = self._idle(request.scene)
        if refusal is not None or played is None:
            return refusal or refused(no_such_scene(request.scene))
        newest, retold = played.newest(), played.newest_retold()
        number = _hidden(played, request.round, newest, retold)
        if not number:
            return nothing_to_redo(request)
        (again,) = (one for one in played.rounds if one.round.number == number)
        kept = played.scene_with[number][1]
        if (
            newest is not None
            and retold is not None
            and followed(_columns(again), kept) != newest.round.number
        ):
            self._hide(played, retold, request)
        played.show(number)
        if again.regenerates:
            self._choose_text(played, request.scene, again.regenerates, kept.chosen)
        before = played.state
        self._rounds.put_state(request.scene, kept.state)
        changes = differences(before, played.state, request.who)
        self._rounds.log(request.effect, request.scene, number, changes)
        messages = tuple(one.id for one in played.messages if one.round == number)
        data = {"round": number, "messages": list(messages), "by": request.who}
        events = state_told(request.effect, request.scene, "", changes, before, played.state)
        self._publish([told(request.effect, request.scene, "", "round.redone", data), *events])
        return SceneChanged(scene=self._shelf.read(Scene, request.scene), round=number, messages=messages)

    def _hide(
        self, played: Played, last: PlayedRound, request: UndoRound | RedoRound, *, undone: bool = False
    ) -> None:
        chosen = played.messages[last.regenerates - 1].chosen if last.regenerates else 0
        seen = (one.round.number for one in played.rounds if one.round.number not in played.undone)
        stood = max((each for each in seen if each < last.round.number), default=0)
        alone = undone and not last.replaces
        kept = SceneWith(state=played.state, chosen=chosen, undone=undone, stood=stood if alone else None)
        played.hide(last.round.number, request.effect.issued_at, kept)
        if last.regenerates:
            self._choose_text(played, request.scene, last.regenerates, last.chosen_before)

    def _choose_text(self, played: Played, scene: str, number: int, index: int) -> None:
        place = number - 1
        played.messages[place] = played.messages[place].model_copy(update={"chosen": index})
        retell(self._shelf, scene, played.messages[place].round)

    def _branch(self, request: BranchScene) -> SceneChanged:
        played = self._shelf.played.get(request.scene)
        if played is None:
            return refused(no_such_scene(request.scene))
        if not can_branch(played, request.after_round):
            return no_such_round(request)
        source = cast(Scene, self._shelf.read(Scene, request.scene))
        title = request.title.strip() or f"{source.title} from round {request.after_round}"
        check_name(title)
        id = branch_off(self._shelf, source, played, title, request.after_round)
        data = {"branch": id, "round": request.after_round, "by": request.who}
        self._publish([told(request.effect, request.scene, "", "scene.branched", data)])
        return SceneChanged(scene=self._shelf.read(Scene, id), round=request.after_round)

    def _patch(self, request: PatchState) -> SceneChanged:
        played, refusal = self._idle(request.scene)
        located = self._shelf.locate(request.scene)
        if refusal is not None or played is None or located is None:
            return refusal or refused(no_such_scene(request.scene))
        known = {one.id for one in self._shelf.cast_of(located)}
        known |= {located.persona.id} if located.persona else set()
        before = played.state
        wrong = refused_patch(before, request, known)
        if wrong is not None:
            return wrong
        state, changes = patched(before, request)
        self._rounds.put_state(request.scene, state)
        rounds = located.scene.rounds
        self._rounds.log(request.effect, request.scene, rounds, changes)
        self._publish(state_told(request.effect, request.scene, "", changes, before, played.state))
        return SceneChanged(scene=self._shelf.read(Scene, request.scene), round=rounds)

    def _summarise(
        self,
        effect: Effect,
        scene: str,
        summary: tuple[str, tuple[str, ...]],
        told_now: Mapping[int, SceneMessage],
    ) -> None:
        readings = {number: _reading(each) for number, each in told_now.items()}
        self._shelf.played[scene].stretches.append(stretch_of(summary, told_now, readings))
        self._publish([told(effect, scene, "", "state.updated", {"summarised_to": max(told_now)})])

    def _idle(self, scene: str) -> tuple[Played | None, SceneChanged | None]:
        played = self._shelf.played.get(scene)
        running = played.running() if played else None
        if running is None:
            return played, None
        number = running.round.number
        message = round_runs(scene, running.session)
        return played, SceneChanged(code="round-runs", round=number, message=message)


def _reading(message: SceneMessage) -> str:
    """As its text, so that a branch reads what it shares as its source did."""
    return f"{message.chosen}/{message.text}"


def _seen(played: Played, message: SceneMessage) -> SceneMessage:
    return message.model_copy(update={"undone": message.round in played.undone})


def _takes(played: Played) -> Takes:
    every = (_take(played, one) for one in played.rounds)
    return Takes(
        rounds=len(played.rounds),
        aside=tuple(each for each in every if each.hidden or each.remakes),
        hidden_messages=tuple(each.number for each in played.messages if each.round in played.undone),
    )


def _take(played: Played, one: PlayedRound) -> Take:
    made = one.regenerates
    return Take(
        id=one.round.number,
        follows=one.follows,
        remakes=played.messages[made - 1].round if made else 0,
        hidden=one.round.number in played.undone,
    )


def _hidden(played: Played, number: int, newest: PlayedRound | None, retold: PlayedRound | None) -> int:
    """Number of the hidden round that may come back; 0 if none may."""
    rows = {one.round.number: _columns(one) for one in played.rounds}
    last, again = (_columns(one) if one else None for one in (newest, retold))
    marks = sorted(played.scene_with.items(), key=lambda mark: (mark[1][0], mark[0]), reverse=True)
    for round, (_, kept) in marks:
        if number in (0, round) and may_come_back(rows[round], kept, last, again, named=bool(number)):
            return round
    return 0


def _columns(one: PlayedRound) -> dict[str, int]:
    return {"number": one.round.number, "follows": one.follows, "replaces": one.replaces}
