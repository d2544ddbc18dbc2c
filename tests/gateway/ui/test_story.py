"""The page Story of a book: what the clerk has read, and decisions of its author on that."""

from pathlib import Path

import pytest
from nicegui import ui
from nicegui.testing import User
from nicegui.testing.user_interaction import UserInteraction

from gateway.desk.principals import Principal
from gateway.desk.works import books
from gateway.ui.parts.shared.words import WordsField
from penwright.domain.book.files.layout import DECISIONS, FULL_BOOK
from tests.gateway.cli.book.test_story import GREEN, GREY, lay_story
from tests.support.gateway.services import StageServices


@pytest.fixture
async def page(user: User, book: Path, services: StageServices) -> str:
    """The page of a book that contradicts itself, opened."""
    lay_story(book)
    address = f"/books/{books.find(services, str(book)).book_id}/story"
    await user.open(address)
    return address


def type_into(user: User, label: str, said: str, nth: int = 0) -> None:
    fields = [each for each in user.find(WordsField).elements if each.props["label"] == label]
    UserInteraction(user, {sorted(fields, key=lambda each: each.id)[nth]}, None).trigger("sent", said)


def press(user: User, shown: str, nth: int = 0) -> None:
    found = [each for each in user.find(kind=ui.button, content=shown).elements if each.text == shown]
    UserInteraction(user, {sorted(found, key=lambda each: each.id)[nth]}, None).click()


async def test_chapters_people_threads_and_contradictions_are_shown(user: User, page: str) -> None:
    for shown in ("Mara comes home.", "Mara (2)", "also the keeper", "the ledger", "planted, chapter 1"):
        await user.should_see(shown)
    await user.should_see(f"“{GREY}”")
    await user.should_see(f"“{GREEN}”")
    await user.should_see("5 words are not read yet")


async def test_a_contradiction_is_meant_so_and_counts_again(user: User, page: str, book: Path) -> None:
    press(user, "Intended")

    await user.should_see("You mean these so: 1 contradiction")
    assert f"quote: {GREEN}" in (book / DECISIONS).read_text()
    press(user, "Not intended")
    await user.should_see("it counts again")
    await user.should_not_see("You mean these so")


async def test_a_note_is_left_at_the_passage_and_taken_out(user: User, page: str, book: Path) -> None:
    type_into(user, "What to do at the later passage", "say grey")

    await user.should_see("Your note: Mara, eyes: say grey")
    assert "INK: Mara, eyes: say grey" in (book / FULL_BOOK).read_text()
    press(user, "Take the note out")
    await user.should_see("the note is out again")
    assert "INK" not in (book / FULL_BOOK).read_text()


async def test_a_fact_is_corrected_in_place_and_rejected(user: User, page: str) -> None:
    type_into(user, "Right value of eyes", "grey", 1)

    await user.should_see("grey (your word; the clerk read green)")
    await user.should_see("Nothing in what was read contradicts itself.")
    press(user, "Reject")
    await user.should_see("Rejected: Mara, eyes: grey")
    press(user, "Not rejected")
    await user.should_not_see("Rejected: Mara, eyes: grey")


async def test_the_clerk_is_started_by_a_button(user: User, page: str, services: StageServices) -> None:
    press(user, "Have it read")

    await user.should_see("the clerk reads; this page follows it")
    assert [each.by_hand for each in services.readings.started] == [True]


class TestReaders:
    """A caller who may only read."""

    @pytest.fixture
    def principal(self) -> Principal:
        return Principal("ada", frozenset({"read"}))

    async def test_a_decision_is_refused(self, user: User, page: str, book: Path) -> None:
        press(user, "Later")

        await user.should_see("sign in with a link")
        assert not (book / DECISIONS).exists()
