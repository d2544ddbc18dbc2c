"""``book export``: a document for readers, whole or not at all."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from gateway.desk.book import exports
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, REVIEW
from tests.support.each import for_each
from tests.support.gateway.services import IDENTITY, Run, git_in

BOOK = "<!-- PAGE 1 -->\n\n## The Pier\n\nHe *waits*.\n"
WAITING = "<!-- INK:NEW:START -->\nShe comes.\n<!-- INK:NEW:END -->\n<!-- INK: shorter -->\n"


@pytest.fixture
def written(book: Path) -> Path:
    """A book with a chapter, and prose that waits."""
    (book / FULL_BOOK).write_text(BOOK, "utf-8")
    (book / REVIEW).write_text(WAITING, "utf-8")
    git_in(book, *IDENTITY, "commit", "-qam", "Write")
    return book


@pytest.mark.parametrize("format", ["markdown", "text", "html", "epub", "docx", "pdf"])
def test_a_book_is_exported_in_every_format(run: Run, written: Path, tmp_path: Path, format: str) -> None:
    file = tmp_path / "out.bin"

    code, out, err = run("book", "export", str(written), "--to", format, "-o", str(file), "--json")

    told = json.loads(out)
    assert (code, err) == (0, "")
    assert (told["status"], told["format"], told["path"]) == ("exported", format, str(file))
    assert (told["title"], told["author"], told["language"]) == ("Low Tide", "M. Orr", "en")
    assert (told["words"], told["waiting_words"], told["headings"]) == (7, 2, 1)
    assert told["size"] == file.stat().st_size > 30
    assert told["commit"] == git_in(written, "rev-parse", "HEAD")
    assert ["without cover" in each for each in told["warnings"]] == [True] * (format == "epub")


def test_the_text_has_no_comments_markers_or_notes(run: Run, written: Path, tmp_path: Path) -> None:
    file = tmp_path / "tide.txt"

    assert run("book", "export", str(written), "-o", str(file), "--no-contents")[0] == 0

    assert file.read_text() == "Low Tide\nM. Orr\n\nThe Pier\n\nHe *waits*.\n\nShe comes.\n"


def test_prose_that_waits_may_be_left_out(run: Run, written: Path, tmp_path: Path) -> None:
    file = tmp_path / "tide.md"

    code, out, _ = run("book", "export", str(written), "-o", str(file), "--no-review", "--json")

    assert (code, json.loads(out)["waiting_words"]) == (0, 0)
    assert "She comes." not in file.read_text()
    assert "She comes." in _exported(run, written, tmp_path / "all.md")


def test_title_author_language_and_contents_come_from_the_config(
    run: Run, written: Path, tmp_path: Path
) -> None:
    config = (written / CONFIG).read_text()
    for line, wanted in (
        ('title: "Low Tide"', "title: High Tide"),
        ('author: "M. Orr"', "author: A. Low"),
        ('language: "English"', "language: British English"),
    ):
        assert line in config
        config = config.replace(line, wanted)
    (written / CONFIG).write_text(config)
    git_in(written, *IDENTITY, "commit", "-qam", "Rename")

    text = _exported(run, written, tmp_path / "tide.md")
    assert text.startswith(
        '---\ntitle: "High Tide"\nauthor: "A. Low"\nlang: "en-GB"\n---\n\n- [The Pier](#the'
    )

    (written / CONFIG).write_text(config.replace("contents: true", "contents: false"))
    git_in(written, *IDENTITY, "commit", "-qam", "No list")
    assert "- [The Pier]" not in _exported(run, written, tmp_path / "none.md")
    assert "- [The Pier]" in _exported(run, written, tmp_path / "asked.md", "--contents")


def test_a_file_that_exists_is_replaced_only_by_force(run: Run, written: Path, tmp_path: Path) -> None:
    file = tmp_path / "tide.epub"
    file.write_text("mine")

    code, _, err = run("book", "export", str(written), "-o", str(file))

    assert (code, file.read_text()) == (3, "mine")
    assert "error[would-overwrite]" in err
    assert "--force" in err
    assert run("book", "export", str(written), "-o", str(file), "--force")[0] == 0
    assert zipfile.is_zipfile(file)


def test_a_file_that_appears_meanwhile_is_not_replaced(
    run: Run, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tide.txt"
    monkeypatch.setattr(exports, "check_place", lambda place, **_: file.write_text("mine"))

    code, _, err = run("book", "export", str(written), "-o", str(file))

    assert (code, "error[would-overwrite]" in err, file.read_text()) == (3, True, "mine")
    assert os.listdir(tmp_path).count("tide.txt") == 1


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_failure_leaves_nothing(
    run: Run, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: tuple[str, ...]
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    before = set(os.listdir(tmp_path))
    monkeypatch.setattr("gateway.desk.durable_file.os.fsync", full)

    code, _, err = run("book", "export", str(written), "-o", str(tmp_path / "tide.txt"), *force)

    assert (code, set(os.listdir(tmp_path))) == (1, before)
    assert "error[not-written]" in err
    assert "No space left on device" in err


@for_each(
    "more",
    [
        "",
        "# Part\n\n### Deep\n\nHe *goes* — on.\n",
        "half<!-- INK: colder -->way\n\n<!-- PAGE 2 -->\n\nHe goes.\n",
        "He goes [[@misc{a, title = {T}}]].\n\n`# no heading`\n\n* one\n",
    ],
)
def test_an_export_counts_words_as_the_status_does(
    run: Run, written: Path, tmp_path: Path, more: str
) -> None:
    (written / FULL_BOOK).write_text(f"{BOOK}\n{more}", "utf-8")
    git_in(written, *IDENTITY, "commit", "-q", "--allow-empty", "-am", "Write on")

    _, out, _ = run("book", "export", str(written), "-o", str(tmp_path / "o.md"), "--force", "--json")
    _, stands, _ = run("book", "status", str(written), "--json")

    told, now = json.loads(out), json.loads(stands)
    assert told["words"] - told["waiting_words"] == now["total_word_count"]
    assert told["waiting_words"] == now["waiting_word_count"]


def test_without_a_file_the_title_names_it(
    run: Run, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    code, out, _ = run("book", "export", str(written), "--to", "text")

    assert (code, (tmp_path / "low-tide.txt").exists()) == (0, True)
    assert out == (
        "low-tide.txt: Low Tide, 7 words, 1 heading\n"
        "2 of these words wait for your review; --no-review leaves them out.\n"
    )


@for_each("arguments", [(), ("--to", "mobi"), ("-o", "tide.xyz"), ("-o", "tide")])
def test_a_format_that_is_not_known_is_named(run: Run, written: Path, arguments: tuple[str, ...]) -> None:
    code, _, err = run("book", "export", str(written), *arguments)

    assert (code, "error[unknown-format]" in err) == (2, True)
    assert "markdown, text, html, epub, docx, pdf" in err


def test_a_format_that_contradicts_the_files_name_is_refused(
    run: Run, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    code, _, err = run("book", "export", str(written), "--to", "epub", "--output", "tide.pdf")

    assert (code, "error[format-contradicts-name]" in err) == (2, True)
    assert "ends in .epub" in err
    assert not Path("tide.pdf").exists()
    assert run("book", "export", str(written), "--to", "text", "--output", "story")[0] == 0


def test_folders_and_missing_folders_are_named(run: Run, written: Path, tmp_path: Path) -> None:
    to_folder = run("book", "export", str(written), "--to", "text", "-o", str(tmp_path))
    to_nowhere = run("book", "export", str(written), "-o", str(tmp_path / "none/tide.txt"))

    assert (to_folder[0], "error[not-a-file]" in to_folder[2]) == (2, True)
    assert (to_nowhere[0], "error[no-such-folder]" in to_nowhere[2]) == (2, True)


def test_a_book_without_text_is_refused(run: Run, book: Path, tmp_path: Path) -> None:
    code, _, err = run("book", "export", str(book), "-o", str(tmp_path / "tide.txt"))

    assert (code, "error[nothing-to-export]" in err) == (3, True)


def test_unsaved_changes_an_unknown_language_and_unclosed_notes_are_told(
    run: Run, written: Path, tmp_path: Path
) -> None:
    config = (written / CONFIG).read_text().replace('language: "English"', "language: Klingon")
    (written / CONFIG).write_text(config)
    (written / REVIEW).write_text("She comes.\n\n<!-- INK: shorter\n")
    git_in(written, *IDENTITY, "commit", "-qam", "Change")
    (written / FULL_BOOK).write_text("Unsaved.\n")

    code, _, err = run("book", "export", str(written), "-o", str(tmp_path / "tide.txt"))

    assert code == 0
    assert f"warning: '{FULL_BOOK}' was changed since the last commit" in err
    assert "warning: the language 'Klingon' is not known" in err
    assert f"warning: '{REVIEW}' line 3: " in err


def test_without_the_extra_text_still_comes_out_and_epub_names_the_command(
    run: Run, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penwright.adapters.documents.adapter.find_spec", lambda name: None)

    assert run("book", "export", str(written), "-o", str(tmp_path / "tide.txt"))[0] == 0
    code, _, err = run("book", "export", str(written), "-o", str(tmp_path / "tide.epub"))
    assert (code, "pip install 'penwright[documents]'" in err) == (1, True)
    assert not (tmp_path / "tide.epub").exists()


def _exported(run: Run, book: Path, file: Path, *more: str) -> str:
    assert run("book", "export", str(book), "-o", str(file), *more)[0] == 0
    return file.read_text("utf-8")


def test_an_epub_has_what_a_shop_asks_for(run: Run, written: Path, tmp_path: Path) -> None:
    file = tmp_path / "tide.epub"
    (written / "front.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 40)
    _set(
        written,
        "isbn: 978-3-16-148410-0\ndescription: A <tide> comes in.\nrights: All mine.\ncover: front.png\n",
    )

    code, _, err = run("book", "export", str(written), "-o", str(file))

    with zipfile.ZipFile(file) as packed:
        package, names = packed.read("EPUB/content.opf").decode(), packed.namelist()
    assert (code, err) == (0, "")
    assert ">urn:isbn:9783161484100</dc:identifier>" in package
    assert ">A &lt;tide&gt; comes in.</dc:description>" in package
    assert ">All mine.</dc:rights>" in package
    assert [name for name in names if name.endswith(".png")] != []


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("isbn: 978-3-16-148410-1", 0, "is no ISBN"),
        ("cover: ../secret.png", 2, "no-cover"),
        ("cover: none.png", 2, "no-cover"),
    ],
)
def test_what_a_shop_would_refuse_is_said(
    run: Run, written: Path, tmp_path: Path, line: str, code: int, said: str
) -> None:
    _set(written, f"{line}\n")

    done, _, err = run("book", "export", str(written), "-o", str(tmp_path / "tide.epub"))

    assert (done, said in err) == (code, True)


def _set(book: Path, lines: str) -> None:
    with (book / CONFIG).open("a", encoding="utf-8") as config:
        config.write(lines)
    git_in(book, *IDENTITY, "commit", "-qam", "Set")


def test_a_docx_has_open_notes_as_comments_and_changes_since_a_commit(
    run: Run, written: Path, tmp_path: Path
) -> None:
    first = git_in(written, "rev-parse", "HEAD")
    (written / FULL_BOOK).write_text(BOOK.replace("He *waits*.", "He *sang*."), "utf-8")
    git_in(written, *IDENTITY, "commit", "-qam", "Change")
    file, plain = tmp_path / "tide.docx", tmp_path / "plain.docx"

    code, out, _ = run("book", "export", str(written), "-o", str(file), "--changes-since", first, "--json")
    run("book", "export", str(written), "-o", str(plain), "--no-comments")

    told, document = json.loads(out), _in(file, "word/document.xml")
    assert (code, told["comments"], told["changes"]) == (0, 1, 1)
    assert ">shorter<" in _in(file, "word/comments.xml")
    assert document.count("<w:del ") == document.count("<w:ins ") == 1
    assert "<w:ins " not in _in(plain, "word/document.xml")
    assert "shorter" not in _in(plain, "word/comments.xml")


@pytest.mark.parametrize(
    ("to", "since", "code"), [("epub", "HEAD", "changes-need-docx"), ("docx", "no", "no-such-commit")]
)
def test_changes_that_cannot_be_shown_are_refused(
    run: Run, written: Path, tmp_path: Path, to: str, since: str, code: str
) -> None:
    file = tmp_path / "tide"

    done, _, err = run("book", "export", str(written), "-o", f"{file}.{to}", "--changes-since", since)

    assert (done != 0, code in err, list(tmp_path.glob("*.docx"))) == (True, True, [])


def _in(file: Path, name: str) -> str:
    with zipfile.ZipFile(file) as packed:
        return packed.read(name).decode()
