"""A book at one commit, with what was read of it."""

from dataclasses import dataclass
from functools import cached_property

from penwright.domain.book.files.layout import CHARACTERS, DECISIONS, LORE
from penwright.domain.book.prose_so_far import earlier_prose
from penwright.domain.book.view import BookView
from penwright.domain.continuity.checking import contradictions
from penwright.domain.continuity.deciding import decided
from penwright.domain.continuity.files import Read
from penwright.domain.continuity.known import Known, known
from penwright.domain.continuity.passages import Passage, ToldBlock, told_blocks, unread_passages
from penwright.domain.continuity.telling import tell_writer
from schemas.continuity import ContinuityFinding, ContinuityTold


@dataclass(frozen=True)
class BookStory:
    """The story of a book, as far as its clerk has read it."""

    view: BookView
    text: str
    """Of the validated book."""
    read: Read

    @cached_property
    def told_blocks(self) -> tuple[ToldBlock, ...]:
        """Every paragraph of it."""
        return told_blocks(self.text, self.view)

    @cached_property
    def known(self) -> Known:
        """The readings, as far as their paragraphs stand in the text, with the author's decisions."""
        return decided(known(self.read.readings, self.told_blocks), self.view.decisions)

    @cached_property
    def unread(self) -> tuple[Passage, ...]:
        """Passages without a reading."""
        return unread_passages(self.told_blocks, self.known.read)

    @property
    def words_unread(self) -> int:
        return sum(each.words for each in self.unread)

    @cached_property
    def contradictions(self) -> tuple[ContinuityFinding, ...]:
        """Contradictions within the book and with the author's files, intended or not."""
        files = {path: self.view.text(path) for path in (CHARACTERS, LORE)}
        words = (f"# {each.about}\n\n{each.trait}: {each.value}\n" for each in self.known.throughout)
        files[DECISIONS] = "\n".join(words)
        return contradictions(self.known, self.view.state.current_chapter, files)

    @property
    def brief(self) -> ContinuityTold:
        """The part of the next session's prompt that tells of it."""
        return tell_writer(self.known, self.view, earlier_prose(self.text, self.view))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Files of readings that are damaged, and passages that the clerk could not read."""
        decisions = filter(None, (self.view.decisions_fault,))
        damaged = (f"{place}: this is damaged, and is left out" for place in self.read.damaged)
        failed = (f"a passage has no reading: {why}" for why in self.known.failures)
        return (*decisions, *damaged, *failed)
