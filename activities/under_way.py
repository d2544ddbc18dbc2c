"""Texts of the store that runs under way, and schedules, still need."""

import re
from collections.abc import Iterable

from google.protobuf.json_format import ParseDict
from temporalio.api.common.v1 import Payload
from temporalio.client import Client, ScheduleActionStartWorkflow, WorkflowExecution
from temporalio.common import RawValue
from temporalio.converter import DataConverter
from temporalio.service import RPCError, RPCStatusCode

from activities.histories import payloads
from penwright.errors import PermanentError
from penwright.ports.retention import UnderWay

_RUNNING = "ExecutionStatus = 'Running'"
_HEXADECIMAL = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


async def under_way(client: Client) -> UnderWay:
    """Name every run that has not ended, and every digest in its history or in a schedule's input.

    It reads all of them, so that what it does not name is needed by none, but by those in ``unread``. Raises
    what Temporal raises: then nothing may be deleted.
    """
    ids: set[str] = set()
    digests: set[str] = set()
    unread: list[str] = []
    async for run in client.list_workflows(_RUNNING):
        ids.add(run.id)
        try:
            digests |= await _digests_of_run(client, run)
        except PermanentError as error:
            unread.append(f"{run.id}: {error.code}: {error.message}")
    async for schedule in await client.list_schedules():
        try:
            digests |= await _digests_of_schedule(client, schedule.id)
        except PermanentError as error:
            unread.append(f"schedule {schedule.id}: {error.code}: {error.message}")
    return UnderWay(frozenset(ids), frozenset(digests), tuple(unread))


async def _digests_of_run(client: Client, run: WorkflowExecution) -> set[str]:
    try:
        history = await client.get_workflow_handle(run.id, run_id=run.run_id).fetch_history()
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return set()
    found = payloads(history.to_json_dict())
    return await _digests(client.data_converter, [ParseDict(each, Payload()) for each in found])


async def _digests_of_schedule(client: Client, name: str) -> set[str]:
    try:
        action = (await client.get_schedule_handle(name).describe()).schedule.action
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return set()
    assert isinstance(action, ScheduleActionStartWorkflow), "schedules start workflows"
    return await _digests(client.data_converter, action.args)


async def _digests(converter: DataConverter, sealed: Iterable[Payload]) -> set[str]:
    """Those in payloads, and of those that are stored outside of the history also the names of these."""
    found: set[str] = set()
    # One at a time: a search attribute and a failure's details are no sequence of values.
    for each in sealed:
        codec = converter.payload_codec
        references = await codec.decode([each]) if codec else [each]
        (plain,) = await converter.decode([each], [RawValue])
        for payload in (*references, plain.payload):
            found.update(digest.decode() for digest in _HEXADECIMAL.findall(payload.SerializeToString()))
    return found
