"""Requests of a person to a scene, each as an order for one round."""

from dataclasses import dataclass
from typing import Final, Literal

from gateway.desk.scene import finding
from gateway.desk.scene.casting import voice_of, without_expired
from gateway.desk.scene.steering import merged
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import books
from gateway.desk.works.override_tags import checked_tag
from penwright.errors import Refused, UsageMistake
from schemas.director import Steering
from schemas.director_round import DirectorRoundInput
from schemas.worlds import Scene

LONGEST_TEXT: Final = 100_000
"""Characters of one message."""
RoundKind = Literal["message", "continue", "narrate", "regenerate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions:
    """Request of a person for one round."""

    kind: RoundKind = "message"
    text: str = ""
    """The user's message, or the request to the narrator."""
    message: str = ""
    """With ``regenerate``: the message that gets an alternative; empty: the whole last round."""
    minutes: int | None = None
    cost_micros: int | None = None
    tag: str = ""
    """Tag of the override set of its agents; empty: as their profiles say."""
    voice: str = ""
    """The character that the user speaks as, by name; empty: their persona."""
    who: str = ""
    """Person who asks; empty: the person of the services."""
    direct: str = ""
    """What a person asks of the director: its plan then waits for them."""
    within: tuple[str, ...] | None = None
    """Ids of those whom the director may bring in; None: everyone."""
    session: str = ""
    """Names the round: it is played once, however often it is asked for; empty: a round of its own."""


def order_of(services: Services, named: str, wanted: RoundOptions) -> DirectorRoundInput:
    """The order for one round, its text stored; it takes along what was asked of the next round.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-message``; as ``checked_tag``.
        UsageMistake: ``empty-message``, ``message-too-long``, ``message-not-text``.
        Refused: ``no-cast``; ``import-unfinished``; ``no-message``: nothing can be made again; ``not-taken``,
            of the character that the user speaks as.
    """
    tag = checked_tag(services, wanted.tag, "round")
    text = checked_text(wanted.text) if wanted.kind == "message" or wanted.text else ""
    defaults = services.defaults()
    with services.open_store() as store:
        scene = without_expired(services, store, finding.whole(store, named))
        _check_cast(store, scene, wanted)
        voice = voice_of(store, scene, wanted.voice) if wanted.voice else None
        replaced = _replaced(store, scene, wanted)
        return DirectorRoundInput(
            scene=scene.id,
            session=wanted.session or books.new_session(services.now()),
            kind=wanted.kind,
            text=store.blobs.put(text.encode()) if text else None,
            voice=voice,
            who=wanted.who or services.person(),
            message=replaced,
            steering=merged(scene.steering, _steering(wanted)),
            minutes=wanted.minutes,
            cost_micros=wanted.cost_micros,
            model_queue=defaults.model_queue,
            override_tag=tag,
        )


def _steering(wanted: RoundOptions) -> Steering:
    return Steering(within=wanted.within, note=wanted.direct, hold=bool(wanted.direct))


def checked_text(text: str) -> str:
    """A text that a message may have, without white space around it; raises as ``order_of``."""
    said = text.strip()
    if not said:
        raise UsageMistake(
            "empty-message", "the message is empty; nothing was started", hint="say something, or `continue`"
        )
    if "\0" in said or any("\ud800" <= sign <= "\udfff" for sign in said):
        raise UsageMistake(
            "message-not-text",
            "the message holds a NUL character, or half of a character, so it is no text",
            hint="write it as UTF-8",
        )
    if len(said) > LONGEST_TEXT:
        raise UsageMistake(
            "message-too-long",
            f"the message has {len(said):,} characters; at most {LONGEST_TEXT:,} fit",
            hint="say it in several messages, or put long facts into a lorebook",
        )
    return said


def _check_cast(store: CommandStore, scene: Scene, wanted: RoundOptions) -> None:
    """A character is present, or has been in this scene, so that the director can bring them back."""
    if wanted.kind not in ("message", "continue") or scene.roster or store.scenes.state(scene.id).characters:
        return
    raise Refused(
        "no-cast",
        f"{scene.title!r} has no cast, so no character could act; nothing was started",
        hint=f"`penwright scene cast {scene.id} --add NAME` adds a character, "
        "`penwright character list` shows them",
    )


def _replaced(store: CommandStore, scene: Scene, wanted: RoundOptions) -> str:
    """Id of the reply that is made again; empty: the whole last round, or nothing is made again.

    Raises:
        Refused: ``no-message``: there is no such reply.
    """
    if wanted.kind != "regenerate":
        return ""
    if not wanted.message:
        if not store.scenes.messages(scene.id, newest=1):
            raise _no_reply(scene, f"nothing was said in {scene.title!r} yet")
        return ""
    found = finding.message(store, scene, wanted.message)
    if found.speaker not in ("character", "narrator"):
        raise _no_reply(scene, f"message {found.number} is no reply: {found.name} said it, and no model")
    return found.id


def _no_reply(scene: Scene, why: str) -> Refused:
    return Refused(
        "no-message",
        f"{why}; nothing was started",
        hint=f"`penwright scene show {scene.id}` numbers the replies, "
        f"`penwright scene say {scene.id} TEXT` has one made",
    )
