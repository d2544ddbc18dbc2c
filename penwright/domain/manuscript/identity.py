"""Ids of novels; they name a novel's workflows and rows, as those of books do.

The id is in ``Novel.yml`` at the branch tip, so all clones share it. A novel without one gets an id from its
root commit, which all clones share too. A copy is told from a second clone as a book's is.
"""

import re

from penwright.domain.book.identity import new_book_id
from penwright.errors import UsageMistake
from schemas.base import BookId, CommitSha

_VALID = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")
_ID_LINE = re.compile(r"^id:[ \t]*(['\"]?)([^'\"#\s]+)\1[ \t]*(?:#.*)?$", re.MULTILINE)


def new_novel_id(title: str, salt: str) -> BookId:
    """Return the id of a new novel: its title as a slug, and four hex digits against equal titles."""
    plain = new_book_id(title, salt)
    return BookId(f"novel-{salt[:4]}") if plain == f"book-{salt[:4]}" else plain


def novel_id_of(novel_text: str, root_commit: CommitSha) -> BookId:
    """Return the id in the text of ``Novel.yml``, even if the rest is broken, or that of the root commit.

    Raises:
        UsageMistake: ``bad-novel-id``.
    """
    return recorded_novel_id(novel_text) or BookId(f"novel-{root_commit[:12]}")


def recorded_novel_id(novel_text: str) -> BookId | None:
    """Return the id in the text of ``Novel.yml``, if there is one; raises as ``novel_id_of``."""
    line = _ID_LINE.search(novel_text)
    return None if line is None or line[2] in ("null", "~") else checked_novel_id(line[2])


def checked_novel_id(text: str) -> BookId:
    """Validate a novel's id; raises ``UsageMistake``."""
    if not _VALID.fullmatch(text):
        raise UsageMistake(
            "bad-novel-id",
            f"{text!r} is not a novel's id; put up to 64 of a-z, 0-9 and inner hyphens into Novel.yml",
        )
    return BookId(text)


def scene_workflow(kind: str, novel: BookId, scene: str) -> str:
    """Return the id of the workflow of ``kind`` on a scene, such as ``editing/<novel>/<scene>``."""
    return f"{kind}/{novel}/{scene}"
