"""``penwright … report``: the pictures as numbers, as a plot, and as files."""

import json
from pathlib import Path
from xml.etree import ElementTree

from tests.support.gateway.services import Run


def test_a_book_is_reported_as_numbers_and_as_a_plot(run: Run, book: Path) -> None:
    run("book", "session", str(book))

    _, numbers, _ = run("book", "report", str(book))
    code, plot, _ = run("book", "report", str(book), "--plot")

    assert code == 0
    assert "Words per session" in numbers
    assert "Aimed at" in numbers
    assert "█" not in numbers
    assert "█" in plot


def test_pictures_are_written_and_never_over_another_file(run: Run, book: Path, tmp_path: Path) -> None:
    run("book", "session", str(book))
    run("book", "report", str(book), "--svg", str(tmp_path))
    before = (tmp_path / "words.svg").read_text()

    code, out, _ = run("book", "report", str(book), "--svg", str(tmp_path), "--json")

    assert (code, json.loads(out)["code"]) == (3, "would-overwrite")
    assert ElementTree.fromstring(before).tag.endswith("svg")
    assert run("book", "report", str(book), "--svg", str(tmp_path), "--force")[0] == 0


def test_a_book_without_sessions_says_so(run: Run, book: Path) -> None:
    code, out, _ = run("operator", "report")

    assert (code, out) == (0, "There is nothing to show yet.\n")
