"""A book that is changed on two machines at once."""

import json
from pathlib import Path

import pytest

from penwright.domain.text.conflict_notes import conflict_note
from tests.support.gateway.services import IDENTITY, Run, git_in

PROSE = b"The tide went out.\n\nMara waited.\n\nA gull cried.\n"


@pytest.fixture
def other(run: Run, book: Path, tmp_path: Path) -> Path:
    """A colleague's clone of the book's remote; one session has been written."""
    git_in(tmp_path, "init", "-q", "--bare", "-b", "main", "tide.git")
    git_in(book, "remote", "add", "origin", str(tmp_path / "tide.git"))
    run("book", "open", str(book))
    run("book", "close", str(book), stdin=PROSE)
    git_in(tmp_path, "clone", "-q", str(tmp_path / "tide.git"), "colleague")
    return tmp_path / "colleague"


def change(folder: Path, path: str, old: str, new: str) -> None:
    file = folder / path
    file.write_text(file.read_text().replace(old, new))


def push(folder: Path) -> None:
    git_in(folder, *IDENTITY, "commit", "-qam", "By hand")
    git_in(folder, "push", "-q")


def test_two_versions_of_a_passage_are_named_and_wait_for_the_author(
    run: Run, book: Path, other: Path
) -> None:
    review = "Review/current.md"
    change(other, review, "Mara waited.", "Mara waited long.")
    push(other)
    change(book, review, "Mara waited.", "Mara did not wait.")

    payload = json.loads(run("book", "open", str(book))[1])
    _, out, _ = run("book", "close", str(book), "--json", stdin=b"Night fell.\n")
    whole = (book / "Current version/Full_Book.md").read_text()

    assert any("both changed a passage of Review/current.md" in said for said in payload["warnings"])
    assert "Mara waited long." in payload["current_review"]["content"]
    assert payload["current_review"]["instructions"] == []
    assert any("INK:CONFLICT line" in said for said in json.loads(out)["warnings"])
    assert "The tide went out." in whole
    assert "Mara" not in whole
    assert (
        f"Mara waited long.\n\n{conflict_note(1, 1)}\n\nMara did not wait.\n" in (book / review).read_text()
    )


def test_a_conflict_in_the_material_is_named_until_it_is_resolved(run: Run, book: Path, other: Path) -> None:
    outline = "Chapters material/Chapter_01.md"
    heading = (book / outline).read_text().splitlines()[0]
    change(other, outline, heading, "# Theirs")
    push(other)
    change(book, outline, heading, "# Ours")
    run("book", "open", str(book))
    run("book", "close", str(book), stdin=b"Night fell.\n")

    later = json.loads(run("book", "open", str(book))[1])["warnings"]
    run("book", "close", str(book), stdin=b"Day broke.\n")
    change(book, outline, f"# Theirs\n\n{conflict_note(1, 1)}\n\n", "")
    resolved = json.loads(run("book", "open", str(book))[1])["warnings"]

    assert [said for said in later if said.startswith(f"{outline} line 3: two versions of one passage")]
    assert resolved == []


def test_a_conflict_in_the_book_is_named_although_the_book_is_not_read_again(
    run: Run, book: Path, other: Path
) -> None:
    whole = "Current version/Full_Book.md"
    run("book", "open", str(book))
    run("book", "close", str(book), stdin=b"Night fell.\n")
    git_in(other, "pull", "-q")
    change(other, whole, "Mara waited.", "Mara waited long.")
    push(other)
    change(book, whole, "Mara waited.", "Mara did not wait.")

    said = []
    for prose in (b"Day broke.\n", b"It rained.\n"):
        said.append(json.loads(run("book", "open", str(book))[1])["warnings"])
        run("book", "close", str(book), stdin=prose)
    doctor = json.loads(run("book", "doctor", str(book), "--json")[1])
    log = "".join(entry.read_text() for entry in (book / "Changelog").glob("*.md"))

    assert all(any(each.startswith(f"{whole} line") for each in warnings) for warnings in said)
    assert f"{whole} line" in log
    (check,) = [each for each in doctor["checks"] if each["name"] == "book_text"]
    assert (check["ok"], "two versions of one passage" in check["detail"]) == (False, True)


def test_of_two_changed_settings_the_warning_says_where_the_other_is(
    run: Run, book: Path, other: Path
) -> None:
    config = "Global Material/Config.yml"
    change(other, config, "words_per_session: 1500", "words_per_session: 900")
    push(other)
    change(book, config, "words_per_session: 1500", "words_per_session: 800")

    warnings = json.loads(run("book", "open", str(book))[1])["warnings"]

    assert "words_per_session: 900" in (book / config).read_text()
    assert any("git log -p -- 'Global Material/Config.yml'" in said for said in warnings)


def test_a_clone_without_the_branch_is_told_how_to_switch_to_it(
    run: Run, book: Path, other: Path, tmp_path: Path
) -> None:
    git_in(tmp_path / "tide.git", "symbolic-ref", "HEAD", "refs/heads/master")
    git_in(tmp_path, "clone", "-q", str(tmp_path / "tide.git"), "laptop")

    code, _, err = run("book", "status", str(tmp_path / "laptop"))

    assert (code, "error[no-commits]" in err) == (1, True)
    assert f"origin/main has it: `git -C {tmp_path / 'laptop'} switch main`" in err
    git_in(tmp_path / "laptop", "switch", "-q", "main")
    assert run("book", "status", str(tmp_path / "laptop"))[0] == 0


def test_a_repository_with_other_branches_is_told_their_names(run: Run, tmp_path: Path) -> None:
    git_in(tmp_path, "init", "-q", "-b", "trunk", "folder")
    git_in(tmp_path / "folder", *IDENTITY, "commit", "-q", "--allow-empty", "-m", "First")

    _, _, err = run("book", "status", str(tmp_path / "folder"))

    assert "it has trunk; `git switch -c main NAME`" in err
