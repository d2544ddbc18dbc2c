"""Activities of a director round: each change once per op id, in one transaction with its events."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.run_log import run_end
from activities.scenes.opening import RoundOpening
from penwright.domain.control import shown_outcome
from penwright.domain.scene import turn_keeping
from penwright.domain.scene.round_status import PIPELINE
from penwright.domain.scene.stretches import shown_in
from penwright.ports.blobs import Blobs
from penwright.ports.records import Records
from penwright.ports.scenes import MemoryRuns, Scenes, Worlds
from schemas.director_round import BeginRound, EndRound, KeepSpoken, KeepSummary, TurnKept
from schemas.envelope import Envelope
from schemas.records import RunRow
from schemas.scene import CloseRound, KeepPass, RoundOpened, SceneMessage


@dataclass(frozen=True)
class DirectorRoundActivities:
    """Activities for any worker that reaches the store."""

    worlds: Worlds
    scenes: Scenes
    blobs: Blobs
    records: Records
    memory: MemoryRuns

    @activity.defn
    async def begin_round(self, request: BeginRound) -> RoundOpened:
        """Open the round, or say why not; a round whose process is gone is closed first."""
        opening = RoundOpening(self.worlds, self.scenes, self.blobs)
        opened = await asyncio.to_thread(opening.begin, request)
        if not opened.code:
            await asyncio.to_thread(self._note_start, request, opened)
        return opened

    @activity.defn
    async def keep_pass(self, request: KeepPass) -> int:
        """Store a pass; returns the version of the state after it."""
        return await asyncio.to_thread(self.scenes.keep_pass, request)

    @activity.defn
    async def keep_turn(self, request: KeepSpoken) -> TurnKept:
        """Store a turn with what its words change; what a repeat stores is the same."""
        return await asyncio.to_thread(self._keep_turn, request)

    def _keep_turn(self, request: KeepSpoken) -> TurnKept:
        request = self._with_words(request)
        text = self.blobs.get(request.text).decode() if request.text else ""
        changes = turn_keeping.changes_by(request, text)
        now = self.scenes.state(request.scene)
        message = self.scenes.keep_turn(turn_keeping.stored_turn(request, changes, now))
        return TurnKept(message=message, changes=changes)

    def _with_words(self, request: KeepSpoken) -> KeepSpoken:
        """A turn that was stopped in the middle of a reply has the words that were sent of it."""
        if request.record.outcome != "stopped" or request.text is not None:
            return request
        heard = self.scenes.partial_reply(request.scene, request.round, request.record.character)
        if heard is None or not heard.text.strip():
            return request
        kept = self.blobs.put(heard.text.strip().encode("utf-8", "replace"))
        return request.model_copy(update={"text": kept, "author": heard.author})

    @activity.defn
    async def keep_summary(self, request: KeepSummary) -> int:
        """Keep a stretch of the summary; returns the number of its last message, or 0 if it is dropped.

        So is one of words that were changed while it was written; a later round has another made.
        """
        return await asyncio.to_thread(self._keep_summary, request)

    def _keep_summary(self, request: KeepSummary) -> int:
        envelope = Envelope.model_validate_json(self.blobs.get(request.envelope))
        shown = shown_in(envelope)
        if not shown:
            return 0
        first, last = min(shown), max(shown)
        found = self.scenes.messages(request.scene, newest=last - first + 1, before=last + 1)
        witnesses = _heard_by_all([each for each in found if each.number in shown])
        text = self.blobs.get(request.summary).decode()
        kept = self.scenes.summarised(request.scene, text, request.effect.op_id, witnesses, shown)
        return last if kept else 0

    @activity.defn
    async def close_round(self, request: CloseRound) -> None:
        """Close the round: timeline, roster and state, in one transaction."""
        await asyncio.to_thread(self.scenes.close_round, request)

    @activity.defn
    async def end_round(self, request: EndRound) -> None:
        """Note the run's end, for lists, and have the round remembered in the background."""
        if request.wants_memory:
            await self.memory.wanted(request.scene, request.session, request.override_tag)
        await asyncio.to_thread(self._note_end, request)

    def _note_start(self, request: BeginRound, opened: RoundOpened) -> None:
        row = RunRow(
            run=f"scene/{request.scene}#{request.session}",
            pipeline=PIPELINE,
            subject=f"scene/{request.scene}",
            stage="open",
            started_at=request.effect.issued_at,
            detail={"round": opened.number, "kind": request.kind},
        )
        self.records.note(row, [])

    def _note_end(self, request: EndRound) -> None:
        ending = request.result
        row, event = run_end(
            f"scene/{request.scene}#{request.session}",
            PIPELINE,
            f"scene/{request.scene}",
            request.effect,
            outcome=shown_outcome(ending.outcome, ending.code),
            data={"outcome": ending.outcome, "code": ending.code, "round": ending.round},
            detail=ending.model_dump(mode="json"),
            cost_micros=ending.cost_micros,
        )
        done = {"kind": "summariser.completed", "op_id": f"{event.op_id}/summariser"}
        ended = {"data": {"round": ending.round}, **done}
        self.records.note(row, [*([event.model_copy(update=ended)] if request.summarised else []), event])


def _heard_by_all(messages: list[SceneMessage]) -> tuple[str, ...]:
    """Those who heard every one of these messages."""
    heard = [tuple(each for each in (*said.witnesses, said.speaker_id) if each) for said in messages]
    everyone = dict.fromkeys(heard[0]) if heard else {}
    return tuple(each for each in everyone if all(each in those for those in heard))
