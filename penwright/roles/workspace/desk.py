"""Book at its tip, which the workspace tools of one call work on, and the publisher of the call's plan."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from penwright.agents.guardrails.known_files import ABSENT
from penwright.agents.guardrails.selected_intent import SelectedIntent
from penwright.agents.state import StateView
from penwright.agents.tools.plan import Plan
from penwright.domain.asked import digest_of, refuse_another
from penwright.domain.intents.handshake import select_intent, with_history
from penwright.domain.intents.ignoring import IGNORE_FILES, read_ignored
from penwright.domain.intents.registry import REGISTRY, BrokenRegistry, read_registry
from penwright.domain.intents.tools import tool_of_agent
from penwright.domain.trace.intent_history.history import history_from_ledger
from penwright.domain.trace.layout import FOLDER, LESSONS
from penwright.domain.trace.lessons import lessons_of
from penwright.domain.trailers import AGENT, INTENT, RUN
from penwright.errors import Refused
from penwright.ports.workspaces import Workspaces
from schemas.base import Effect
from schemas.intents import IntentPin, Selected
from schemas.workspace import (
    Contributor,
    MutationPlan,
    Published,
    TextFile,
    Workspace,
)


@dataclass(frozen=True, slots=True)
class WorkspaceDesk:
    """A book, opened for one call of one agent; it can only be looked at. All methods block."""

    workspaces: Workspaces
    workspace: Workspace

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

    def file_at(self, commit: str, path: str) -> TextFile | None:
        """A file as a commit left it."""
        return self.workspaces.snapshot(self.workspace, (path,), at=commit).files.get(path)


@dataclass(frozen=True, slots=True)
class WorkspacePublisher:
    """Implements ``PlanPublisher`` for the book of a run."""

    workspaces: Workspaces
    workspace: Workspace
    effect: Effect
    """Of the call: every attempt has the same, so that they make one commit between them."""
    agent: str
    run: str
    called: str
    """The tool of the call, as the definition names it."""

    def earlier(self, asked: BaseModel) -> Published | None:
        done = self.workspaces.find(self.workspace, self.effect)
        if done is not None:
            refuse_another(self.effect.op_id, digest_of(asked), done.trailers)
        return done

    def publish(self, plan: Plan, asked: BaseModel, state: StateView) -> Published:
        selected = state.latest(SelectedIntent)
        if selected is None:
            raise Refused("intent-not-selected", "no intent is selected; nothing was changed")
        pin = IntentPin(intent_id=selected.intent_id, digest=selected.digest)
        return self.workspaces.publish(self._mutation(plan, asked, pin), self.effect)

    def files(self, published: Published) -> Mapping[str, str]:
        if published.commit is None:
            return {}
        before = self._blobs(f"{published.commit}^")
        after = self._blobs(published.commit)
        paths = sorted(path for path in before | after if not path.startswith(f"{FOLDER}/"))
        return {path: after.get(path, ABSENT) for path in paths if before.get(path) != after.get(path)}

    def _blobs(self, at: str) -> dict[str, str]:
        return self.workspaces.snapshot(self.workspace, (), names=("**",), at=at).names

    def _mutation(self, plan: Plan, asked: BaseModel, pin: IntentPin) -> MutationPlan:
        return MutationPlan(
            workspace=self.workspace,
            message=f"{tool_of_agent(self.called)} {', '.join(each.path for each in plan.operations)}",
            contributor=Contributor.MODEL,
            operations=plan.operations,
            tool=tool_of_agent(self.called),
            pin=pin,
            asked=digest_of(asked),
            seen=plan.seen,
            mutation=plan.mutation,
            trailers=((INTENT, pin.intent_id), (AGENT, self.agent), (RUN, self.run)),
        )
