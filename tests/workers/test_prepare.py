"""A Temporal that is not ours is asked for our search attributes before any run needs them."""

import pytest
from temporalio.testing import WorkflowEnvironment

from penwright.errors import EngineUnavailable
from workers import prepare
from workers.engine import temporal


async def test_a_server_without_our_search_attributes_is_refused_with_the_commands_that_create_them() -> None:
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=str(temporal.binary(None, None))
    ) as env:
        with pytest.raises(EngineUnavailable) as missing:
            await prepare.check_search_attributes(env.client)
        await prepare.search_attributes(env.client)
        await prepare.check_search_attributes(env.client)

    assert missing.value.code == "search-attributes-missing"
    assert (
        "temporal operator search-attribute create --name PenwrightOutcome --type Keyword"
        in missing.value.message
    )


async def test_a_server_that_does_not_tell_its_attributes_is_used(
    time_skipping_env: WorkflowEnvironment,
) -> None:
    await prepare.check_search_attributes(time_skipping_env.client)
