"""``penwright help TOPIC`` shows a page of the manual, also where only the wheel is installed."""

import json
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from gateway.cli import help_pages
from tests.support.gateway.services import Run

ROOT = Path(help_pages.__file__).parents[2]
PAGES = sorted(page.stem for page in (ROOT / "docs").glob("*.md"))


def test_a_page_of_the_manual_is_shown_as_text_and_as_json(run: Run) -> None:
    code, shown, _ = run("help", "citations")
    _, told, _ = run("help", "citations", "--json")

    assert code == 0
    assert "Citations" in shown
    assert json.loads(told) == {"topic": "citations", "text": (ROOT / "docs/citations.md").read_text("utf-8")}


def test_the_pages_are_listed(run: Run) -> None:
    assert run("help", "topics")[1].split() == PAGES


def test_a_page_that_is_called_as_a_command_leads_on_to_its_help(run: Run) -> None:
    assert "`penwright book --help`" in run("help", "book")[1]
    assert run("help", "trace") == run("trace", "--help")


@pytest.mark.parametrize(("typed", "meant"), [("citation", "citations"), ("session", "book session")])
def test_an_unknown_topic_is_answered_with_what_was_meant_and_the_list(
    run: Run, typed: str, meant: str
) -> None:
    code, _, err = run("help", typed)

    assert code == 1
    assert f"did you mean {meant!r}?" in err
    assert ", ".join(PAGES) in err.replace("\n", " ")


def test_the_pages_come_with_an_installed_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    ZipFile(wheel).extractall(tmp_path / "installed")
    monkeypatch.setattr(help_pages, "_FOLDERS", (tmp_path / "installed/penwright_docs",))

    assert list(help_pages.topics()) == PAGES
