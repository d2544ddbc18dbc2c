"""Change of a workspace by an activity: find what an earlier attempt did, else plan from the tip and publish.

The outcome is stored by content before the commit and named in a trailer of the commit itself, so a repeated
attempt returns what the commit that won says, even if another process made it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Generic, Protocol, TypeVar

from penwright.domain import trailers
from penwright.domain.asked import digest_of, refuse_another
from penwright.errors import PermanentError, Refused, WorkspaceBusy
from penwright.ports.blobs import Blobs
from penwright.ports.workspaces import Workspaces
from schemas.base import BlobRef, Effect, OpId, Value
from schemas.intents import Approval, IntentPin
from schemas.pipeline import PipelineProfile
from schemas.workspace import (
    Contributor,
    Denial,
    MutationPlan,
    Operation,
    Published,
    Workspace,
    WorkspaceRequest,
)

Outcome = TypeVar("Outcome", bound=Value)


_REPLANS = 8
"""Number of times a plan is made again when people keep changing the blocks it touches."""


@dataclass(frozen=True, slots=True)
class Planned(Generic[Outcome]):
    """An outcome, and the commit that would make it true; no operations means nothing needs to change."""

    outcome: Outcome
    operations: tuple[Operation, ...] = ()
    message: str = ""
    trailers: tuple[tuple[str, str], ...] = ()
    tag: str | None = None
    pin: IntentPin | None = None
    """The intent under which text changes; the engine's own bookkeeping has none."""
    approval: Approval | None = None
    marks_alone: bool = False
    """See ``MutationPlan.marks_alone``."""
    to_be_read: str = ""
    """See ``MutationPlan.to_be_read``."""


@dataclass(frozen=True, slots=True)
class Done(Generic[Outcome]):
    """An outcome that is true, and its commit if it needed one; with a denial, one that is not."""

    outcome: Outcome
    published: Published | None = None
    denial: Denial | None = None


@dataclass(frozen=True, slots=True)
class Publisher:
    """One commit per request, however often it is attempted."""

    workspaces: Workspaces
    blobs: Blobs
    profile: PipelineProfile

    def found(self, request: WorkspaceRequest, kind: type[Outcome]) -> Done[Outcome] | None:
        """Find what an earlier attempt of this request published; ``Refused`` if that was another request."""
        published = self.workspaces.find(request.workspace, request.effect)
        if published is None:
            return None
        refuse_another(request.effect.op_id, digest_of(request), published.trailers)
        return self._stored(published, kind)

    def commit(
        self,
        request: WorkspaceRequest,
        kind: type[Outcome],
        step: str,
        contributor: Contributor,
        plan: Callable[[], Planned[Outcome]],
    ) -> Done[Outcome]:
        """Publish ``plan()``; raises ``Refused`` when the gate denies it."""
        done = self.attempt(request, kind, step, contributor, plan)
        if done.denial is not None:
            raise refusal(done.denial)
        return done

    def attempt(
        self,
        request: WorkspaceRequest,
        kind: type[Outcome],
        step: str,
        contributor: Contributor,
        plan: Callable[[], Planned[Outcome]],
    ) -> Done[Outcome]:
        """Publish ``plan()``; it is called again, on the new tip, when a person changed the same blocks."""
        for _ in range(_REPLANS):
            try:
                planned = plan()
            except PermanentError:
                # A rule may deny only because another attempt of the same request was faster.
                if (done := self.found(request, kind)) is not None:
                    return done
                raise
            if not planned.operations:
                return self.found(request, kind) or Done(planned.outcome)
            published = self.workspaces.publish(
                self._mutation(request, step, contributor, planned), request.effect
            )
            if published.denial is not None:
                return Done(planned.outcome, denial=self._with_diff_stored(published.denial))
            if published.outcome == "conflict":
                continue
            if published.repeated:
                return self._stored(published, kind)
            return Done(planned.outcome, published)
        raise WorkspaceBusy(
            "book-contended", "another writer keeps changing the same passages; trying again soon"
        )

    def _with_diff_stored(self, denial: Denial) -> Denial:
        """A diff may be as long as a book, and the request for approval travels."""
        if denial.asks is None or not denial.asks.diff:
            return denial
        stored = self.blobs.put(denial.asks.diff.encode("utf-8", "replace"))
        need = denial.asks.model_copy(update={"diff": "", "stored_diff": stored})
        return denial.model_copy(update={"asks": need})

    def _mutation(
        self, request: WorkspaceRequest, step: str, contributor: Contributor, planned: Planned[Outcome]
    ) -> MutationPlan:
        result = self.blobs.put(planned.outcome.model_dump_json().encode())
        return MutationPlan(
            workspace=request.workspace,
            message=planned.message,
            contributor=contributor,
            marks_alone=planned.marks_alone,
            operations=planned.operations,
            tag=planned.tag,
            tool=f"{self.profile.prefix}.{step}",
            pin=planned.pin,
            asked=digest_of(request),
            approval=planned.approval,
            to_be_read=planned.to_be_read,
            trailers=(
                (self.profile.subject_trailer, request.subject),
                (trailers.SESSION, request.session),
                (trailers.STEP, step),
                *planned.trailers,
                *([(trailers.INTENT, planned.pin.intent_id)] if planned.pin else []),
                *([(trailers.APPROVAL, _signed(planned.approval))] if planned.approval else []),
                (trailers.RESULT, f"{result.sha256} {result.size}"),
            ),
        )

    def _stored(self, published: Published, kind: type[Outcome]) -> Done[Outcome]:
        sha256, size = published.trailers[trailers.RESULT].split()
        stored = self.blobs.get(BlobRef(sha256=sha256, size=int(size)))
        return Done(kind.model_validate_json(stored), published)


def refusal(denial: Denial) -> Refused:
    """Return the denial as the error that the caller gets."""
    code = denial.error_code.lower().replace("_", "-")
    details = {**denial.details, "error_type": denial.error_type, "action_hint": denial.action_hint}
    return Refused(code, f"{denial.message}; {denial.action_hint}", **details)


def _signed(approval: Approval) -> str:
    return f"{' '.join(approval.by.split())} {approval.id}"


class _Activities(Protocol):
    @property
    def workspaces(self) -> Workspaces: ...


class _Request(Protocol):
    @property
    def workspace(self) -> Workspace: ...


ActivitiesT = TypeVar("ActivitiesT", bound=_Activities)
RequestT = TypeVar("RequestT", bound=_Request)
ResultT = TypeVar("ResultT")


def in_one_repository(
    method: Callable[[ActivitiesT, RequestT], ResultT],
) -> Callable[[ActivitiesT, RequestT], ResultT]:
    """Open the request's workspace once for the whole of ``method``, and close it in the end."""

    @wraps(method)
    def opened(self: ActivitiesT, request: RequestT) -> ResultT:
        with self.workspaces.kept_open(request.workspace):
            return method(self, request)

    return opened


def part_of(effect: Effect, part: str) -> Effect:
    """The op id of one of several changes that a single request makes."""
    return effect.model_copy(update={"op_id": OpId(f"{effect.op_id}/{part}")})


def agent_trailer(who: str) -> tuple[tuple[str, str], ...]:
    """The trailer that names the program which asked, if it is known."""
    return ((trailers.AGENT, who),) if who else ()
