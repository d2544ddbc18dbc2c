"""A provider on this machine."""

from collections.abc import Iterator

import pytest

from tests.support.engine.provider_server import ProviderServer


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with ProviderServer().running() as running:
        yield running
