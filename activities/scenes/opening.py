"""The beginning of a director round: what the user says, whom it names, and what the rules must know."""

from dataclasses import dataclass

from penwright.domain.scene.mentions import mentioned
from penwright.domain.scene.numbering import Numbering
from penwright.domain.text.fences import attribute
from penwright.ports.blobs import Blobs
from penwright.ports.scenes import Scenes, Worlds
from schemas.base import Effect, OpId
from schemas.director import CastMember, Turn
from schemas.director_round import BeginRound
from schemas.scene import CloseRound, OpenRound, RoundOpened, SceneMessage
from schemas.worlds import Located, Notes, Persona, SceneNotes


@dataclass(frozen=True, slots=True)
class RoundOpening:
    """Opens rounds; a repeat finds the round open."""

    worlds: Worlds
    scenes: Scenes
    blobs: Blobs

    def begin(self, request: BeginRound) -> RoundOpened:
        """Open the round. Its answer has no texts but those the rules need."""
        text = self.blobs.get(request.text).decode() if request.text else ""
        order = OpenRound(
            effect=request.effect,
            scene=request.scene,
            session=request.session,
            kind=request.kind,
            text=text if request.kind == "message" else "",
            who=request.who,
            message=request.message,
            principal=request.principal,
            voice=request.voice,
        )
        opened = self.scenes.open_round(order)
        if opened.code == "round-runs" and self._close_lost(request):
            opened = self.scenes.open_round(order)
        return opened if opened.code else self._completed(request, opened)

    def _close_lost(self, request: BeginRound) -> bool:
        """Close a round that no process plays: this run holds the scene's workflow id, so no other can."""
        number = self.scenes.running(request.scene)
        lost = self.scenes.round(request.scene, number) if number is not None else None
        if lost is None:
            return False
        effect = Effect(op_id=OpId(f"{request.effect.op_id}/lost"), issued_at=request.effect.issued_at)
        why = {"code": "lost", "reason": "the run that played it was ended from outside"}
        ended = {"status": "failed", "ended_at": effect.issued_at, **why}
        state = self.scenes.state(request.scene)
        closing = CloseRound(
            effect=effect, scene=request.scene, round=lost.model_copy(update=ended), state=state
        )
        self.scenes.close_round(closing)
        return True

    def _completed(self, request: BeginRound, opened: RoundOpened) -> RoundOpened:
        located = opened.located
        assert located is not None, "an open round has a scene"
        settings = located.scene.settings
        messages = self.scenes.messages(request.scene, newest=settings.history_messages)
        newest, speaker = (messages[-1].text, messages[-1].speaker_id) if messages else ("", "")
        rounds = {each.round for each in self.scenes.summed_up(request.scene).outside} - {opened.number}
        turn, open_guidance = self._planned(request, opened.regenerates)
        return opened.model_copy(
            update={
                "located": self._bare(located, messages),
                "cast": tuple(map(_as_written, opened.cast)),
                "regenerates": _without_text(opened.regenerates),
                "turn": turn,
                "open_guidance": open_guidance,
                "mentioned": mentioned(newest, [each for each in opened.cast if each.id != speaker]),
                "longest_silent": _longest_silent(messages),
                "unsummarised": len(rounds),
                "counted_as": Numbering(self.scenes.takes(request.scene)).number(opened.number),
            }
        )

    def _planned(self, request: BeginRound, again: SceneMessage | None) -> tuple[Turn | None, str]:
        """The turn that a reply was, as the director had planned it."""
        played = self.scenes.round(request.scene, again.round) if again else None
        if again is None or played is None:
            return None, ""
        for kept in played.passes:
            for turn in kept.applied.turns:
                if turn.character == again.speaker_id:
                    as_it_is = {"entered": False, "exits": False}
                    return turn.model_copy(update=as_it_is), kept.applied.open_guidance
        return None, ""

    def _bare(self, located: Located, messages: tuple[SceneMessage, ...]) -> Located:
        """Without long texts, but with the director's standing note; the persona is who spoke last."""
        standing = SceneNotes(direction=located.scene.notes.direction)
        persona = located.persona or self._last_persona(messages)
        return Located(
            scene=located.scene.model_copy(update={"notes": standing}),
            arc=located.arc.model_copy(update={"notes": Notes()}),
            campaign=located.campaign.model_copy(update={"notes": Notes()}),
            world=located.world.model_copy(update={"notes": Notes()}),
            persona=persona.model_copy(update={"description": ""}) if persona else None,
        )

    def _last_persona(self, messages: tuple[SceneMessage, ...]) -> Persona | None:
        said = (each.speaker_id for each in reversed(messages) if each.speaker == "user" and each.speaker_id)
        # A user who speaks as a character has its id there.
        known = (self.worlds.read(Persona, id) for id in dict.fromkeys(said))
        return next((persona for persona in known if persona is not None), None)


def _longest_silent(messages: tuple[SceneMessage, ...]) -> tuple[str, ...]:
    """Ids of the speakers, by their newest message."""
    return tuple(reversed(dict.fromkeys(each.speaker_id for each in reversed(messages) if each.speaker_id)))


def _as_written(member: CastMember) -> CastMember:
    """With the name as the director reads it, which it repeats in its plan."""
    written = attribute(member.name)
    return member if written == member.name else member.model_copy(update={"written": written})


def _without_text(message: SceneMessage | None) -> SceneMessage | None:
    if message is None:
        return None
    bare = tuple(each.model_copy(update={"text": ""}) for each in message.alternatives)
    return message.model_copy(update={"alternatives": bare})
