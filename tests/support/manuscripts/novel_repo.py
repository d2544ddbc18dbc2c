"""A novel in a real repository, and what its activities are asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from activities.manuscripts.text import ManuscriptTextActivities
from penwright.adapters.scaffold.novel import fresh_novel
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.intents.gate import IntentGate
from penwright.domain.manuscript.layout import scene_path
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.base import BlobRef, Effect, OpId
from schemas.intents import IntentPin
from schemas.manuscript_text import (
    ApplyOperations,
    OperationsApplied,
    ReadText,
    RestoreText,
    SaveText,
    SelectSceneIntent,
    TextRead,
    TextRestored,
    TextSaved,
)
from schemas.novel import NovelConfig
from schemas.patching import Operation
from schemas.workspace import Workspace
from tests.support.books.repos import SettableClock, git, make_repository
from tests.support.doubles.store import MemoryStore, memory_store

_OPERATIONS = TypeAdapter(tuple[Operation, ...])


@dataclass
class NovelRepo:
    """A novel with these scenes, in a folder of its own."""

    folder: Path
    scenes: Mapping[str, str] = field(default_factory=dict)
    scene: str = "-"
    """The scene that calls are about unless they name another."""
    number: int = 0

    def __post_init__(self) -> None:
        config = NovelConfig(id="tides", title="Tides")
        make_repository(self.folder, fresh_novel(config, self.scenes))
        self.clock = SettableClock()
        self.store: MemoryStore = memory_store(clock=self.clock)
        self.workspace = Workspace(path=str(self.folder))
        self.git = GitWorkspaces(
            clock=self.clock,
            gate=IntentGate(MANUSCRIPT_PROFILE),
            recorder=LedgerRecorder("test", MANUSCRIPT_PROFILE),
            profile=MANUSCRIPT_PROFILE,
        )
        self.ask = ManuscriptTextActivities(self.git, self.store.blobs, self.store.trace)

    def put(self, text: str | bytes) -> BlobRef:
        """Store a text, as its sender does."""
        return self.store.blobs.put(text if isinstance(text, bytes) else text.encode())

    def text(self, ref: BlobRef | None) -> str:
        """A text that an answer refers to."""
        assert ref is not None
        return self.store.blobs.get(ref).decode()

    @property
    def committed(self) -> str:
        """The scene at the tip, as git has it."""
        return self.at("main")

    def at(self, commit: str) -> str:
        """The scene at a commit; without trailing line ends."""
        return git(self.folder, "show", f"{commit}:{scene_path(self.scene)}")

    @property
    def revision(self) -> str:
        """The scene's revision at the tip."""
        return git(self.folder, "rev-parse", f"main:{scene_path(self.scene)}")

    @property
    def commits(self) -> int:
        """How many commits the branch has."""
        return int(git(self.folder, "rev-list", "--count", "main"))

    def fields(self, op: str = "") -> dict[str, Any]:
        """What every request carries; each has an op id of its own unless one is named."""
        self.number += 1
        effect = Effect(op_id=OpId(op or f"t:{self.number}"), issued_at=self.clock.now())
        return {
            "effect": effect,
            "subject": "tides",
            "workspace": self.workspace,
            "session": "s1",
            "scene": self.scene,
        }

    def pin(self) -> IntentPin:
        """The intent that owns the scene, as it is worded now."""
        order = SelectSceneIntent(subject="tides", workspace=self.workspace, scene=self.scene)
        return self.ask.select_scene_intent(order).pin

    def read(self) -> TextRead:
        return self.ask.read_text(ReadText(**self.fields()))

    def save(self, text: str | bytes, base: str | None = None, **more: Any) -> TextSaved:
        """Save what was typed; ``base``: the tip's revision unless it is named."""
        return self.ask.save_text(self.saving(text, base, **more))

    def saving(self, text: str | bytes, base: str | None = None, **more: Any) -> SaveText:
        made_from = self.read().revision if base is None else base
        op = more.pop("op", "")
        return SaveText(**{**self.fields(op), "base": made_from, "text": self.put(text), **more})

    def applying(self, snapshot: str, *operations: Operation, **more: Any) -> ApplyOperations:
        """A model's operations, made on ``snapshot``."""
        asked = {
            "snapshot": self.put(snapshot),
            "operations": self.put(_OPERATIONS.dump_json(operations)),
            "pin": more.pop("pin") if "pin" in more else self.pin(),
            "model": "scripted/one",
        }
        op = more.pop("op", "")
        return ApplyOperations(**{**self.fields(op), **asked, **more})

    def apply(self, snapshot: str, *operations: Operation, **more: Any) -> OperationsApplied:
        return self.ask.apply_operations(self.applying(snapshot, *operations, **more))

    def undo(self, **more: Any) -> TextRestored:
        return self.ask.restore_text(RestoreText(**{**self.fields(), "kind": "undo", **more}))

    def rollback(self, to: str, **more: Any) -> TextRestored:
        order = {"kind": "rollback", "to": to, **more}
        return self.ask.restore_text(RestoreText(**{**self.fields(), **order}))


def replace(find: str, by: str, **more: Any) -> Operation:
    """An operation that replaces one passage."""
    return Operation(kind="replace", find=find, replace=by, **more)
