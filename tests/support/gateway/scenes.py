"""Rounds played in this process by a cast that always answers; the store is asked as a round asks it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gateway.desk.engine.pipelines import Acknowledgement, Message
from penwright.errors import Refused
from schemas.base import Effect, OpId, Progress
from schemas.control import KillRequest
from schemas.deltas import Delta
from schemas.director import Note, PlanApplied, PlanApproval, StateChange, Steering, Turn
from schemas.director_round import DirectorRoundInput, DirectorRoundResult
from schemas.envelope import Envelope, Item, TokenBudget, TokenUse
from schemas.lore import LoreBookSeen, LoreVerdict
from schemas.scene import (
    Author,
    CloseRound,
    KeepPass,
    KeepTurn,
    OpenRound,
    PassRecord,
    Round,
    RoundOpened,
    TurnRecord,
)

UNHEARD = Note(code="ambiguous-name", who="Ann", text="'Ann' may be any of ann, ann-2; use one of these ids.")
"""What a silent director is told."""
DEMO = Author(kind="model", name="demo", prompt_digest="d", demo=True)


@dataclass
class RehearsedRounds:
    """Implements ``Rounds``. Everyone present answers once, in the order of the roster."""

    services: Any
    """``StageServices``, which has the store and the clock."""
    silent: bool = False
    """The director lets nobody act."""
    failing: str = ""
    """Code with which rounds fail, if any."""
    gate: asyncio.Event | None = None
    """While it is not set, a round waits before its second speaker."""
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a plan that was asked for is approved, or its round halted."""
    remembered: list[str] = field(default_factory=list)
    """Scenes that were to be remembered."""
    at_work: dict[str, DirectorRoundInput] = field(default_factory=dict)
    ended: dict[str, DirectorRoundResult] = field(default_factory=dict)
    """By session."""
    given: list[DirectorRoundInput] = field(default_factory=list)
    steered: list[tuple[str, Steering]] = field(default_factory=list)
    refusing: Refused | None = None
    """What an approved plan is refused with, if it is."""
    approved: list[tuple[str, PlanApproval]] = field(default_factory=list)
    halted: dict[str, KillRequest] = field(default_factory=dict)
    told: list[tuple[str, Message]] = field(default_factory=list)
    paused: str = ""
    """Why rounds are paused; empty: they are not."""
    _tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)

    async def start(self, given: DirectorRoundInput) -> bool:
        if given.scene in self.at_work:
            return False
        self.given.append(given)
        self.at_work[given.scene] = given
        self._tasks[given.session] = asyncio.ensure_future(self._play(given))
        return True

    async def remember(self, scene: str, session: str) -> None:
        self.remembered.append(scene)

    async def session(self, scene: str) -> str:
        return self.at_work[scene].session if scene in self.at_work else ""

    async def progress(self, scene: str) -> Progress | None:
        if scene not in self.at_work:
            return None
        detail = self.paused or "Ann acts"
        return Progress(
            pipeline="director-round", subject=scene, stage="act", detail=detail, paused=bool(self.paused)
        )

    async def running(self) -> Mapping[str, Progress]:
        return {scene: told for scene in self.at_work if (told := await self.progress(scene))}

    async def result(self, scene: str, session: str = "") -> DirectorRoundResult | None:
        mine = [each.session for each in self.given if each.scene == scene and session in ("", each.session)]
        if not mine:
            return None
        await self._tasks[mine[-1]]
        return self.ended[mine[-1]]

    async def signal(self, scene: str, message: Message) -> Acknowledgement:
        if scene not in self.at_work:
            return Acknowledgement(found="nothing")
        self.told.append((scene, message))
        return Acknowledgement(found="session", heard=True)

    async def halt(self, scene: str, request: KillRequest) -> None:
        self.halted[scene] = request
        self.answered.set()
        if self.gate is not None:
            self.gate.set()

    async def approve_plan(self, scene: str, approval: PlanApproval) -> None:
        if scene not in self.at_work:
            raise Refused("no-round-runs", "no round runs in this scene")
        if self.refusing is not None:
            raise self.refusing
        self.approved.append((scene, approval))
        self.answered.set()

    async def steer(self, scene: str, asked: Steering) -> None:
        if scene not in self.at_work:
            raise Refused("no-round-runs", "no round runs in this scene")
        self.steered.append((scene, asked))

    async def _play(self, given: DirectorRoundInput) -> None:
        try:
            self.ended[given.session] = await _RehearsedRound(self, given).play()
        finally:
            del self.at_work[given.scene]


@dataclass
class _RehearsedRound:
    """One of them."""

    stage: RehearsedRounds
    given: DirectorRoundInput
    steps: int = 0

    async def play(self) -> DirectorRoundResult:
        given = self.given
        if self.stage.failing:
            return self._result("failed", 0, code=self.stage.failing, message="the director gave no plan")
        opened = self._open()
        if opened.code:
            return self._result("refused", 0, code=opened.code, message=opened.message)
        turns = tuple(Turn(character=each, guidance="Be brief.") for each in self._speakers(opened))
        kept = self._pass(opened, turns)
        if given.steering.hold:
            self.stage.answered.clear()
            await self.stage.answered.wait()
        records: list[TurnRecord] = []
        for turn in turns:
            if records and self.stage.gate is not None:
                await self.stage.gate.wait()
            if given.scene in self.stage.halted:
                break
            records.append(self._turn(opened, turn))
        stop = self.stage.halted.pop(given.scene, None)
        status = "stopped" if stop else "completed"
        self._close(opened, kept, tuple(records), status)
        spoken = tuple(each.message for each in records)
        return self._result(
            status, opened.number, spoken=spoken, silent=not spoken, stopped_by=stop.who if stop else ""
        )

    def _result(self, outcome: str, number: int, **more: Any) -> DirectorRoundResult:
        told = {"outcome": outcome, "scene": self.given.scene, "round": number, "demo": True}
        return DirectorRoundResult.model_validate({**told, "models": ("demo",), **more})

    def _open(self) -> RoundOpened:
        given, store = self.given, self.stage.services.store
        text = store.blobs.get(given.text).decode() if given.text else ""
        order = OpenRound(
            effect=self._effect(),
            scene=given.scene,
            session=given.session,
            kind=given.kind,
            text=text,
            who=given.who,
            message=given.message,
            voice=given.voice,
        )
        opened: RoundOpened = store.scenes.open_round(order)
        return opened

    def _speakers(self, opened: RoundOpened) -> list[str]:
        if opened.regenerates is not None:
            return [opened.regenerates.speaker_id]
        if self.stage.silent:
            return []
        return [
            each.id
            for each in opened.cast
            if each.present and not each.taken and each.id not in self.given.steering.veto
        ]

    def _pass(self, opened: RoundOpened, turns: tuple[Turn, ...]) -> PassRecord:
        scenes, blobs = self.stage.services.store.scenes, self.stage.services.store.blobs
        applied = PlanApplied(
            turns=turns,
            roster=opened.state.roster,
            open_guidance="Keep it quiet.",
            notes=() if turns else (UNHEARD,),
        )
        shown = blobs.put(an_envelope(self.given.scene, opened.number).model_dump_json().encode())
        held = self.given.steering.hold
        record = PassRecord(number=1, applied=applied, author=DEMO, envelope=shown, held=held)
        scenes.keep_pass(
            KeepPass(
                effect=self._effect(),
                scene=self.given.scene,
                round=opened.number,
                record=record,
                state=opened.state,
            )
        )
        return record

    def _turn(self, opened: RoundOpened, turn: Turn) -> TurnRecord:
        store = self.stage.services.store
        name = next(each.name for each in opened.cast if each.id == turn.character)
        record = TurnRecord(character=turn.character, pass_number=1, outcome="spoken")
        kept = KeepTurn(
            effect=self._effect(),
            scene=self.given.scene,
            round=opened.number,
            record=record,
            name=name,
            text=store.blobs.put(f"{name} answers in round {opened.number}.".encode()),
            author=DEMO,
            witnesses=opened.state.roster,
            replaces=opened.regenerates.id if opened.regenerates else "",
        )
        return record.model_copy(update={"message": store.scenes.keep_turn(kept)})

    def _close(
        self, opened: RoundOpened, kept: PassRecord, turns: tuple[TurnRecord, ...], status: str
    ) -> None:
        scenes = self.stage.services.store.scenes
        effect = self._effect()
        lost = StateChange(
            subject=opened.cast[0].id if opened.cast else "world",
            field="mood",
            new="glad",
            source="reported",
            overruled=True,
        )
        played = Round.model_validate(
            {
                "scene": self.given.scene,
                "number": opened.number,
                "kind": self.given.kind,
                "status": status,
                "passes": (kept,),
                "turns": turns,
                "changes": (lost,),
                "before": opened.state,
                "cost_micros": 1_500,
                "started_at": effect.issued_at,
                "ended_at": effect.issued_at,
                "op_id": effect.op_id,
            }
        )
        scenes.close_round(
            CloseRound(
                effect=effect,
                scene=self.given.scene,
                round=played,
                state=scenes.state(self.given.scene),
                session=self.given.session,
            )
        )

    def _effect(self) -> Effect:
        self.steps += 1
        op_id = OpId(f"scene/{self.given.scene}#{self.given.session}:{self.steps}")
        return Effect(op_id=op_id, issued_at=self.stage.services.clock.now())


def an_envelope(scene: str, number: int) -> Envelope:
    """What the director was shown."""
    budget = TokenBudget(
        context=8_192,
        answer=700,
        fixed=120,
        sections=(TokenUse(section="history", allotted=2_200, given=2_400, used=35),),
        counter="about 4 characters a token",
    )
    return Envelope(
        request_type="user",
        scene=scene,
        round=number,
        budget=budget,
        formatted_lore="The lamp has not burned for years.",
        items=(
            Item(section="history", id=f"{scene}/1", tokens=35, kept=True, reason="last round"),
            Item(section="lore", id="lamp/2", tokens=900, kept=False, reason="no room: 900 of 80 tokens"),
        ),
        lore_verdicts=(
            LoreVerdict(
                book="lamp",
                uid="1",
                title="The lamp",
                outcome="fired",
                why="the key 'lamp' occurs.",
                place="after the history",
            ),
            LoreVerdict(book="lamp", uid="2", title="The storm", outcome="no-key", why="no key of it occurs"),
        ),
        lore_books=(LoreBookSeen(book="lamp", name="Of the lamp", version=1, entries=2),),
    )


@dataclass
class RehearsedDeltas:
    """Implements ``DeltaFeed``."""

    coming: "asyncio.Queue[Delta]" = field(default_factory=asyncio.Queue)

    async def follow(self, scene: str = "") -> AsyncIterator[Delta]:
        while True:
            yield await self.coming.get()
