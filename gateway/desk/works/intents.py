"""The intents of a work: the committed registry, and changes of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.services import Services
from gateway.desk.works import changes
from gateway.desk.works.kinds import Work
from gateway.desk.works.works import kind_at
from penwright.domain.intents import registry as rules
from penwright.domain.intents.handshake import select_intent, with_history
from penwright.domain.intents.ignoring import (
    IGNORE_FILES,
    Fault,
    Idle,
    Ignored,
    IgnoreFile,
    idle_rules,
    read_ignore_file,
    read_ignored,
    unreadable,
)
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, Registry, read_registry, unknown
from penwright.domain.trace.intent_history.history import history_from_ledger
from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import lessons_of
from penwright.errors import Refused, WorkspaceBusy
from schemas.intents import Intent, IntentStatus, Selected
from schemas.workspace import Contributor, Create, Modify, MutationPlan, Snapshot, TextFile, Workspace

_ATTEMPTS = 5

_Change = Callable[[bytes | None, Registry], tuple[str, str]]
"""From the registry's content to its new text and the id that was changed."""


@dataclass(frozen=True, slots=True)
class ChangedIntent:
    """An intent after a change."""

    intent: Intent
    commit: str | None
    """None when nothing had to change."""
    unsaved: bool
    """Whether the registry has unsaved edits, which were left alone."""


@dataclass(frozen=True, slots=True)
class CheckedRules:
    """Faults in the rules of a work; none, if all is empty."""

    registry: str = ""
    """Reason why the registry cannot be used."""
    faults: tuple[Fault, ...] = ()
    """Lines of ignore files that cannot be read: nothing is written until they are mended."""
    idle: tuple[Idle, ...] = ()
    """Lines that protect nothing at present."""


def check_rules(services: Services, workspace: Workspace) -> CheckedRules:
    """Read the registry at the tip, and the ignore files as they are on disk: the next session saves them."""
    snapshot = services.workspaces(kind_at(workspace)).snapshot(workspace, (REGISTRY,), names=("**",))
    try:
        ids, broken = _registry_in(snapshot).ids, ""
    except BrokenRegistry as error:
        ids, broken = (), error.message
    ignored = Ignored(tuple(_on_disk(Path(workspace.path), name) for name in IGNORE_FILES))
    return CheckedRules(broken, ignored.faults, idle_rules(ignored, snapshot.names, ids))


def _on_disk(top: Path, name: str) -> IgnoreFile:
    path = top / name
    if not path.exists() and not path.is_symlink():
        return IgnoreFile(name)
    if path.is_symlink() or not path.is_file():
        return unreadable(name, "it is no plain file")
    try:
        return read_ignore_file(name, path.read_bytes().decode())
    except UnicodeDecodeError:
        return unreadable(name, "it is not UTF-8 text")


def read(services: Services, work: Work) -> Registry:
    """The registry at the tip, which is the one that counts; ``BrokenRegistry`` if it is missing."""
    return _at_tip(services, work, may_be_missing=False)[1]


def intent_of(registry: Registry, intent: str) -> Intent:
    """The intent with this id; ``NotFound`` if there is none."""
    if (found := registry.find(intent)) is None:
        raise unknown(intent, registry)
    return found


def context_of(services: Services, work: Work, intent: str) -> Selected:
    """The handshake's result for an agent that selects ``intent``; ``Refused`` if it may not be selected."""
    registry = read(services, work)
    intent_of(registry, intent)
    files = services.workspaces(work.kind).snapshot(work.workspace, (*IGNORE_FILES, LESSONS)).files
    texts = {path: file.text for path, file in files.items()}
    ignored = read_ignored(*(texts.get(path, "") for path in IGNORE_FILES)).checked()
    selected = select_intent(registry, ignored, intent)
    with services.workspaces(work.kind).trace(work.workspace) as source:
        history = history_from_ledger(source, intent, lessons=lessons_of(texts.get(LESSONS, "")))
    return with_history(selected, history)


def add(services: Services, work: Work, intent: Intent) -> ChangedIntent:
    """Add an intent; with an empty id it gets the next free ``INT-nnn``, unless it is there already.

    Raises:
        Refused: ``intent-exists``.
    """

    def change(content: bytes | None, registry: Registry) -> tuple[str, str]:
        if not intent.id:
            _check_new(registry, intent, work)
        made = intent if intent.id else intent.model_copy(update={"id": _free_id(registry)})
        return rules.added(content, made), made.id

    return _changed(services, work, change, lambda intent_id: f"Add intent {intent_id}")


def _check_new(registry: Registry, intent: Intent, work: Work) -> None:
    apart = {"id", "status", "digest"}
    wanted = intent.model_dump(exclude=apart)
    for each in registry.intents:
        if each.model_dump(exclude=apart) == wanted:
            raise Refused(
                "intent-exists",
                f"{each.id} is the same intent; nothing was changed",
                hint=f"`penwright intent show {each.id} {work.subject}` shows it; a new id adds a second",
            )


def set_status(services: Services, work: Work, intent: str, status: IntentStatus) -> ChangedIntent:
    """Set the status of an intent; nothing is committed if it has that status already."""

    def change(content: bytes | None, registry: Registry) -> tuple[str, str]:
        found = registry.find(intent)
        if found is None or content is None:
            raise unknown(intent, registry)
        unchanged = found.status is status
        return content.decode() if unchanged else rules.with_status(content, intent, status), intent

    return _changed(services, work, change, lambda intent_id: f"Set intent {intent_id} to {status}")


def _changed(services: Services, work: Work, change: _Change, message: Callable[[str], str]) -> ChangedIntent:
    """Publish one change of the registry; it is made again when the registry changed meanwhile."""
    for _ in range(_ATTEMPTS):
        file, registry = _at_tip(services, work, may_be_missing=True)
        text, intent_id = change(file.text.encode() if file else None, registry)
        intent = read_registry(text.encode()).find(intent_id)
        assert intent is not None, "a change leaves the intent it is about"
        if file is not None and file.text == text:
            return ChangedIntent(intent, None, unsaved=False)
        plan = _plan(work, file, text, message(intent_id))
        effect = changes.new_effect(services, f"intent/{work.subject}")
        published = changes.publish(services, work.kind, plan, effect)
        if published.outcome != "conflict":
            return ChangedIntent(intent, published.commit, unsaved=REGISTRY in published.unsaved)
    raise WorkspaceBusy("registry-contended", f"{REGISTRY} keeps changing; try again in a moment")


def _plan(work: Work, file: TextFile | None, text: str, message: str) -> MutationPlan:
    operation = (
        Modify(path=REGISTRY, content=text, base=file.blob) if file else Create(path=REGISTRY, content=text)
    )
    return MutationPlan(
        workspace=work.workspace,
        message=message,
        contributor=Contributor.HUMAN,
        operations=(operation,),
        tool="intent.edit",
    )


def _at_tip(services: Services, work: Work, *, may_be_missing: bool) -> tuple[TextFile | None, Registry]:
    snapshot = services.workspaces(work.kind).snapshot(work.workspace, (REGISTRY,))
    file = snapshot.files.get(REGISTRY)
    if file is None and may_be_missing and REGISTRY not in snapshot.unreadable:
        return None, Registry()
    return file, _registry_in(snapshot)


def _registry_in(snapshot: Snapshot) -> Registry:
    file = snapshot.files.get(REGISTRY)
    no_text = b"\xff" if REGISTRY in snapshot.unreadable else None
    return read_registry(file.text.encode() if file else no_text)


def _free_id(registry: Registry) -> str:
    number = 1
    while registry.find(f"INT-{number:03d}") is not None:
        number += 1
    return f"INT-{number:03d}"
