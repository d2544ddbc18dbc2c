"""Material for a role of a scene, with memories recalled for it, read from the store; the envelope cuts."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from activities.scenes.lore_choice import LoreChoice, Occasion
from activities.scenes.memory import charge_of, vectors_of
from penwright.domain.lore.index import LoreIndexes
from penwright.domain.models.usage import total
from penwright.domain.scene import presence
from penwright.domain.scene.merging import merged_at
from penwright.domain.scene.numbering import Numbering
from penwright.domain.scene.rewinding import state_before
from penwright.domain.scene.stretches import next_portion
from penwright.errors import NotFound
from penwright.ports.blobs import Blobs
from penwright.ports.scenes import Embeddings, Memories, Scenes, TokenCounter, Worlds
from schemas.director import CastMember
from schemas.director_round import BriefRole
from schemas.envelope import EnvelopeCase, LorePlace, Recalled, RequestType
from schemas.lore import LoreScan
from schemas.memory import MemoryQuery, Vectors
from schemas.model import Usage
from schemas.scene import SceneMessage, SceneState
from schemas.scene_summary import SummedUp
from schemas.worlds import Character, Located, SceneSettings


@dataclass(frozen=True, slots=True)
class Moment:
    """Bounds of all that a prompt is made of, besides the number of its last message."""

    round: int
    state: SceneState
    at: datetime | None = None
    """When the round began, if what came later is not to be known; None: the moment is now."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Reads moments."""

    scenes: Scenes

    def of(self, request: BriefRole) -> Moment:
        """The moment of a call: one bound for history, memories, summary and states."""
        # A summariser goes on from the summary that there is now, whatever messages it is shown.
        before = None if request.for_ == "summariser" else request.before
        earlier = self._before(request, before) if before is not None else None
        return earlier or Moment(request.round, self._now(request))

    def _before(self, request: BriefRole, number: int) -> Moment | None:
        message = self.scenes.message(f"{request.scene}/{number}")
        played = self.scenes.round(request.scene, message.round) if message is not None else None
        if message is None or played is None:
            return None
        acting = (request.who,) if request.who else ()
        state = presence.entered(state_before(played, message.id), acting)
        return Moment(played.number, state, played.started_at)

    def _now(self, request: BriefRole) -> SceneState:
        """The request's state, or the stored one with who comes in for it."""
        if request.state != SceneState():
            return request.state
        state, turn = self.scenes.state(request.scene), request.turn
        return presence.entered(state, (turn.character,)) if turn and turn.entered else state


_ASKED_BY = 2_000
"""Characters of the newest words that memories are searched by."""
_MOST_REMEMBERING = 8
"""Characters whose memories a director is shown."""


@dataclass(frozen=True, slots=True)
class Material:
    """All there is for one call."""

    case: EnvelopeCase
    lore: LoreScan
    """Record of how the lore of the case was chosen."""
    usage: Usage
    """Usage of finding its memories and its lore."""
    told: SummedUp
    """The parts of the scene that are summed up, and those that are not."""


@dataclass(frozen=True, slots=True)
class SceneMaterial:
    """Reads a case; the same store gives the same case."""

    worlds: Worlds
    scenes: Scenes
    memories: Memories
    embeddings: Embeddings
    counter: TokenCounter
    blobs: Blobs
    indexes: LoreIndexes = field(default_factory=LoreIndexes)

    def read(self, request: BriefRole, role: str) -> Material:
        """Return all there is for one call.

        Raises:
            NotFound: ``no-such-scene``.
        """
        located = self.worlds.locate(request.scene)
        if located is None:
            raise NotFound("no-such-scene", f"there is no scene {request.scene!r} any more")
        settings = located.scene.settings
        moment = Moments(self.scenes).of(request)
        state = moment.state
        told = self.scenes.summed_up(request.scene)
        messages = self._messages(request, settings, told)
        people = self._people(state.roster, located)
        occasion = Occasion(
            request=request,
            located=located,
            state=state,
            messages=[each for each in messages if _may_know(request, each)],
            newest=messages[-1].number if messages else 0,
            people=people,
            round=Numbering(self.scenes.takes(request.scene)).number(moment.round),
        )
        choice = LoreChoice(self.worlds, self.embeddings, self.counter, self.indexes)
        lore, lore_usage = choice.chosen(occasion, role)
        recalled = SceneRecalling(self.memories, self.embeddings).recalled(request, located, moment, messages)
        turn, before = request.turn, request.before or sys.maxsize
        case = EnvelopeCase(
            for_=request.for_,
            who=request.who,
            located=located,
            request_type=_request_type(request),
            round=moment.round,
            at=request.effect.issued_at,
            pass_number=request.pass_number,
            messages=messages,
            stretches=tuple(each for each in told.stretches if max(each.readings) < before),
            cast=request.cast or tuple(_member(each) for each in people),
            characters=people,
            states=tuple(presence.of(state, each) for each in state.roster),
            world=state.world,
            trackers=state.trackers,
            lore=tuple(hit.content for hit in lore.hits),
            lore_ids=tuple(f"{hit.book}/{hit.uid}" for hit in lore.hits),
            standing_lore=tuple(f"{hit.book}/{hit.uid}" for hit in lore.hits if hit.constant),
            lore_places=tuple(
                LorePlace(position=hit.position, depth=hit.depth, outlet=hit.outlet) for hit in lore.hits
            ),
            lore_verdicts=lore.verdicts,
            lore_books=lore.books,
            memories=recalled.memories,
            open_guidance=request.open_guidance,
            guidance=turn.guidance if turn else "",
            entry_guidance=turn.entry_guidance if turn else "",
            exit_guidance=turn.exit_guidance if turn else "",
            notes_to_director=request.notes,
            failed=request.failed,
            instruction=self._instruction(request),
            overruled=request.overruled,
        )
        return Material(self._numbered(case), lore, total((recalled.usage, lore_usage)), told)

    def _numbered(self, case: EnvelopeCase) -> EnvelopeCase:
        """With the numbers of rounds that people see, in the place of ids."""
        scene = case.located.scene.id
        scenes = {scene, *(each.scene for each in case.memories)}
        known = {each: Numbering(self.scenes.takes(each)) for each in scenes}
        here = known[scene]
        messages = (each.model_copy(update={"round": here.number(each.round)}) for each in case.messages)
        memories = (
            each.model_copy(update={"round": known[each.scene].number(each.round)}) for each in case.memories
        )
        changed = {
            "round": here.number(case.round),
            "messages": tuple(messages),
            "memories": tuple(memories),
            "stretches": tuple(here.of_stretch(each) for each in case.stretches),
        }
        return case.model_copy(update=changed)

    def _messages(
        self, request: BriefRole, settings: SceneSettings, told: SummedUp
    ) -> tuple[SceneMessage, ...]:
        """The newest messages; for a summariser, those that it is to sum up next."""
        if request.for_ != "summariser":
            newest, before = settings.history_messages, request.before
            return self.scenes.messages(request.scene, newest=newest, before=before)
        wanted = next_portion(told, request.before or sys.maxsize)
        if not wanted:
            return ()
        span, after = wanted[-1] - wanted[0] + 1, wanted[-1] + 1
        found = self.scenes.messages(request.scene, newest=span, before=after)
        return tuple(each for each in found if each.number in set(wanted))

    def _people(self, roster: Iterable[str], located: Located) -> tuple[Character, ...]:
        """Those who are present, as world and campaign have them."""
        found = (self.worlds.read(Character, each) for each in roster)
        return tuple(self._merged(each, located) for each in found if each is not None)

    def _merged(self, character: Character, located: Located) -> Character:
        overrides = self.worlds.overrides(character.id)
        return merged_at(character, overrides, located.world.id, located.campaign.id)

    def _instruction(self, request: BriefRole) -> str:
        if request.instruction_at is None:
            return request.instruction
        return self.blobs.get(request.instruction_at).decode()


def _request_type(request: BriefRole) -> RequestType:
    if request.regenerates:
        return "regenerate"
    return "continuation" if request.continues else "user"


def _may_know(request: BriefRole, message: SceneMessage) -> bool:
    """Lore must not tell a character of what was said in its absence."""
    return request.for_ != "character" or request.who in message.witnesses


def _member(character: Character) -> CastMember:
    return CastMember(id=character.id, name=character.name, nickname=character.nickname, present=True)


@dataclass(frozen=True, slots=True)
class Recollection:
    """Recalled memories, and the usage of finding them."""

    memories: tuple[Recalled, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class SceneRecalling:
    """Searches memories; where no vectors can be made, by words."""

    memories: Memories
    embeddings: Embeddings

    def recalled(
        self,
        request: BriefRole,
        located: Located,
        moment: Moment,
        messages: Sequence[SceneMessage],
    ) -> Recollection:
        """The acting character's own memories; a director is shown a few of each; others, none."""
        queries = tuple(_queries(request, located, moment, messages))
        charge = charge_of(request.effect, request.scene)
        vectors = vectors_of(self.embeddings, [each.text for each in queries], charge)
        chars = located.scene.settings.memory_chars
        found = (
            _within(self.memories.recall(query, _one(vectors, place)), chars)
            for place, query in enumerate(queries)
        )
        usage = vectors.usage if vectors is not None else Usage(cost_micros=0)
        return Recollection(tuple(memory for memories in found for memory in memories), usage)


def _queries(
    request: BriefRole, located: Located, moment: Moment, messages: Sequence[SceneMessage]
) -> Sequence[MemoryQuery]:
    limit = located.scene.settings.memories
    if request.for_ == "character":
        asking, each = [request.who], limit
    elif request.for_ == "director" and moment.state.roster:
        asking = list(moment.state.roster[:_MOST_REMEMBERING])
        each = limit // len(asking)
    else:
        return ()
    heard = {who: _newest_words(who, messages) for who in asking}
    return [
        MemoryQuery(
            scene=request.scene,
            world=located.world.id,
            character=who,
            text=text,
            limit=each,
            now_round=moment.round,
            before_round=moment.round if moment.at else None,
            until=moment.at,
        )
        for who, text in heard.items()
        if each and text
    ]


def _newest_words(who: str, messages: Sequence[SceneMessage]) -> str:
    return "\n".join(each.text for each in messages[-3:] if who in each.witnesses)[-_ASKED_BY:]


def _one(vectors: Vectors | None, place: int) -> Vectors | None:
    if vectors is None:
        return None
    return vectors.model_copy(update={"vectors": (vectors.vectors[place],)})


def _within(memories: Sequence[Recalled], chars: int) -> tuple[Recalled, ...]:
    """The best memories that have room; a long one does not keep a shorter one out."""
    kept: list[Recalled] = []
    for memory in memories:
        if len(memory.text) <= chars:
            kept.append(memory)
            chars -= len(memory.text)
    return tuple(kept)
