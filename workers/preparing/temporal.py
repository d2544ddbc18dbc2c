"""Prepare Temporal before the first run: the namespace with its retention and search attributes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import TypeVar

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from penwright.errors import EngineUnavailable
from workers.failures import not_prepared
from workers.pauses import growing_pauses

SEARCH_ATTRIBUTES = {
    "PenwrightPipeline": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "PenwrightSubject": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "PenwrightStage": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "PenwrightOutcome": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "PenwrightCode": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "PenwrightWords": IndexedValueType.INDEXED_VALUE_TYPE_INT,
    "PenwrightCostMicros": IndexedValueType.INDEXED_VALUE_TYPE_INT,
}
_TYPES = {
    IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD: "Keyword",
    IndexedValueType.INDEXED_VALUE_TYPE_INT: "Int",
}
_Answer = TypeVar("_Answer")
NOT_YET = frozenset({RPCStatusCode.UNAVAILABLE, RPCStatusCode.NOT_FOUND, RPCStatusCode.DEADLINE_EXCEEDED})


async def namespace(client: Client, *, retention_days: int) -> None:
    """Set retention and search attributes of the embedded Temporal's namespace. Idempotent.

    By default the server deletes closed runs after a day, and registers attributes only for namespaces that
    its own command line creates.
    """
    update = UpdateNamespaceRequest(namespace=client.namespace)
    update.config.workflow_execution_retention_ttl.FromTimedelta(timedelta(days=retention_days))
    await client.workflow_service.update_namespace(update)
    await search_attributes(client)


async def search_attributes(client: Client) -> tuple[str, ...]:
    """Register the search attributes that are missing, and return their names."""
    missing = await missing_attributes(client)
    if missing:
        await client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(namespace=client.namespace, search_attributes=missing)
        )
    return tuple(missing)


async def check_namespace(client: Client) -> None:
    """Stop before any run of a Temporal that is not ours would be stuck at an unknown attribute.

    A server that does not tell its attributes, such as a cloud, is believed to have them; one that does not
    answer is not.

    Raises:
        EngineUnavailable: ``namespace-not-prepared``: no such namespace, or attributes are missing;
            ``engine-unreachable``.
    """
    try:
        missing = await missing_attributes(client)
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            raise not_prepared(f"there is no namespace {client.namespace!r}") from error
        if error.status in NOT_YET:
            gone = f"Temporal does not tell its search attributes: {error.message}"
            raise EngineUnavailable("engine-unreachable", gone) from error
        return
    if missing:
        names = ", ".join(missing)
        raise not_prepared(f"the namespace {client.namespace!r} does not know {names}")


def commands(attributes: Mapping[str, IndexedValueType.ValueType]) -> str:
    """Return the commands of Temporal's own tool that create ``attributes``."""
    return "; ".join(
        f"temporal operator search-attribute create --name {name} --type {_TYPES[kind]}"
        for name, kind in attributes.items()
    )


async def missing_attributes(client: Client) -> dict[str, IndexedValueType.ValueType]:
    """Return the search attributes that the namespace lacks."""
    request = ListSearchAttributesRequest(namespace=client.namespace)
    known = await client.operator_service.list_search_attributes(request)
    return {name: kind for name, kind in SEARCH_ATTRIBUTES.items() if name not in known.custom_attributes}


async def namespace_when_ready(client: Client, *, retention_days: int, patience_s: float) -> None:
    """Call ``namespace``, again while the server is still starting.

    Raises:
        EngineUnavailable: it did not start within ``patience_s``.
    """
    await _when_ready(lambda: namespace(client, retention_days=retention_days), patience_s=patience_s)


async def namespace_id(client: Client, *, patience_s: float) -> str:
    """Return the namespace's id: workflow ids are unique within it, so it names the engine in lock files.

    Raises:
        EngineUnavailable: the server did not start within ``patience_s``.
    """
    request = DescribeNamespaceRequest(namespace=client.namespace)
    described = await _when_ready(
        lambda: client.workflow_service.describe_namespace(request), patience_s=patience_s
    )
    return described.namespace_info.id


async def _when_ready(ask: Callable[[], Awaitable[_Answer]], *, patience_s: float) -> _Answer:
    deadline = asyncio.get_running_loop().time() + patience_s
    for pause_s in growing_pauses():
        try:
            return await ask()
        except RPCError as error:
            if error.status not in NOT_YET or asyncio.get_running_loop().time() > deadline:
                raise EngineUnavailable(
                    "engine-not-prepared",
                    f"Temporal did not accept its settings: {error.message}; see its log",
                ) from error
        await asyncio.sleep(pause_s)
    raise AssertionError("pauses never end")
