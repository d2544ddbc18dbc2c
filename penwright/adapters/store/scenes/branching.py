"""A new scene that shares everything up to a round with another."""

from sqlalchemy import Connection, RowMapping, insert, literal, select

from penwright.adapters.store.scenes.copies import newest_number
from penwright.adapters.store.scenes.lineage import line_of
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.opening_rounds import no_such_scene
from penwright.adapters.store.scenes.revising import refused
from penwright.adapters.store.scenes.rounds import before_of, next_visible, round_row
from penwright.adapters.store.scenes.setting import roster
from penwright.adapters.store.scenes.setting.naming import folded
from penwright.adapters.store.scenes.setting.worlds import IDS_IN_TURN, free_id
from penwright.adapters.store.scenes.tables.played import (
    forgotten_rounds,
    scene_cast,
    scene_views,
    undone_rounds,
)
from penwright.adapters.store.scenes.tables.setting import lore_attachments, scenes
from penwright.adapters.store.scenes.telling import scene_event
from penwright.adapters.store.scenes.views import body_of, state_of
from penwright.domain.text.names import check_name
from schemas.scene import BranchScene, SceneChanged, SceneState
from schemas.worlds import Scene


def branch(connection: Connection, row: RowMapping | None, request: BranchScene) -> Done | SceneChanged:
    """See the port."""
    if row is None:
        return refused(no_such_scene(request.scene))
    if not _can_branch(connection, request):
        return no_such_round(request)
    title = request.title.strip() or f"{row['name']} from round {request.after_round}"
    check_name(title)
    connection.execute(IDS_IN_TURN)
    id = free_id(connection, Scene, title)
    state = _state_after(connection, request)
    _add_scene(connection, row, request, id, title)
    _add_view(connection, row["id"], id, state, request.after_round)
    data = {"branch": id, "round": request.after_round, "by": request.who}
    event = scene_event(request.effect, request.scene, "", "scene.branched", data)
    return Done({"scene": id, "round": request.after_round}, (event,))


def no_such_round(request: BranchScene) -> SceneChanged:
    return SceneChanged(
        code="no-such-round",
        message=f"Round {request.after_round} of scene {request.scene!r} was not played to its end, "
        "it was undone, or it is another take of one reply; 0 is the beginning.",
    )


def _can_branch(connection: Connection, request: BranchScene) -> bool:
    """Whether that is the beginning, or a round of the path, which another take of one reply is not."""
    if request.after_round == 0:
        return True
    found = round_row(connection, request.scene, request.after_round)
    if found is None or found["regenerates"]:
        return False
    return not found["undone"] and found["status"] != "running"


def _state_after(connection: Connection, request: BranchScene) -> SceneState:
    """The state that the round after began with; the present one after the last."""
    following = next_visible(connection, request.scene, request.after_round)
    if following is not None:
        return before_of(following)
    return state_of(connection, request.scene)


def _add_scene(connection: Connection, row: RowMapping, request: BranchScene, id: str, title: str) -> None:
    places = select(scenes.c.position).where(scenes.c.arc == row["arc"])
    holders = [(segment.scene, segment.to_message) for segment in line_of(connection, row["id"])]
    shared = newest_number(connection, holders, request.after_round)
    connection.execute(
        insert(scenes).values(
            id=id,
            name=title,
            folded=folded(title),
            version=1,
            body=row["body"] | {"coming": [], "going": []},
            changed_at=request.effect.issued_at,
            arc=row["arc"],
            position=max(connection.execute(places).scalars()) + 1,
            persona=row["persona"],
            rounds=request.after_round,
            messages=shared,
            branched_from=row["id"],
            branched_at=request.after_round,
            shared_to=shared,
            family=row["family"],
        )
    )


def _add_view(connection: Connection, source: str, id: str, state: SceneState, round: int) -> None:
    """State, roster, undone rounds and books of the new scene."""
    connection.execute(insert(scene_views).values(scene=id, version=state.version, body=body_of(state)))
    known = select(literal(id), scene_cast.c.character).where(scene_cast.c.scene == source)
    connection.execute(insert(scene_cast).from_select(["scene", "character"], known))
    roster.put(connection, id, roster.still_there(connection, state.roster))
    hidden = undone_rounds.c
    marks = select(literal(id), hidden.round, hidden.op_id, hidden.at, hidden.scene_with).where(
        hidden.scene == source, hidden.round <= round
    )
    connection.execute(
        insert(undone_rounds).from_select(["scene", "round", "op_id", "at", "scene_with"], marks)
    )
    rows = select(literal(id), forgotten_rounds.c.round).where(
        forgotten_rounds.c.scene == source, forgotten_rounds.c.round <= round
    )
    connection.execute(insert(forgotten_rounds).from_select(["scene", "round"], rows))
    books = lore_attachments.c
    same = select(books.book, books.level, literal(id), literal(id)).where(books.scene == source)
    connection.execute(insert(lore_attachments).from_select(["book", "level", "at", "scene"], same))
