"""A Temporal that is not ours is asked for our search attributes before any run needs them."""

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import cast

import pytest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import WorkflowEnvironment

from penwright.adapters.store.migration import upgrade
from penwright.errors import EngineUnavailable
from tests.support.engine.postgres import Template
from tests.support.engine.temporal import plain_server
from workers.preparing import temporal as prepare
from workers.preparing.tables import check_tables, when_ready


async def test_a_server_without_our_search_attributes_is_refused_with_the_command_that_prepares_it() -> None:
    async with await plain_server() as env:
        with pytest.raises(EngineUnavailable) as missing:
            await prepare.check_namespace(env.client)
        await prepare.search_attributes(env.client)
        await prepare.check_namespace(env.client)

    assert missing.value.code == "namespace-not-prepared"
    assert "PenwrightOutcome" in missing.value.message
    assert missing.value.message.endswith("run `penwright operator setup`")


async def test_a_server_that_does_not_tell_its_attributes_is_used(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    await prepare.check_namespace(time_skipping_env.client)


async def test_a_server_that_does_not_answer_in_time_is_not_taken_for_a_prepared_one() -> None:
    async def late(request: object) -> None:
        raise RPCError("too late", RPCStatusCode.DEADLINE_EXCEEDED, b"")

    busy = SimpleNamespace(namespace="default", operator_service=SimpleNamespace(list_search_attributes=late))

    with pytest.raises(EngineUnavailable) as unanswered:
        await prepare.check_namespace(cast(Client, busy))

    assert unanswered.value.code == "engine-unreachable"


@pytest.mark.server
async def test_a_process_that_does_not_prepare_waits_for_the_tables(database_template: Template) -> None:
    name = database_template.empty()
    url = database_template.url(name)

    waiting = asyncio.create_task(when_ready(partial(check_tables, url), patience_s=60))
    await asyncio.sleep(0.1)
    waited = not waiting.done()
    await asyncio.to_thread(upgrade, url)

    await waiting
    assert waited
    database_template.drop(name)
