"""Director rounds over a Temporal client."""

from temporalio.client import Client, WorkflowExecutionStatus

from activities.scene_memory import TemporalSceneMemory
from gateway.desk.engine.temporal.pipeline_runs import Pipeline, PipelineRuns
from penwright.domain.scene.round_status import progress
from penwright.errors import PenwrightError, Refused
from schemas.control import KillRequest
from schemas.director import PlanApproval, Steering
from schemas.director_round import DirectorRoundInput, DirectorRoundResult, DirectorRoundState
from workflows.director_round import DirectorRound

_SESSION = "session"


class TemporalRounds(PipelineRuns[DirectorRoundInput, DirectorRoundResult]):
    """Implements ``gateway.desk.engine.rounds.Rounds``."""

    def __init__(self, client: Client, queue: str, model_queue: str) -> None:
        super().__init__(client, queue, _PIPELINE)
        self._model_queue = model_queue
        self._started: dict[str, str | None] = {}
        """Temporal's run ids of the sessions that were started here."""

    async def start(self, given: DirectorRoundInput) -> bool:
        begun = await self._begin(given, memo={_SESSION: given.session})
        if begun is not None:
            self._started[given.session] = begun.result_run_id
        return begun is not None

    async def remember(self, scene: str, session: str) -> None:
        memory = TemporalSceneMemory(self._queue, self._model_queue, lambda: self._client)
        async with self._translated():
            await memory.wanted(scene, session)

    async def session(self, scene: str) -> str:
        found = await self._described(scene)
        if found is None or found.status != WorkflowExecutionStatus.RUNNING:
            return ""
        return str(await found.memo_value(_SESSION, ""))

    async def result(self, scene: str, session: str = "") -> DirectorRoundResult | None:
        if not session and await self._described(scene) is None:
            return None
        return await self._ended(scene, self._started.get(session))

    async def halt(self, scene: str, request: KillRequest) -> None:
        await self._update(scene, DirectorRound.halt, request)

    async def steer(self, scene: str, asked: Steering) -> None:
        await self._update(scene, DirectorRound.steer, asked)

    async def approve_plan(self, scene: str, approval: PlanApproval) -> None:
        await self._update(scene, DirectorRound.approve_plan, approval)


def _nothing() -> PenwrightError:
    return Refused(
        "no-round-runs", "no round runs in this scene", hint="`penwright scene say SCENE TEXT` begins one"
    )


_PIPELINE = Pipeline(
    types=("DirectorRound",),
    run=DirectorRound.run,
    name=lambda given: given.scene,
    title=lambda given: f"Scene {given.scene}",
    shown=lambda given: progress(given, DirectorRoundState()),
    result=DirectorRoundResult,
    prefix="scene/",
    thing="round",
    none=_nothing,
)
