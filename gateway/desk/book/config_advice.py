"""Advice to an author on a Config.yml that cannot be read."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from gateway.desk.book.lost_config import has_sound_config
from gateway.desk.works.books import Book
from penwright.domain.book.refusal_steps import step_after
from penwright.domain.text.placeholders import with_names
from penwright.errors import BrokenBook


@contextmanager
def naming_restore(book: Book) -> Iterator[None]:
    """Let an error about the book's Config.yml name the command that brings back the last sound one."""
    try:
        yield
    except BrokenBook as broken:
        place = book.workspace.path
        told, step = dict(broken.details), step_after(broken.code, place)
        if step and "hint" not in told:
            saves = f"`penwright book session {shlex.quote(place)}` saves it, then writes"
            told["hint"] = f"the folder has a sound one: {saves}" if has_sound_config(book) else step
        raise BrokenBook(broken.code, with_names(broken.message, {"BOOK": place}), **told) from broken
