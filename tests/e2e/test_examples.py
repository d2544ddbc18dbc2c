"""Every shell example of the README and of the pages it links runs as written."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.engine.home import EngineHome, engine_home
from tests.support.gateway.forked_commands import forked_commands

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("examples")]

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    *(
        f"docs/{name}.md"
        for name in (
            "book",
            "continuity",
            "craft",
            "documents",
            "manuscripts",
            "intents",
            "agents",
            "mcp",
            "operating",
            "citations",
            "evidence",
            "sources",
            "worlds",
            "lore",
            "scenes",
            "models",
        )
    ),
)
RUN_ELSEWHERE = "docs/api.md"
"""By tests/e2e/test_web.py, beside the API that it calls."""
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineHome]:
    """An engine for all pages, started by the first page that says so."""
    at = engine_home(PENWRIGHT_WEB__ENABLED="true")
    yield at
    at.remove()


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the programs that the examples call."""
    with forked_commands(tmp_path_factory.mktemp("commands") / "bin") as folder:
        yield folder


def _environment(home: EngineHome, commands: Path, folder: Path) -> dict[str, str]:
    """A user with a name for git, an empty home folder, this installation's commands, and no network."""
    found = {name: value for name, value in home.environ.items() if name != "PENWRIGHT_CONFIG"}
    found |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config")}
    places = [str(commands), str(Path(sys.executable).parent), found["PATH"]]
    found |= {"PATH": os.pathsep.join(places)}
    found |= {"PENWRIGHT_SCHOLARLY__SOURCES": '["recorded"]'}
    (folder / ".gitconfig").write_text("[user]\n\tname = Ada Author\n\temail = ada@example.org\n", "utf-8")
    return found


def _blocks(page: str) -> list[tuple[str, str]]:
    """Language and text of each fenced block."""
    return _BLOCK.findall((ROOT / page).read_text("utf-8"))


def _script(page: str) -> str:
    blocks = [text for language, text in _blocks(page) if language == "sh"]
    # The checkout's environment is active already, and a test may not set one up.
    return "".join(blocks).replace(". .venv/bin/activate\n", "")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_as_written(
    page: str, home: EngineHome, commands: Path, tmp_path: Path
) -> None:
    (tmp_path / "examples.sh").write_text(_script(page), "utf-8")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-x", "examples.sh"],
        stdin=subprocess.DEVNULL,
        env=_environment(home, commands, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


@pytest.mark.smoke
def test_every_page_with_examples_is_run() -> None:
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    with_examples = {
        file.relative_to(ROOT).as_posix() for file in files if "```sh\n" in file.read_text("utf-8")
    }

    assert with_examples == {*PAGES, RUN_ELSEWHERE}


@pytest.mark.smoke
@pytest.mark.parametrize("page", PAGES)
def test_every_command_in_a_block_is_in_one_that_runs(page: str) -> None:
    others = "".join(text for language, text in _blocks(page) if language != "sh")

    assert re.findall(r"^(?:penwright|ink-cli) .*", others, re.MULTILINE) == []
