"""One suite for every filesystem: the double in memory, and a commit of a real git repository."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.files.filesystem import (
    LARGEST_FILE,
    MOST_LINES,
    Filesystem,
    Hit,
    Listing,
    TreeFiles,
)
from penwright.errors import NotFound, PermanentError, Refused, UsageMistake
from schemas.workspace import Workspace
from tests.support.agents.memory_files import MemoryTree
from tests.support.books.repos import Book, commit_all, make_repository
from tests.support.each import for_each

LONG = "x" * 2_000
DECOMPOSED = "Cafe\u0301.md"
FILES = {
    "Book.md": b"Once upon a time.\nThe end.\n",
    "Chapters/01.md": b"# One\n\nA dragon.\nAnother DRAGON. And a dragon.\n",
    "Chapters/02.md": b"# Two\n\nNo such beast.",
    "Chapters/old/01.md": b"# Old\n",
    "Chapters/old/notes.txt": b"dragon\n",
    "binary.bin": b"\xff\xfe dragon",
    "empty.md": b"",
    "\u00dcbung.md": "fr\u00fch\n".encode(),
    DECOMPOSED: b"coffee\n",
}
"""The last under a name as one operating system spells it."""


@pytest.fixture(scope="module")
def in_memory() -> Filesystem:
    return TreeFiles(MemoryTree(dict(FILES), {"link.md": "Book.md"}))


@pytest.fixture(scope="module")
def in_git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filesystem]:
    folder = make_repository(tmp_path_factory.mktemp("files") / "book", {})
    for path, content in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (folder / "link.md").symlink_to("Book.md")
    commit_all(folder)
    (folder / "unsaved.md").write_text("not committed")
    with Book(folder).port.tree(Workspace(path=str(folder))) as tree:
        yield TreeFiles(tree)


@pytest.fixture(params=["in_memory", "in_git"])
def files(request: pytest.FixtureRequest) -> Filesystem:
    found: Filesystem = request.getfixturevalue(request.param)
    return found


def test_exists_accepts_every_spelling_of_a_path(files: Filesystem) -> None:
    for path in ("Book.md", "./Book.md", "Chapters/../Book.md", "Chapters", "Chapters/", "link.md"):
        assert files.exists(path), path
    for path in ("book.md", "Chapters/03.md", "Book.md/x", "unsaved.md"):
        assert not files.exists(path), path


def test_a_name_is_found_in_either_unicode_form(files: Filesystem) -> None:
    assert files.read("Caf\u00e9.md") == b"coffee\n"
    assert files.read("\u00dcbung.md") == files.read("U\u0308bung.md") == "fr\u00fch\n".encode()
    assert files.digest("Caf\u00e9.md") == files.stat("Caf\u00e9.md").digest


@for_each("path", ["", "/etc/passwd", "../x", "a/../../x", "a\\b", "C:/x", "a\x00b", "x" * 2_000])
def test_paths_outside_the_workspace_are_refused(files: Filesystem, path: str) -> None:
    for ask in (files.exists, files.stat, files.digest, files.read, files.read_text):
        with pytest.raises(UsageMistake) as refused:
            ask(path)
        assert refused.value.code == "bad-path"


def test_stat_returns_size_and_blob_id(files: Filesystem) -> None:
    found = files.stat("Book.md")
    assert (found.path, found.kind, found.size) == ("Book.md", "file", 27)
    assert files.digest("Book.md") == found.digest
    assert files.digest("empty.md") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert files.digest("nowhere.md") == ""


def test_memory_and_git_agree_on_every_digest(in_memory: Filesystem, in_git: Filesystem) -> None:
    for path in FILES:
        assert in_memory.stat(path) == in_git.stat(path)


def test_a_folder_is_listed_by_name(files: Filesystem) -> None:
    assert [(each.path, each.kind) for each in files.list("Chapters")] == [
        ("Chapters/01.md", "file"),
        ("Chapters/02.md", "file"),
        ("Chapters/old", "folder"),
    ]
    assert {each.path for each in files.list()} >= {"Book.md", "Chapters", "link.md"}
    assert files.list("") == files.list(".") == files.list("/")


def test_listing_a_file_or_missing_path_is_refused(files: Filesystem) -> None:
    for path in ("Book.md", "nowhere", "link.md"):
        with pytest.raises(NotFound) as missing:
            files.list(path)
        assert missing.value.code == "no-such-folder"


@for_each(
    "pattern, paths",
    [
        ("*.md", ("Book.md", DECOMPOSED, "empty.md", "\u00dcbung.md")),
        ("Chapters/*.md", ("Chapters/01.md", "Chapters/02.md")),
        ("Chapters/**", ("Chapters/01.md", "Chapters/02.md", "Chapters/old/01.md", "Chapters/old/notes.txt")),
        ("**/01.md", ("Chapters/01.md", "Chapters/old/01.md")),
        ("**/old/*", ("Chapters/old/01.md", "Chapters/old/notes.txt")),
        ("Chapters/0[2-9].md", ("Chapters/02.md",)),
        ("Chapters/?1.md", ("Chapters/01.md",)),
        ("./Book.md", ("Book.md",)),
        ("Book.md/**", ()),
        ("*", ("Book.md", DECOMPOSED, "binary.bin", "empty.md", "\u00dcbung.md")),
        ("Caf\u00e9.md", (DECOMPOSED,)),
    ],
)
def test_patterns_find_files_and_no_links(files: Filesystem, pattern: str, paths: tuple[str, ...]) -> None:
    assert files.glob(pattern) == Listing(tuple(sorted(paths)))


def test_a_pattern_with_many_stars_does_not_run_away(files: Filesystem) -> None:
    assert files.glob("**/" * 60 + "*" * 200 + "x").paths == ()
    assert files.glob("*a" * 100).paths == ()


@pytest.mark.parametrize("pattern", ["", "/", "../*", "x" * 600])
def test_glob_refuses_an_invalid_pattern(files: Filesystem, pattern: str) -> None:
    with pytest.raises(UsageMistake, match="pattern"):
        files.glob(pattern)


def test_a_file_is_read_byte_for_byte(files: Filesystem) -> None:
    for path, content in FILES.items():
        assert files.read(path) == content


@pytest.mark.parametrize(
    ("path", "error", "code"),
    [
        ("nowhere.md", NotFound, "no-such-file"),
        ("Chapters", Refused, "is-a-folder"),
        ("link.md", Refused, "is-a-link"),
    ],
)
def test_reading_an_unreadable_path_has_an_error_code(
    files: Filesystem, path: str, error: type[PermanentError], code: str
) -> None:
    for ask in (files.read, files.read_text):
        with pytest.raises(error) as refused:
            ask(path)
        assert refused.value.code == code


def test_text_is_read_by_lines(files: Filesystem) -> None:
    whole = files.read_text("Chapters/01.md")
    assert (whole.text.encode(), whole.first, whole.lines, whole.more) == (
        FILES["Chapters/01.md"],
        1,
        4,
        False,
    )
    assert whole.digest == files.digest("Chapters/01.md")
    part = files.read_text("Chapters/01.md", first=3, lines=1)
    assert (part.text, part.first, part.lines, part.more) == ("A dragon.\n", 3, 4, True)
    beyond = files.read_text("Chapters/01.md", first=9)
    assert (beyond.text, beyond.more) == ("", False)
    assert files.read_text("empty.md").lines == 0


def test_read_text_refuses_a_binary_file(files: Filesystem) -> None:
    with pytest.raises(Refused) as refused:
        files.read_text("binary.bin")
    assert refused.value.code == "not-text"


def test_grep_ignores_case_and_lists_each_line_once(files: Filesystem) -> None:
    found = files.grep("dragon")
    assert found.hits == (
        Hit("Chapters/01.md", 3, "A dragon."),
        Hit("Chapters/01.md", 4, "Another DRAGON. And a dragon."),
        Hit("Chapters/old/notes.txt", 1, "dragon"),
    )
    assert found.passed_over == ("binary.bin",)
    assert not found.more
    assert files.grep("beast.").hits == (Hit("Chapters/02.md", 3, "No such beast."),)
    assert files.grep("beast!").hits == ()


def test_a_bounded_search_reports_that_it_is_cut(files: Filesystem) -> None:
    found = files.grep("dragon", within="Chapters/*", most=1)
    assert (len(found.hits), found.more) == (1, True)


def test_a_search_by_pattern_takes_lines_as_lines(files: Filesystem) -> None:
    assert [hit.line for hit in files.grep(r"^# \w+$", within="Chapters/*.md", plain=False).hits] == [1, 1]
    assert files.grep("a dragon|the end", plain=False).hits[0] == Hit("Book.md", 2, "The end.")


@pytest.mark.parametrize(("wanted", "plain"), [("", True), ("x" * 600, True), ("(", False)])
def test_grep_refuses_an_invalid_pattern(files: Filesystem, wanted: str, plain: bool) -> None:
    with pytest.raises(UsageMistake) as refused:
        files.grep(wanted, plain=plain)
    assert refused.value.code == "bad-pattern"


# Cases that are easier to set up without git.


def test_a_pattern_that_runs_away_is_given_up() -> None:
    passed = iter(range(0, 10_000, 5))
    runaway = TreeFiles(MemoryTree({"a.md": b"a" * 40 + b"!"}), lambda: float(next(passed)))
    with pytest.raises(UsageMistake, match="takes too long"):
        runaway.grep(r"(a|aa)+$", plain=False)


def test_a_file_too_large_is_not_read() -> None:
    files = TreeFiles(MemoryTree({"big.md": b"x" * (LARGEST_FILE + 1), "a.md": b"x"}))
    with pytest.raises(Refused) as refused:
        files.read("big.md")
    assert refused.value.code == "file-too-large"
    assert files.grep("x").passed_over == ("big.md",)


def test_an_answer_holds_only_so_many_lines() -> None:
    files = TreeFiles(MemoryTree({"long.md": b"x\n" * 5_000}))
    shown = files.read_text("long.md", lines=9_999)
    assert (shown.text.count("\n"), shown.lines, shown.more) == (MOST_LINES, 5_000, True)


def test_lines_are_parted_as_git_parts_them() -> None:
    files = TreeFiles(MemoryTree({"a.md": "one\u2028still one\x0cand still\r\ntwo".encode()}))
    assert files.read_text("a.md").lines == 2
    assert files.grep("two").hits == (Hit("a.md", 2, "two"),)


texts = st.text(alphabet="ab\n", max_size=40)


@given(texts, st.sampled_from(["a", "b", "ab", "ba"]))
def test_a_search_finds_exactly_the_lines_that_hold_the_words(text: str, wanted: str) -> None:
    files = TreeFiles(MemoryTree({"t.md": text.encode()}))
    expected = [(n, line) for n, line in enumerate(text.split("\n"), 1) if wanted in line]
    assert [(hit.line, hit.text) for hit in files.grep(wanted).hits] == expected


@given(texts, st.integers(1, 50), st.integers(1, 50))
def test_any_lines_read_are_those_lines(text: str, first: int, lines: int) -> None:
    files = TreeFiles(MemoryTree({"t.md": text.encode()}))
    read = files.read_text("t.md", first=first, lines=lines)
    every = text.splitlines(keepends=True)
    assert read.text == "".join(every[first - 1 : first - 1 + lines])
    assert read.more == (first - 1 + lines < len(every) and first <= len(every))


@for_each("before", [0, 10, 1_000, 50_000])
@for_each("behind", [0, 10, 1_000, 50_000])
def test_grep_shortens_a_long_line_around_the_hit(before: int, behind: int) -> None:
    line = "a" * before + "needle" + "b" * behind
    (hit,) = (
        TreeFiles(MemoryTree({"a.md": f"first\n{line}\nlast needles\n".encode()})).grep("Needle").hits[:1]
    )

    assert (hit.line, "needle" in hit.text, hit.text in line) == (2, True, True)
    assert len(hit.text) == min(len(line), 2_000)
