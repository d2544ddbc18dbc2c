"""Checks orders inside workflows and before activities; signs what a workflow orders itself.

Whether a run demands signatures is known from its history alone: it does if its start was signed. So a replay
decides as before, also after the setting was changed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from temporalio import activity, workflow
from temporalio.api.common.v1 import Payload
from temporalio.client import Interceptor as ClientInterceptor
from temporalio.common import RawValue
from temporalio.worker import (
    ActivityInboundInterceptor,
    ContinueAsNewInput,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    HandleSignalInput,
    HandleUpdateInput,
    Interceptor,
    SignalChildWorkflowInput,
    SignalExternalWorkflowInput,
    StartActivityInput,
    StartChildWorkflowInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)

from penwright.errors import Refused
from workers.failures import as_failure
from workers.orders.key_file import read_key
from workers.orders.signatures import ORDER_HEADER, START_HEADER, Key, Order, OrderKind, digest_of, unsigned
from workers.payloads.values import payloads_of
from workers.settings import Settings


class ActivityChecks(ActivityInboundInterceptor):
    """Runs an activity if its order is signed, or older than the signatures."""

    def __init__(self, next: ActivityInboundInterceptor, key: Key) -> None:
        super().__init__(next)
        self._key = key

    # Any: the SDK's own signature.
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        info = activity.info()
        # Only the worker of a workflow can run a local activity.
        if not (info.is_local or self._is_of_before(info) or self._is_signed(info, input)):
            activity.logger.warning("an activity is refused: %r has no valid signature", info.activity_type)
            raise as_failure(unsigned(f"the activity {info.activity_type!r}"))
        return await super().execute_activity(input)

    def _is_of_before(self, info: activity.Info) -> bool:
        """Whether a workflow ordered it while nothing was signed."""
        since = self._key.since
        return since is None or (info.in_workflow and int(info.scheduled_time.timestamp() * 1e6) < since)

    def _is_signed(self, info: activity.Info, input: ExecuteActivityInput) -> bool:
        order = self._key.open(input.headers, ORDER_HEADER)
        if order is None:
            return False
        arguments = digest_of(payloads_of(input.args) or activity.payload_converter().to_payloads(input.args))
        wanted = ("activity", info.workflow_id, info.workflow_run_id, info.activity_type, arguments)
        return (order.kind, order.workflow, order.id, order.name, order.arguments) == wanted


MOST = 128
"""Orders remembered by id; older ones than these are not obeyed at all."""


class SeenOrders:
    """Ids of orders with the times at which they were made."""

    def __init__(self, known: Iterable[tuple[str, int]] = (), floor: int = 0) -> None:
        """``floor``: orders made at or before this time are not obeyed."""
        self._times = dict(known)
        self._floor = floor

    @property
    def floor(self) -> int:
        return self._floor

    @property
    def newest(self) -> tuple[tuple[str, int], ...]:
        """List what a run that continues this one must know."""
        return tuple(self._times.items())

    def is_new(self, id: str, at: int) -> bool:
        """Whether an order was not obeyed before, as far as is known: one too old to tell is not new."""
        return at > self._floor and id not in self._times

    def note(self, id: str, at: int) -> None:
        """Remember an order; the oldest is forgotten, and with it every older one is no longer new."""
        self._times[id] = at
        if len(self._times) > MOST:
            oldest = min(self._times, key=lambda each: (self._times[each], each))
            self._floor = max(self._floor, self._times.pop(oldest))


LONGEST_WAY = 300_000_000
"""Microseconds between the making of a start and the server's taking it; an older one is not accepted."""
CLOCKS_DIFFER = 5_000_000
"""Microseconds by which the clocks of two machines may differ."""


def order_checks(settings: Settings) -> tuple["ReceiveOrders", ...]:
    """The interceptor of a worker's client, where there is a key.

    Raises:
        PermanentError: as ``read_key``.
    """
    key = read_key(settings)
    return (ReceiveOrders(key),) if key else ()


class ReceiveOrders(ClientInterceptor, Interceptor):
    """An interceptor of a client, which passes it on to the workers that are made with it."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self._starts: dict[str, tuple[int, str]] = {}

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        class Bound(_Receiving):
            checks = self

        return Bound

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        return ActivityChecks(next, self.key)

    def is_first(self, order: Order, run_id: str) -> bool:
        """Whether no other run was started with ``order``, as far as this process knows.

        A copy that comes later than ``LONGEST_WAY`` is refused without this memory.
        """
        self._starts = {id: kept for id, kept in self._starts.items() if kept[0] > order.at - 2 * LONGEST_WAY}
        return self._starts.setdefault(order.id, (order.at, run_id))[1] == run_id


# Any: the SDK's own signatures.
class _Receiving(WorkflowInboundInterceptor):
    checks: ReceiveOrders

    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        info, key = outbound.info(), self.checks.key
        self._signed = START_HEADER in info.headers
        self._start = key.open(info.headers, START_HEADER)
        self._heard = _orders_seen_before(self._start, info)
        super().init(_Ordering(outbound, key, self._heard))

    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        if refused := self._refused(input):
            workflow.logger.warning("a start is refused: %s", refused.message)
            raise as_failure(refused)
        return await super().execute_workflow(input)

    async def handle_signal(self, input: HandleSignalInput) -> None:
        order = self._order("signal", input.signal, input.args, input.headers)
        if self._signed and order is None:
            workflow.logger.warning("a signal is dropped: %r carries no valid signature", input.signal)
            return
        self._note(order)
        await super().handle_signal(input)

    def handle_update_validator(self, input: HandleUpdateInput) -> None:
        self._checked(input)
        super().handle_update_validator(input)

    async def handle_update_handler(self, input: HandleUpdateInput) -> Any:
        # Again: an update without a validator comes here only, and this is what a replay repeats.
        self._note(self._checked(input))
        return await super().handle_update_handler(input)

    def _checked(self, input: HandleUpdateInput) -> Order | None:
        order = self._order("update", input.update, input.args, input.headers)
        if self._signed and order is None:
            workflow.logger.warning("an update is refused: %r carries no valid signature", input.update)
            raise as_failure(unsigned(f"the update {input.update!r}"))
        return order

    def _order(
        self, kind: OrderKind, name: str, args: Sequence[Any], headers: Mapping[str, Payload]
    ) -> Order | None:
        """The order in ``headers`` if it is for this workflow, for this handler, and new."""
        order = self.checks.key.open(headers, ORDER_HEADER)
        wanted = (kind, workflow.info().workflow_id, name, _digest(args))
        if order is None or (order.kind, order.workflow, order.name, order.arguments) != wanted:
            return None
        return order if self._heard.is_new(order.id, order.at) else None

    def _note(self, order: Order | None) -> None:
        if order is not None:
            self._heard.note(order.id, order.at)

    def _refused(self, input: ExecuteWorkflowInput) -> Refused | None:
        """Refuse a run that may not go on; asked at its beginning, with the same answer in every replay."""
        info, since = workflow.info(), self.checks.key.since
        started = int(info.start_time.timestamp() * 1e6)
        if not self._signed:
            accepted = since is None or started < since
            return None if accepted else unsigned(f"the start of {info.workflow_type}")
        order = self._start
        if order is None or order.name != info.workflow_type or order.arguments != _digest(input.args):
            return unsigned(f"the start of {info.workflow_type}")
        if order.kind == "schedule":
            of_schedule = info.workflow_id.startswith(f"{order.workflow}-")
            return None if of_schedule else unsigned("a start that is no schedule's")
        if order.kind not in ("start", "continue") or order.workflow != info.workflow_id:
            return unsigned(f"the start of {info.workflow_type}")
        # A run that is replayed was accepted at first.
        first = workflow.unsafe.is_replaying() or self.checks.is_first(order, info.run_id)
        if not first or abs(started - order.at) > LONGEST_WAY:
            return unsigned("a copy of an earlier start")
        return None


class _Ordering(WorkflowOutboundInterceptor):
    """Signs activities, child workflows, signals and what continues as new."""

    def __init__(self, next: WorkflowOutboundInterceptor, key: Key, heard: SeenOrders) -> None:
        super().__init__(next)
        self._key = key
        self._heard = heard
        self._count = 0

    def start_activity(self, input: StartActivityInput) -> "workflow.ActivityHandle[Any]":
        if self._key.since is not None:
            info = workflow.info()
            # Not counted: with the setting off again, a replay must give the same ids to later signals.
            order = self._order_as(info.run_id, "activity", info.workflow_id, input.activity, input.args)
            input.headers = {**input.headers, ORDER_HEADER: self._key.seal(order)}
        return super().start_activity(input)

    async def start_child_workflow(
        self, input: StartChildWorkflowInput
    ) -> "workflow.ChildWorkflowHandle[Any, Any]":
        order = self._order("start", input.id, input.workflow, input.args)
        if self._key.since is not None:
            input.headers = {**input.headers, START_HEADER: self._key.seal(order)}
        return await super().start_child_workflow(input)

    async def signal_child_workflow(self, input: SignalChildWorkflowInput) -> None:
        order = self._order("signal", input.child_workflow_id, input.signal, input.args)
        input.headers = {**input.headers, ORDER_HEADER: self._key.seal(order)}
        await super().signal_child_workflow(input)

    async def signal_external_workflow(self, input: SignalExternalWorkflowInput) -> None:
        order = self._order("signal", input.workflow_id, input.signal, input.args)
        input.headers = {**input.headers, ORDER_HEADER: self._key.seal(order)}
        await super().signal_external_workflow(input)

    def continue_as_new(self, input: ContinueAsNewInput) -> NoReturn:
        if self._key.since is not None:
            info = workflow.info()
            order = self._order(
                "continue", info.workflow_id, input.workflow or info.workflow_type, input.args
            )
            order = order.model_copy(update={"heard": self._heard.newest, "floor": self._heard.floor})
            input.headers = {**input.headers, START_HEADER: self._key.seal(order)}
        super().continue_as_new(input)

    def _order(self, kind: OrderKind, workflow_id: str, name: str, args: Sequence[Any]) -> Order:
        self._count += 1
        return self._order_as(f"{workflow.info().run_id}:{self._count}", kind, workflow_id, name, args)

    def _order_as(self, id: str, kind: OrderKind, workflow_id: str, name: str, args: Sequence[Any]) -> Order:
        return Order(
            kind=kind,
            workflow=workflow_id,
            name=name,
            arguments=digest_of(workflow.payload_converter().to_payloads(args)),
            id=id,
            at=int(workflow.now().timestamp() * 1e6),
        )


def _orders_seen_before(start: Order | None, info: workflow.Info) -> SeenOrders:
    """Orders known to a run at its beginning: one to an earlier run under its id is older than its start."""
    if start is None:
        return SeenOrders()
    if start.kind == "continue":
        return SeenOrders(start.heard, start.floor)
    # The start of a schedule was made once and for all; the run itself begins now.
    began = int(info.start_time.timestamp() * 1e6) if start.kind == "schedule" else start.at
    return SeenOrders(floor=began - CLOCKS_DIFFER)


def _digest(args: Sequence[Any]) -> str:
    # A workflow of any type gets its arguments as one list of payloads.
    raw = args[0] if len(args) == 1 and isinstance(args[0], list) else ()
    values = raw if raw and all(isinstance(each, RawValue) for each in raw) else args
    return digest_of(payloads_of(values) or workflow.payload_converter().to_payloads(values))
