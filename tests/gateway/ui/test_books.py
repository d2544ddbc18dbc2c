"""The pages of books, and the decisions of a review."""

import asyncio
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest
from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement
from nicegui.testing import User
from nicegui.testing.user_interaction import UserInteraction

from gateway.desk.book import restoring, reviewing
from gateway.desk.principals import Principal
from gateway.desk.services import Services
from gateway.desk.works import books, schedules
from gateway.ui.elements.rhythm import RunTimes, local_time, rhythm_in_words
from gateway.ui.parts.shared.words import WordsField
from penwright.domain.book.files.layout import (
    DECISIONS,
    FULL_BOOK,
    REVIEW,
    changelog_path,
    chapter_path,
    proposed_path,
)
from penwright.domain.book.review.passages import Decision
from penwright.errors import Refused
from schemas.book_session import BookSessionInput
from schemas.records import Event, RunRow
from tests.support.books.repos import git
from tests.support.each import for_each
from tests.support.gateway.services import IDENTITY, NOW, REWRITTEN, Run, StageServices

PROSE = "The tide came in.\n\nThe boat was gone.\n\n<script>alert(1)</script> said the sign.\n"


@pytest.fixture
def waiting(book: Path) -> Path:
    """A book with three passages that wait."""
    (book / REVIEW).write_text(PROSE, encoding="utf-8")
    git(book, *IDENTITY, "commit", "-qam", "Put prose into the review")
    return book


def id_of(services: StageServices, book: Path) -> str:
    return books.find(services, str(book)).book_id


@pytest.fixture
def written(run: Run, book: Path) -> None:
    """Two sessions of the book: what the first wrote is in the book."""
    assert [run("book", "session", str(book))[0] for _ in range(2)] == [0, 0]


@pytest.fixture
def rewritten(run: Run, book: Path) -> Path:
    """A book with a rewritten passage that waits."""
    (book / FULL_BOOK).write_text("# Chapter 1\n\nShe took the rope.\n", encoding="utf-8")
    git(book, *IDENTITY, "commit", "-qam", "A first chapter")
    assert run("book", "rewrite", str(book), "1", "-i", "make her left-handed")[0] == 0
    return book


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_rewritten_passage_waits_on_the_books_page_until_it_is_accepted_or_rejected(
    rewritten: Path, user: User, services: StageServices, accepted: bool
) -> None:
    await user.open(f"/books/{id_of(services, rewritten)}")
    await user.should_see("Your instruction: make her left-handed")

    user.find(kind=ui.button, content="Accept" if accepted else "Reject").click()

    await user.should_not_see("Your instruction")
    assert (REWRITTEN in (rewritten / FULL_BOOK).read_text()) is accepted


async def test_what_the_remote_lost_stands_on_the_books_page_and_a_double_click_decides_once(
    lost_by_remote: str, user: User, book: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide, kinds = restoring.restore, list[restoring.RestoreKind]()

    async def counted(services: Services, found: books.Book, kind: restoring.RestoreKind) -> object:
        kinds.append(kind)
        return await decide(services, found, kind)

    monkeypatch.setattr(restoring, "restore", counted)
    await user.open(f"/books/{id_of(services, book)}")
    await user.should_see("no longer has what was published")
    found = user.find(kind=ui.button, content="Publish it again")
    for _ in range(2):
        found.click()
        await asyncio.sleep(0)

    await user.should_see("it is published again")
    await user.should_not_see("Publish it again")
    assert len(kinds) == 1


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_proposed_outline_stands_on_the_books_page_with_its_answers(
    user: User, book: Path, services: StageServices, accepted: bool
) -> None:
    (book / proposed_path(2)).write_text("# The Storm\n\n1. It rains.\n", encoding="utf-8")
    git(book, "add", "-A")
    git(book, *IDENTITY, "commit", "-qm", "Propose an outline")
    await user.open(f"/books/{id_of(services, book)}")
    await user.should_see("1. It rains.")

    user.find(kind=ui.button, content="Accept outline" if accepted else "Reject outline").click()

    await user.should_see(f"the outline of chapter 2 is {'accepted' if accepted else 'rejected'}")
    await user.should_not_see("Proposed outline")
    assert (book / chapter_path(2)).exists() is accepted
    assert not (book / proposed_path(2)).exists()


async def test_what_the_remote_lost_is_taken_out_here_after_it_was_listed(
    lost_by_remote: str, user: User, book: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, book)}")
    sure, asks = _confirming(user, "Take it out here as well")
    UserInteraction(user, {asks}, None).click()
    await user.should_see("and sets aside under")

    UserInteraction(user, {sure}, None).click()

    await user.should_see("taken out here as well; it is archived")
    await user.should_not_see("Publish it again")


def _confirming(user: User, shown: str) -> tuple[ui.button, ui.button]:
    """The button that does it, and the one that asks first."""
    assert user.client
    buttons = [each for each in user.client.elements.values() if isinstance(each, ui.button)]
    sure, asks = sorted(
        (each for each in buttons if each.text == shown), key=lambda button: "asks" in button.classes
    )
    return sure, asks


async def test_a_models_passage_names_its_prompt_by_a_digest(
    written: None, user: User, book: Path, services: StageServices
) -> None:
    prompt, subject = services.store.blobs.put(b"Write on."), id_of(services, book)
    for session in set(git(book, "log", "--format=%(trailers:key=Penwright-Session,valueonly)").split()):
        name = f"agent/book/{subject}/{session}"
        answered = [
            Event(
                run=name,
                subject=subject,
                kind="model-answered",
                at=NOW,
                op_id=f"{session}-{number}",
                data=data,
            )
            for number, data in enumerate(({"prompt": prompt.model_dump()}, {"mistake": "cut-off"}))
        ]
        row = RunRow(run=name, pipeline="agent-run", subject=subject, stage="ended", started_at=NOW)
        services.store.records.note(row, answered)

    await user.open(f"/books/{id_of(services, book)}/provenance")

    await user.should_see(prompt.sha256[:12])
    await user.should_not_see(prompt.sha256)


async def test_what_a_session_sealed_is_seen_with_one_button(
    sealed: None, book: Path, user: User, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, book)}")
    await user.should_see("The last 9 words were sealed.")
    user.find("I have seen what was sealed").click()

    await user.should_see("it waits for you no longer")
    await user.open(f"/books/{id_of(services, book)}")
    await user.should_see("sealed")
    await user.should_not_see("I have seen what was sealed")
    await user.should_not_see("The last 9 words were sealed.")


@for_each("kind", ["books", "manuscripts"])
async def test_a_page_says_where_a_new_work_will_lie(
    user: User, services: StageServices, tmp_path: Path, kind: str
) -> None:
    services.works = tmp_path / "works"
    await user.open(f"/{kind}/new")

    await user.should_see("a folder of its own below")
    await user.should_see(str(services.works))


async def laid_out(services: StageServices) -> None:
    """Wait until a manuscript is registered."""
    for _ in range(100):
        if services.store.records.books("novel"):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("nothing was laid out")


async def test_a_manuscript_of_a_language_without_a_code_is_refused_with_examples(
    user: User, services: StageServices, tmp_path: Path
) -> None:
    services.works = tmp_path / "works"
    await user.open("/manuscripts/new")
    user.find("What is the title?").type("Why Findings Fail")
    language = user.find("In which language is it written?")
    language.clear().type("English")
    user.find("Begin it").click()
    await user.should_see("is not the code of a language")
    language.clear().type("en-GB")
    user.find("Begin it").click()
    await laid_out(services)

    await user.open("/manuscripts")
    await user.should_see("Why Findings Fail")


async def test_a_manuscript_needs_a_title_alone(user: User, services: StageServices, tmp_path: Path) -> None:
    services.works = tmp_path / "works"
    await user.open("/manuscripts/new")
    user.find("What is the title?").type("Low Water")
    user.find("Begin it").click()
    await laid_out(services)

    await user.open("/manuscripts")
    await user.should_see("Low Water")


async def test_the_library_lists_every_book(user: User, book: Path) -> None:
    await user.open("/books")

    await user.should_see("Low Tide")


async def test_a_book_says_how_it_stands(user: User, book: Path, services: StageServices) -> None:
    await user.open(f"/books/{id_of(services, book)}")

    await user.should_see("Write the next pages")
    await user.should_see("No session has ended yet.")


@for_each("named", ["tide", "none-1234"])
async def test_a_book_is_found_by_its_registered_id_alone(user: User, named: str) -> None:
    answer = await user.http_client.get(f"/books/{named}")

    assert answer.status_code == 404
    assert "This page cannot be shown" in answer.text
    assert "To the books" in answer.text
    assert "No book is registered as" in answer.text
    assert "Books lists those that are registered." in answer.text
    assert "`penwright book" not in answer.text


@for_each("named", ["~", "a%00b"])
async def test_a_page_of_an_impossible_address_is_not_shown(user: User, named: str) -> None:
    await user.open(f"/books/{named}")

    await user.should_see("This page cannot be shown")
    await user.should_see("To the books")


async def test_a_book_is_put_on_a_timetable_from_its_page(
    user: User, book: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, book)}")
    user.find(kind=ui.input, content="At").clear().type("25:00")
    user.find("Set the timetable").click()
    await user.should_see("such as 06:30")
    user.find(kind=ui.input, content="At").clear().type("7:05")
    user.find("Set the timetable").click()
    await user.should_see("the timetable is set")
    await user.should_see("every day at 07:05 (UTC)")

    await user.open("/schedules")
    await user.should_see("every day at 07:05 (UTC)")


async def test_the_timetable_of_a_book_is_told_with_its_next_three_runs(
    user: User, book: Path, services: StageServices
) -> None:
    found = books.find(services, str(book))
    await schedules.put(
        services, found, schedules.timetable("30 3 * * 1", None, time_zone="Europe/Vienna"), ""
    )
    await user.open(f"/books/{found.book_id}")
    await user.should_not_see("every Monday at 03:30 (Europe/Vienna)")

    assert user.client
    folded = next(each for each in user.client.elements.values() if each.tag == "details")
    UserInteraction(user, {folded}, None).trigger("toggle")

    await user.should_see("every Monday at 03:30 (Europe/Vienna)")
    (times,) = user.find(RunTimes).elements
    coming = [local_time(NOW + timedelta(hours=n), "Europe/Vienna") for n in (1, 2, 3)]
    assert [each["there"] for each in times.props["runs"]] == coming


async def test_a_book_is_written_once_a_week_or_by_a_cron_line(
    user: User, book: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, book)}")
    (rhythm,) = user.find(kind=ui.select, content="How often").elements
    rhythm.value = "weekly"
    user.find("Set the timetable").click()
    await user.should_see("every Monday at 03:00 (UTC)")

    rhythm.value = "cron"
    user.find(kind=ui.input, content="Cron line").clear().type("0 3 30 2 *")
    user.find("Set the timetable").click()
    await user.should_see("never runs")
    user.find(kind=ui.input, content="Cron line").clear().type("0 3 1 * *")
    user.find("Set the timetable").click()
    await user.should_see("cron 0 3 1 * * (UTC)")


@pytest.mark.parametrize(
    ("rhythm", "told"),
    [
        ("cron 5 7 * * 1-5", "Monday to Friday at 07:05"),
        ("cron 0 3 * * 0 within 30m", "every Sunday at 03:00, within 30m"),
        ("cron */5 3 * * *", "cron */5 3 * * *"),
        ("cron 0 3 1 * *", "cron 0 3 1 * *"),
        ("every 6h within 30m", "every 6h within 30m"),
    ],
)
def test_a_rhythm_is_told_in_words_where_they_say_all(rhythm: str, told: str) -> None:
    assert rhythm_in_words(rhythm) == told


async def test_passages_are_shown_as_text_and_never_as_html(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/review")

    await user.should_see("0 of 3 accepted")
    await user.should_not_see("<script>alert")


async def test_a_review_shows_what_the_last_session_planned_told_and_why_it_mended_nothing(
    user: User, waiting: Path, services: StageServices
) -> None:
    entry = waiting / changelog_path(NOW)
    entry.write_text(
        "# Session\n\n**Plan:**\n- Mara lies\n- ends: at the door\n\n**Told:**\n- Mara lies: “No”\n\n"
        "**Mended by the writer:**\n- nothing: the writer proposed no edits\n"
    )
    git(waiting, "add", "-A")
    git(waiting, *IDENTITY, "commit", "-qm", "Close a session")

    await user.open(f"/books/{id_of(services, waiting)}/review")

    await user.should_see("What the session planned")
    await user.should_see("ends: at the door")
    await user.should_see("Mara lies: “No”")
    await user.should_see("Mended by the writer: nothing: the writer proposed no edits")


async def test_a_review_of_notes_alone_shows_them(user: User, book: Path, services: StageServices) -> None:
    (book / REVIEW).write_text("<!-- INK: begin with rain -->\n", encoding="utf-8")
    git(book, *IDENTITY, "commit", "-qam", "Ask for rain")

    await user.open(f"/books/{id_of(services, book)}/review")

    await user.should_see("No passage waits here")
    await user.should_see("Waits for the next session: begin with rain")
    (edit,) = user.find("Edit").elements
    assert "/write?path=Review" in edit.props["href"]


async def test_words_that_wait_are_told_where_a_book_has_none(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/provenance")

    await user.should_see(" words wait for your review")


async def test_a_restore_is_offered_to_be_undone_only_where_there_was_one(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/history")

    await user.should_see("Put prose into the review")
    await user.should_not_see("Undo the last restore")


async def test_two_versions_of_a_book_are_compared_passage_by_passage(
    user: User, waiting: Path, services: StageServices
) -> None:
    text = PROSE.replace("gone.", "there. <!-- INK: whose boat? -->").replace("<script>", "<b>")
    (waiting / REVIEW).write_text(text, encoding="utf-8")
    git(waiting, *IDENTITY, "commit", "-qam", "Bring the boat back")
    ends = {"from": git(waiting, "rev-parse", "HEAD~1"), "to": git(waiting, "rev-parse", "HEAD")}

    await user.open(f"/books/{id_of(services, waiting)}/history?{urlencode(ends)}")

    for said in (REVIEW, "Bring the boat back", "gone", "there", "Note put in: whose boat?", ends["to"][:8]):
        await user.should_see(said)
    await user.should_not_see("The tide came in.")
    await user.should_not_see("@@")
    assert user.client
    shown = [each.content for each in user.client.elements.values() if isinstance(each, ui.html)]
    assert any("&lt;" in each and "alert(1)" in each for each in shown)
    assert not any("<b>" in each or "<script" in each for each in shown)


async def test_what_cannot_be_compared_is_named(user: User, waiting: Path, services: StageServices) -> None:
    (waiting / REVIEW).write_bytes(b"\0\1")
    git(waiting, *IDENTITY, "commit", "-qam", "Break the file")
    ends = {"from": git(waiting, "rev-parse", "HEAD~1"), "to": git(waiting, "rev-parse", "HEAD")}

    await user.open(f"/books/{id_of(services, waiting)}/history?{urlencode(ends)}")

    await user.should_see(REVIEW)
    await user.should_see("too long to be compared here, or no text")


async def test_a_restore_shows_what_it_does_and_does_nothing_else(
    written: None, user: User, book: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, book)}/history")
    sure, asks = _confirming(user, "Take the last session back")
    UserInteraction(user, {asks}, None).click()
    await user.should_see("and sets aside under")
    (book / REVIEW).write_text("Typed after the list was shown.\n", encoding="utf-8")

    UserInteraction(user, {sure}, None).click()

    await user.should_see("was changed since this was listed")
    assert (book / REVIEW).read_text() == "Typed after the list was shown.\n"


def cards(user: User) -> dict[str, ui.element]:
    """The cards of a review in their order, by their headings."""
    assert user.client is not None
    (queue,) = [each for each in user.client.elements.values() if "queue" in each.classes]
    return {_heading(each): each for each in queue.default_slot.children}


def _heading(card: ui.element) -> str:
    (shown,) = (each for each in card.descendants() if each.tag == "h2")
    assert isinstance(shown, TextElement)
    return str(shown.text)


def pressed(user: User, card: ui.element, shown: str) -> None:
    (found,) = [each for each in card.descendants() if isinstance(each, ui.button) and each.text == shown]
    UserInteraction(user, {found}, None).click()


async def test_a_decision_leaves_the_other_cards_as_they_are(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/review")
    before = cards(user)

    pressed(user, before["Passage 2, new"], "Reject")
    await user.should_see("rejected; u takes it back")
    left = cards(user)
    pressed(user, left["Passage 1, new"], "Accept")
    await user.should_see("1 of 2 accepted")
    user.find("Undo").click()
    await user.should_see("0 of 2 accepted")
    user.find("Undo").click()
    await user.should_see("0 of 3 accepted")
    again = cards(user)

    assert list(before) == list(again) == [f"Passage {n}, new" for n in (1, 2, 3)]
    assert list(left) == ["Passage 1, new", "Passage 3, new"]
    assert all(left[each] is before[each] is again[each] for each in left)


async def test_new_passages_alone_are_accepted_all_at_once(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/review")
    user.find("Accept all shown").click()
    await user.should_see("3 of 3 accepted")
    await user.should_not_see("Accept all shown")
    user.find("Undo").click()

    await user.should_see("0 of 3 accepted")
    await user.should_see("Accept all shown")


async def test_a_long_queue_is_shown_in_parts(user: User, waiting: Path, services: StageServices) -> None:
    (waiting / REVIEW).write_text("\n\n".join(f"Wave {n} came in." for n in range(120)), encoding="utf-8")
    git(waiting, *IDENTITY, "commit", "-qam", "Put more prose into the review")
    await user.open(f"/books/{id_of(services, waiting)}/review")
    assert len(cards(user)) == 50

    pressed(user, cards(user)["Passage 50, new"], "Accept")
    await user.should_see("1 of 120 accepted")
    assert next(iter(cards(user))) == "Passage 51, new"
    user.find("Show more").click()
    await user.should_see("101 to 120 of 120")
    user.find("Undo").click()
    await user.should_see("0 of 120 accepted")

    assert list(cards(user))[-1] == "Passage 50, new"


async def test_rejecting_a_passage_is_a_commit_of_the_person(services: StageServices, waiting: Path) -> None:
    book = books.find(services, str(waiting))
    seen = reviewing.review_of(services, book)

    done = await reviewing.decide(services, book, seen, [Decision(seen.passages[1].id, "reject")], who="ann")

    assert [each.text for each in done.after.passages] == [seen.passages[0].text, seen.passages[2].text]
    assert done.commit
    back = await reviewing.take_back(services, book, done, who="ann")
    assert back.after.text == seen.text


async def test_a_review_that_moved_on_is_not_overwritten(services: StageServices, waiting: Path) -> None:
    book = books.find(services, str(waiting))
    seen = reviewing.review_of(services, book)
    (waiting / REVIEW).write_text(PROSE.replace("boat was gone", "boat was there"), encoding="utf-8")
    git(waiting, *IDENTITY, "commit", "-qam", "Change it meanwhile")

    with pytest.raises(Refused) as refused:
        await reviewing.decide(services, book, seen, [Decision(seen.passages[1].id, "reject")], who="ann")

    assert refused.value.code == "review-changed"


def changed_outside(book: Path) -> None:
    """Another text for the second passage, committed by an editor outside."""
    (book / REVIEW).write_text(PROSE.replace("boat was gone", "boat was there"), encoding="utf-8")
    git(book, *IDENTITY, "commit", "-qam", "Change it meanwhile")


async def test_a_decision_on_a_changed_passage_is_refused_and_its_new_text_shown(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/review")
    for act in ("Accept", "Reject"):
        (waiting / REVIEW).write_text(PROSE.replace("boat", act), encoding="utf-8")
        git(waiting, *IDENTITY, "commit", "-qam", "Change it meanwhile")
        head = git(waiting, "rev-parse", "HEAD")
        pressed(user, cards(user)["Passage 2, new"], act)
        await user.should_see("this passage was changed meanwhile")
        await user.should_see(f"The {act} was gone.")
        await user.should_see("0 of 3 accepted")
        assert git(waiting, "rev-parse", "HEAD") == head
        (waiting / REVIEW).write_text(PROSE, encoding="utf-8")


async def test_a_review_follows_changes_from_outside(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/review")
    changed_outside(waiting)

    await user.should_see("The boat was there.")
    assert list(cards(user)) == [f"Passage {n}, new" for n in (1, 2, 3)]


async def test_taking_a_decision_back_leaves_later_changes_of_others(
    services: StageServices, waiting: Path
) -> None:
    book = books.find(services, str(waiting))
    seen = reviewing.review_of(services, book)
    done = await reviewing.decide(services, book, seen, [Decision(seen.passages[0].id, "reject")], who="ann")
    later = done.after.text.replace("boat was gone", "boat was there")
    (waiting / REVIEW).write_text(later, encoding="utf-8")
    git(waiting, *IDENTITY, "commit", "-qam", "Change it meanwhile")

    back = await reviewing.take_back(services, book, done, who="ann")

    assert back.after.text == PROSE.replace("boat was gone", "boat was there")


async def test_a_finding_is_meant_so_and_counts_again_beside_its_passage(
    user: User, waiting: Path, services: StageServices
) -> None:
    (waiting / "Global Material/Characters.md").write_text("# Characters\n\n## Mara Voss\nShe.\n", "utf-8")
    (waiting / REVIEW).write_text("The tide was out.\n\nThen came Marra, and sat down.\n", "utf-8")
    git(waiting, *IDENTITY, "commit", "-qam", "Write a name")
    await user.open(f"/books/{id_of(services, waiting)}/review")
    await user.should_see("Found: This name is nearly a known one: “Marra” (Mara)")
    before = cards(user)

    pressed(user, before["Passage 2, new"], "Intended")
    await user.should_see("Intended: This name is nearly a known one")
    assert "quote: Marra" in (waiting / DECISIONS).read_text("utf-8")
    pressed(user, before["Passage 2, new"], "Not intended")

    await user.should_see("Found: This name is nearly a known one")
    assert cards(user) == before
    pressed(user, before["Passage 2, new"], "Accept")
    await user.should_see("1 of 2 accepted")


async def test_the_field_of_a_note_has_the_keyboard_before_the_server_knows(
    user: User, waiting: Path, services: StageServices
) -> None:
    await user.open(f"/books/{id_of(services, waiting)}/review")
    (field,) = user.find(WordsField).elements

    assert field.props["data-key"] == "c"
    UserInteraction(user, {field}, None).trigger("focusin").trigger("sent", "who lit it?")

    await user.should_see("Waits for the next session: who lit it?")


class TestReaders:
    """A caller who may only read."""

    @pytest.fixture
    def principal(self) -> Principal:
        return Principal("bob", frozenset({"read"}))

    @pytest.mark.long
    async def test_a_hidden_right_is_checked_when_a_button_is_pressed(
        self, user: User, book: Path, services: StageServices
    ) -> None:
        await user.open(f"/books/{id_of(services, book)}")
        user.find("Write the next pages").click()

        await user.should_see("bob may not run here")


async def test_the_next_pages_are_written_with_the_set_that_is_chosen(
    user: User, run: Run, book: Path, services: StageServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, orders = services.pipelines.start, list[BookSessionInput]()

    async def told(given: BookSessionInput) -> None:
        orders.append(given)
        await start(given)

    monkeypatch.setattr(services.pipelines, "start", told)
    run("agent", "seed", "ink/writer", "--tag", "bold")
    await user.open(f"/books/{id_of(services, book)}")
    field = next(iter(user.find(kind=ui.select, content="Agents work with").elements))
    assert isinstance(field, ui.select)
    field.set_value("bold")
    user.find(kind=ui.button, content="Write the next pages").click()

    await user.should_see("a session has begun")
    assert [each.override_tag for each in orders] == ["bold"]
