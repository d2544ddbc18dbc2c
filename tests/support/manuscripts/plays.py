"""The manuscript loop played without a server: text and row in memory, roles that answer by script."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, assert_never

from penwright.domain import approvals, control
from penwright.domain.approvals import AwaitDecision
from penwright.domain.manuscript import drafting, transitions
from penwright.domain.manuscript.loop import Step, goes_on, next_step
from penwright.domain.manuscript.loop_status import progress, result
from penwright.domain.manuscript.planned_sections import written_titles
from schemas.base import BlobRef, Cause, CommitSha
from schemas.holding import DocumentHeld
from schemas.intents import IntentPin
from schemas.manuscript import (
    AnnounceDraft,
    ApplyDraft,
    AskRole,
    Briefed,
    DraftApplied,
    EndManuscript,
    EvidenceGathered,
    GatherEvidence,
    HoldDocument,
    KeepProgress,
    LookAtManuscript,
    ManuscriptInput,
    ManuscriptLimits,
    ManuscriptOpened,
    ManuscriptResult,
    ManuscriptSettings,
    ManuscriptState,
    OpenManuscript,
    ProgressKept,
    RoleAnswered,
    Seen,
    UpkeepRequest,
)
from schemas.manuscript_roles import (
    Critiqued,
    Decided,
    Edited,
    Guided,
    ManagerAction,
    Planned,
    PlannedSection,
    RoleBrief,
)
from schemas.manuscript_text import NovelPushed, PushNovel
from schemas.workspace import Workspace

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
TITLES = ("Introduction", "Method", "Results")


def ref(text: str) -> BlobRef:
    """A stored text."""
    return BlobRef(sha256=sha256(text.encode()).hexdigest(), size=len(text.encode()))


def given(**settings: object) -> ManuscriptInput:
    """A run with these settings."""
    return ManuscriptInput(
        novel="tide",
        scene="paper",
        session="s1",
        workspace=Workspace(path="/novels/tide"),
        settings=ManuscriptSettings.model_validate({"instructions": ref("Write about tides."), **settings}),
    )


def limited(**limits: int) -> ManuscriptInput:
    """A run with these limits."""
    return given(limits=ManuscriptLimits(**limits))


@dataclass(frozen=True)
class Useless:
    """An answer that cannot be used, after its own repair."""

    code: str = "unusable-reply"
    final: bool = False
    """Whether the model was not to be had at all."""


Said = object
"""What a role says: a delivery, ``Useless``, or an exception-free stand-in for it."""


def critique(score: float, *items: str) -> Critiqued:
    return Critiqued(critique_summary=f"It is worth {score}.", score=score, action_items=items)


@dataclass
class Play:
    """One run. What the roles say is taken from their scripts, and then from what they always say."""

    given: ManuscriptInput = field(default_factory=given)
    text: str = ""
    scores: Iterable[object] = ()
    """What the critic says: scores (two items each), deliveries, ``Useless``."""
    manager: Iterable[object] = ()
    """Actions that the manager chooses, the last of them again and again."""
    titles: tuple[str, ...] = TITLES
    says: Mapping[str, Callable[["Play", AskRole], object]] = field(default_factory=dict)
    """Instead of the scripts, by role."""
    applies: Callable[["Play", ApplyDraft], DraftApplied | None] = lambda play, step: None
    fails: Callable[["Play", AskRole], Cause | None] = lambda play, step: None
    """Why a role's prompt cannot be made."""
    breaks: str = ""
    """A kind of step that fails for good: look, apply, keep, push, end."""
    cautious: bool = False
    """Whether it looks, once a prompt is made, if it may still ask a model, as the workflow does."""
    unreadable: bool = False
    meanwhile: Callable[["Play", Step], None] = lambda play, step: None
    """Called before each step is taken: a person at work."""
    state: ManuscriptState = field(default_factory=ManuscriptState)
    now: datetime = START
    row_titles: tuple[str, ...] = ()
    guided: bool = False
    version: int = 0
    steps: list[str] = field(default_factory=list)
    asked: list[AskRole] = field(default_factory=list)
    log: list[Any] = field(default_factory=list)
    ended_with: ManuscriptResult | None = None
    most_steps: int = 2_000
    revisions: int = 0

    def __post_init__(self) -> None:
        self._scores = deque(self.scores)
        self._choices = deque(self.manager)

    # Running.

    def run(self) -> ManuscriptResult:
        """Play to the end; a run that does not end fails the test."""
        for _ in range(self.most_steps):
            effect = control.effect("manuscript/tide/paper#s1:", self.state, self.now)
            step = next_step(self.given, self.state, effect)
            if step is None:
                return result(self.given, self.state)
            self.meanwhile(self, step)
            self.now += timedelta(seconds=1)
            self.steps.append(type(step).__name__)
            self.state = self._tried(step)
            progress(self.given, self.state)  # can be asked for at any time
        raise AssertionError(f"no end after {self.most_steps} steps: {Counter(self.steps)}")

    def _tried(self, step: Step) -> ManuscriptState:
        if self.breaks and self.breaks in type(step).__name__.lower():
            broken = Cause(code="broken", message="it broke")
            return transitions.failed(self.given, self.state, step, broken)
        if isinstance(step, AskRole) and (cause := self.fails(self, step)) is not None:
            return transitions.failed(self.given, self.state, step, cause)
        return self._take(step)

    def _take(self, step: Step) -> ManuscriptState:
        match step:
            case HoldDocument():
                return transitions.held(self.state, DocumentHeld(holder=step.holder))
            case OpenManuscript():
                return transitions.opened(self.given, self.state, self._open(), self.now)
            case LookAtManuscript():
                return transitions.looked(self.given, self.state, self._seen(), self.now)
            case AskRole():
                if self.cautious and not goes_on(self.state):
                    return transitions.not_asked(self.given, self.state, step, self.now)
                self.asked.append(step)
                return transitions.answered(self.given, self.state, self._answer(step), self.now)
            case GatherEvidence():
                found = EvidenceGathered(evidence=ref(step.section), passages=1)
                return transitions.gathered(self.given, self.state, step.section, found, self.now)
            case ApplyDraft():
                done = self.applies(self, step) or self._apply(step)
                return drafting.draft_applied(self.given, self.state, step, done, self.now)
            case AnnounceDraft():
                return approvals.announced(self.state, step.decision)
            case AwaitDecision():
                return approvals.answered(self.state)
            case KeepProgress():
                return transitions.kept(self.state, self._keep(step), step.upkeep)
            case PushNovel():
                return transitions.pushed(self.given, self.state, NovelPushed(outcome="pushed"), self.now)
            case EndManuscript():
                self._keep(step)
                self.ended_with = step.result
                return transitions.ended(self.state, step.result)
            case _:
                assert_never(step)

    # The world.

    def _open(self) -> ManuscriptOpened:
        basis = self.given.settings.instructions.sha256
        return ManuscriptOpened(
            verdict="open",
            pin=IntentPin(intent_id="write", digest="sha256:0"),
            guidance_basis=basis if self.guided else "",
            plan_basis=basis if self.row_titles else "",
            version=self.version,
        )

    def _seen(self) -> Seen:
        titles = self.row_titles
        return Seen(
            revision=self.revision,
            text=ref(self.text),
            words=len(self.text.split()),
            guided=self.guided,
            titles=titles,
            plan=ref("\n".join(titles)).sha256 if titles else "",
            written=written_titles(titles, self.text),
            version=self.version,
            code="scene-not-text" if self.unreadable else "",
        )

    @property
    def revision(self) -> str:
        return ref(self.text).sha256[:12] if self.text else ""

    def _keep(self, step: UpkeepRequest) -> ProgressKept:
        self.log += step.upkeep.entries
        self.version += 1
        self.guided = self.guided or step.upkeep.guidance is not None
        if step.upkeep.plan is not None:
            self.row_titles = tuple(each.section_title for each in step.upkeep.plan)
        return ProgressKept(version=self.version)

    def _answer(self, step: AskRole) -> RoleAnswered:
        basis = step.settings.instructions.sha256
        brief = RoleBrief(role=step.role, task=ref(f"{step.role} {step.run_id}"), turn_tokens=100)
        briefed = Briefed(brief=brief, seen=self._seen(), basis=basis)
        said = self.says.get(step.role, Play._said)(self, step)
        paid = {"calls": 1, "tokens": 10, "cost_micros": 5}
        if isinstance(said, Useless):
            return RoleAnswered(
                request=step, briefed=briefed, code=said.code, message="…", useless=not said.final, **paid
            )
        return RoleAnswered.model_validate(
            {"request": step, "briefed": briefed, "delivery": said, **paid}, from_attributes=True
        )

    def _said(self, step: AskRole) -> object:
        match step.role:
            case "manager":
                action = self._choices[0] if len(self._choices) == 1 else self._choices.popleft()
                return Decided(action=action, reasoning="") if isinstance(action, str) else action
            case "formatter":
                return Guided(format_guidance=ref("Be brief."), words=2)
            case "planner":
                sections = [PlannedSection(section_title=each, section_summary="…") for each in self.titles]
                return Planned(section_plan=tuple(sections))
            case "critic":
                said = self._scores.popleft()
                return critique(said, "Be clear.", "Be brief.") if isinstance(said, int | float) else said
            case _:
                return Edited(operations=ref(f"{step.role}{step.section}{self.revisions}"), count=1)

    def _apply(self, step: ApplyDraft) -> DraftApplied:
        """A writer's operation appends its section, a reviser's a word."""
        self.revisions += 1
        if step.section:
            self.text += f"\n\n# {step.section}\n\nWords number {self.revisions}."
        else:
            self.text += f" Revised {self.revisions}."
        return self.applied()

    def applied(self, **changes: object) -> DraftApplied:
        """What applying says, with the text as it is."""
        usual = {"outcome": "applied", "revision": self.revision, "applied": 1}
        commit = CommitSha(f"commit-{self.revisions}")
        said = {**usual, "words": len(self.text.split()), "commit": commit, **changes}
        return DraftApplied.model_validate(said)

    # What tests ask.

    @property
    def actions(self) -> list[str]:
        """The roles that worked, with the section of a writer."""
        return [f"{each.role} {each.section}".strip() for each in self.asked]

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Action and code of each entry of the history."""
        return [(entry.action, entry.code or entry.outcome) for entry in self.log]


ACTIONS: tuple[ManagerAction, ...] = (
    "generate_format_guidance",
    "generate_plan",
    "write_section",
    "critique_manuscript",
    "revise_manuscript",
    "finish",
)
