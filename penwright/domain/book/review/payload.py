"""The waiting prose in a writer's payload."""

from penwright.domain.book.files.summary import review_window
from penwright.domain.book.review.waiting_prose import Note, WaitingProse, managed_length
from penwright.domain.text.cutting import Cut
from penwright.domain.text.ink_comments import parse_comments
from schemas.book import CurrentReview, Instruction

ANCHOR_LENGTH = 200


def current_review(review: str, waiting: WaitingProse, *, most_words: int) -> CurrentReview:
    """Return the end of the waiting prose, with markers but without instructions, and all instructions."""
    text = review.replace("\r\n", "\n")
    spans = [
        (comment.start, comment.end) for comment in parse_comments(text) if comment.kind == "instruction"
    ]
    content = Cut(text, [(0, managed_length(text)), *spans]).text
    return CurrentReview(
        content=review_window(content, most_words),
        instructions=tuple(_instruction(waiting, note) for note in waiting.instructions),
    )


def _instruction(waiting: WaitingProse, note: Note) -> Instruction:
    start, end = waiting.passage(note)
    passage = waiting.text[start:end]
    return Instruction(anchor=passage[-ANCHOR_LENGTH:].strip(), instruction=note.text, passage=passage)
