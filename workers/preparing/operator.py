"""Prepare a Temporal and a PostgreSQL that Penwright does not run itself; every step may be repeated."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, RegisterNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from penwright.adapters.store.migration import current_revision, head_revision, limits
from penwright.errors import EngineUnavailable, UsageMistake
from workers.client import connect
from workers.home.address import address
from workers.preparing import tables as prepare_tables
from workers.preparing import temporal as prepare
from workers.preparing.housekeeping import schedule_housekeeping_when_ready
from workers.settings import Settings

POLL_S = 0.2
KNOWN_AFTER_S = 60.0
"""Time a server may take until every part of it knows a new namespace or attribute."""
LEAST_POSTGRES = 150_000
"""As PostgreSQL counts: 15.0."""
CONNECTIONS_PER_HOST = 40
"""Connections that the processes of one host may open together, commands included."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was looked at, and what became of it."""

    name: str
    state: Literal["ready", "done", "missing", "warning"]
    message: str


async def set_up(settings: Settings, *, changing: bool = True) -> tuple[Step, ...]:
    """Prepare what ``settings`` place outside of this engine; only look if not ``changing``.

    Raises:
        UsageMistake: ``setup-not-needed``: both servers are embedded.
        EngineUnavailable: Temporal does not answer, or does not let us prepare it.
        StoreUnavailable: PostgreSQL does not answer.
    """
    if settings.embeds_temporal and settings.embeds_postgres:
        raise UsageMistake(
            "setup-not-needed",
            "Temporal and PostgreSQL are embedded here, and `penwright up` prepares them; "
            "set TEMPORAL_ADDRESS and PENWRIGHT_DATABASE_URL to use your own",
        )
    steps: list[Step] = []
    if not settings.embeds_temporal:
        client = await connect(settings)
        steps += await _temporal(client, settings.engine.retention_days, changing=changing)
        if changing:
            steps.append(await _housekeeping(client, settings))
    if not settings.embeds_postgres:
        url = address(settings).database_url
        steps += await asyncio.to_thread(_postgres, url, changing=changing)
    return tuple(steps)


async def _temporal(client: Client, retention_days: int, *, changing: bool) -> list[Step]:
    try:
        namespace = await _namespace(client, retention_days, changing=changing)
        if namespace.state == "missing":
            return [namespace, Step("search attributes", "missing", "there is no namespace yet")]
        return [namespace, await _attributes(client, changing=changing)]
    except RPCError as error:
        raise EngineUnavailable(
            "namespace-refused",
            f"Temporal did not let us prepare the namespace {client.namespace!r}: {error.message}; let its "
            f"administrator create the search attributes: {prepare.commands(prepare.SEARCH_ATTRIBUTES)}",
        ) from error


async def _namespace(client: Client, retention_days: int, *, changing: bool) -> Step:
    if await _is_there(client):
        return Step("namespace", "ready", f"{client.namespace!r} is there")
    if not changing:
        return Step("namespace", "missing", f"there is no namespace {client.namespace!r}")
    request = RegisterNamespaceRequest(namespace=client.namespace)
    request.workflow_execution_retention_period.FromTimedelta(timedelta(days=retention_days))
    await client.workflow_service.register_namespace(request)
    return Step("namespace", "done", f"{client.namespace!r} keeps closed runs for {retention_days} days")


async def _housekeeping(client: Client, settings: Settings) -> Step:
    await schedule_housekeeping_when_ready(client, settings)
    housekeeping = settings.housekeeping
    when = (
        f"each day at {housekeeping.at} {housekeeping.time_zone}" if housekeeping.enabled else "switched off"
    )
    return Step("housekeeping", "ready", when)


async def _is_there(client: Client) -> bool:
    try:
        await client.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace=client.namespace))
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return False
    return True


async def _attributes(client: Client, *, changing: bool) -> Step:
    name = "search attributes"
    if not changing:
        missing = await prepare.missing_attributes(client)
        if missing:
            return Step(name, "missing", ", ".join(missing))
        return Step(name, "ready", f"all {len(prepare.SEARCH_ATTRIBUTES)} are there")
    deadline = asyncio.get_running_loop().time() + KNOWN_AFTER_S
    created: set[str] = set()
    # A new namespace is known to every part of the server only after some seconds.
    while True:
        try:
            created.update(await prepare.search_attributes(client))
            if not await prepare.missing_attributes(client):
                break
        except RPCError as error:
            if error.status not in prepare.NOT_YET or asyncio.get_running_loop().time() > deadline:
                raise
        await asyncio.sleep(POLL_S)
    if created:
        return Step(name, "done", f"created {', '.join(sorted(created))}")
    return Step(name, "ready", f"all {len(prepare.SEARCH_ATTRIBUTES)} are there")


def _postgres(url: str, *, changing: bool) -> list[Step]:
    return [_tables(url, changing=changing), *_limits(url)]


def _tables(url: str, *, changing: bool) -> Step:
    found, needed = current_revision(url), head_revision()
    if found == needed:
        return Step("tables", "ready", f"at revision {needed}")
    if not changing:
        return Step("tables", "missing", f"at revision {found or 'none'}, {needed} is needed")
    prepare_tables.tables(url, embedded=False)
    return Step("tables", "done", f"from revision {found or 'none'} to {needed}")


def _limits(url: str) -> list[Step]:
    version, most = limits(url)
    steps = []
    if version < LEAST_POSTGRES:
        steps.append(Step("postgres version", "warning", f"{version // 10_000} is older than 15"))
    if most < CONNECTIONS_PER_HOST + 20:
        advice = f"max_connections = {most}; each host with workers may open {CONNECTIONS_PER_HOST}"
        steps.append(Step("postgres limits", "warning", advice))
    else:
        hosts = (most - 20) // CONNECTIONS_PER_HOST
        steps.append(
            Step(
                "postgres limits",
                "ready",
                f"max_connections = {most}, enough for {hosts} host(s) with workers",
            )
        )
    return steps
