"""``[scholarly] only = ["library"]``: works come from own sources, and nothing is sent anywhere."""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from activities.citations.scholarly import ScholarlyActivities
from penwright.adapters.scholarly.recorded import recorded_works
from schemas.library import LibraryShelf
from schemas.scholarly import Author, LookUp, Query, Reference, VerifyReference
from schemas.workspace import Modify, Place
from tests.support.library import TIDES, own_sources, paper_pdf, publish_sources
from tests.support.manuscripts.novel_repo import NovelRepo
from tests.support.scholarly.server import RegistryServer, running_registries
from workers import wiring
from workers.settings import load

_SHELF = """\
@article{marsh2019tides,
  author = {Marsh, Ann and Li, Bo},
  title = {Tides and the sleep of divers},
  year = {2019},
  file = {tides.pdf}
}
"""
_TIDES = Reference(
    title="Tides and the sleep of divers",
    authors=(Author(family="Marsh", given="Ann"), Author(family="Li", given="Bo")),
    year=2019,
)
_QUESTION = LookUp(query=Query(text="Divers sleep less before spring tides."))


@pytest.fixture
def server() -> Iterator[RegistryServer]:
    with running_registries(recorded_works()) as running:
        yield running


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every address that something connects to."""
    seen: list[object] = []
    connect = socket.socket.connect

    def noting(self: socket.socket, address: Any) -> None:  # Any: as the address family has it
        if self.family != socket.AF_UNIX:
            seen.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", noting)
    return seen


@pytest.fixture
def novel(tmp_path: Path) -> NovelRepo:
    repo = NovelRepo(tmp_path / "novel", {"-": "# Tides\n"})
    publish_sources(
        repo,
        Place(path="sources/tides.pdf", content=paper_pdf(TIDES)),
        Place(path="sources/notes.md", content=b"# Lamps\n\nOil was dear on the rock.\n"),
        Place(path="sources/sources.bib", content=_SHELF.encode()),
    )
    own_sources(repo.git, repo.store.passages).search(repo.workspace, "anything", 1)
    return repo


@asynccontextmanager
async def asking(novel: NovelRepo, server: RegistryServer, only: str) -> AsyncIterator[ScholarlyActivities]:
    """The activities of the settings, whose registries are a server of this machine."""
    registries = "".join(f'[scholarly.{name}]\nurl = "{url}"\n' for name, url in server.addresses.items())
    settings = f'[scholarly]\n{only}gap_factor = 0\n{registries}[roles]\nembeddings = "words"\n'
    folder = novel.folder.parent
    (folder / "penwright.toml").write_text(settings)
    store: Any = novel.store  # Any: the double has the ports that are asked
    async with wiring.scholarly_activities(load({}, folder=folder), store) as found:
        yield next(each.__self__ for each in found if each.__name__ == "look_up")  # type: ignore[attr-defined]


def shelf(repo: NovelRepo) -> Any:  # Any: a reference to a stored text
    sources = own_sources(repo.git, repo.store.passages).sources(repo.workspace)
    return repo.put(LibraryShelf(sources=sources).model_dump_json())


async def test_works_are_found_and_verified_without_one_request(
    novel: NovelRepo, server: RegistryServer, connected: list[object]
) -> None:
    async with asking(novel, server, 'only = ["library"]\n') as activities:
        found = await activities.look_up(_QUESTION.model_copy(update={"library": shelf(novel)}))
        asked = VerifyReference(reference=_TIDES, library=shelf(novel))
        verified = await activities.verify_reference(asked)
        missing = await activities.verify_reference(
            asked.model_copy(update={"reference": Reference(title="An invented work on tides", year=2020)})
        )
    assert [(each.source, each.title) for each in found.answer.records] == [("library", _TIDES.title)]
    assert "47 minutes less" in found.answer.records[0].abstract
    assert (verified.verdict.status, verified.verdict.confirmed_by) == ("verified", ("library",))
    assert missing.verdict.status == "not_found"
    assert (server.requests, connected) == ([], [])


async def test_with_registries_own_works_stand_first_and_the_registries_judge(
    novel: NovelRepo, server: RegistryServer
) -> None:
    async with asking(novel, server, "") as activities:
        question = LookUp(query=Query(text="the tide and sleep of divers and DNA"), library=shelf(novel))
        found = await activities.look_up(question)
        verified = await activities.verify_reference(VerifyReference(reference=_TIDES, library=shelf(novel)))
    assert found.answer.records[0].source == "library"
    assert {each.source for each in server.requests} >= {"crossref", "openalex"}
    assert verified.verdict.status == "verified"


async def test_without_the_library_own_works_are_not_asked(novel: NovelRepo, server: RegistryServer) -> None:
    async with asking(novel, server, 'only = ["crossref"]\n') as activities:
        found = await activities.look_up(_QUESTION.model_copy(update={"library": shelf(novel)}))
    assert [each.title for each in found.answer.records if each.source == "library"] == []
    assert {each.source for each in server.requests} == {"crossref"}


async def test_a_source_without_author_or_year_is_for_a_person_to_look_at(
    novel: NovelRepo, server: RegistryServer
) -> None:
    publish_sources(
        novel, Modify(path="sources/sources.bib", content=_SHELF.replace("2019}", "}"), base=_blob(novel))
    )
    async with asking(novel, server, 'only = ["library"]\n') as activities:
        asked = VerifyReference(reference=_TIDES.model_copy(update={"year": None}), library=shelf(novel))
        verdict = (await activities.verify_reference(asked)).verdict
    assert verdict.status == "unverifiable"
    assert "sources/sources.bib lacks author or year" in verdict.reason


def _blob(repo: NovelRepo) -> str:
    return repo.git.snapshot(repo.workspace, ("sources/sources.bib",)).files["sources/sources.bib"].blob
