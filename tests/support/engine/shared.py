"""A running engine for contract tests: one per test session, in a home of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.engine.home import PATIENT

_START_TIMEOUT_S = 180


@pytest.fixture(scope="session")
def running_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The environment in which commands find it."""
    home = str(tmp_path_factory.mktemp("home"))
    environment = {**os.environ, "PENWRIGHT_HOME": home, "PENWRIGHT_WEB__ENABLED": "false", **PATIENT}
    up = _penwright(environment, "up", "--detach")
    assert up.returncode == 0, up.stderr
    try:
        yield environment
    finally:
        _penwright(environment, "down")


def console_script(name: str) -> Path:
    """A script of this installation."""
    return Path(sys.executable).with_name(name)


def _penwright(environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [console_script("penwright"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=_START_TIMEOUT_S,
        check=False,
    )
