"""The contract of ``TraceSource``, over real git."""

import shutil
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest

from penwright.adapters.workspace.git.objects import Objects
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.governed import RULES
from penwright.domain.intents.registry import REGISTRY
from penwright.domain.trace.layout import FOLDER, LEDGER, MANIFEST, segment_path
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.trace import PathChange, TracedCommit
from schemas.workspace import Create, Delete
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, commit_all, git, plan_of
from tests.support.ledgers.traces import PARAGRAPHS, REGISTRY_TEXT, blob_id, publish_text, write_book

REVIEW = "Review/current.md"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    write_book(made)
    return made


@pytest.fixture
def book(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    write_book(made)
    return made


def test_the_ledger_and_the_files_are_those_of_the_tip(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        (open_segment,) = source.ledger()
        content = source.blob(open_segment.blob)
        assert content is not None
        assert (open_segment.path, blob_id(content)) == (LEDGER, open_segment.blob)
        assert content == source.at(source.tip, LEDGER)
        files = source.files()
        assert files[LEDGER] == open_segment.blob
        assert source.blob(files["Book.md"]) == b"Once.\n"


def test_missing_git_objects_are_none(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        assert source.blob("0" * 40) is None
        assert source.blob("") is None
        assert source.blob("HEAD") is None
        assert source.at(source.tip, "Review/nothing.md") is None
        assert source.at("0" * 40, REVIEW) is None
        assert not source.reaches("0" * 40)


def test_closed_segments_come_by_number_and_the_open_one_last(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", 1)
    for number in range(11):
        publish_text(desk, f"{PARAGRAPHS[0]} {number}")
    with desk.port.trace(desk.workspace) as source:
        paths = [each.path for each in source.ledger()]
        assert paths == [*(segment_path(number) for number in range(1, len(paths))), LEDGER]
        assert len(paths) > 10
        assert (source.at(source.tip, MANIFEST) or b"").count(b"\n") == len(paths) - 1


def test_a_long_list_of_closed_segments_is_read_once(book: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    long = b'{"segment":"none"}\n' * 20_000
    place = Path(book.workspace.path) / MANIFEST
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(long)
    commit_all(Path(book.workspace.path), "Many segments")
    asked: list[str] = []
    find = Objects.find

    def noted(self: Objects, name: str) -> tuple[str, str, bytes] | None:
        asked.append(name)
        return find(self, name)

    monkeypatch.setattr(Objects, "find", noted)

    port = book.port
    for _ in range(3):
        with port.trace(book.workspace) as source:
            assert source.at(source.tip, MANIFEST) == long

    assert asked.count(blob_id(long)) == 1


def test_commits_come_parents_first_with_trailers_and_both_blobs(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        commits = list(source.commits())
        shas = [commit.sha for commit in commits]
        assert shas[-1] == source.tip
        assert commits[0].parents == ()
        for number, commit in enumerate(commits):
            assert all(parent in shas[:number] for parent in commit.parents)
            assert source.reaches(commit.sha)
        last = commits[-1]
        changes = {change.path: change for change in last.paths}
        before = source.at(last.parents[0], REVIEW)
        after = source.at(last.sha, REVIEW)
        assert before is not None
        assert after is not None
        assert changes[REVIEW] == PathChange(path=REVIEW, before=blob_id(before), after=blob_id(after))
        assert set(changes) >= {REVIEW, LEDGER}
        assert {"Trace-Id", "Trace-Head", "Mutation-Class", "Penwright-Op"} <= last.trailers.keys()
        assert [change.before for change in commits[0].paths] == [None] * len(commits[0].paths)


def test_commits_since_lists_only_newer_commits(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        whole = [commit.sha for commit in source.commits()]
        assert [commit.sha for commit in source.commits(since=whole[2])] == whole[3:]
        assert list(source.commits(since=source.tip)) == []


def outside(commits: Iterable[TracedCommit]) -> list[TracedCommit]:
    """The same commits without their changes in the ledger folder, except those of the rules."""
    return [
        commit._replace(
            paths=tuple(
                sorted(
                    each
                    for each in commit.paths
                    if each.path in RULES or not each.path.startswith(f"{FOLDER}/")
                )
            )
        )
        for commit in commits
    ]


def test_without_bookkeeping_only_the_ledger_folder_is_omitted(desk: Desk) -> None:
    desk.commit(REGISTRY, REGISTRY_TEXT.replace("Review/**", "Review/current.md"))
    desk.commit(".orchestration/.intentignore", "# Nothing yet.\n")
    publish_text(desk, PARAGRAPHS[7])
    with desk.port.trace(desk.workspace) as source:
        whole = list(source.commits())
        told = list(source.commits(bookkeeping=False))
        assert outside(told) == outside(whole)
        assert [commit.sha for commit in told] == [commit.sha for commit in whole]
        assert {each.path for commit in told for each in commit.paths} >= {*RULES[:1], *RULES[2:], REVIEW}
        assert LEDGER not in {each.path for commit in told for each in commit.paths}
        since = whole[-3].sha
        assert outside(source.commits(since=since, bookkeeping=False)) == outside(whole[-2:])
        assert list(source.commits(since=source.tip, bookkeeping=False)) == []


def test_without_bookkeeping_merges_and_side_branches_are_listed(book: Desk) -> None:
    folder = book.book.folder
    git(folder, "checkout", "-q", "-b", "side", "HEAD~2")
    book.commit(REGISTRY, REGISTRY_TEXT + "# By the other one.\n")
    book.commit("aside.md", "Aside.\n")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Nothing at all")
    git(folder, "checkout", "-q", "main")
    book.commit("here.md", "Here.\n")
    git(folder, "merge", "-q", "--no-edit", "side")
    git(folder, "merge", "-q", "--no-edit", "-s", "ours", "--allow-unrelated-histories", orphan(folder))
    with book.port.trace(book.workspace) as source:
        whole = list(source.commits())
        assert sum(len(commit.parents) > 1 for commit in whole) == 2
        assert sum(not commit.parents for commit in whole) == 2
        assert outside(source.commits(bookkeeping=False)) == outside(whole)


def orphan(folder: Path) -> str:
    """A commit of another history that has the same rules."""
    return git(folder, "commit-tree", "HEAD^{tree}", "-m", "Another beginning").strip()


def test_a_file_in_place_of_the_ledger_folder_is_listed(book: Desk) -> None:
    shutil.rmtree(Path(book.book.folder) / FOLDER)
    (Path(book.book.folder) / FOLDER).write_text("No folder.\n")
    commit_all(book.book.folder)
    with book.port.trace(book.workspace) as source:
        *_, last = source.commits(bookkeeping=False)
        *_, whole = source.commits()
    assert FOLDER in {change.path for change in last.paths}
    assert outside([last]) == outside([whole])


def test_a_reader_may_stop_anywhere_without_bookkeeping(book: Desk) -> None:
    with book.port.trace(book.workspace) as source:
        for read in range(3):
            commits = source.commits(bookkeeping=False)
            assert len(list(islice(commits, read))) == read
            del commits
        assert len(list(source.commits(bookkeeping=False))) == 6


def test_removed_files_have_no_blob_after(desk: Desk) -> None:
    held = desk.port.snapshot(desk.workspace, ["notes.md"]).files["notes.md"]
    desk.port.publish(plan_of(desk.workspace, Delete(path="notes.md", base=held.blob)), desk.effect())
    with desk.port.trace(desk.workspace) as source:
        *_, last = source.commits()
        assert PathChange(path="notes.md", before=held.blob, after=None) in last.paths
        assert "notes.md" not in source.files()


def test_the_log_lists_records_and_revocations(desk: Desk) -> None:
    published = publish_text(desk, PARAGRAPHS[0], tag="ink-2026-03-01-08-00")
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)
    with desk.port.trace(desk.workspace) as source:
        anchors = source.anchors()
        assert [anchor.kind for anchor in anchors] == ["record"] * 5 + ["revocation"]
        assert anchors[-2].commit == published.commit
        assert anchors[-2].heads == (published.trailers["Trace-Head"],)
        assert anchors[-1].commit == source.tip
        assert anchors[-1].heads == anchors[-3].heads
        assert len({anchor.clone for anchor in anchors}) == 1
        assert len({anchor.entry for anchor in anchors}) == 6


def test_the_log_can_be_read_from_an_entry_on(desk: Desk) -> None:
    with desk.port.trace(desk.workspace) as source:
        anchors = source.anchors()
        clone = anchors[0].clone
        assert source.anchors(since={clone: anchors[1].entry}) == anchors[1:]
        assert source.anchors(since={clone: anchors[-1].entry}) == anchors[-1:]
        assert source.anchors(since={clone: anchors[0].entry}) == anchors
        assert source.anchors(since={clone: "0" * 40}) == anchors
        assert source.anchors(since={"another": anchors[1].entry}) in (anchors, anchors[1:])


def test_paths_that_git_quotes_are_listed_unquoted(book: Desk) -> None:
    names = ["Chapters/Über „Tag“.md", 'Chapters/a "b"\t.md', "Chapters/-x.md"]
    for name in names:
        book.commit(name, "Text.\n")
    raw = b"Chapters/\xff.md"
    (Path(book.book.folder) / raw.decode("utf-8", "surrogateescape")).write_bytes(b"Text.\n")
    commit_all(book.book.folder)
    with book.port.trace(book.workspace) as source:
        told = [change.path for commit in source.commits() for change in commit.paths]
    assert set(names) <= set(told)
    assert raw.decode("utf-8", "surrogateescape") in told


def test_links_and_submodules_are_not_text(book: Desk) -> None:
    (book.book.folder / "link.md").symlink_to("Book.md")
    commit_all(book.book.folder)
    with book.port.trace(book.workspace) as source:
        assert "link.md" not in source.files()
        assert source.at(source.tip, "link.md") is None
        *_, last = source.commits()
        assert last.paths == ()


def test_a_reader_that_stops_early_leaves_no_process(book: Desk) -> None:
    with book.port.trace(book.workspace) as source:
        first = next(source.commits())
        assert first.parents == ()
        assert len(list(source.commits())) == 6


def test_repeated_trailers_that_list_ids_are_joined(book: Desk) -> None:
    message = (
        "Squashed\n\nTrace-Id: a\nTrace-Head: x\nMutation-Class: first\nTrace-Id: b\nMutation-Class: last\n"
    )
    git(book.book.folder, "commit", "-q", "--allow-empty", "-F", "-", data=message.encode())
    with book.port.trace(book.workspace) as source:
        *_, last = source.commits()
    assert last.trailers == {"Trace-Id": "a,b", "Trace-Head": "x", "Mutation-Class": "last"}


@pytest.mark.parametrize(
    "message",
    [
        "Say\n\x01more\n\nTrace-Id: a\x02Trace-Id: b\n",
        "\x01\n\nTrace-Id: a\x02Trace-Id: b\n",
        "Title\n\n\x01\x01\n\nTrace-Id: a\x02Trace-Id: b\n\n\n",
    ],
)
def test_log_separators_do_not_split_a_message(book: Desk, message: str) -> None:
    verbatim = ("--allow-empty", "--cleanup=verbatim", f"--message={message}")
    git(book.book.folder, "commit", "-q", *verbatim)
    git(book.book.folder, "commit", "-q", "--allow-empty", "--message=Behind it")
    with book.port.trace(book.workspace) as source:
        *_, hostile, behind = source.commits()
        assert hostile.trailers == {"Trace-Id": "a\x02Trace-Id: b"}
        assert (behind.parents, behind.trailers) == ((hostile.sha,), {})


def test_a_person_s_settings_of_git_s_log_change_nothing(book: Desk) -> None:
    name = ("-c", "user.name=Zoë")
    git(book.book.folder, *name, "commit", "-q", "--allow-empty", "--message=Add\n\nNote: café")
    for setting in ("log.showSignature=true", "i18n.logOutputEncoding=latin1", "log.showRoot=false"):
        git(book.book.folder, "config", *setting.split("="))
    with book.port.trace(book.workspace) as source:
        first, *_, last = source.commits()
        assert first.paths
        assert (last.author.split(" <")[0], last.trailers) == ("Zoë", {"Note": "café"})


def test_the_logs_of_other_clones_come_with_a_sync(book: Desk) -> None:
    book.add_remote()
    elsewhere = book.root / "remote.git"
    book.port.push(book.workspace, book.effect())
    theirs = git(elsewhere, "for-each-ref", "--format=%(objectname)", "refs/penwright/trace")
    git(elsewhere, "update-ref", "refs/penwright/trace/0a0a0a", theirs)
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    with book.port.trace(book.workspace) as source:
        anchors = source.anchors()
    assert len({anchor.clone for anchor in anchors}) == 2
    assert len(anchors) == 8


def test_a_book_without_a_ledger_has_no_records(tmp_path: Path) -> None:
    made = Desk(tmp_path)
    made.port.publish(plan_of(made.workspace, Create(path="a.md", content="A.\n")), made.effect())
    with made.port.trace(made.workspace) as source:
        assert source.ledger() == ()
        assert source.anchors() == ()
        assert len(list(source.commits())) == 2
