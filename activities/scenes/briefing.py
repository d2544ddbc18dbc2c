"""The prompt of a role in a scene: what is true now, cut to its budget, stored before it is sent."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from temporalio import activity

from activities.scenes.material import SceneMaterial
from penwright.domain.lore.index import LoreIndexes
from penwright.domain.models.choice import asked_of
from penwright.domain.scene.envelope.building import build
from penwright.domain.scene.envelope.left_out import unshown
from penwright.domain.scene.envelope.rendering import material
from penwright.domain.scene.memory.pending import pending
from penwright.domain.scene.numbering import Numbering
from penwright.domain.scene.resolving import NARRATOR, name_of
from penwright.ports.blobs import Blobs
from penwright.ports.scenes import Embeddings, Memories, Scenes, TokenCounter, Worlds
from penwright.roles.scene.role_call import instructions_of
from schemas.base import OpId
from schemas.director_round import BriefRole, SceneBrief, SceneRole
from schemas.envelope import (
    Envelope,
    EnvelopeCase,
    EnvelopeFor,
    EnvelopeKept,
    PromptRoom,
    Telemetry,
    TooSmall,
)
from schemas.scene import BeginStep
from schemas.scene_summary import SummedUp
from schemas.worlds import Character, Scene

ROLES: Final[dict[EnvelopeFor, SceneRole]] = {
    "director": "director",
    "character": "character",
    "narrator": "narrator",
    "summariser": "summariser",
    "world": "world-agent",
    "visual": "visual",
}

_RECENT: Final = 100
"""Rounds of which a prompt says that their memories are missing."""

StepKind = Literal["director", "character", "world-agent", "summariser"]
KINDS: Final[Mapping[EnvelopeFor, StepKind]] = {
    "director": "director",
    "character": "character",
    "narrator": "character",
    "world": "world-agent",
    "summariser": "summariser",
}
"""Kinds of steps, as events name them."""


@dataclass(frozen=True)
class SceneBriefing:
    """Activities for the process that counts tokens and makes vectors."""

    worlds: Worlds
    scenes: Scenes
    memories: Memories
    embeddings: Embeddings
    counter: TokenCounter
    blobs: Blobs
    indexes: LoreIndexes = field(default_factory=LoreIndexes)

    @activity.defn
    async def brief_role(self, request: BriefRole) -> SceneBrief:
        """Tell that the step begins, and make its prompt; harmless to repeat.

        Raises:
            NotFound: ``no-such-scene``.
            Refused: ``round-closed``.
        """
        return await asyncio.to_thread(self._brief, request)

    def _brief(self, request: BriefRole) -> SceneBrief:
        self._begin(request)
        role = ROLES[request.for_]
        model = self._model_of(request)
        asked = asked_of(role, model)
        found = self._material.read(request, asked)
        case = found.case
        params = _params(case)
        room = PromptRoom(
            instructions=self.counter.count(asked, [instructions_of(role, params)])[0],
            counter=self.counter.name(asked),
            model_context=self.counter.sizes(asked).get("context", 0),
        )
        built = build(case, lambda texts: self.counter.count(asked, texts), room)
        if isinstance(built, Envelope) and request.for_ != "summariser":
            built = built.model_copy(update={"pending": self._pending(request, found.told, built)})
        self.scenes.record(
            Telemetry(
                scene=request.scene,
                round=request.round,
                step=_step(request),
                role=role,
                budget=built.budget,
            ),
            request.effect.op_id,
        )
        text = "" if isinstance(built, TooSmall) else material(built, request.for_)
        kept = EnvelopeKept(
            envelope=self.blobs.put(built.model_dump_json().encode()),
            budget=built.budget,
            code=built.code if isinstance(built, TooSmall) else "",
            message=built.message if isinstance(built, TooSmall) else "",
            unshown=() if isinstance(built, TooSmall) else unshown(built.items),
        )
        return SceneBrief(
            role=role,
            model=model,
            task=self.blobs.put(text.encode("utf-8", "surrogatepass")),
            params=params,
            turn_tokens=built.budget.answer,
            envelope=kept,
            timers=found.lore.timers,
            usage=found.usage,
        )

    def _model_of(self, request: BriefRole) -> str:
        """The model that plays the character: as the scene says, else the character."""
        if request.for_ != "character":
            return ""
        scene = self.worlds.read(Scene, request.scene)
        if scene is not None and (model := scene.models.get(request.who)):
            return model
        character = self.worlds.read(Character, request.who)
        return character.model if character is not None else ""

    def _pending(self, request: BriefRole, told: SummedUp, built: Envelope) -> tuple[str, ...]:
        """Say in words what the prompt lacks; of rounds long ago the run that makes their memories tells."""
        known = Numbering(self.scenes.takes(request.scene))
        lacking = self.memories.lacking(request.scene, after=max(request.round - _RECENT, 0))
        untold = [
            each.number
            for each in told.outside
            if request.for_ != "character" or request.who in each.heard_by
        ]
        return pending(built, untold, [each for each in lacking if each < request.round], known)

    def _begin(self, request: BriefRole) -> None:
        """Followers hear who begins, but not of those who work outside of rounds."""
        kind = KINDS.get(request.for_)
        if kind is None:
            return
        is_cast = kind == "character"
        found = self.worlds.read(Character, request.who) if request.who else None
        # The summary is kept under the op id of its step.
        begun = OpId(f"{request.effect.op_id}/begun") if kind == "summariser" else request.effect.op_id
        self.scenes.begin(
            BeginStep(
                effect=request.effect.model_copy(update={"op_id": begun}),
                scene=request.scene,
                round=request.round,
                kind=kind,
                pass_number=request.pass_number,
                who=(request.who or NARRATOR) if is_cast else "",
                name=found.name if found else "",
            )
        )

    @property
    def _material(self) -> SceneMaterial:
        return SceneMaterial(
            self.worlds,
            self.scenes,
            self.memories,
            self.embeddings,
            self.counter,
            self.blobs,
            self.indexes,
        )


def _params(case: EnvelopeCase) -> dict[str, str]:
    """Short values of a role's placeholders."""
    persona = case.located.persona
    named = {"persona": persona.name} if persona else {}
    return named | ({"name": name_of(case.who, case.cast)} if case.who else {})


def _step(request: BriefRole) -> str:
    return f"{request.for_} {request.who or request.pass_number}"
