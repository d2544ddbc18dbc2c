"""What people do to a scene between rounds: edit, choose, undo, branch, set states."""

from collections.abc import Mapping
from typing import Final

from gateway.desk.scene import finding
from gateway.desk.scene.looking import round_of
from gateway.desk.scene.orders import checked_text
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

    Raises:
        NotFound: ``no-such-scene``, ``no-such-message``.
        UsageMistake: as ``orders.checked_text``.
        Refused: ``round-runs``.
    """
    said = checked_text(text)
    with services.open_store() as store:
        scene = finding.scene(store, named)
        found = finding.message(store, scene, message)
        effect = _effect(services, scene, "edit")
        done = EditMessage(effect=effect, message=found.id, text=said, who=who or services.person())
        _done(scene, store.scenes.edit(done))
        return scene, finding.message(store, scene, found.id)


def choose(
    services: Services, named: str, message: str, number: int, *, who: str = ""
) -> tuple[Scene, SceneMessage]:
    """Take another alternative of a message, the first being 1; raises as ``edit``."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
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


def undo(services: Services, named: str, *, who: str = "") -> tuple[Scene, SceneChanged]:
    """Take the newest round back: its messages, states and memories; ``nothing-to-undo``, ``round-runs``."""
    with services.open_store() as store:
        scene = finding.scene(store, named)
        effect = _effect(services, scene, "undo")
        done = _done(
            scene, store.scenes.undo(UndoRound(effect=effect, scene=scene.id, who=who or services.person()))
        )
        return scene, done


def redo(services: Services, named: str, number: int = 0, *, who: str = "") -> tuple[Scene, SceneChanged]:
    """Bring back the round that was taken back last, or another take of the newest one by its number.

    Raises:
        Refused: ``nothing-to-redo``, ``round-runs``.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
        effect = _effect(services, scene, "redo")
        wish = RedoRound(effect=effect, scene=scene.id, who=who or services.person(), round=number)
        return scene, _done(scene, store.scenes.redo(wish))


def branch(services: Services, named: str, after: int, title: str, *, who: str = "") -> tuple[Scene, Scene]:
    """A new scene that shares everything up to a round; returns the old and the new one."""
    if not title.strip():
        raise UsageMistake("empty-title", "the branch has no title", hint="`--title TEXT` names it")
    with services.open_store() as store:
        scene = finding.scene(store, named)
        if after:
            round_of(store, scene, after)
        wish = BranchScene(
            effect=_effect(services, scene, "branch"),
            scene=scene.id,
            after_round=after,
            title=title.strip(),
            who=who or services.person(),
        )
        done = _done(scene, store.scenes.branch(wish))
        assert done.scene is not None, "a branch that was made is returned"
        return scene, done.scene


def set_state(
    services: Services, named: str, whose: str, values: Mapping[str, str], *, who: str = ""
) -> tuple[Scene, tuple[StateChange, ...]]:
    """Set fields of one character's or persona's state, or facts (``world``) or trackers (``tracker``).

    Raises:
        UsageMistake: ``unknown-field``.
        Refused: ``round-runs``.
    """
    with services.open_store() as store:
        scene = finding.scene(store, named)
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
        )
        return scene, _patched(services, store, scene, changes, who)


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
        scene = finding.scene(store, named)
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
    """What a field of the state is now; empty if it was never set."""
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
