"""The API over a stage."""

import pytest

from tests.support.gateway.http import Api, api_over
from tests.support.gateway.services import StageServices


@pytest.fixture
def api(services: StageServices) -> Api:
    return api_over(services)
