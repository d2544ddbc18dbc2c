"""Long files and folders take short cuts; what comes out is what the long way gives."""

import os
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penwright.adapters.workspace import index, paths
from penwright.adapters.workspace.git import Git, plain_environment
from penwright.adapters.workspace.layout import spare_in
from penwright.adapters.workspace.objects import EXECUTABLE, FOLDER, REGULAR, Entry, Lately, Objects
from penwright.adapters.workspace.trees import changed, matching, text_files
from penwright.adapters.workspace.worktree import Worktree
from schemas.workspace import Append, Create, Modify, MutationPlan
from tests.support.crashes import killed_at
from tests.support.engine_home import until
from tests.support.repos import KNOWN, Book, git, make_repository, plan_of, write

STRIDE = 1 if os.environ.get("PENWRIGHT_SWEEP") == "long" else 5
LONG_TEXT = "A paragraph of the very long book.\n\n" * 20_000
NAMES = st.sampled_from(("a", "a.b", "a-b", "ab", "b", "Ä", "a0", "Z100644 a"))
ENTRIES = st.builds(
    Entry,
    st.sampled_from((REGULAR, EXECUTABLE, FOLDER)),
    st.sampled_from(tuple(f"{number:02x}" * 20 for number in (0, 10, 32, 255))),
)
STRANGE = Entry(REGULAR, "0a" * 20)
"""In a folder, the row of one name may hold the very bytes of another's."""


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book", {"Book.md": LONG_TEXT, "notes.md": "One.\n"}))


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Objects]:
    folder = make_repository(tmp_path_factory.mktemp("trees") / "book")
    made = Objects(Git(folder, plain_environment()), folder / ".git/objects")
    yield made
    made.close()


def growing(book: Book, number: int) -> MutationPlan:
    return plan_of(
        book.workspace,
        Append(path="Book.md", tail=f"\nParagraph {number}.\n", base=book.blob("Book.md")),
        Modify(path="notes.md", content=f"Note {number}.\n", base=book.blob("notes.md")),
    )


def saved(book: Book) -> tuple[str, ...]:
    return book.port.save_human_edits(book.workspace, book.effect(), known=KNOWN, engine=())


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(NAMES, ENTRIES), st.dictionaries(NAMES, st.none() | ENTRIES))
@example({"a": STRANGE, "Z100644 a": STRANGE}, {"a": STRANGE._replace(sha="ff" * 20)})
@example({"a": STRANGE, "Z100644 a": STRANGE}, {"a": None})
@example({"a": STRANGE, "Z100644 a": STRANGE}, {"Za": STRANGE})
def test_a_folder_is_spliced_into_what_sorting_it_anew_gives(
    objects: Objects, held: dict[str, Entry], changes: dict[str, Entry | None]
) -> None:
    left = {name: entry for name, entry in {**held, **changes}.items() if entry is not None}

    made = objects.write_tree_like(objects.write_tree(held), changes)

    assert made == (objects.write_tree(left) if left else None)
    if made is not None:
        assert list(objects.tree(made).items()) == _as_git_reads(objects, made)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(("b", "b/c", "b/d", "b/c/e", "bc", "d")), unique=True), st.data())
def test_a_glob_is_looked_for_where_names_begin_like_it(
    objects: Objects, names: list[str], data: st.DataObject
) -> None:
    blob = Entry(REGULAR, objects.write("blob", b"text"))
    files = {name: blob for name in names if not any(each.startswith(f"{name}/") for each in names)}
    tree = changed(objects, None, files) or objects.write_tree({})
    globs = data.draw(st.lists(st.text("b/c*?d", min_size=1, max_size=4), max_size=3))

    found = [path for path, _ in matching(objects, tree, globs)]

    assert sorted(found) == sorted(path for path in files if paths.matches(path, globs))
    assert text_files(objects, tree) == dict.fromkeys(files, blob.sha)


def test_the_oldest_of_what_is_remembered_is_forgotten_first() -> None:
    lately = Lately[bytes](10, weigh=len)

    for name, content in (("a", b"1234"), ("b", b"1234"), ("b", b"1234"), ("c", b"12")):
        assert lately.keep(name, content) == content
    assert list(lately) == ["a", "b", "c"]

    lately.keep("d", b"1")
    assert list(lately) == ["b", "c", "d"]
    lately.keep("e", b"longer than all")
    assert list(lately) == ["e"]


def _as_git_reads(objects: Objects, tree: str) -> list[tuple[str, Entry]]:
    objects.settle()
    rows = git(objects.git.top, "-c", "core.quotePath=off", "ls-tree", tree).splitlines()
    return [(row.split("\t")[1], Entry(row.split()[0].lstrip("0"), row.split()[2])) for row in rows]


def test_a_long_book_grows_by_what_is_appended(book: Book) -> None:
    for number in range(3):
        assert book.port.publish(growing(book, number), book.effect()).outcome == "published"

    grown = LONG_TEXT + "".join(f"\nParagraph {number}.\n" for number in range(3))
    assert book.read("Book.md") == grown
    assert git(book.folder, "show", "main:Book.md") == grown.strip()
    assert book.status() == ""
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""


def test_an_edit_of_a_long_book_is_seen_though_size_and_time_are_as_before(book: Book) -> None:
    book.port.publish(growing(book, 1), book.effect())
    file = book.folder / "Book.md"
    before = file.stat()
    file.write_text(file.read_text(encoding="utf-8").replace("very", "VERY", 1), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert file.stat().st_size == before.st_size
    assert book.port.publish(growing(book, 2), book.effect()).unsaved == ("Book.md",)
    assert "VERY" in book.read("Book.md")


def test_a_long_book_that_a_person_edits_between_two_sessions_keeps_the_edit(book: Book) -> None:
    book.port.publish(growing(book, 1), book.effect())
    write(book.folder, {"Book.md": book.read("Book.md").replace("very", "VERY", 1)})

    assert saved(book) == ("Book.md",)
    book.port.publish(growing(book, 2), book.effect())

    assert book.read("Book.md").count("VERY") == 1
    assert book.read("Book.md").count("Paragraph") == 2


def test_an_edit_in_the_instant_after_a_file_was_laid_is_seen(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, asked = book.folder / "Book.md", Worktree._as_laid

    def edited(worktree: Worktree, path: str, entry: Entry | None) -> os.stat_result | None:
        if path == "Book.md":
            laid = file.stat()
            file.write_text(book.read("Book.md").replace("very", "VERY", 1), encoding="utf-8")
            os.utime(file, ns=(laid.st_atime_ns, laid.st_mtime_ns))
        return asked(worktree, path, entry)

    monkeypatch.setattr(Worktree, "_as_laid", edited)
    book.port.publish(growing(book, 1), book.effect())

    assert book.status() == " M Book.md"
    assert saved(book) == ("Book.md",)


def test_what_a_person_stages_while_the_index_is_stamped_stays_staged(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(book.folder, {"other.md": "Mine.\n"})

    def staged(folder: Path) -> Path:
        git(book.folder, "add", "other.md")
        return spare_in(folder)

    monkeypatch.setattr(index, "spare_in", staged)
    book.port.publish(growing(book, 1), book.effect())

    assert book.status() == "A  other.md"
    assert not (book.folder / ".git/index.lock").exists()


def test_git_reads_a_folder_of_thousands(book: Book) -> None:
    entries = [Create(path=f"Changelog/{number:04}.md", content="Entry.\n") for number in range(3000)]

    assert book.port.publish(plan_of(book.workspace, *entries), book.effect()).outcome == "published"

    assert len(git(book.folder, "ls-tree", "main:Changelog").splitlines()) == 3000
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""


def test_a_long_text_that_changes_nothing_leaves_nothing_on_the_disk(book: Book) -> None:
    plan = plan_of(book.workspace, Modify(path="Book.md", content=LONG_TEXT, base=book.blob("Book.md")))

    assert book.port.publish(plan, book.effect()).outcome == "unchanged"
    assert list((book.folder / ".git").rglob("tmp_obj_*")) == []


@pytest.mark.crash
def test_a_long_book_whose_publish_is_killed_at_any_call_grows_once(book: Book) -> None:
    written = []
    for number in count(0, STRIDE):
        plan, effect = growing(book, number), book.effect(f"op-{number}")
        killed = killed_at(number, partial(book.port.publish, plan, effect))
        assert book.port.publish(plan, effect).outcome == "published"
        written.append(number)
        assert book.status() == "", number
        if not killed:
            break

    assert book.read("Book.md") == LONG_TEXT + "".join(f"\nParagraph {number}.\n" for number in written)
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""
    assert list((book.folder / ".git/penwright").glob("*.part")) == []


@pytest.mark.crash
@pytest.mark.parametrize("meanwhile", [False, True], ids=("alone", "with a commit in between"))
def test_an_append_that_was_killed_halfway_is_no_edit_of_a_person(book: Book, meanwhile: bool) -> None:
    half = 0
    for number in count():
        tip, file = book.tip(), book.folder / "Book.md"
        before = file.read_bytes()
        plan, effect = growing(book, number), book.effect(f"op-{number}")
        killed_at(number, partial(book.port.publish, plan, effect), armed=partial(_moved, book, tip))
        assert book.tip() != tip, number
        if file.read_bytes() != before:
            break
        half += 1
        with file.open("ab") as cut:
            cut.write(f"\nParagraph {number}.\n".encode()[:7])
        if meanwhile:
            _commit_by_hand(book, {"other.md": f"By hand {number}.\n"})
        assert saved(book) == ()
        book.port.publish(plan, effect)
        assert book.read("Book.md") == before.decode() + f"\nParagraph {number}.\n"
        assert book.status() == "", number

    assert half > 0


def _moved(book: Book, tip: str) -> bool:
    return (book.folder / ".git/refs/heads/main").read_text().strip() != tip


def _commit_by_hand(book: Book, files: dict[str, str]) -> None:
    write(book.folder, files)
    # A git of the killed call may be at its last line.
    until(lambda: not (book.folder / ".git/index.lock").exists())
    git(book.folder, "add", *files)
    git(book.folder, "commit", "-q", "-m", "By hand", "--", *files)


def test_a_long_book_is_lengthened_in_place_unless_another_name_shares_it(book: Book) -> None:
    file = book.folder / "Book.md"
    book.port.publish(growing(book, 1), book.effect())
    inode = file.stat().st_ino
    book.port.publish(growing(book, 2), book.effect())
    assert file.stat().st_ino == inode

    kept = book.folder.parent / "kept.md"
    kept.hardlink_to(file)
    book.port.publish(growing(book, 3), book.effect())

    assert "Paragraph 3." not in kept.read_text(encoding="utf-8")
    assert "Paragraph 3." in book.read("Book.md")
    assert book.status() == ""


@pytest.mark.crash
def test_a_commit_by_hand_after_a_killed_publish_loses_nothing_when_another_publish_comes_first(
    book: Book,
) -> None:
    tip, first = book.tip(), growing(book, 1)
    effect = book.effect("op-first")
    assert killed_at(0, partial(book.port.publish, first, effect), armed=partial(_moved, book, tip))
    (book.folder / ".git/index.lock").unlink(missing_ok=True)
    git(book.folder, "commit", "-q", "--allow-empty", "-am", "By hand")

    book.port.publish(growing(book, 2), book.effect())
    saved(book)

    assert [book.read("Book.md").count(f"Paragraph {number}.") for number in (1, 2)] == [1, 1]
    assert book.status() == ""
