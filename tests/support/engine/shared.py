"""The whole engine that contract, browser and end-to-end tests share."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.engine.home import EngineHome, engine_home, until

ENGINE_FILES = (
    "tests/browser/",
    "tests/contract/ink_cli/",
    "tests/e2e/test_forms.py",
    "tests/e2e/test_scenes.py",
    "tests/e2e/test_web.py",
)
"""What uses ``running_engine``: one test process runs it all, as a start costs 25 seconds of a core."""


@pytest.fixture(scope="session")
def running_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHome]:
    """A running engine with its pages, which asks no registry on the network."""
    folder = tmp_path_factory.mktemp("engine")
    config = folder / "penwright.toml"
    config.write_text(settings_of(folder), encoding="utf-8")
    home = engine_home(
        PENWRIGHT_CONFIG=str(config), PENWRIGHT_WEB__ENABLED="true", PENWRIGHT_WORKER__GRACE_S="2"
    )
    try:
        up = home.cli("up", "--detach")
        assert up.returncode == 0, up.stderr
        until(lambda: home.record().children["web"].state == "ready")
        yield home
        home.cli("down")
    finally:
        home.remove()


def settings_of(folder: Path) -> str:
    """The settings of an engine whose pages are looked at: recorded works, and a place for new ones."""
    return f'[scholarly]\nsources = ["recorded"]\n[web]\nworks_folder = "{folder / "new"}"\n'


def console_script(name: str) -> Path:
    """A script of this installation."""
    return Path(sys.executable).with_name(name)
