"""The story of a book as its clerk has read it: contradictions, chapters, people and threads."""

from collections.abc import Sequence
from functools import partial

from gateway.desk.book import continuity, reading
from gateway.desk.book.continuity import CheckedStory
from gateway.desk.book.reading import ReadingEstimate
from gateway.desk.works.books import Book
from gateway.ui.elements.html import attribute, box, sentence, text
from gateway.ui.elements.money import money
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.book.book_tabs import book_frame, book_of, followed
from gateway.ui.parts.book.story_facts import StoryFacts
from gateway.ui.parts.book.story_findings import StoryFindings
from gateway.ui.visit import Visit
from penwright.domain.continuity.known import ChapterStory, KnownThread
from penwright.domain.text.counted import counted


async def page(visit: Visit) -> None:
    """``/books/{book_id}/story``."""
    book = await book_of(visit)
    known = await followed(visit, book, continuity.checked_story)
    with book_frame(book, "story") as made:
        known.part(lambda now: now.story.warnings, _warnings)
        estimate = await visit.ask(reading.estimate, known.value.story)
        known.part(lambda now: now.story.words_unread, partial(_unread, visit, made, book, estimate))
        text("h2", "Contradictions")
        findings = StoryFindings(visit, made, book, lambda: known.value)
        known.part(_findings, lambda _: findings.draw())
        text("h2", "People, places and things")
        facts = StoryFacts(visit, made, book, lambda: known.value)
        known.part(lambda now: (now.story.known.facts, now.story.known.rejected), lambda _: facts.draw())
        text("h2", "Open threads")
        known.part(lambda now: now.story.known.threads, _threads)
        text("h2", "Chapters")
        known.part(lambda now: now.story.known.chapters, _chapters)
        known.follow(made)


def _findings(now: CheckedStory) -> tuple[object, ...]:
    return now.found, now.notes, now.counts


def _warnings(warnings: Sequence[str]) -> None:
    for each in warnings:
        sentence(each, classes="note")


def _unread(visit: Visit, made: Frame, book: Book, estimate: ReadingEstimate, words: int) -> None:
    """The words that the clerk has not read, the cost of reading them, and the button for it."""
    if not words:
        return

    async def read() -> str:
        visit.require("run", f"book/{book.book_id}")
        begun = await visit.ask_engine(reading.read, book, again=False, wait=None)
        return "the clerk reads; this page follows it" if begun.fresh else "the clerk reads already"

    with box(classes="row-of"):
        costs = "unknown price" if estimate.cost_micros is None else f"about {money(estimate.cost_micros)}"
        calls = f"{counted(estimate.calls, 'call')} of {estimate.model}, {costs}"
        text("p", f"{words:,} words are not read yet; when this page was opened: {calls}.", classes="soft")
        action(made, "Have it read", read, icon="menu_book")


def _threads(threads: Sequence[KnownThread]) -> None:
    listed = [each for each in threads if each.is_open]
    if not listed:
        text("p", "No thread is open.", classes="soft")
        return
    columns: tuple[Column[KnownThread], ...] = (
        Column("Thread", lambda each: each.name),
        Column("Planted", partial(_step, 0)),
        Column("Last", partial(_step, -1)),
    )
    table(columns, listed, caption="Open threads")


def _step(at: int, thread: KnownThread) -> None:
    """A step with its chapter; its passage shows on hover."""
    step, place = thread.steps[at]
    attribute(text("span", f"{step}, chapter {place.chapter}"), "title", f"“{place.quote}”")


def _chapters(chapters: Sequence[ChapterStory]) -> None:
    if not chapters:
        text("p", "No chapter has been read.", classes="soft")
    for each in chapters:
        text("h3", f"Chapter {each.chapter}")
        for summary in each.summaries:
            text("p", summary)
