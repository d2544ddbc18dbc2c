"""``book import``: a preview first, then a whole book or nothing."""

import difflib
import json
import re
import zipfile
from pathlib import Path

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW
from penwright.domain.text.words import without_comments
from schemas.documents import BookDocument, TargetFormat
from tests.support.books.novels import long_novel
from tests.support.books.word_documents import comment, deleted, docx, inserted, paragraph
from tests.support.books.word_documents import run as run_of
from tests.support.each import for_each
from tests.support.gateway.services import Run, git_in

TWO = "LOW TIDE\n\nChapter 1. The Pier\n\nHe waits.\n\nChapter 2. The Boat\n\nShe comes.\n"


@pytest.fixture
def novel(tmp_path: Path) -> Path:
    file = tmp_path / "low_tide.txt"
    file.write_text(TWO, "utf-8")
    return file


def _lines(book: Path) -> list[str]:
    text = "".join((book / name).read_text("utf-8") for name in (FULL_BOOK, REVIEW))
    lines = (re.sub(r"^##? |\\(?=[!-/:-@\[-`{-~])", "", line) for line in without_comments(text).split("\n"))
    return [line for line in lines if line.strip()]


def test_a_preview_says_that_the_first_session_may_seal_the_book(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    into = ("book", "import", str(novel), "--into", str(tmp_path / "tide"))
    _, short, _ = run(*into, "--target-length", "12", "--dry-run")
    _, long, _ = run(*into, "--target-length", "900", "--dry-run")
    told = json.loads(run(*into, "--target-length", "12", "--dry-run", "--json")[1])

    assert "of 12 words the first session may seal the book" in short
    assert "seal" not in long
    assert told["may_be_sealed"] is True


def test_a_long_novel_is_imported_and_no_line_differs(run: Run, tmp_path: Path) -> None:
    text, file, place = long_novel(), tmp_path / "novel.txt", tmp_path / "novel"
    file.write_text(text.text, "utf-8")

    code, out, _ = run("book", "import", str(file), "--into", str(place), "--yes", "--json")

    told = json.loads(out)
    assert (code, told["status"]) == (0, "imported")
    assert [chapter["heading"] for chapter in told["chapters"]] == list(text.titles)
    assert [each["title"] for each in told["sections"] if each["kind"] == "section"] == ["Epilogue"]
    assert (
        list(difflib.unified_diff([each for each in text.text.split("\n") if each.strip()], _lines(place)))
        == []
    )
    assert git_in(place, "log", "--format=%s") == "Import Novel"
    to_come = -(-(90_000 - told["words"]) // 3_000)
    assert (told["target_length"], told["chapter_count"]) == (90_000, len(text.titles) + to_come)


@pytest.mark.parametrize(("declared", "kind"), [("human", "human"), ("mixed", "mixed"), (None, "unknown")])
def test_who_wrote_the_source_text_can_be_declared(
    run: Run, novel: Path, tmp_path: Path, declared: str | None, kind: str
) -> None:
    place = tmp_path / "tide"
    option = ["--authorship", declared] if declared else []
    run("book", "import", str(novel), "--into", str(place), "--yes", *option)

    _, out, _ = run("trace", "disclose", str(place), "--path", REVIEW, "--json")

    total = json.loads(out)["total"]
    assert total[kind] == total["words"] > 0


PLAIN = (
    "By M. Orr\n\nPREFACE\n\nOf tides.\n\nPART ONE\n\nCHAPTER 1. The Pier\n\nThe tide went out.\n\n"
    "CHAPTER 2\n\nHe came.\n"
)
MARKED = "# Tides\n\n## Chapter 1\n\nThe tide went out.\n\n## Chapter 2\n\nHe came.\n"
UNDERLINED = "Chapter 1\n=========\n\nThe tide went out.\n\nChapter 2\n=========\n\nHe came.\n"


@pytest.mark.parametrize("text", [PLAIN, MARKED, UNDERLINED, long_novel().text])
def test_an_import_and_a_status_count_the_same_words(run: Run, tmp_path: Path, text: str) -> None:
    file, place = tmp_path / "novel.txt", str(tmp_path / "tide")
    file.write_text(text)

    _, told, _ = run("book", "import", str(file), "--into", place, "--yes", "--json")
    _, stands, _ = run("book", "status", place, "--json")

    made, status = json.loads(told), json.loads(stands)
    waiting = status["waiting_word_count"]
    assert (made["waiting_words"], made["words"]) == (waiting, status["total_word_count"] + waiting)
    assert made["words"] == sum(each["words"] for each in made["sections"])


def test_without_a_terminal_it_shows_the_chapters_and_makes_nothing(
    run: Run, novel: Path, tmp_path: Path
) -> None:
    place = tmp_path / "tide"

    code, out, err = run("book", "import", str(novel), "--into", str(place))

    assert code == 3
    assert re.search(r"^ +1 +7  Chapter 1\. The Pier$", out, re.MULTILINE)
    assert "error[needs-yes]" in err
    assert "--yes" in err
    assert not place.exists()


@pytest.mark.parametrize("terminal", [True, False])
def test_as_json_the_preview_names_the_next_step_and_nothing_is_asked(
    run: Run, novel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setattr("gateway.cli.book.importing.on_terminal", lambda: terminal)

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
    monkeypatch.setattr("gateway.cli.book.importing.on_terminal", lambda: True)
    monkeypatch.setattr("gateway.cli.asking.on_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", lambda question, default, err: answer == "y\n")

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


def test_a_source_text_sets_the_length_and_the_chapters_of_its_book(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("".join(f"Chapter {number}\n\nHe waits.\n\n" for number in range(1, 40)))

    _, out, _ = run("book", "import", str(file), "--into", str(tmp_path / "t"), "--dry-run")

    assert "Config.yml will say 90,000 words in 69 chapters; 39 came in." in out

    _, out, _ = run("book", "import", str(file), "--into", str(tmp_path / "t"), "--yes")

    assert "Config.yml says 90,000 words in 69 chapters; 39 came in." in out


def test_a_missing_file_is_named_with_what_to_do(run: Run, tmp_path: Path) -> None:
    code, _, err = run("book", "import", str(tmp_path / "none.txt"), "--into", str(tmp_path / "t"))

    assert code == 1
    assert err.startswith(f"error[no-such-file]: there is no file '{tmp_path}/none.txt'\n")
    assert "name the source text's file" in err
    assert "disk" not in err


def test_a_folder_and_a_file_that_may_not_be_read_are_named(run: Run, novel: Path, tmp_path: Path) -> None:
    assert "error[not-a-file]" in run("book", "import", str(tmp_path), "--into", str(tmp_path / "t"))[2]
    _, _, err = run("book", "import", str(tmp_path / "a/b.txt"), "--into", str(tmp_path / "t"))
    assert f"there is no folder '{tmp_path}/a' either" in err


def test_a_taken_folder_is_refused_before_anything_is_asked(run: Run, novel: Path, tmp_path: Path) -> None:
    code, out, err = run("book", "import", str(novel), "--into", str(tmp_path))

    assert (code, out) == (3, "")
    assert "error[folder-not-empty]" in err


@pytest.mark.parametrize("format", ["docx", "epub", "html"])
def test_documents_of_other_programs_come_in(run: Run, tmp_path: Path, format: TargetFormat) -> None:
    text = "## Chapter 1\n\nHe *waits*.\n\n## Chapter 2\n\nShe comes.\n"
    book = BookDocument(markdown=text, title="Low Tide", author="M. Orr", top_level=2)
    file = tmp_path / f"novel.{format}"
    file.write_bytes(PandocDocuments().write(book, format).content)

    code, out, _ = run("book", "import", str(file), "--into", str(tmp_path / "t"), "--yes", "--json")

    told = json.loads(out)
    assert (code, told["format"], told["title"]) == (0, format, "Low Tide")
    assert [chapter["heading"] for chapter in told["chapters"]] == ["Chapter 1", "Chapter 2"]
    assert "*by M. Orr*" in (tmp_path / "t/README.md").read_text()
    assert "He *waits*." in (tmp_path / "t" / FULL_BOOK).read_text()


def test_a_document_is_known_by_its_content_and_pictures_are_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "novel.htm"
    file.write_text("<h1>Chapter 1</h1><p>He waits.</p><img src='a.png'>")

    code, out, _ = run("book", "import", str(file), "--into", str(tmp_path / "t"), "--dry-run", "--json")

    assert (code, json.loads(out)["notes"]) == (0, ["pictures left out: 1"])


def test_a_docx_without_the_extra_names_the_install_command(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "novel.docx"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("word/document.xml", "<w/>")
    monkeypatch.setattr("penwright.adapters.documents.adapter.find_spec", lambda name: None)

    code, _, err = run("book", "import", str(file), "--into", str(tmp_path / "t"))

    assert code == 1
    assert "error[documents-missing]" in err
    assert "pip install 'penwright[documents]'" in err


UNKNOWN_ZIP = b"PK\x01\x02\x14\0\xff" + bytes(39) + b"PK\x05\x06" + bytes(4) + b"\1\0\1\0\x2e" + bytes(9)
"""A list of one file that needs version 25.5 of the format."""


@for_each(
    "name, content, code",
    [
        ("novel.doc", b"He waits.", "unknown-format"),
        ("novel.txt", b"%PDF-1.7", "unknown-format"),
        ("novel.zip", b"PK\x03\x04 and no more", "unknown-format"),
        ("novel.docx", b"PK\x03\x04 and no more", "document-broken"),
        ("novel.docx", UNKNOWN_ZIP, "document-broken"),
        ("novel.bin", UNKNOWN_ZIP, "unknown-format"),
        ("novel.docx", b"\xd0\xcf\x11\xe0 and a password", "document-encrypted"),
        ("novel.docx", b"He waits.", "document-broken"),
        ("novel.txt", b"He\0waits.", "source-not-text"),
        ("novel.txt", b" \n", "source-not-text"),
        ("novel.html", b"<p></p>", "source-not-text"),
    ],
)
def test_files_that_cannot_be_read_are_named(
    run: Run, tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    (tmp_path / name).write_bytes(content)

    status, _, err = run("book", "import", str(tmp_path / name), "--into", str(tmp_path / "t"))

    assert (status, f"error[{code}]" in err, "next: " in err) == (2, True, True)


@pytest.mark.parametrize(
    ("name", "content"),
    [("novel.txt", b"He\0waits."), ("novel.html", b"<h1>Chapter 1</h1>\n<p>He\0waits.</p>")],
)
def test_a_source_text_with_a_nul_byte_is_refused_and_no_book_is_made(
    run: Run, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)

    status, _, err = run("book", "import", str(tmp_path / name), "--into", str(tmp_path / "t"))

    assert (status, "error[source-not-text]" in err, "holds a NUL byte" in err) == (2, True, True)
    assert not (tmp_path / "t").exists()


def test_comments_that_html_loses_are_counted(run: Run, tmp_path: Path) -> None:
    hidden = b"<style><!-- x --></style><!--[if mso]>y<![endif]-->"
    page = hidden + b"<h1>Chapter 1</h1><p>He <!-- INK: a -->waits.</p>"
    (tmp_path / "novel.html").write_bytes(page + b"<!-- b -->")

    _, out, err = run("book", "import", str(tmp_path / "novel.html"), "--into", str(tmp_path / "t"), "--yes")

    assert "comments left out: 2" in out + err


@pytest.mark.parametrize("suffix", ["md", "txt"])
def test_an_own_export_comes_back_as_the_same_book(
    run: Run, novel: Path, tmp_path: Path, suffix: str
) -> None:
    to, first, second = tmp_path / f"out.{suffix}", tmp_path / "one", tmp_path / "two"
    named = ("--title", "Low Tide", "--author", "Ada")
    run("book", "import", str(novel), "--into", str(first), "--yes", *named)
    assert run("book", "export", str(first), "--output", str(to))[0] == 0

    _, out, _ = run("book", "import", str(to), "--into", str(second), "--yes", "--json")

    told = json.loads(out)
    assert told["title"] == "Low Tide"
    assert [each["number"] for each in told["chapters"]] == [1, 2]
    assert any("list of contents of an export" in note for note in told["notes"])
    assert _lines(second) == _lines(first)
    assert "*by Ada*" in (second / "README.md").read_text()


CHINESE = "第一章 渡口\n\n水涨了，没有人过河。林岚把信折好，沿着小路走。\n\n第二章 磨坊\n\n磨停了。\n"
POLISH = "Rozdział 1\n\nWoda wzrosła i nikt nie przeprawiał się przez rzekę; złożyła list.\n" * 3
FRENCH = "Chapitre 1\n\nL’eau était montée ; elle plia la lettre, déjà lasse, et s’en alla à pied.\n" * 3


@for_each(
    "text, encoding, told",
    [
        (CHINESE, "utf-16", ""),
        (CHINESE, "gb18030", "read as gb18030"),
        (POLISH, "cp1250", "read as cp1250"),
        (FRENCH, "cp1252", "read as cp1252"),
        (FRENCH, "utf-8-sig", ""),
    ],
)
def test_a_text_in_another_encoding_is_read_and_a_guess_is_said(
    run: Run, tmp_path: Path, text: str, encoding: str, told: str
) -> None:
    (tmp_path / "novel.txt").write_bytes(text.encode(encoding))

    status, out, _ = run(
        "book", "import", str(tmp_path / "novel.txt"), "--into", str(tmp_path / "t"), "--dry-run"
    )

    assert (status, told in out, "a guess" in out) == (0, True, bool(told))
    assert text.split("\n")[0] in out


def test_an_encoding_can_be_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "novel.txt").write_bytes("Rozdział 1\n\nŁódź.\n".encode("iso-8859-2"))
    place = (str(tmp_path / "novel.txt"), "--into", str(tmp_path / "t"), "--dry-run")

    assert "Rozdział 1" in run("book", "import", *place, "--encoding", "iso-8859-2")[1]
    assert "error[unknown-encoding]" in run("book", "import", *place, "--encoding", "iso-8895")[2]
    assert "error[wrong-encoding]" in run("book", "import", *place, "--encoding", "utf-8")[2]
    (tmp_path / "novel.txt").write_text("Rozdział 1\n\nŁódź.\n", encoding="utf-8")
    assert "the file is UTF-8" in run("book", "import", *place, "--encoding", "latin-1")[2]


def test_an_empty_place_of_chapters_is_refused_by_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "novel.txt").write_text(CHINESE, encoding="utf-8")

    code, _, err = run(
        "book", "import", str(tmp_path / "novel.txt"), "--into", str(tmp_path / "a"), "--chapters-at", ""
    )

    assert (code, "error[bad-pattern]" in err) == (2, True)


def test_an_imported_book_is_in_the_language_of_its_script(run: Run, tmp_path: Path) -> None:
    (tmp_path / "novel.txt").write_text(CHINESE, encoding="utf-8")
    source = str(tmp_path / "novel.txt")

    found = run("book", "import", source, "--into", str(tmp_path / "a"), "--yes")
    named = run("book", "import", source, "--into", str(tmp_path / "b"), "--yes", "--language", "Old Chinese")

    assert "written in Chinese; 2 came in." in found[1]
    assert "written in Old Chinese; 2 came in." in named[1]
    assert "words" not in found[1]
    assert "2 chapters, 34 characters" in found[1]
    assert "characters (" in run("book", "status", str(tmp_path / "a"))[1]
    outline = (tmp_path / "a" / "Chapters material" / "Chapter_01.md").read_text(encoding="utf-8")
    assert "## Opens\n\n水涨了，没有人过河。" in outline


def test_a_reviewed_docx_becomes_a_book_whose_text_waits_from_the_first_comment_on(
    run: Run, tmp_path: Path
) -> None:
    file, place = tmp_path / "edited.docx", tmp_path / "tide"
    file.write_bytes(
        docx(
            [
                paragraph(run_of("Chapter 1"), style="Heading1"),
                paragraph(run_of("He waited.")),
                paragraph(
                    run_of("She "), deleted("went", "Anna Bell"), inserted("came", "Anna Bell"), comment(0)
                ),
                paragraph(run_of("Chapter 2"), style="Heading1"),
                paragraph(run_of("It rained.")),
            ],
            [("Ben Ode", "Why?")],
        )
    )

    code, out, _ = run("book", "import", str(file), "--into", str(place), "--yes", "--json")

    assert code == 0
    assert {
        "tracked changes accepted: 2, by Anna Bell",
        "comments as INK notes: 1, by Ben Ode",
    } <= set(json.loads(out)["notes"])
    assert "He waited." in (place / FULL_BOOK).read_text("utf-8")
    assert (
        (place / REVIEW)
        .read_text("utf-8")
        .endswith(
            "\nShe came\n\n<!-- INK: Ben Ode: Why? -->\n\n"
            "<!-- INK:CHAPTER:2 -->\n\n## Chapter 2\n\nIt rained.\n"
        )
    )
    assert "Co-authored-by: Anna Bell <>" in git_in(place, "log", "-1", "--format=%B")


def test_changes_of_a_new_book_cannot_be_reviewed_and_the_error_says_the_way(
    run: Run, tmp_path: Path
) -> None:
    file, place = tmp_path / "edited.docx", tmp_path / "tide"
    file.write_bytes(docx([paragraph(run_of("He "), inserted("waited.", "Anna"))]))

    code, _, said = run("book", "import", str(file), "--into", str(place), "--changes", "review", "--yes")

    assert (code, place.exists()) == (2, False)
    assert "nothing-to-review" in said
