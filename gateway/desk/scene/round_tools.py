"""The tools of a scene for an outside agent: what a person does with ``penwright scene``."""

import asyncio
from dataclasses import replace

from gateway.desk.engine.waits import quietly
from gateway.desk.principals import SCOPES, Principal, Scope, require
from gateway.desk.scene import (
    casting,
    changes,
    direction,
    finding,
    lore_reasons,
    permitted,
    picturing,
    rounds,
    steering,
    views,
)
from gateway.desk.scene.orders import RoundOptions
from gateway.desk.services import Services
from gateway.desk.tool_desk import Answer, Caller
from gateway.desk.works.subjects import WORLDS
from penwright.agents.tools.tool import Arguments
from penwright.errors import EngineUnavailable, PermanentError, Refused, UsageMistake
from penwright.roles.outside_agent import round_tools as tools
from schemas.director import ApprovedTurn, StateChange
from schemas.director_round import NumberedResult
from schemas.scene import SceneMessage
from schemas.worlds import Picture


class RoundToolService:
    """One scene, served to outside agents for as long as the process lives."""

    def __init__(self, services: Services, named: str, *, worlds: bool = False) -> None:
        """``worlds``: whether what scenes share may be touched, too, such as pictures of characters."""
        self._services = services
        self._scene = rounds.scene_of(services, named).id
        self._subjects = frozenset([f"scene/{self._scene}", *([WORLDS] if worlds else [])])

    async def carry_out(self, caller: Caller, asked: Arguments) -> Answer:
        """One call; raises what the scene's rules raise."""
        match asked:
            case tools.Say():
                return await self._play(caller, RoundOptions(text=asked.text, voice=asked.voice), asked.queue)
            case tools.PlayOn():
                return await self._play(caller, RoundOptions(kind="continue"), asked.queue)
            case tools.Narrate():
                return await self._play(caller, RoundOptions(kind="narrate", text=asked.text), asked.queue)
            case tools.Regenerate():
                wanted = RoundOptions(kind="regenerate", message=asked.message)
                return await self._play(caller, wanted, asked.queue)
            case tools.Steer():
                who = await asyncio.to_thread(self._person, caller, asked.who)
                done = await steering.steer(self._services, self._scene, asked.verb, who)
                return {"who": done.who, "name": done.name, "round": "this" if done.running else "next"}
            case tools.MakePicture():
                return await self._picture(caller, asked)
            case tools.ApprovePlan():
                return await self._approve(caller, asked)
            case tools.StopPlay():
                reason = asked.reason or f"stopped by {caller.who}"
                await rounds.stop(self._services, self._scene, reason, who=caller.who)
                return {"stopping": True}
            case _:
                return await asyncio.to_thread(self._at_once, caller, asked)

    async def _approve(self, caller: Caller, asked: tools.ApprovePlan) -> Answer:
        wanted = [
            ApprovedTurn(who=await asyncio.to_thread(self._person, caller, each.who), guidance=each.guidance)
            for each in asked.turns or ()
        ]
        turns = None if asked.turns is None else wanted
        waited = await direction.approve(
            self._services, self._scene, turns, pass_number=asked.pass_number, who=caller.who
        )
        return {"approved": True, "pass_number": waited.number}

    def _asking(self, caller: Caller) -> Principal:
        return Principal(caller.who, frozenset(SCOPES), self._subjects)

    def _check_shared(self, caller: Caller, scope: Scope, of: str) -> None:
        """Require rights on worlds for what is kept with a character: every scene of its world shows it."""
        if of:
            require(self._asking(caller), scope, WORLDS)

    def _person(self, caller: Caller, named: str) -> str:
        """Whom a name means, if the caller may use them in this scene; no name means nobody."""
        scene = rounds.scene_of(self._services, self._scene)
        return permitted.person(self._services, self._asking(caller), scene, named) if named else ""

    async def _picture(self, caller: Caller, asked: tools.MakePicture) -> Answer:
        self._check_shared(caller, "run", asked.of)
        made = await picturing.picture(
            self._services, self._scene, asked.wish, quietly, of=asked.of, paint=asked.paint
        )
        told = made.described.delivered.model_dump(include={"prompt", "avoid", "caption", "demo"})
        return {**told, "painted": made.picture is not None, "number": made.number}

    async def doing(self) -> str:
        """Say what the round that runs does."""
        try:
            async with self._services.engine() as engine:
                told = await engine.rounds.progress(self._scene)
        except EngineUnavailable:
            return ""
        return told.detail if told else ""

    async def close(self) -> None:
        """Nothing is kept open between calls."""

    def _at_once(self, caller: Caller, asked: Arguments) -> Answer:
        """Carry out what needs no round."""
        services, scene, who = self._services, self._scene, caller.who
        match asked:
            case tools.ShowPlay():
                return self._show(caller, asked)
            case tools.ShowRound():
                return self._round(asked)
            case tools.WhyLore():
                return self._why(caller, asked)
            case tools.PlayState():
                return self._state(caller, asked)
            case tools.EditPlayed():
                return _message(changes.edit(services, scene, asked.message, asked.text, who=who)[1])
            case tools.ChoosePlayed():
                return _message(changes.choose(services, scene, asked.message, asked.number, who=who)[1])
            case tools.UndoPlayed():
                _, done = changes.undo(services, scene, who=who)
                return {"undone_round": done.name.number, **_moved(done)}
            case tools.RedoPlayed():
                _, done = changes.redo(services, scene, asked.round, asked.take, who=who)
                return {"redone_round": done.name.number, **_moved(done)}
            case tools.BranchPlayed():
                _, new = changes.branch(services, scene, asked.after, asked.title, who=who)
                return {"scene": new.id, "title": new.title, "after_round": asked.after}
            case tools.TakeOver():
                change = casting.give_back if asked.back else casting.take_over
                cast = change(services, scene, self._person(caller, asked.who)).cast
                return {"taken_over": [each.name for each in cast if each.taken]}
            case tools.ShowPictures():
                self._check_shared(caller, "read", asked.of)
                found = picturing.pictures(services, scene, of=asked.of)
                return {"pictures": [_picture(at, each) for at, each in enumerate(found, 1)]}
            case tools.RemovePicture():
                self._check_shared(caller, "write", asked.of)
                gone = picturing.remove(services, scene, asked.number, of=asked.of)
                return {"removed": _picture(asked.number, gone)}
            case _:
                raise AssertionError(f"no tool takes {type(asked).__name__}")

    def _wanted(self, caller: Caller, wanted: RoundOptions) -> RoundOptions:
        scene = rounds.scene_of(self._services, self._scene)
        within = permitted.people(self._services, self._asking(caller), scene)
        return replace(wanted, who=caller.who, voice=self._person(caller, wanted.voice), within=within)

    async def _play(self, caller: Caller, wanted: RoundOptions, queue: bool) -> Answer:
        said: list[SceneMessage] = []
        mine = await asyncio.to_thread(self._wanted, caller, wanted)
        played = await rounds.play(
            self._services, self._scene, mine, queue=queue, wait=quietly, told=said.append
        )
        assert played.result is not None, "it was waited for"
        return _played(played.result, said)

    def _show(self, caller: Caller, asked: tools.ShowPlay) -> Answer:
        with self._services.open_store() as store:
            scene = finding.scene(store, self._scene)
            view = views.view(store, scene)
        cast = permitted.seen(self._services, self._asking(caller), scene, view.cast)
        said = views.messages(self._services, scene.id, newest=asked.messages, before=asked.before)
        located = view.located
        return {
            "scene": scene.id,
            "title": scene.title,
            "place": [located.world.name, located.campaign.name, located.arc.name],
            "notes": scene.notes.model_dump(),
            "persona": located.persona.name if located.persona else "",
            "cast": [each.model_dump(mode="json") for each in cast],
            "rounds": view.rounds,
            "running_round": view.running,
            "state": view.state.model_dump(mode="json", exclude={"timers"}),
            "messages": [_message(each) for each in said],
        }

    def _round(self, asked: tools.ShowRound) -> Answer:
        _, found, said = views.timeline(self._services, self._scene, asked.number, asked.take)
        return {
            "round": found.model_dump(mode="json", exclude={"before"}),
            "messages": [_message(each) for each in said],
        }

    def _why(self, caller: Caller, asked: tools.WhyLore) -> Answer:
        scene = rounds.scene_of(self._services, self._scene)
        found = lore_reasons.reasons(
            self._services,
            self._scene,
            who=permitted.reader(self._services, self._asking(caller), scene, asked.who),
            number=asked.round,
            take=asked.take,
            entry=asked.entry,
        )
        calls = [
            {
                "step": each.step,
                "who": each.who,
                "entries": [one.model_dump() for one in each.verdicts],
                "unlisted": list(each.unlisted),
                "counter": each.counter,
            }
            for each in found
        ]
        return {"round": found[0].round, "calls": calls}

    def _state(self, caller: Caller, asked: tools.PlayState) -> Answer:
        made: tuple[StateChange, ...] = ()
        if asked.fields:
            if not asked.who:
                raise UsageMistake("invalid-arguments", "`fields` needs `who`; nothing was set", fields="who")
            values = {each.name: each.value for each in asked.fields}
            scene = rounds.scene_of(self._services, self._scene)
            whose = permitted.whose(self._services, self._asking(caller), scene, asked.who)
            _, made = changes.set_state(self._services, self._scene, whose, values, who=caller.who)
        _, now, _ = views.state(self._services, self._scene)
        return {
            "state": now.model_dump(mode="json", exclude={"timers"}),
            "changed": [each.model_dump(mode="json") for each in made],
        }


def _played(ended: NumberedResult, said: list[SceneMessage]) -> Answer:
    """A round that ended; raises what it failed with, or was refused for."""
    if ended.outcome in ("refused", "failed"):
        kind = Refused if ended.outcome == "refused" else PermanentError
        raise kind(ended.code, ended.message, round=str(ended.round))
    told = ended.model_dump(mode="json", exclude={"spoken"})
    return {**told, "messages": [_message(each) for each in said]}


def _moved(done: changes.Moved) -> Answer:
    return {"take": done.name.take, "messages": list(done.messages)}


def _picture(number: int, picture: Picture) -> Answer:
    told = picture.model_dump(mode="json", include={"caption", "prompt", "kind", "model", "made_at"})
    return {"number": number, **told}


def _message(message: SceneMessage) -> Answer:
    chosen = message.alternatives[message.chosen]
    return {
        "number": message.number,
        "id": message.id,
        "round": message.round,
        "speaker": message.speaker,
        "name": message.name,
        "text": message.text,
        "alternative": message.chosen + 1,
        "alternatives": len(message.alternatives),
        "author": chosen.author.name,
        "demo": chosen.author.demo,
        "stopped": chosen.stopped,
    }
