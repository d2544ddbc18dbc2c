"""Rules of craft for a book that was made before new ones began with them."""

from pathlib import Path

from gateway.desk.book import editing, texts
from gateway.desk.book.editing import NewText
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.adapters.scaffold.craft import default_craft
from penwright.domain.book.files.layout import CONFIG, CRAFT
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.book.questions import GENRES
from penwright.errors import Refused, UsageMistake


def default_rules(services: Services, book: Book, genre: str) -> str:
    """The rules that a new book in this one's language begins with.

    Raises:
        UsageMistake: ``unknown-genre``.
        NotFound: ``no-such-text``, without a Config.yml.
        BrokenBook: what ``read_config`` names.
    """
    if genre not in GENRES:
        raise UsageMistake("unknown-genre", f"there is no genre {genre!r}; known are {', '.join(GENRES)}")
    config = read_config(texts.read(services, book, CONFIG).text)
    return default_craft(config.language, genre)


async def save_default_rules(services: Services, book: Book, genre: str, *, who: str) -> str:
    """Save them as Craft.md; returns the commit, which is one of the person ``who``.

    One that its author deleted in the folder is made again, before or after that was committed.

    Raises:
        Refused: ``text-exists``: the book has one; ``edited-meanwhile``; ``book-busy``.
    """
    shown = editing.shown_text(services, book, CRAFT)
    deleted = not (Path(book.workspace.path) / CRAFT).exists()
    if shown.text.strip() and not deleted:
        shows = f"`penwright book text {CRAFT!r} --book {book.words}` shows it"
        raise Refused(
            "text-exists",
            f"the book has a {CRAFT!r} already; nothing was changed",
            hint=f"edit it, or empty it first: {shows}",
        )
    new = NewText(default_rules(services, book, genre), "" if deleted else shown.revision)
    saved = await editing.save_texts(services, book, {CRAFT: new}, who=who)
    if saved.commit is None:
        raise Refused(saved.code, saved.message)
    return saved.commit
