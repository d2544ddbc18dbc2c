"""``book import``: a preview first, then a whole book or nothing."""

import difflib
import json
import re
from pathlib import Path

import pytest

from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.text.words import without_comments
from tests.support.books.novels import long_novel
from tests.support.gateway.services import Run, git_in

TWO = "LOW TIDE\n\nChapter 1. The Pier\n\nHe waits.\n\nChapter 2. The Boat\n\nShe comes.\n"


@pytest.fixture
def novel(tmp_path: Path) -> Path:
    file = tmp_path / "low_tide.txt"
    file.write_text(TWO, "utf-8")
    return file


def _lines(book: Path) -> list[str]:
    text = "".join((book / name).read_text("utf-8") for name in (FULL_BOOK, REVIEW))
    return [re.sub(r"^##? ", "", line) for line in without_comments(text).split("\n") if line.strip()]


def test_a_long_novel_is_imported_and_no_line_differs(run: Run, tmp_path: Path) -> None:
    text, file, place = long_novel(), tmp_path / "novel.txt", tmp_path / "novel"
    file.write_text(text.text, "utf-8")

    code, out, _ = run("book", "import", str(file), "--into", str(place), "--yes", "--json")

    told = json.loads(out)
    assert (code, told["status"]) == (0, "imported")
    assert [chapter["heading"] for chapter in told["chapters"]] == list(text.titles)
    assert [each["title"] for each in told["sections"] if each["kind"] == "section"] == ["Epilogue"]
    assert list(difflib.unified_diff([each for each in text.lines if each.strip()], _lines(place))) == []
    assert git_in(place, "log", "--format=%s") == "Import Novel"
    assert (told["target_length"], told["chapter_count"]) == (90_000, 30)


def test_without_a_terminal_it_shows_the_chapters_and_makes_nothing(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    place = tmp_path / "tide"

    code, out, err = run("book", "import", str(novel), "--into", str(place))

    assert code == 3
    assert re.search(r"^ +1 +6  Chapter 1\. The Pier$", out, re.MULTILINE)
    assert "error[needs-yes]" in err
    assert "--yes" in err
    assert not place.exists()


def test_as_json_the_preview_names_the_next_step(run: Run, novel: Path, tmp_path: Path) -> None:
    code, out, err = run("book", "import", str(novel), "--into", str(tmp_path / "tide"), "--json")

    told = json.loads(out)
    assert (code, err) == (3, "")
    assert (told["status"], told["code"]) == ("preview", "needs-yes")
    assert "--yes" in told["next"]
    assert [chapter["number"] for chapter in told["chapters"]] == [1, 2]


@pytest.mark.parametrize(("answer", "made"), [("y\n", True), ("n\n", False)])
def test_on_a_terminal_it_asks(
    run: Run, novel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, made: bool
) -> None:
    monkeypatch.setattr("gateway.cli.book.manuscript.on_terminal", lambda: True)
    monkeypatch.setattr("gateway.cli.asking.on_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda question, err: answer == "y\n")

    code, out, err = run("book", "import", str(novel), "--into", str(tmp_path / "tide"))

    assert (code, (tmp_path / "tide").exists()) == (0 if made else 3, made)
    assert "Chapter 2. The Boat" in err
    assert out.startswith("A new book in ") if made else "declined" in err


def test_numbers_of_the_config_are_set_when_asked(run: Run, novel: Path, tmp_path: Path) -> None:
    numbers = ("--target-length", "5000", "--chapter-count", "4")

    code, out, _ = run(
        "book", "import", str(novel), "--into", str(tmp_path / "t"), *numbers, "--yes", "--json"
    )

    assert code == 0
    assert (json.loads(out)["target_length"], json.loads(out)["chapter_count"]) == (5000, 4)


def test_a_manuscript_beyond_the_config_is_told_how_to_set_it(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("".join(f"Chapter {number}\n\nHe waits.\n\n" for number in range(1, 40)))

    _, out, _ = run("book", "import", str(file), "--into", str(tmp_path / "t"), "--dry-run")

    assert "Config.yml will say 90,000 words in 30 chapters." in out
    assert "set --target-length and --chapter-count" in out


def test_a_missing_file_is_named_with_what_to_do(run: Run, tmp_path: Path) -> None:
    code, _, err = run("book", "import", str(tmp_path / "none.txt"), "--into", str(tmp_path / "t"))

    assert code == 1
    assert err.startswith(f"error[no-such-file]: there is no file '{tmp_path}/none.txt'\n")
    assert "name the manuscript's file" in err
    assert "disk" not in err


def test_a_folder_and_a_file_that_may_not_be_read_are_named(run: Run, novel: Path, tmp_path: Path) -> None:
    assert "error[not-a-file]" in run("book", "import", str(tmp_path), "--into", str(tmp_path / "t"))[2]
    _, _, err = run("book", "import", str(tmp_path / "a/b.txt"), "--into", str(tmp_path / "t"))
    assert f"there is no folder '{tmp_path}/a' either" in err


def test_a_taken_folder_is_refused_before_anything_is_asked(run: Run, novel: Path, tmp_path: Path) -> None:
    code, out, err = run("book", "import", str(novel), "--into", str(tmp_path))

    assert (code, out) == (3, "")
    assert "error[folder-not-empty]" in err
