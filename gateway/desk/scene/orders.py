"""What a person asks of a scene, as an order for one round."""

from dataclasses import dataclass
from typing import Final, Literal

from gateway.desk.book import books
from gateway.desk.scene import finding
from gateway.desk.scene.casting import voice_of
from gateway.desk.services import Services
from penwright.errors import Refused, UsageMistake
from schemas.director_round import DirectorRoundInput
from schemas.worlds import Scene

LONGEST_TEXT: Final = 100_000
"""Characters of one message."""
Kind = Literal["message", "continue", "narrate", "regenerate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person asks of one round."""

    kind: Kind = "message"
    text: str = ""
    """What the user says, or asks the narrator for."""
    message: str = ""
    """With ``regenerate``: the message that gets an alternative; empty: the whole last round."""
    minutes: int | None = None
    cost_micros: int | None = None
    voice: str = ""
    """The character that the user speaks as, by name; empty: their persona."""
    who: str = ""
    """Who asks; empty: the person of the services."""


def order_of(services: Services, named: str, wanted: Wanted) -> DirectorRoundInput:
    """The order for one round, its text stored; it takes along what was asked of the next round.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-message``.
        UsageMistake: ``empty-message``, ``message-too-long``, ``message-not-text``.
        Refused: ``no-cast``; ``not-taken``, of the character that the user speaks as.
    """
    text = checked_text(wanted.text) if wanted.kind == "message" or wanted.text else ""
    defaults = services.defaults()
    with services.open_store() as store:
        scene = finding.scene(store, named)
        _check_cast(scene, wanted)
        voice = voice_of(store, scene, wanted.voice) if wanted.voice else None
        replaced = finding.message(store, scene, wanted.message).id if wanted.message else ""
        return DirectorRoundInput(
            scene=scene.id,
            session=books.new_session(services.now()),
            kind=wanted.kind,
            text=store.blobs.put(text.encode()) if text else None,
            voice=voice,
            who=wanted.who or services.person(),
            message=replaced,
            steering=scene.steering,
            minutes=wanted.minutes,
            cost_micros=wanted.cost_micros,
            model_queue=defaults.model_queue,
        )


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


def _check_cast(scene: Scene, wanted: Wanted) -> None:
    if scene.roster or wanted.kind != "continue" or scene.rounds:
        return
    raise Refused(
        "no-cast",
        f"{scene.title!r} has no cast, and nothing was said in it yet; nothing was started",
        hint=f"`penwright scene force {scene.id} NAME` brings a character in, "
        f"`penwright scene say {scene.id} TEXT` begins",
    )
