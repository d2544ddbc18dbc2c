"""Drafts at the desk: typed, brought together with what the file becomes, saved as a person's commit."""

from pathlib import Path
from typing import NoReturn

import pytest

from gateway.desk.drafts.desk import DraftDesk
from gateway.desk.principals import Principal, local_user
from penwright.domain.text.merging.changesets import between
from penwright.errors import NotFound, PenwrightError, Refused, UsageMistake
from schemas.book_errand import BookErrandInput
from schemas.drafts import Appended, ChangeSet, Missed
from tests.support.gateway.services import StageServices, git_in

SOUL = "Global Material/Soul.md"
TEXT = "# Soul\n\nOne.\n\nTwo.\n"
MORE: ChangeSet = (19, (0, "", "Three.", ""))
FIRST: ChangeSet = (12, (0, " Ann."), 7)
ANN, BEN = local_user("ann"), local_user("ben")


@pytest.fixture
def desk(services: StageServices) -> DraftDesk:
    return DraftDesk(services)


@pytest.fixture
def named(book: Path, services: StageServices) -> str:
    write(book, TEXT)
    return services.book(book).book_id


def write(book: Path, text: str) -> None:
    (book / SOUL).write_text(text)
    git_in(book, "add", ".")
    git_in(book, "commit", "-q", "-m", "By hand")


def test_a_draft_begins_with_the_file_and_is_found_again(desk: DraftDesk, named: str) -> None:
    opened = desk.open(ANN, named, SOUL)

    assert (opened.text, opened.draft.version, opened.draft.unsaved) == (TEXT, 0, False)
    assert desk.open(BEN, named, SOUL).draft.draft_id == opened.draft.draft_id


def test_what_two_people_type_is_in_one_text(desk: DraftDesk, named: str) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id

    assert desk.change(ANN, draft, 0, "a1", FIRST) == Appended(version=1)
    late = desk.change(BEN, draft, 0, "b1", (19, (0, "Ben.", "")))
    assert isinstance(late, Missed)
    assert [change.changes for change in late.changes] == [FIRST]
    assert desk.change(BEN, draft, 1, "b1", (24, (0, "Ben.", ""))) == Appended(version=2)
    assert desk.change(ANN, draft, 0, "a1", FIRST) == Appended(version=1, replayed=True)

    assert desk.read(ANN, draft).text == "# Soul\n\nOne. Ann.\n\nTwo.\nBen.\n"


def test_a_process_that_starts_anew_has_every_word(desk: DraftDesk, named: str) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    for number in range(5):
        desk.change(ANN, draft, number, f"a{number}", (19 + number, (0, str(number))))

    assert DraftDesk(desk.services).read(ANN, draft).text == TEXT + "01234"


async def test_saving_makes_a_commit_of_the_persons(
    desk: DraftDesk, named: str, book: Path, services: StageServices
) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    desk.change(ANN, draft, 0, "a1", MORE)

    saved = await desk.save(ANN, draft)
    again = await desk.save(ANN, draft)

    assert saved.commit
    assert again.commit == ""
    assert not again.draft.draft.unsaved
    assert (book / SOUL).read_text() == TEXT + "\nThree.\n"
    assert "Penwright-Person: ann" in git_in(book, "log", "-1", "--format=%B")


async def test_what_the_file_became_is_brought_in_and_saved_with_it(
    desk: DraftDesk, named: str, book: Path
) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    desk.change(ANN, draft, 0, "a1", MORE)
    write(book, TEXT.replace("One", "One more"))

    saved = await desk.save(ANN, draft)

    assert saved.draft.text == "# Soul\n\nOne more.\n\nTwo.\n\nThree.\n"
    assert (book / SOUL).read_text() == saved.draft.text
    assert [change.kind for change in desk.changes(ANN, draft, 0)] == ["person", "machine"]


async def test_edits_left_in_the_folder_are_brought_in_as_well(
    desk: DraftDesk, named: str, book: Path
) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    desk.change(ANN, draft, 0, "a1", MORE)
    (book / SOUL).write_text(TEXT.replace("One", "One more"))

    saved = await desk.save(ANN, draft)

    assert saved.draft.text == "# Soul\n\nOne more.\n\nTwo.\n\nThree.\n"
    assert (book / SOUL).read_text() == saved.draft.text
    assert not saved.draft.draft.unsaved


async def test_where_both_changed_one_place_the_persons_words_are_saved_and_the_others_kept(
    desk: DraftDesk, named: str, book: Path
) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    desk.change(ANN, draft, 0, "a1", between(TEXT, TEXT.replace("One", "Mine")))
    write(book, TEXT.replace("One", "Yours"))

    saved = await desk.save(ANN, draft)

    assert (book / SOUL).read_text() == TEXT.replace("One", "Mine")
    (dispute,) = saved.draft.draft.disputes
    assert (dispute.place.mine, dispute.place.theirs) == ("Mine", "Yours")
    assert desk.drop_dispute(ANN, draft, dispute.number).disputes == ()


async def test_a_draft_that_lies_unchanged_is_saved_by_itself(
    desk: DraftDesk, named: str, book: Path, services: StageServices
) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    desk.change(ANN, draft, 0, "a1", MORE)

    assert await desk.save_idle() == ()
    assert (book / SOUL).read_text() == TEXT
    services.clock.later(seconds=31)
    assert await desk.save_idle() == ()

    assert (book / SOUL).read_text() == TEXT + "\nThree.\n"
    assert "Penwright-Person: ann" in git_in(book, "log", "-1", "--format=%B")


async def test_a_draft_that_cannot_be_saved_by_itself_is_named_and_keeps_its_words(
    desk: DraftDesk, named: str, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(given: BookErrandInput) -> NoReturn:
        raise Refused("book-busy", "a session writes")

    monkeypatch.setattr(services.pipelines, "errand", busy)
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    desk.change(ANN, draft, 0, "a1", MORE)
    services.clock.later(seconds=31)

    (failed,) = await desk.save_idle()

    assert (failed.draft.draft_id, failed.error.code) == (draft, "book-busy")
    assert desk.read(ANN, draft).text == TEXT + "\nThree.\n"


def test_a_change_that_cannot_be_made_is_refused_and_changes_nothing(desk: DraftDesk, named: str) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id

    with pytest.raises(UsageMistake) as refused:
        desk.change(ANN, draft, 0, "a1", (99,))

    assert refused.value.code == "bad-changes"
    assert desk.read(ANN, draft).text == TEXT


def test_files_that_are_no_texts_to_be_written_are_refused(desk: DraftDesk, named: str) -> None:
    for path in (".git/config", "../x.md", "/etc/passwd", "Global Material/Config.yml\0"):
        with pytest.raises(PenwrightError):
            desk.open(ANN, named, path)


def test_a_folder_names_no_work(desk: DraftDesk, named: str, book: Path) -> None:
    for folder in (str(book), ".", "..", "/"):
        with pytest.raises(PenwrightError):
            desk.open(ANN, folder, SOUL)


def test_a_token_of_the_book_opens_its_drafts(desk: DraftDesk, named: str) -> None:
    own = Principal("eve", frozenset({"read", "write"}), frozenset({f"book/{named}"}))

    draft = desk.open(own, named, SOUL).draft.draft_id

    assert desk.change(own, draft, 0, "e1", MORE) == Appended(version=1)


def test_a_person_without_the_scope_or_the_book_gets_nothing(desk: DraftDesk, named: str) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    reader = Principal("eve", frozenset({"read"}))
    stranger = Principal("eve", frozenset({"read", "write"}), frozenset({"other"}))

    for person in (reader, stranger):
        with pytest.raises(Refused):
            desk.open(person, named, SOUL)
    with pytest.raises(Refused):
        desk.change(reader, draft, 0, "e1", (19,))
    with pytest.raises(NotFound):
        desk.read(stranger, draft)


def test_a_closed_draft_takes_no_words_and_the_next_one_begins_with_the_file(
    desk: DraftDesk, named: str
) -> None:
    draft = desk.open(ANN, named, SOUL).draft.draft_id
    desk.change(ANN, draft, 0, "a1", MORE)
    desk.close(ANN, draft)

    with pytest.raises(Refused) as refused:
        desk.change(ANN, draft, 1, "a2", (27,))

    assert refused.value.code == "draft-closed"
    assert desk.open(ANN, named, SOUL).text == TEXT
    assert desk.read(ANN, draft).text == TEXT + "\nThree.\n"


REVIEW, BOOK = "Review/current.md", "Current version/Full_Book.md"
PASSAGES = (
    "The keeper counted three lamps at dusk, and then he slept.\n\n"
    "A ship passed without a light and did not answer her signal.\n\n"
    "By midnight the wind had taken the shutters. <!-- INK: make this shorter -->\n"
)
NEW = "Far out a bell rang twice, though nobody on the quay looked up.\n"


async def test_words_typed_in_a_passage_that_a_session_moved_are_saved_where_it_is(
    desk: DraftDesk, named: str, book: Path
) -> None:
    def commit(review: str, full_book: str) -> None:
        (book / REVIEW).write_text(review)
        (book / BOOK).write_text(full_book)
        git_in(book, "add", ".")
        git_in(book, "commit", "-q", "-m", "A session")

    commit(PASSAGES, "Once.\n")
    draft = desk.open(ANN, named, REVIEW).draft.draft_id
    typed = PASSAGES.replace("a light", "a single light")
    desk.change(ANN, draft, 0, "a1", between(PASSAGES, typed))
    first, second, _ = PASSAGES.split("\n\n")
    commit(NEW, f"Once.\n\n{first}\n\n{second}\n")

    opened = desk.refresh(ANN, draft)
    saved = await desk.save(ANN, draft)

    assert opened.text == saved.draft.text == (book / REVIEW).read_text() == NEW
    moved = (book / BOOK).read_text()
    assert moved == f"Once.\n\n{first}\n\n{second.replace('a light', 'a single light')}\n"
    (told,) = saved.draft.draft.disputes
    assert (told.place.moved_to, "single" in told.place.mine) == (BOOK, True)
