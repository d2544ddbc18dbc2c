"""What an author does about a Config.yml that cannot be read."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from gateway.desk.book.lost_config import has_sound_config
from gateway.desk.works.books import Book
from penwright.domain.book.refusal_steps import step_after
from penwright.errors import BrokenBook


@contextmanager
def naming_restore(book: Book) -> Iterator[None]:
    """Let an error about the book's Config.yml name the command that brings back the last sound one."""
    try:
        yield
    except BrokenBook as broken:
        place = shlex.quote(book.workspace.path)
        step = step_after(broken.code, place)
        if not step or "hint" in broken.details:
            raise
        if has_sound_config(book):
            step = f"the folder has a sound one: `penwright book session {place}` saves it, then writes"
        raise BrokenBook(broken.code, broken.message, **{**broken.details, "hint": step}) from broken
