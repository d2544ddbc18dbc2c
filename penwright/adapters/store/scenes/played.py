"""Store of scenes' rounds and messages, and of telemetry of their calls."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.database import Database
from penwright.adapters.store.scenes import adding, revising, storing
from penwright.adapters.store.scenes.branching import branch
from penwright.adapters.store.scenes.messages import message_at, messages_of_round, newest_messages, parse_id
from penwright.adapters.store.scenes.once import once
from penwright.adapters.store.scenes.opening_rounds import open_round, opened
from penwright.adapters.store.scenes.remembering.stretches import all_stretches, put_stretch, summed_up
from penwright.adapters.store.scenes.rounds import (
    has_session,
    newest_rounds,
    round_at,
    set_aside,
    takes_of,
)
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.setting.roster import running_round
from penwright.adapters.store.scenes.tables.played import scene_telemetry
from penwright.adapters.store.scenes.tables.setting import scenes
from penwright.adapters.store.scenes.views import changes_of, moment, state_of
from penwright.ports.blobs import Blobs
from penwright.ports.clock import Clock
from schemas.envelope import Telemetry
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
    StateEvent,
    Takes,
    UndoRound,
)
from schemas.scene_summary import Stretch, SummedUp

KEPT = 500
"""The newest rows of token use that stay of a scene."""
_ROWS = scene_telemetry.c


class PostgresScenes:
    """Implements ``Scenes``."""

    def __init__(self, database: Database, clock: Clock, blobs: Blobs) -> None:
        """Args:
        blobs: where the texts of replies are read.
        """
        self._database = database
        self._clock = clock
        self._blobs = blobs

    def open_round(self, request: OpenRound) -> RoundOpened:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: open_round(connection, row, request),
            lambda connection, result: opened(connection, request.scene, result),
        )

    def add_rounds(self, request: AddRounds) -> SceneChanged:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: adding.add_rounds(connection, row, request),
            lambda connection, result: SceneChanged(round=result["round"]),
        )

    def begin(self, request: BeginStep) -> None:
        once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: storing.begin(connection, row, request),
            lambda connection, result: None,
        )

    def keep_pass(self, request: KeepPass) -> int:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: storing.keep_pass(connection, row, request),
            lambda connection, result: int(result["version"]),
        )

    def keep_turn(self, request: KeepTurn) -> str:
        text = self._blobs.get(request.text).decode("utf-8") if request.text else ""
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: storing.keep_turn(connection, row, request, text),
            lambda connection, result: str(result["message"]),
        )

    def partial_reply(self, scene: str, round: int, who: str) -> Heard | None:
        with self._database.transaction() as connection:
            return storing.partial_reply(connection, scene, round, who)

    def close_round(self, request: CloseRound) -> Round:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: storing.close_round(connection, row, request),
            lambda connection, result: storing.closed(connection, request.scene, result),
        )

    def edit(self, request: EditMessage) -> SceneChanged:
        return once(
            self._database,
            moment(request.effect),
            parse_id(request.message)[0],
            lambda connection, row: revising.edit(connection, row, request),
            revising.changed,
        )

    def choose(self, request: ChooseAlternative) -> SceneChanged:
        return once(
            self._database,
            moment(request.effect),
            parse_id(request.message)[0],
            lambda connection, row: revising.pick(connection, row, request),
            revising.changed,
        )

    def undo(self, request: UndoRound) -> SceneChanged:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: revising.undo(connection, row, request),
            revising.changed,
        )

    def redo(self, request: RedoRound) -> SceneChanged:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: revising.redo(connection, row, request),
            revising.changed,
        )

    def branch(self, request: BranchScene) -> SceneChanged:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: branch(connection, row, request),
            revising.changed,
        )

    def patch(self, request: PatchState) -> SceneChanged:
        return once(
            self._database,
            moment(request.effect),
            request.scene,
            lambda connection, row: revising.patch(connection, row, request),
            revising.changed,
        )

    def summarised(
        self,
        scene: str,
        summary: str,
        op_id: str,
        witnesses: tuple[str, ...],
        shown: Mapping[int, str],
    ) -> bool:
        op = (op_id, self._clock.now())
        return once(
            self._database,
            op,
            scene,
            lambda connection, row: put_stretch(connection, row, scene, (summary, witnesses), op, shown),
            lambda connection, result: True,
        )

    def summed_up(self, scene: str) -> SummedUp:
        with self._database.statement() as connection:
            return summed_up(connection, scene)

    def stretches(self, scene: str) -> tuple[Stretch, ...]:
        with self._database.statement() as connection:
            return all_stretches(connection, scene)

    def state(self, scene: str) -> SceneState:
        with self._database.statement() as connection:
            return state_of(connection, scene)

    def messages(
        self, scene: str, *, newest: int = 200, before: int | None = None, undone: bool = False
    ) -> tuple[SceneMessage, ...]:
        with self._database.statement() as connection:
            return newest_messages(connection, scene, newest=newest, before=before, undone=undone)

    def messages_of(self, scene: str, round: int) -> tuple[SceneMessage, ...]:
        with self._database.statement() as connection:
            return messages_of_round(connection, scene, round)

    def message(self, id: str) -> SceneMessage | None:
        scene, number = parse_id(id)
        with self._database.statement() as connection:
            return message_at(connection, scene, number)

    def rounds(self, scene: str, *, newest: int = 20) -> tuple[Round, ...]:
        with self._database.statement() as connection:
            return newest_rounds(connection, scene, newest)

    def round(self, scene: str, number: int) -> Round | None:
        with self._database.statement() as connection:
            return round_at(connection, scene, number)

    def has_session(self, scene: str, session: str) -> bool:
        with self._database.statement() as connection:
            return has_session(connection, scene, session)

    def takes(self, scene: str) -> Takes:
        with self._database.statement() as connection:
            return takes_of(connection, scene)

    def set_aside(self, scenes: Sequence[str]) -> Mapping[str, int]:
        with self._database.statement() as connection:
            return set_aside(connection, scenes)

    def running(self, scene: str) -> int | None:
        with self._database.statement() as connection:
            return running_round(connection, scene)

    def changes(self, scene: str, *, subject: str = "", newest: int = 100) -> tuple[StateEvent, ...]:
        with self._database.statement() as connection:
            return changes_of(connection, scene, subject, newest)

    def record(self, telemetry: Telemetry, op_id: str) -> None:
        with self._database.transaction() as connection:
            _keep_telemetry(connection, telemetry, op_id)

    def telemetry(self, scene: str) -> tuple[Telemetry, ...]:
        with self._database.statement() as connection:
            return _telemetry_of(connection, scene)


def _keep_telemetry(connection: Connection, telemetry: Telemetry, op_id: str) -> None:
    """See the port."""
    if connection.execute(select(scenes.c.id).where(scenes.c.id == telemetry.scene)).first() is None:
        raise no_such("scene", telemetry.scene)
    row = {"scene": telemetry.scene, "op_id": op_id, "body": telemetry.model_dump(mode="json")}
    connection.execute(upsert(scene_telemetry).values(row).on_conflict_do_nothing())
    here = _ROWS.scene == telemetry.scene
    oldest_kept = (
        select(_ROWS.number).where(here).order_by(_ROWS.number.desc()).offset(KEPT - 1).limit(1)
    ).scalar_subquery()
    connection.execute(delete(scene_telemetry).where(here, _ROWS.number < oldest_kept))


def _telemetry_of(connection: Connection, scene: str) -> tuple[Telemetry, ...]:
    """Read what is kept, oldest first."""
    rows = select(_ROWS.body).where(_ROWS.scene == scene).order_by(_ROWS.number)
    return tuple(Telemetry.model_validate(body) for body in connection.execute(rows).scalars())
