"""``book init``: a whole book or nothing."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from penwright.domain.book.questions import QUESTIONS
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.words import count_words
from tests.support.each import for_each
from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in


def _files(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def test_a_new_folder_becomes_a_repository_with_one_commit(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "books" / "tide"

    code, out, _ = run("book", "init", str(place), "--title", "Low Tide", "--json")

    told = json.loads(out)
    assert code == 0
    assert told["status"] == "initialized"
    assert set(told["files_created"]) == _files(place)
    assert git_in(place, "log", "--format=%s") == "Lay out Low Tide"
    assert git_in(place, "log", "--format=%(trailers)").strip() == "Penwright-Contributor: engine"
    assert git_in(place, "status", "--porcelain") == ""
    assert git_in(place, "symbolic-ref", "--short", "HEAD") == "main"
    assert told["book_id"].startswith("low-tide-")


@pytest.mark.parametrize("name", ["a b", "it's $HOME", "Ebb & Flow; 夜", "~tide"])
def test_advice_about_a_folder_of_any_name_can_be_pasted(run: Run, tmp_path: Path, name: str) -> None:
    place = tmp_path / name

    code, out, _ = run("book", "init", str(place), "--title", "Low Tide")
    _, _, again = run("book", "init", str(place))

    assert (code, git_in(place, "status", "--porcelain")) == (0, "")
    commands = [found for text in (out, again) for found in re.findall(r"`(penwright .*)`", text)]
    assert [shlex.split(command)[-1] for command in commands] == [str(place)] * 2


def test_an_empty_sha256_repository_becomes_a_book(run: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path)], check=True)

    code, _, _ = run("book", "init", str(tmp_path), "--title", "Low Tide", "--json")

    assert code == 0
    assert len(git_in(tmp_path, "rev-parse", "HEAD")) == 64


def test_a_fresh_book_holds_no_word_and_no_instruction(book: Path) -> None:
    review = (book / "Review/current.md").read_text()
    text = (book / "Current version/Full_Book.md").read_text()

    assert [comment for comment in parse_comments(review) if comment.kind == "instruction"] == []
    assert count_words(review) == 0
    assert count_words(text) == 0


def test_a_fresh_book_is_healthy(run: Run, book: Path) -> None:
    code, out, _ = run("book", "doctor", str(book), "--json")

    assert [check for check in json.loads(out)["checks"] if not check["ok"]] == []
    assert code == 0


def test_init_without_a_terminal_returns_the_open_questions(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("book", "init", str(tmp_path / "tide"), "--title", "Low Tide", "--json")

    asked = [question["id"] for question in json.loads(out)["questions"]]
    assert asked == [question.id for question in QUESTIONS if question.id != "title"]


def test_answers_of_a_file_fill_the_material(run: Run, tmp_path: Path) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"title": "Ebbe", "voice": "dry and near", "pages": 40}))

    run("book", "init", str(tmp_path / "ebbe"), "--answers", str(answers))

    assert "dry and near" in (tmp_path / "ebbe/Global Material/Soul.md").read_text()
    config = (tmp_path / "ebbe/Global Material/Config.yml").read_text()
    assert "target_length: 10000" in config


@pytest.mark.parametrize("text", ["[1]", "{", '{"title": [1]}', '{"nonsense": "x"}', '{"pages": "many"}'])
def test_invalid_answers_are_reported_and_create_nothing(run: Run, tmp_path: Path, text: str) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text(text)

    code, _, err = run("book", "init", str(tmp_path / "deep" / "tide"), "--answers", str(answers))

    assert code == 2
    assert err.startswith("error[")
    assert not (tmp_path / "deep").exists()


def test_questions_are_printed_without_creating_a_book(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("book", "init", str(tmp_path / "tide"), "--questions")

    assert [one["id"] for one in json.loads(out)["questions"]] == [question.id for question in QUESTIONS]
    assert not (tmp_path / "tide").exists()


def test_init_keeps_an_empty_folder_that_a_shell_is_in(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "tide"
    place.mkdir(mode=0o750)
    folder = place.stat()
    monkeypatch.chdir(place)

    code, out, _ = run("book", "init", ".", "--json")

    assert code == 0
    assert set(json.loads(out)["files_created"]) == _files(place)
    assert (place.stat().st_ino, place.stat().st_mode) == (folder.st_ino, folder.st_mode)
    assert git_in(place, "status", "--porcelain") == ""
    assert [left for left in tmp_path.iterdir() if left != place] == []


def test_an_existing_file_is_named_and_nothing_is_changed(run: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(tmp_path / "tide")], check=True)
    (tmp_path / "tide/README.md").write_text("mine")

    code, _, err = run("book", "init", str(tmp_path / "tide"))

    assert code == 3
    assert "'README.md'" in err
    assert _files(tmp_path / "tide") == {"README.md"}


def test_existing_files_can_be_kept(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "tide"
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(place)], check=True)
    (place / "README.md").write_text("mine")

    code, out, _ = run("book", "init", str(place), "--keep", "--json")

    assert code == 0
    assert (place / "README.md").read_text() == "mine"
    assert "README.md" not in json.loads(out)["files_created"]
    assert git_in(place, "status", "--porcelain") == "?? README.md"


def test_init_leaves_other_staged_files_out_of_its_commit(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "tide"
    subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)
    (place / "secret.txt").write_text("key")
    git_in(place, "add", "secret.txt")

    run("book", "init", str(place))

    assert "secret.txt" not in git_in(place, "ls-tree", "-r", "--name-only", "HEAD")
    assert git_in(place, "status", "--porcelain") == "A  secret.txt"


def test_a_folder_inside_another_repository_is_refused(run: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    code, _, err = run("book", "init", str(tmp_path / "books" / "tide"))

    assert code == 3
    assert err.startswith("error[inside-another-repository]")
    assert not (tmp_path / "books").exists()


def test_a_folder_with_files_and_without_git_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "novel").mkdir()
    (tmp_path / "novel/chapter.txt").write_text("mine")

    code, _, err = run("book", "init", str(tmp_path / "novel"))

    assert code == 3
    assert err.startswith("error[folder-not-empty]")
    assert _files(tmp_path / "novel") == {"chapter.txt"}


def test_a_second_init_is_refused(run: Run, book: Path) -> None:
    before = git_in(book, "rev-parse", "HEAD")

    code, out, _ = run("book", "init", str(book), "--json")

    assert (code, json.loads(out)["code"]) == (3, "already-a-book")
    assert git_in(book, "rev-parse", "HEAD") == before


def test_a_repository_on_another_branch_is_refused(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "tide"
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(place)], check=True)
    git_in(place, *IDENTITY, "commit", "-q", "--allow-empty", "-m", "Begin")

    code, _, err = run("book", "init", str(place))

    assert code == 1
    assert err.startswith("error[wrong-branch]")
    assert _files(place) == set()


@for_each(
    "line",
    [
        "book init {}/tide",
        "manuscript new {}/tides/ebb",
        "character export mara --output {}/mara.json",
        "character export mara --output {}/people/mara.json",
    ],
)
def test_a_place_below_a_file_is_refused_with_the_file(run: Run, tmp_path: Path, line: str) -> None:
    (tmp_path / "file").write_text("mine")
    run("character", "create", "Mara")

    code, _, err = run(*line.format(tmp_path / "file").split())

    assert code == 2
    assert err.startswith(f"error[not-a-folder]: '{tmp_path}/file' is a file\n  next: name a ")


def test_a_book_is_registered_while_the_store_is_there(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    run("book", "init", str(tmp_path / "tide"), "--title", "Low Tide")

    assert [row.title for row in services.store.records.books()] == ["Low Tide"]


def test_without_the_engine_a_book_is_made_all_the_same(
    run: Run, services: StageServices, tmp_path: Path
) -> None:
    services.runs = False

    code, out, _ = run("book", "init", str(tmp_path / "tide"), "--json")

    assert code == 0
    assert json.loads(out)["registered"] is False
