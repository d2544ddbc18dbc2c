"""Pictures of scenes and characters: the visual role describes one, a model for images paints it."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from activities.scenes.material import SceneMaterial
from gateway.desk.agents.role_calls import Answer, RoleCall, answered
from gateway.desk.engine.waits import Wait
from gateway.desk.scene import finding, rounds
from gateway.desk.scene.numbers import numbering
from gateway.desk.services import CommandStore, Services
from gateway.desk.worlds.kinds import CHARACTER, SCENE, EntityKind
from gateway.desk.worlds.storing import whole
from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.tokens import EstimatedTokens
from penwright.domain.models.choice import IMAGES, SET_IMAGES
from penwright.domain.scene.envelope.building import build
from penwright.domain.scene.envelope.rendering import material
from penwright.errors import NotFound, Refused, UsageMistake
from penwright.roles.scene.role_call import instructions_of
from schemas.base import Effect, OpId
from schemas.director_round import BriefRole
from schemas.envelope import PromptRoom, TooSmall
from schemas.scene_roles import PictureDescribed, PicturePainted
from schemas.worlds import Character, Picture, Scene

MOST_PICTURES = 200
"""Of one scene or character."""
_ROLE: Final = "visual"
LONGEST_WISH: Final = 4_000
"""Characters."""
_ATTEMPTS = 5
"""To store a picture beside changes of others."""


@dataclass(frozen=True, slots=True)
class Pictured:
    """A description, and the picture if one was painted."""

    kind: EntityKind[Any]
    """Of what it is a picture: a scene or a character."""
    id: str
    described: Answer[PictureDescribed]
    picture: Picture | None
    number: int
    """Of the picture, from 1; 0 without one."""
    cost_micros: int
    unknown_prices: int


@dataclass(frozen=True, slots=True)
class _Order:
    kind: EntityKind[Any]
    id: str
    subject: str
    task: str


async def picture(
    services: Services, named: str, wish: str, wait: Wait, *, of: str = "", paint: bool | None = None
) -> Pictured:
    """Have a picture of the present moment of a scene described, and painted and kept where that is set up.

    Args:
        wish: what is to be seen; empty: the moment as it is.
        of: a character whose picture it is, and with whom it is kept; empty: the scene.
        paint: whether it is painted; None: if a model for images is set.

    Raises:
        UsageMistake: ``no-image-model``, ``wish-too-long``; as ``finding.scene`` and ``finding.member``.
        Refused: ``too-many-pictures``, ``context-too-small``.
        PermanentError: as ``answered``.
    """
    model = services.defaults().image_model
    if paint and not model:
        raise UsageMistake("no-image-model", "no model for images is set", hint=SET_IMAGES)
    if len(wish) > LONGEST_WISH:
        raise UsageMistake("wish-too-long", f"the wish has {len(wish):,} characters, of {LONGEST_WISH:,}")
    order = await asyncio.to_thread(_order, services, named, wish, of)
    call = RoleCall("scene/visual", order.task, order.subject, _ROLE)
    described = await answered(services, call, PictureDescribed, wait)
    spent = (described.cost_micros, described.unknown_prices)
    if not (model if paint is None else paint):
        return Pictured(order.kind, order.id, described, None, 0, *spent)
    call = RoleCall("scene/painter", _prompt(described.delivered), order.subject, IMAGES)
    painted = await answered(services, call, PicturePainted, wait)
    kept, number = await asyncio.to_thread(_kept, services, order, described, painted)
    spent = (spent[0] + painted.cost_micros, spent[1] + painted.unknown_prices)
    return Pictured(order.kind, order.id, described, kept, number, *spent)


def pictures(services: Services, named: str, *, of: str = "") -> tuple[Picture, ...]:
    """The pictures of a scene, or of one of its people, oldest first; raises as ``picture``."""
    with services.open_store() as store:
        thing: Scene | Character = _thing(store, finding.scene(store, named), of)[1]
    return thing.pictures


def content(services: Services, named: str, number: int, *, of: str = "") -> tuple[Picture, bytes]:
    """A picture and its bytes.

    Raises:
        NotFound: ``no-such-picture``.
    """
    found = pictures(services, named, of=of)
    if not 1 <= number <= len(found):
        raise _missing(number, len(found))
    with services.open_store() as store:
        return found[number - 1], store.blobs.get(found[number - 1].image)


def remove(
    services: Services, named: str, number: int, *, of: str = "", seen: Picture | None = None
) -> Picture:
    """Take a picture away; raises as ``content``.

    Args:
        seen: the picture that was looked at: none other is taken away where the numbers have changed since.
    """
    with services.open_store() as store:
        kind, thing = _thing(store, finding.scene(store, named), of)
    return _changed(services, kind, thing.id, lambda now: _without(now, number, seen))


def _order(services: Services, named: str, wish: str, of: str) -> _Order:
    with services.open_store() as store:
        scene = finding.scene(store, named)
        kind, thing = _thing(store, scene, of)
        if len(thing.pictures) >= MOST_PICTURES:
            of_whom = f" --of {thing.id}" if of else ""
            raise Refused(
                "too-many-pictures",
                f"{kind.word} {thing.id!r} has {len(thing.pictures)} pictures, and no more are kept",
                hint=f"`penwright scene pictures {scene.id}{of_whom} --remove N` takes one away",
            )
        asked = f"A portrait of {thing.name}, alone. {wish}".strip() if of else wish
        return _Order(kind, thing.id, f"scene/{scene.id}", _task(store, services, scene, asked))


def _task(store: CommandStore, services: Services, scene: Scene, wish: str) -> str:
    """The envelope of the visual role, as in a round; its tokens are estimated."""
    counter, nowhere = EstimatedTokens(), NoEmbeddings()
    effect = Effect(op_id=OpId(f"scene/{scene.id}/picture"), issued_at=services.now())
    known = numbering(store, scene.id)
    newest = known.id(known.newest) or 0
    request = BriefRole(
        effect=effect, scene=scene.id, round=newest, for_="visual", instruction=wish, continues=True
    )
    reading = SceneMaterial(store.worlds, store.scenes, store.memories, nowhere, counter, store.blobs)
    room = PromptRoom(
        instructions=counter.count(_ROLE, [instructions_of(_ROLE, {})])[0],
        counter=counter.name(_ROLE),
        model_context=0,
    )
    built = build(reading.read(request, _ROLE).case, lambda texts: counter.count(_ROLE, texts), room)
    if isinstance(built, TooSmall):
        raise Refused(built.code, built.message, hint=rounds.more_room(scene.id))
    return material(built, "visual")


def _thing(store: CommandStore, scene: Scene, of: str) -> tuple[EntityKind[Any], Any]:  # Any: of the kind
    if not of:
        return SCENE, scene
    return CHARACTER, whole(store.worlds, CHARACTER, finding.member(store, scene, of).id)


def _prompt(described: PictureDescribed) -> str:
    return (
        f"{described.prompt}\n\nNot in the picture: {described.avoid}"
        if described.avoid
        else described.prompt
    )


def _kept(
    services: Services, order: _Order, described: Answer[PictureDescribed], painted: Answer[PicturePainted]
) -> tuple[Picture, int]:
    made = painted.delivered.picture
    new = Picture(
        image=made.image,
        kind=made.kind,
        caption=described.delivered.caption,
        prompt=described.delivered.prompt,
        avoid=described.delivered.avoid,
        model=painted.delivered.model,
        run=painted.run_id,
        made_at=services.now(),
    )
    number = 0

    def with_it(now: tuple[Picture, ...]) -> tuple[tuple[Picture, ...], Picture]:
        nonlocal number
        number = len(now) + 1
        return (*now, new), new

    return _changed(services, order.kind, order.id, with_it), number


def _without(
    now: tuple[Picture, ...], number: int, seen: Picture | None
) -> tuple[tuple[Picture, ...], Picture]:
    if not 1 <= number <= len(now) or seen not in (None, now[number - 1]):
        raise _missing(number, len(now))
    return (*now[: number - 1], *now[number:]), now[number - 1]


# Any, here: a function of the pictures, and what is stored.
def _changed(services: Services, kind: EntityKind[Any], id: str, change: Any) -> Picture:
    """Store the changed pictures of a thing on its newest version; returns the one that came or went."""
    for attempt in range(_ATTEMPTS):
        with services.open_store() as store:
            thing = whole(store.worlds, kind, id)
            pictures, one = change(thing.pictures)
            try:
                store.worlds.change(thing.model_copy(update={"pictures": pictures}))
            except Refused as refusal:
                if refusal.code != "stale" or attempt == _ATTEMPTS - 1:
                    raise
            else:
                found: Picture = one
                return found
    raise AssertionError("the last attempt returns or raises")


def _missing(number: int, there: int) -> NotFound:
    return NotFound(
        "no-such-picture", f"there is no picture {number}", hint=f"{there} are kept; the first is number 1"
    )
