"""Signs what a client orders: starts, schedules, signals and updates."""

import time
from collections.abc import Mapping, Sequence
from inspect import isawaitable
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.client import (
    CreateScheduleInput,
    Interceptor,
    OutboundInterceptor,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleHandle,
    ScheduleUpdate,
    ScheduleUpdateInput,
    SignalWorkflowInput,
    StartWorkflowInput,
    StartWorkflowUpdateInput,
    StartWorkflowUpdateWithStartInput,
    UpdateScheduleInput,
    WorkflowHandle,
    WorkflowUpdateHandle,
)
from temporalio.converter import PayloadCodec

from workers.orders.signatures import ORDER_HEADER, START_HEADER, Key, Order, OrderKind, digest_of, new_id
from workers.payloads.values import BoundedPayloadConverter

_Headers = Mapping[str, Payload]


class SignOrders(Interceptor):
    """A client's interceptor."""

    def __init__(self, key: Key, codec: PayloadCodec | None) -> None:
        """``codec``: decrypts the arguments of schedules, which the server hands back as it keeps them."""
        self._key = key
        self._codec = codec

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        return _Signing(next, self._key, self._codec)


# Any: the SDK's own signatures.
class _Signing(OutboundInterceptor):
    def __init__(self, next: OutboundInterceptor, key: Key, codec: PayloadCodec | None) -> None:
        super().__init__(next)
        self._key = key
        self._codec = codec

    async def start_workflow(self, input: StartWorkflowInput) -> WorkflowHandle[Any, Any]:
        input.headers = self._started(input.headers, input.id, input.workflow, input.args)
        if input.start_signal is not None:
            order = self._order("signal", input.id, input.start_signal, input.start_signal_args)
            input.headers = {**input.headers, ORDER_HEADER: order}
        return await super().start_workflow(input)

    async def signal_workflow(self, input: SignalWorkflowInput) -> None:
        order = self._order("signal", input.id, input.signal, input.args)
        input.headers = {**input.headers, ORDER_HEADER: order}
        await super().signal_workflow(input)

    async def start_workflow_update(self, input: StartWorkflowUpdateInput) -> WorkflowUpdateHandle[Any]:
        order = self._order("update", input.id, input.update, input.args)
        input.headers = {**input.headers, ORDER_HEADER: order}
        return await super().start_workflow_update(input)

    async def start_update_with_start_workflow(
        self, input: StartWorkflowUpdateWithStartInput
    ) -> WorkflowUpdateHandle[Any]:
        start, update = input.start_workflow_input, input.update_workflow_input
        start.headers = self._started(start.headers, start.id, start.workflow, start.args)
        order = self._order("update", start.id, update.update, update.args)
        update.headers = {**update.headers, ORDER_HEADER: order}
        return await super().start_update_with_start_workflow(input)

    async def create_schedule(self, input: CreateScheduleInput) -> ScheduleHandle:
        await self._sign_schedule(input.schedule)
        return await super().create_schedule(input)

    async def update_schedule(self, input: UpdateScheduleInput) -> None:
        wanted = input.updater

        async def signed(found: ScheduleUpdateInput) -> ScheduleUpdate | None:
            update = wanted(found)
            update = await update if isawaitable(update) else update
            if update is not None:
                await self._sign_schedule(update.schedule)
            return update

        input.updater = signed
        await super().update_schedule(input)

    async def _sign_schedule(self, schedule: Schedule) -> None:
        action = schedule.action
        if not isinstance(action, ScheduleActionStartWorkflow) or self._key.since is None:
            return
        order = self._of("schedule", action.id, action.workflow, await self._payloads(action.args))
        action.headers = {**(action.headers or {}), START_HEADER: order}

    async def _payloads(self, args: Sequence[Any]) -> Sequence[Payload]:
        stored = [arg for arg in args if isinstance(arg, Payload)]
        if not stored:
            return BoundedPayloadConverter().to_payloads(args)
        return await self._codec.decode(stored) if self._codec else stored

    def _started(self, headers: _Headers, id: str, name: str, args: Sequence[Any]) -> _Headers:
        # While off, nothing is started as signed: it would no longer obey what people type by hand.
        if self._key.since is None:
            return headers
        return {**headers, START_HEADER: self._order("start", id, name, args)}

    def _order(self, kind: OrderKind, workflow: str, name: str, args: Sequence[Any]) -> Payload:
        return self._of(kind, workflow, name, BoundedPayloadConverter().to_payloads(args))

    def _of(self, kind: OrderKind, workflow: str, name: str, payloads: Sequence[Payload]) -> Payload:
        order = Order(
            kind=kind,
            workflow=workflow,
            name=name,
            arguments=digest_of(payloads),
            id=new_id(),
            at=int(time.time() * 1e6),
        )
        return self._key.seal(order)
