"""New novels: laid out empty, or with a text that exists."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.services import Services
from gateway.desk.works import novels
from penwright.adapters.scaffold.creation import lay_out_workspace, missing
from penwright.adapters.scaffold.novel import fresh_novel
from penwright.adapters.scaffold.repository_folder import check_folder
from penwright.domain.manuscript.config import read_novel, written_novel
from penwright.domain.manuscript.identity import new_novel_id
from penwright.domain.manuscript.layout import BIBLIOGRAPHY
from penwright.domain.text.names import check_name
from penwright.errors import EngineUnavailable, StoreUnavailable
from schemas.base import BookId
from schemas.novel import NovelConfig
from schemas.workspace import Contributor


@dataclass(frozen=True, slots=True)
class NewNovel:
    """A novel that was just made."""

    novel_id: BookId
    path: str
    commit: str
    files: tuple[str, ...]
    """Paths that were created."""
    registered: bool
    """Whether its id is known already; without the engine, the first command that needs it registers it."""


def create(
    services: Services,
    path: Path,
    fields: Mapping[str, str],
    *,
    scenes: Mapping[str, str] | None = None,
    references: str = "",
    keep: bool = False,
    authorship: str = "",
    people: Sequence[str] = (),
) -> NewNovel:
    """Lay out a novel in one commit, in a new or empty folder or at the top of a repository.

    Args:
        fields: of Novel.yml; without a title, the folder's name is one.
        scenes: text by name, of those that exist already.
        references: BibTeX of what they cite.
        keep: leave files that exist, and add the missing ones.
        authorship: who wrote ``scenes``, if that is declared.
        people: names of others whose changes are in them.

    Raises:
        Refused: ``already-a-novel``, ``already-a-book``, ``would-overwrite``, or the folder cannot hold one.
        BrokenBook: a field is invalid.
        UsageMistake: ``bad-scene-name``; ``bad-name`` of the title.
    """
    place = path.expanduser().resolve()
    check_folder(place)
    files = fresh_novel(_config(place, fields), scenes or {})
    files |= {BIBLIOGRAPHY: references} if references else {}
    created = missing(place, files, keep=keep)
    title = fields.get("title") or place.name
    commit = lay_out_workspace(
        place,
        files,
        message=f"Lay out {title}",
        contributor=Contributor.HUMAN if scenes else Contributor.ENGINE,
        branch=services.defaults().branch,
        keep=keep,
        authorship=authorship,
        people=people,
    )
    novel = novels.at(services, place)
    return NewNovel(novel.novel_id, str(place), commit, tuple(created), _register(services, novel))


def _config(place: Path, fields: Mapping[str, str]) -> NovelConfig:
    """The settings, after the checks that reading them makes."""
    given = {name: text for name, text in fields.items() if text}
    title = given.get("title", place.name)
    check_name(title)
    made = {**given, "title": title, "id": new_novel_id(title, secrets.token_hex(2))}
    return read_novel(written_novel(NovelConfig.model_construct(**{**_DEFAULTS, **made})))


_DEFAULTS = {name: field.default for name, field in NovelConfig.model_fields.items() if name != "title"}


def _register(services: Services, novel: novels.Novel) -> bool:
    """Register the novel if the engine runs."""
    try:
        novels.enter(services, novel)
    except (EngineUnavailable, StoreUnavailable):
        return False
    return True
