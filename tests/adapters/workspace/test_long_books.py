"""Books of a megabyte and folders of thousands."""

import os
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.adapters.workspace.git.caches import BoundedCache, ObjectCaches
from penwright.adapters.workspace.git.commands import git_environment, plain_environment
from penwright.adapters.workspace.git.entries import REGULAR, Entry
from penwright.adapters.workspace.git.layout import locate
from penwright.adapters.workspace.git.objects import Objects
from penwright.adapters.workspace.trees import changed, matching, text_files
from penwright.adapters.workspace.worktree import Worktree
from penwright.domain.text.globs import Globs
from schemas.workspace import Append, Create, Delete, Modify, MutationPlan, Workspace
from tests.support.books.repos import KNOWN, Book, commit_all, git, make_repository, plan_of, write
from tests.support.crash.system_calls import killed_at
from tests.support.sweeps import examples

STRIDE = 1 if os.environ.get("PENWRIGHT_SWEEP") == "long" else 5
LONG_TEXT = "A paragraph of the very long book.\n\n" * 20_000


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book", {"Book.md": LONG_TEXT, "notes.md": "One.\n"}))


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Objects]:
    folder = make_repository(tmp_path_factory.mktemp("trees") / "book")
    layout = locate(Workspace(path=str(folder)))
    made = Objects.of(layout, git_environment(plain_environment()), ObjectCaches())
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


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.sampled_from(("b", "b/c", "b/d", "b/c/e", "bc", "d")), unique=True), st.data())
def test_a_glob_is_looked_for_where_names_begin_like_it(
    objects: Objects, names: list[str], data: st.DataObject
) -> None:
    blob = Entry(REGULAR, objects.write_blob(b"text"))
    files = {name: blob for name in names if not any(each.startswith(f"{name}/") for each in names)}
    tree = changed(objects, None, files)
    globs = data.draw(st.lists(st.text("b/c*?d", min_size=1, max_size=4), max_size=3))

    found = [path for path, _ in matching(objects, tree, Globs.of(globs))]

    assert sorted(found) == sorted(path for path in files if path in Globs.of(globs))
    assert text_files(objects, tree) == dict.fromkeys(files, blob.sha)


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


def test_a_manual_edit_of_a_long_book_survives_the_next_session(book: Book) -> None:
    book.port.publish(growing(book, 1), book.effect())
    write(book.folder, {"Book.md": book.read("Book.md").replace("very", "VERY", 1)})

    assert saved(book) == ("Book.md",)
    book.port.publish(growing(book, 2), book.effect())

    assert book.read("Book.md").count("VERY") == 1
    assert book.read("Book.md").count("Paragraph") == 2


@pytest.mark.long
def test_git_reads_a_folder_of_thousands(book: Book) -> None:
    entries = [Create(path=f"Changelog/{number:04}.md", content="Entry.\n") for number in range(3000)]

    assert book.port.publish(plan_of(book.workspace, *entries), book.effect()).outcome == "published"

    assert len(git(book.folder, "ls-tree", "main:Changelog").splitlines()) == 3000
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.long
@pytest.mark.crash
def test_a_publish_killed_at_any_call_appends_once(book: Book) -> None:
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


def _moved(book: Book, tip: str) -> bool:
    return (book.folder / ".git/refs/heads/main").read_text().strip() != tip


@pytest.mark.crash
def test_manual_commit_between_killed_and_next_publish_loses_nothing(
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


def test_a_text_that_changes_nothing_leaves_nothing_on_the_disk(book: Book) -> None:
    objects = git(book.folder, "count-objects")
    plan = plan_of(book.workspace, Modify(path="Book.md", content=LONG_TEXT, base=book.blob("Book.md")))

    assert book.port.publish(plan, book.effect()).outcome == "unchanged"
    assert git(book.folder, "count-objects") == objects
    assert list((book.folder / ".git").rglob("tmp_obj_*")) == []
    assert list((book.folder / ".git/penwright").glob("*.part")) == []


def test_an_edit_made_while_the_new_file_is_written_is_kept(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Worktree._write

    def edited(worktree: Worktree, temporary: Path, content: bytes, mode: str, target: Path) -> None:
        written(worktree, temporary, content, mode, target)
        if target.name == "Book.md":
            target.write_text(LONG_TEXT.replace("very", "VERY", 1), encoding="utf-8")

    monkeypatch.setattr(Worktree, "_write", edited)
    published = book.port.publish(growing(book, 1), book.effect())
    monkeypatch.undo()

    assert published.unsaved == ("Book.md",)
    assert "VERY" in book.read("Book.md")
    assert saved(book) == ("Book.md",)
    assert (book.read("Book.md").count("VERY"), book.read("Book.md").count("Paragraph 1.")) == (1, 1)


def test_an_edit_made_while_its_file_is_about_to_be_removed_is_kept(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(book.folder, {"other.md": "Theirs.\n"})
    commit_all(book.folder)
    looked = Worktree.blob_id

    def edited(worktree: Worktree, path: str) -> str | None:
        sha = looked(worktree, path)
        if path == "other.md":
            write(book.folder, {path: "Mine.\n"})
        return sha

    monkeypatch.setattr(Worktree, "blob_id", edited)
    removal = Delete(path="other.md", base=book.blob("other.md"))
    published = book.port.publish(plan_of(book.workspace, removal), book.effect())

    assert published.unsaved == ("other.md",)
    assert book.read("other.md") == "Mine.\n"


def test_staged_changes_stay_staged_after_a_publish(book: Book) -> None:
    write(book.folder, {"other.md": "Mine.\n"})
    git(book.folder, "add", "other.md")

    book.port.publish(growing(book, 1), book.effect())

    assert book.status() == "A  other.md"
    assert not (book.folder / ".git/index.lock").exists()


def test_the_cache_forgets_the_least_recently_used() -> None:
    cache = BoundedCache[bytes](10, len)
    for name in ("a", "b"):
        assert cache.keep(name, b"1234") == b"1234"
    assert cache.get("a") == b"1234"

    cache.keep("c", b"1234")
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"1234", None, b"1234")
    assert cache.keep("d", b"longer than all") == b"longer than all"
    assert (cache.get("d"), cache.get("c")) == (None, b"1234")
