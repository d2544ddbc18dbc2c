"""What is printed to be done next works as printed, in the state that printed it."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import gateway
from gateway.cli.manuscript import reports
from gateway.cli.writers import REAL_MODEL
from gateway.desk.manuscript import scenes
from gateway.desk.works import novels
from gateway.desk.works.documents import Document
from schemas.manuscript import ManuscriptResult
from tests.support.gateway.command_lines import advised_in, mistake_in, printed_in
from tests.support.gateway.http import a_novel
from tests.support.gateway.services import Run, StageServices

ROOT = Path(gateway.__file__).parents[1]
ROOMS = ("gateway", "penwright", "workers", "activities", "workflows")
DOCS = re.compile(r"docs/[\w/-]+\.md")


GIVEN = {"BOOK", "COMMIT", "NOVEL", "SCENE"}
"""Words in whose place stands what a command or an address names, see ``with_names``."""
FREE = {
    *(
        "AGENT",
        "CAMPAIGN",
        "DATASET",
        "DOI",
        "FILE",
        "FOLDER",
        "ID",
        "LOREBOOK",
        "MODEL",
        "N",
        "NAME",
        "PATH",
        "PERSONA",
    ),
    *("TEXT", "TITLE", "WORD", "WORDS", "WORLD"),
}
"""Words in whose place stands what a reader chooses, or one of several."""


def commands(printed: str) -> list[list[str]]:
    """The commands between backticks, as words."""
    return [shlex.split(each)[1:] for each in re.findall("`(penwright [^`]+)`", printed)]


def test_the_commands_after_a_finished_run_do_what_they_say(
    run: Run, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    novel = novels.find(services, a_novel(services, tmp_path / "ebb"))
    found = Document(novel, scenes.chosen(services, novel, ""))
    ended = ManuscriptResult(
        outcome="finished", stop="finished", novel=novel.novel_id, scene=found.scene, session="s1"
    )
    monkeypatch.chdir(tmp_path)

    printed = commands(reports.ending_lines(found, ended)[-1])

    assert [words[1] for words in printed] == ["show", "export"]
    assert [run(*words)[0] for words in printed] == [0, 0]


def test_a_book_without_text_names_the_command_that_writes_it(
    run: Run, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, _, err = run("book", "export", str(book), "--output", "tide.txt")

    (written,) = commands(err)

    assert run(*written)[0] == 0


def test_before_taking_out_what_the_remote_lost_one_can_look(
    run: Run, book: Path, lost_by_remote: str
) -> None:
    _, _, err = run("book", "accept-remote", str(book))

    (look,) = commands(err)

    assert "error[needs-yes]" in err
    assert look[-1] == "--dry-run"
    assert run(*look)[0] == 0


def test_every_command_that_is_printed_is_one_that_the_program_takes() -> None:
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    printed = list(printed_in(files))

    wrong = [f"{where} `{line}`: {said}" for where, line in printed if (said := mistake_in(line))]

    assert len(printed) > 500
    assert not wrong, "\n".join(wrong)


def test_no_command_that_is_printed_has_a_gap() -> None:
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]

    assert [(where, line) for where, line in printed_in(files) if "…" in line or "..." in line] == []


def test_an_installed_program_names_no_file_of_the_repository() -> None:
    named = [said for room in ROOMS for file in (ROOT / room).rglob("*.py") for said in _named(file)]

    assert named == []


def _named(file: Path) -> Iterator[str]:
    source = file.read_text(encoding="utf-8")
    if not DOCS.search(source):
        return
    tree = ast.parse(source)
    notes = {each.value for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each not in notes:
            yield from (f"{file.name}: {said}" for said in DOCS.findall(each.value))


def test_models_are_set_in_one_form_everywhere(run: Run) -> None:
    _, help_page, _ = run("models", "--help")
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]

    assert [line for line in REAL_MODEL if line not in help_page] == []
    assert [page.name for page in pages if re.search(r"^\w+ = \{ model = ", page.read_text(), re.M)] == []


def test_a_word_that_stands_for_a_name_in_what_is_printed_is_filled_in_or_free_to_choose() -> None:
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    words = {word for line in advised_in(files) for word in re.findall(r"(?<= )[A-Z]+(?= |$)", line)}

    assert words - GIVEN - FREE == set(), "name the thing, or add to the words that are filled in"
    assert (GIVEN | FREE) - words == set(), "needs no entry any more"
