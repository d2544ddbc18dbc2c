"""What the workspace tools of one call work on: the book at its tip, and the one way to change it."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from penwright.agents.files.filesystem import TreeFiles
from penwright.domain.asked import digest_of, refuse_another
from penwright.domain.intents.handshake import select_intent, with_history
from penwright.domain.intents.ignoring import IGNORE_FILES, read_ignored
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, read_registry
from penwright.domain.trace.intent_history.history import history_from_ledger
from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import lessons_of
from penwright.domain.trailers import AGENT, INTENT, RUN
from penwright.ports import Workspaces
from schemas.base import Effect
from schemas.intents import IntentPin, Selected
from schemas.trace import MutationClass
from schemas.workspace import (
    Contributor,
    MutationPlan,
    Operation,
    Published,
    ReadBaseline,
    TextFile,
    Workspace,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One commit that an agent asks for."""

    tool: str
    operation: Operation
    mutation: MutationClass
    seen: tuple[ReadBaseline, ...] = ()
    """What the agent was shown of the file."""


@dataclass(frozen=True, slots=True)
class WorkspaceDesk:
    """A book, opened for one call of one agent. All methods block."""

    workspaces: Workspaces
    workspace: Workspace
    effect: Effect
    """Of the call: every attempt has the same, so that they make one commit between them."""
    agent: str
    run: str

    def select(self, intent_id: str) -> Selected:
        """The handshake: what the intent asks now, and what was done for it.

        Raises:
            Refused: what ``select_intent`` raises, or what is wrong with the registry or an ignore file.
        """
        snapshot = self.workspaces.snapshot(self.workspace, (REGISTRY, *IGNORE_FILES, LESSONS))
        if unreadable := [path for path in (REGISTRY, *IGNORE_FILES) if path in snapshot.unreadable]:
            raise BrokenRegistry(
                "registry-unreadable", f"{unreadable[0]} is not UTF-8 text; save it as UTF-8"
            )
        texts = {path: file.text for path, file in snapshot.files.items()}
        registry = read_registry(texts[REGISTRY].encode() if REGISTRY in texts else None)
        ignored = read_ignored(*(texts.get(path, "") for path in IGNORE_FILES)).checked()
        selected = select_intent(registry, ignored, intent_id)
        with self.workspaces.trace(self.workspace) as source:
            past = history_from_ledger(
                source, selected.pin.intent_id, lessons=lessons_of(texts.get(LESSONS, ""))
            )
        return with_history(selected, past)

    def change(
        self, pin: IntentPin, planned: Callable[[TreeFiles], Change], *, asked: BaseModel | None = None
    ) -> Published:
        """Publish what ``planned`` makes of the tip, once per call, through the gate.

        Args:
            asked: the call's arguments; a call with others under the same op id is refused.

        Raises:
            Refused: ``op-id-reused``.
        """
        digest = digest_of(asked) if asked is not None else ""
        with self.workspaces.kept_open(self.workspace):
            if (done := self.workspaces.find(self.workspace, self.effect)) is not None:
                if digest:
                    refuse_another(self.effect.op_id, digest, done.trailers)
                return done
            with self.workspaces.tree(self.workspace) as tree:
                change = planned(TreeFiles(tree))
            plan = self._plan(pin, change).model_copy(update={"asked": digest})
            return self.workspaces.publish(plan, self.effect)

    def file_at(self, commit: str, path: str) -> TextFile | None:
        """A file as a commit left it."""
        return self.workspaces.snapshot(self.workspace, (path,), at=commit).files.get(path)

    def _plan(self, pin: IntentPin, change: Change) -> MutationPlan:
        return MutationPlan(
            workspace=self.workspace,
            message=f"{change.tool} {change.operation.path}",
            contributor=Contributor.MODEL,
            operations=(change.operation,),
            tool=change.tool,
            pin=pin,
            seen=change.seen,
            mutation=change.mutation,
            trailers=(
                (INTENT, pin.intent_id),
                (AGENT, self.agent),
                (RUN, self.run),
            ),
        )
