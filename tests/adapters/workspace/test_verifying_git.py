"""Verification over real git, after people changed the history by hand."""

from pathlib import Path

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.recorder.recording import LedgerRecorder
from tests.support.books import repos
from tests.support.books.desks import Desk
from tests.support.books.repos import ENGINE, KNOWN, commit_all, git, write
from tests.support.ledgers.traces import PARAGRAPHS, codes, publish_text, verified, write_book

REVIEW = "Review/current.md"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    write_book(made)
    return made


def run(desk: Desk, *arguments: str, data: bytes = b"") -> str:
    """git, as a person runs it in the book."""
    return git(desk.book.folder, *arguments, data=data)


def test_a_book_that_only_sessions_wrote_is_clean(desk: Desk) -> None:
    report = verified(desk, strict=True)
    assert codes(report) == set()
    # The first commit, and the registry, are a person's.
    assert codes(report, "info") == {"HUMAN_UNTRACED"}
    assert report.commits == 6


def test_an_amended_message_is_information(desk: Desk) -> None:
    message = run(desk, "log", "-1", "--format=%B")
    run(desk, "commit", "-q", "--amend", "-m", "Better words\n\n" + message.partition("\n\n")[2])
    report = verified(desk, strict=True)
    assert codes(report) == set()


def test_a_rebase_onto_other_text_is_information(desk: Desk) -> None:
    run(desk, "switch", "-q", "-c", "side", "HEAD~2")
    write(desk.book.folder, {"aside.md": "A thought.\n"})
    commit_all(desk.book.folder)
    run(desk, "switch", "-q", "main")
    run(desk, "rebase", "-q", "side")
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert {"REBASED", "HUMAN_UNTRACED"} <= codes(report, "info")
    assert len([each for each in report.findings if each.code == "REBASED"]) == 2


def test_a_rebase_that_keeps_recorded_blocks_is_reported_as_information(
    desk: Desk,
) -> None:
    run(desk, "switch", "-q", "-c", "side", "HEAD~1")
    held = (desk.book.folder / "notes.md").read_text()
    write(desk.book.folder, {"notes.md": held + "\nFour.\n\nFive.\n\nSix.\n"})
    commit_all(desk.book.folder)
    run(desk, "switch", "-q", "main")
    run(desk, "rebase", "-q", "side")
    report = verified(desk)
    assert codes(report) == set()
    assert "REBASED" in codes(report, "info")


def test_a_cherry_pick_brings_its_record_along(desk: Desk) -> None:
    run(desk, "switch", "-q", "-c", "side", "HEAD~1")
    write(desk.book.folder, {"aside.md": "A thought.\n"})
    commit_all(desk.book.folder)
    run(desk, "cherry-pick", "main")
    run(desk, "branch", "-q", "-f", "main", "side")
    run(desk, "switch", "-q", "main")
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert "REBASED" in codes(report, "info")


def test_a_squash_without_trailers_fails_coverage_where_no_log_knows_its_records(desk: Desk) -> None:
    (log,) = run(desk, "for-each-ref", "--format=%(refname)", "refs/penwright/trace").split()
    run(desk, "update-ref", "-d", log)
    run(desk, "reset", "-q", "--soft", "HEAD~3")
    run(desk, "commit", "-q", "-m", "All of it at once")
    report = verified(desk)
    assert "RECORD_UNNAMED" in codes(report, "error")
    squash = run(desk, "rev-parse", "HEAD")
    assert {each.commit for each in report.findings if each.code == "RECORD_UNNAMED"} == {squash}
    assert report.newest is None


@pytest.mark.parametrize(
    "rewrite", [("reset", "-q", "--soft", "HEAD~3"), ("reset", "-q", "--soft", "HEAD~1")]
)
def test_a_squash_or_amend_without_trailers_is_information_where_the_log_knows_its_records(
    desk: Desk, rewrite: tuple[str, ...]
) -> None:
    run(desk, *rewrite)
    run(desk, "commit", "-q", "-m", "All of it at once")
    report = verified(desk, strict=True)
    assert codes(report) == set()
    squash = run(desk, "rev-parse", "HEAD")
    assert {each.commit for each in report.findings if each.code == "SQUASHED"} == {squash}
    assert "RECORD_UNNAMED" not in codes(report, "error")


def test_a_squash_that_keeps_every_trailer_is_covered(desk: Desk) -> None:
    trailers = run(desk, "log", "-3", "--reverse", "--format=%(trailers:only,unfold)").splitlines()
    run(desk, "reset", "-q", "--soft", "HEAD~3")
    run(desk, "commit", "-q", "-m", "All of it at once\n\n" + "\n".join(filter(None, trailers)))
    report = verified(desk, strict=True)
    assert codes(report) == set()


def test_a_machine_commit_without_a_record_is_untraced(desk: Desk) -> None:
    write(desk.book.folder, {REVIEW: "All new.\n"})
    commit_all(desk.book.folder, "Write\n\nPenwright-Contributor: model")
    report = verified(desk)
    assert "UNTRACED" in codes(report, "error")
    assert "LOST" in codes(report, "error")


def test_manual_commits_and_removals_are_reported_as_information(desk: Desk) -> None:
    write(desk.book.folder, {REVIEW: "All new, by hand.\n"})
    commit_all(desk.book.folder)
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert "HUMAN_UNTRACED" in codes(report, "info")
    assert report.blocks["superseded"] == 8


def test_a_record_made_past_the_engine_is_not_in_the_log(desk: Desk) -> None:
    log = run(desk, "for-each-ref", "--format=%(refname)", "refs/penwright/trace")
    noted = run(desk, "rev-parse", log)
    publish_text(desk, "\n\n".join(PARAGRAPHS[:2]))
    run(desk, "update-ref", log, noted)
    assert codes(verified(desk), "error") == {"RECORD_UNANCHORED"}


def test_commits_that_were_reset_away_by_hand_are_missed(desk: Desk) -> None:
    run(desk, "reset", "-q", "--hard", "HEAD~1")
    assert codes(verified(desk), "error") == {"BRANCH_REWOUND"}


def test_a_rollback_is_not_a_loss(desk: Desk) -> None:
    publish_text(desk, PARAGRAPHS[0], tag="ink-2026-03-01-08-00")
    publish_text(desk, PARAGRAPHS[1])
    desk.port.restore(desk.workspace, desk.effect(), target=None, undo=False)
    assert codes(verified(desk, strict=True)) == set()
    publish_text(desk, PARAGRAPHS[2])
    assert codes(verified(desk, strict=True)) == set()
    run(desk, "reset", "-q", "--hard", "HEAD~1")
    assert codes(verified(desk), "error") == {"BRANCH_REWOUND"}


def test_lines_a_person_takes_out_of_the_ledger_by_a_commit_are_missed(desk: Desk) -> None:
    held = (desk.book.folder / LEDGER).read_bytes().splitlines(keepends=True)
    (desk.book.folder / LEDGER).write_bytes(b"".join(held[:-1]))
    commit_all(desk.book.folder)
    assert {"RECORD_MISSING", "LEDGER_TRUNCATED"} <= codes(verified(desk), "error")


def test_a_paragraph_moved_and_rewrapped_by_hand_is_found_again(desk: Desk) -> None:
    path = desk.book.folder / REVIEW
    first, *rest = path.read_text().strip().split("\n\n")
    wrapped = first.replace(" of the ", " of the\n")
    fresh = [f"Paragraph {number} by hand, about something else." for number in range(200)]
    path.write_text("\n\n".join([*rest, *fresh, wrapped, "The end of it."]) + "\n")
    commit_all(desk.book.folder)
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert report.blocks["moved"] >= 1
    assert "lost" not in report.blocks


def test_clones_that_a_person_merges_keep_one_sound_ledger(desk: Desk, tmp_path: Path) -> None:
    desk.add_remote()
    desk.port.push(desk.workspace, desk.effect())
    other = another(desk, tmp_path)
    publish_text(other, "Ours, far away and long ago.", path="Review/other.md")
    other.port.push(other.workspace, other.effect())
    publish_text(desk, PARAGRAPHS[7])
    run(desk, "pull", "-q", "--no-rebase", "--no-edit", "-X", "ours", "origin", "main")
    desk.port.sync(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert (report.records, "MERGE_UNTRACED" in codes(report, "info")) == (6, True)
    publish_text(desk, PARAGRAPHS[6])
    assert codes(verified(desk, report.newest)) == set()


def another(desk: Desk, root: Path) -> Desk:
    """Another clone of the book, with an engine of its own."""
    other = Desk.__new__(Desk)
    repos.clone(root / "remote.git", root / "other")
    other.root, other.gate, other.recorder = root, None, LedgerRecorder("test", BOOK_PROFILE)
    other.book = repos.Book(root / "other", recorder=other.recorder, clock=desk.book.clock, counter=500)
    return other


def test_two_clones_that_merge_keep_one_sound_ledger(desk: Desk, tmp_path: Path) -> None:
    desk.add_remote()
    desk.port.push(desk.workspace, desk.effect())
    other = another(desk, tmp_path)
    publish_text(other, "Ours, far away and long ago.", path="Review/other.md")
    other.port.push(other.workspace, other.effect())
    before = verified(desk)
    publish_text(desk, PARAGRAPHS[7])
    desk.port.sync(desk.workspace, desk.effect(), known=KNOWN, engine=ENGINE)
    publish_text(desk, PARAGRAPHS[6])

    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert report.records == 7
    again = verified(desk, before.newest)
    assert codes(again) == set()
    assert again.records == 7
