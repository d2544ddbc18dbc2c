"""Books that are left alone for months: none ends with chapters missing, and none is silent."""

from dataclasses import dataclass, field
from itertools import product

from penwright.domain.book.advancing import advance_chapter, advanced_payload
from penwright.domain.book.completing import complete_book
from penwright.domain.book.files.layout import COMPLETE, CONFIG, chapter_path, proposed_path
from penwright.domain.book.planning import chapter_to_plan, plan_outline, with_outline
from schemas.book import BookConfig, SessionPayload
from tests.support.books.memory_book import OWNER, PaperBook, numbered_words
from tests.support.each import for_each
from tests.support.sweeps import LONG


@dataclass
class Months:
    """A book that is left alone with the built-in writer, night after night."""

    config: BookConfig
    outlines: int
    """Chapters that have an outline."""
    closes_arcs: str
    """``always``, ``when told`` or ``never``: when the writer says that every arc has ended."""
    at_target: str
    planning: str = "off"
    book: PaperBook = field(default_factory=PaperBook)
    sessions: int = 0
    asks: bool = False
    """Whether its schedule is paused."""
    warnings: list[tuple[str, ...]] = field(default_factory=list)
    """Of each session."""

    def __post_init__(self) -> None:
        c = self.config
        self.book.put(
            CONFIG,
            f"target_length: {c.target_length}\nchapter_count: {c.chapter_count}\nchapter_structure: linear\n"
            f"words_per_session: {c.words_per_session}\nwords_per_chapter: {c.words_per_chapter}\n"
            f"at_target: {self.at_target}\nplanning: {self.planning}\n",
        )
        self.book.drop(chapter_path(1), chapter_path(2))
        for number in range(1, self.outlines + 1):
            self.book.put(chapter_path(number), f"# Chapter {number}\n")

    @property
    def sealed(self) -> bool:
        return COMPLETE in self.book.files

    def live(self, nights: int) -> "Months":
        while not self.sealed and not self.asks and self.sessions < nights:
            self.night()
        return self

    def night(self) -> None:
        payload = self._advanced(self._planned(self.book.open().payload))
        chapter, wanted = payload.config.current_chapter, payload.words_wanted
        closing = self.book.close(numbered_words(0, wanted))
        self.asks = closing.report.at_target == "ask"
        self.sessions += 1
        self.warnings.append(closing.warnings)
        told = payload.last_session_of_chapter and chapter == self.config.chapter_count
        closes = self.closes_arcs == "always" or (self.closes_arcs == "when told" and told)
        closes = closes or closing.report.at_target == "complete"
        if closes and closing.report.completion_ready:
            completing = complete_book(self.book.view(), session="s", owner=OWNER, now=self.book.now)
            self.book.publish(completing.operations)

    def _planned(self, payload: SessionPayload) -> SessionPayload:
        """As a session does that finds a chapter to plan."""
        view = self.book.view()
        if not (chapter := chapter_to_plan(view)):
            return payload
        plan = plan_outline(view, chapter, f"# {chapter}\n\n1. He waits.\n2. She comes.\n")
        self.book.publish(plan.operations)
        return with_outline(payload, view, plan)

    def _advanced(self, payload: SessionPayload) -> SessionPayload:
        """As the built-in writer's session does before it writes."""
        if not payload.chapter_close_suggested or payload.chapters.next is None:
            return payload
        before = self.book.view()
        self.book.publish(advance_chapter(before).operations)
        return advanced_payload(payload, before)


MONTHS = [
    (outlines, closes, at_target, session)
    for outlines, closes, at_target, session in product(
        (1, 2, 4), ("always", "when told", "never"), ("ask", "go-on", "complete"), (70, 160)
    )
]
SOME = MONTHS if LONG else [MONTHS[at] for at in (0, 10, 17, 37, 53)]


@for_each("outlines, closes, at_target, session", SOME)
def test_no_month_ends_sealed_with_chapters_missing_or_silent(
    outlines: int, closes: str, at_target: str, session: int
) -> None:
    lengths = BookConfig(
        target_length=600,
        chapter_count=4,
        chapter_structure="linear",
        words_per_session=session,
        words_per_chapter=150,
    )
    book = Months(lengths, outlines, closes, at_target).live(nights=16)

    chapter = book.book.view().state.current_chapter
    assert chapter == outlines
    assert not book.sealed or chapter == 4
    if outlines < 4:
        full = next(at for at, said in enumerate(book.warnings) if said)
        assert all(f"Chapter_{outlines + 1:02}.md" in "".join(said) for said in book.warnings[full:])
    elif closes != "never" or at_target == "complete":
        assert book.sealed
    else:
        assert book.asks == (at_target == "ask")
    if book.asks:
        assert "110 % of its target_length" in "".join(book.warnings[-1])


@for_each("session", [75, 150])
def test_a_book_that_plans_itself_is_written_from_its_premise_to_its_end(session: int) -> None:
    lengths = BookConfig(
        target_length=4500,
        chapter_count=30,
        chapter_structure="linear",
        words_per_session=session,
        words_per_chapter=150,
    )

    book = Months(lengths, 0, "when told", "ask", planning="auto").live(nights=90)

    assert book.sealed
    assert book.book.view().state.current_chapter == 30
    assert all(chapter_path(number) in book.book.files for number in range(1, 31))
    assert not [said for said in book.warnings if said]
    assert 4050 <= book.book.view().counted.words <= 4950


def test_a_book_whose_planner_may_only_propose_waits_in_its_chapter_and_says_so() -> None:
    lengths = BookConfig(
        target_length=600,
        chapter_count=4,
        chapter_structure="linear",
        words_per_session=75,
        words_per_chapter=150,
    )

    book = Months(lengths, 1, "always", "go-on", planning="propose").live(nights=6)

    assert book.book.view().state.current_chapter == 1
    assert proposed_path(2) in book.book.files
    assert proposed_path(3) not in book.book.files
    assert "book plan" in "".join(book.warnings[-1])
