"""Changes of a scene by people between rounds: edit, choose, undo, branch, set states."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gateway.desk.scene import casting, finding, numbers
from gateway.desk.scene.orders import checked_text
from gateway.desk.scene.views import round_of
from gateway.desk.services import CommandStore, Services
from gateway.desk.works import books
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound, PenwrightError, Refused, UsageMistake
from schemas.base import Effect, OpId
from schemas.director import FIELDS, StateChange
from schemas.scene import (
    BranchScene,
    ChooseAlternative,
    EditMessage,
    PatchState,
    RedoRound,
    SceneChanged,
    SceneMessage,
    SceneState,
    TakeName,
    UndoRound,
)
from schemas.worlds import Scene

_HINTS: Final = {
    "round-runs": "`penwright scene watch {0}` waits for its end, `penwright scene stop {0}` ends it",
    "nothing-to-undo": "`penwright scene log {0}` lists its rounds",
    "nothing-to-redo": "`penwright scene log {0}` lists its rounds",
    "no-such-message": "`penwright scene show {0}` numbers its messages",
    "no-such-alternative": "`penwright scene show {0}` shows how many alternatives a message has",
    "no-such-round": "`penwright scene log {0}` lists its rounds",
    "stale": "it was changed meanwhile; look with `penwright scene show {0}`, then repeat",
}
"""Code of what was refused -> what to do; ``{0}`` is the scene's id."""


def edit(
    services: Services, named: str, message: str, text: str, *, who: str = ""
) -> tuple[Scene, SceneMessage]:
    """Give a message a text of the person's own; what was there stays as an alternative.

    The text that it has already changes nothing.

    Raises:
        NotFound: ``no-such-scene``, ``no-such-message``.
        UsageMistake: as ``orders.checked_text``.
        Refused: ``round-runs``.
    """
    said = checked_text(text)
    with services.open_store() as store:
        scene = finding.whole(store, named)
        found = finding.message(store, scene, message)
        if found.text == said:
            return scene, found
        effect = _effect(services, scene, "edit")
        done = EditMessage(effect=effect, message=found.id, text=said, who=who or services.person())
        _done(scene, store.scenes.edit(done))
        return scene, finding.message(store, scene, found.id)


def choose(
    services: Services, named: str, message: str, number: int, *, who: str = ""
) -> tuple[Scene, SceneMessage]:
    """Take another alternative of a message, the first being 1; raises as ``edit``."""
    with services.open_store() as store:
        scene = finding.whole(store, named)
        found = finding.message(store, scene, message)
        if not 1 <= number <= len(found.alternatives):
            has = len(found.alternatives)
            raise NotFound(
                "no-such-alternative",
                f"message {found.number} has {has} of them, and no number {number}",
                hint=f"`penwright scene show {scene.id} --message {found.number}` numbers them",
            )
        effect = _effect(services, scene, "choose")
        wish = ChooseAlternative(
            effect=effect, message=found.id, index=number - 1, who=who or services.person()
        )
        _done(scene, store.scenes.choose(wish))
        return scene, finding.message(store, scene, found.id)


@dataclass(frozen=True, slots=True)
class Moved:
    """A round that was taken back, or that came back."""

    name: TakeName
    messages: tuple[str, ...]
    """Ids."""


def undo(services: Services, named: str, *, who: str = "") -> tuple[Scene, Moved]:
    """Take the newest round back: its messages, states and memories; ``nothing-to-undo``, ``round-runs``."""
    with services.open_store() as store:
        scene = finding.whole(store, named)
        wish = UndoRound(
            effect=_effect(services, scene, "undo"), scene=scene.id, who=who or services.person()
        )
        return scene, _moved(store, scene, _done(scene, store.scenes.undo(wish)))


def redo(
    services: Services, named: str, number: int = 0, take: int = 0, *, who: str = ""
) -> tuple[Scene, Moved]:
    """Bring back the round that was taken back last, or another take of the newest one.

    Args:
        number: of the round; 0, without a take: the one that was taken back last.
        take: 0: the only one that is hidden.

    Raises:
        NotFound: ``no-such-round``.
        UsageMistake: ``which-take``.
        Refused: ``nothing-to-redo``, ``round-runs``.
    """
    with services.open_store() as store:
        scene = finding.whole(store, named)
        wish = RedoRound(
            effect=_effect(services, scene, "redo"),
            scene=scene.id,
            who=who or services.person(),
            round=_to_redo(store, scene, number, take) if number or take else 0,
        )
        return scene, _moved(store, scene, _done(scene, store.scenes.redo(wish)))


def _to_redo(store: CommandStore, scene: Scene, number: int, take: int) -> int:
    """The id of the take that is to come back."""
    known = numbers.numbering(store, scene.id)
    found = numbers.id_of(scene.id, known, number, take)
    others = [id for id in known.takes(number) if id in known.hidden] if not take else []
    if len(others) > 1:
        takes = ", ".join(str(known.name(id).take) for id in others)
        raise UsageMistake(
            "which-take",
            f"round {number} of {scene.id!r} has several takes that are not played: {takes}",
            hint=f"`penwright scene redo {scene.id} --round {number} --take {known.name(others[-1]).take}` "
            "brings one back",
        )
    return others[0] if others else found


def _moved(store: CommandStore, scene: Scene, done: SceneChanged) -> Moved:
    return Moved(numbers.numbering(store, scene.id).name(done.round), done.messages)


def branch(services: Services, named: str, after: int, title: str, *, who: str = "") -> tuple[Scene, Scene]:
    """A new scene that shares everything up to a round; returns the old and the new one."""
    if not title.strip():
        raise UsageMistake("empty-title", "the branch has no title", hint="`--title TEXT` names it")
    with services.open_store() as store:
        scene = finding.whole(store, named)
        known = numbers.numbering(store, scene.id)
        if after > known.newest:
            raise _not_played(scene, after, known.newest)
        wish = BranchScene(
            effect=_effect(services, scene, "branch"),
            scene=scene.id,
            after_round=known.id(after) or 0,
            title=title.strip(),
            who=who or services.person(),
        )
        done = _done(scene, store.scenes.branch(wish))
        assert done.scene is not None, "a branch that was made is returned"
        # Seats belong to the scene that people were invited to.
        seated = {each.character for each in store.seats.of(scene.id) if each.over is None}
        casting.hand_back(store, done.scene.id, seated)
        made = finding.scene(store, done.scene.id)
        return scene, numbers.shown(made, numbers.numbering(store, made.id))


def _not_played(scene: Scene, number: int, newest: int) -> NotFound:
    return NotFound(
        "no-such-round",
        f"{scene.id!r} has no round {number} that is played now; its newest is {newest}",
        hint=_HINTS["no-such-round"].format(scene.id),
    )


def set_state(
    services: Services, named: str, whose: str, values: Mapping[str, str], *, who: str = ""
) -> tuple[Scene, tuple[StateChange, ...]]:
    """Set fields of one character's or persona's state, or facts (``world``) or trackers (``tracker``).

    Returns the changes; a value that stands already is none.

    Raises:
        UsageMistake: ``unknown-field``.
        Refused: ``round-runs``.
    """
    with services.open_store() as store:
        scene = finding.whole(store, named)
        subject = finding.subject(store, scene, whose)
        _check_fields(subject, values)
        before = store.scenes.state(scene.id)
        changes = tuple(
            StateChange(
                subject=subject,
                field=field,
                old=value_of(before, subject, field),
                new=value,
                source="person",
                by=who or services.person(),
            )
            for field, value in values.items()
            if value != value_of(before, subject, field)
        )
        return scene, _patched(services, store, scene, changes, who) if changes else ()


def reinstate(
    services: Services, named: str, whose: str, field: str, number: int = 0, *, who: str = ""
) -> tuple[Scene, tuple[StateChange, ...]]:
    """Bring back a value that a later source of a round had overruled, as a change by a person.

    Args:
        number: the round; 0: the newest.

    Raises:
        NotFound: ``not-overruled``.
    """
    with services.open_store() as store:
        scene = finding.whole(store, named)
        subject = finding.subject(store, scene, whose)
        found = round_of(store, scene, number)
        lost = [
            each
            for each in found.changes
            if each.overruled and each.subject == subject and each.field == field
        ]
        if not lost:
            raise NotFound(
                "not-overruled",
                f"no change of {field!r} of {whose!r} was overruled in round {found.number}",
                hint=f"`penwright scene show {scene.id} --round {found.number}` shows what was",
            )
        now = value_of(store.scenes.state(scene.id), subject, field)
        again = lost[-1].model_copy(
            update={"old": now, "source": "person", "by": who or services.person(), "overruled": False}
        )
        return scene, _patched(services, store, scene, (again,), who)


def value_of(state: SceneState, subject: str, field: str) -> str:
    """Read the present value of a field of the state; empty if it was never set."""
    if subject in ("world", "tracker"):
        kept = state.world if subject == "world" else state.trackers
        return kept.get(field, "")
    found = next((each for each in state.characters if each.id == subject), None)
    return str(getattr(found, field)) if found else ""


def _check_fields(subject: str, values: Mapping[str, str]) -> None:
    unknown = [] if subject in ("world", "tracker") else [each for each in values if each not in FIELDS]
    if unknown:
        raise UsageMistake(
            "unknown-field",
            f"a character has no state {unknown[0]!r}{meant(unknown[0], FIELDS)}",
            hint=f"known are {', '.join(FIELDS)}; `--who tracker` and `--who world` take any name",
        )


def _patched(
    services: Services, store: CommandStore, scene: Scene, changes: tuple[StateChange, ...], who: str
) -> tuple[StateChange, ...]:
    wish = PatchState(
        effect=_effect(services, scene, "state"),
        scene=scene.id,
        changes=changes,
        who=who or services.person(),
    )
    _done(scene, store.scenes.patch(wish))
    return changes


def _effect(services: Services, scene: Scene, verb: str) -> Effect:
    """Of a change outside a round; its name is no session's."""
    now = services.now()
    return Effect(op_id=OpId(f"scene/{scene.id}#{books.new_session(now)}:{verb}"), issued_at=now)


def _done(scene: Scene, answer: SceneChanged) -> SceneChanged:
    """Raise what a change was refused for."""
    if answer.code:
        kind: type[PenwrightError] = NotFound if answer.code.startswith("no-such-") else Refused
        hint = _HINTS.get(answer.code)
        raise kind(answer.code, answer.message, **({"hint": hint.format(scene.id)} if hint else {}))
    return answer
