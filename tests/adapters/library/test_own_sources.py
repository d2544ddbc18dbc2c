"""Sources in a novel's repository: read once, found by a question, known as works."""

from pathlib import Path

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.adapters.embeddings.no_embeddings import NoEmbeddings
from penwright.adapters.library import OwnSources, SourceReader
from schemas.base import Effect, OpId
from schemas.library import ReadSource
from schemas.scholarly import Author, Reference
from schemas.workspace import Contributor, Create, Delete, MutationPlan, Place, Workspace
from tests.support.books.repos import START, git
from tests.support.doubles.passages import MemoryPassages
from tests.support.library import TIDES, paper_pdf, publish_sources
from tests.support.manuscripts.novel_repo import NovelRepo

_SHELF = """\
@article{marsh2019tides,
  author = {Marsh, Ann and Li, Bo},
  title = {Tides and the sleep of divers},
  journal = {Journal of Tides},
  year = {2019},
  doi = {10.5555/tides.7},
  file = {tides.pdf}
}
"""


class _Counting(SourceReader):
    """Notes the names of what it reads."""

    def read(self, name: str, content: bytes) -> ReadSource:
        READ.append(name)
        return super().read(name, content)


READ: list[str] = []


@pytest.fixture(scope="module")
def tides() -> bytes:
    return paper_pdf(TIDES)


@pytest.fixture
def novel(tmp_path: Path, tides: bytes) -> NovelRepo:
    READ.clear()
    repo = NovelRepo(tmp_path / "novel", {"-": "# Tides\n"})
    publish_sources(
        repo,
        Place(path="sources/tides.pdf", content=tides),
        Place(path="sources/lamps.md", content=b"# Lamps\n\nOil was dear on the rock.\n"),
        Place(path="sources/broken.pdf", content=b"%PDF-1.4 \xff\xfe nothing"),
        Create(path="sources/sources.bib", content=_SHELF),
    )
    return repo


def library(repo: NovelRepo, index: MemoryPassages) -> OwnSources:
    return OwnSources(repo.git, index, _Counting(PandocDocuments()), NoEmbeddings().embed, "")


def test_files_are_committed_as_they_are_and_listed_with_their_works(novel: NovelRepo, tides: bytes) -> None:
    assert (novel.folder / "sources/tides.pdf").read_bytes() == tides
    assert git(novel.folder, "status", "--porcelain") == ""
    found = library(novel, MemoryPassages()).sources(novel.workspace)
    assert [(each.name, each.key) for each in found] == [
        ("broken.pdf", ""),
        ("lamps.md", ""),
        ("tides.pdf", "marsh2019tides"),
    ]
    record = found[2].record
    assert record is not None
    assert (record.source, record.doi, record.year) == ("library", "10.5555/tides.7", 2019)
    assert READ == []


def test_a_question_is_answered_with_passages_pages_and_records(novel: NovelRepo) -> None:
    found = library(novel, MemoryPassages()).search(
        novel.workspace, "how divers slept before spring tides", 3
    )
    assert (found[0].source, found[0].section) == ("tides.pdf", "Results")
    assert "47 minutes less" in found[0].text
    assert found[0].page is not None
    assert found[0].record is not None
    assert found[0].record.container == "Journal of Tides"


def test_a_file_is_read_once_for_all_clones_and_anew_when_the_index_lost_it(
    novel: NovelRepo, tmp_path: Path
) -> None:
    index = MemoryPassages()
    first = library(novel, index)
    first.search(novel.workspace, "oil", 1)
    first.search(novel.workspace, "lamps", 1)
    assert sorted(READ) == ["broken.pdf", "lamps.md", "tides.pdf"]
    git(tmp_path, "clone", "-q", str(novel.folder), "clone")
    clone = Workspace(path=str(tmp_path / "clone"))
    READ.clear()
    assert library(novel, index).search(clone, "dear on the rock", 1)[0].text.startswith("Oil was")
    assert READ == ["broken.pdf"]
    index.texts.clear()
    assert library(novel, index).search(clone, "dear on the rock", 1)


def test_a_work_is_found_by_doi_or_title_and_no_other_is_taken_for_it(novel: NovelRepo) -> None:
    own = library(novel, MemoryPassages())
    named = own.passages_of(novel.workspace, Reference(doi="10.5555/tides.7"))
    titled = Reference(title="Tides and the Sleep of Divers", authors=(Author(family="Marsh"),), year=2019)
    assert named == own.passages_of(novel.workspace, titled) != ()
    assert [each.number for each in named] == list(range(1, len(named) + 1))
    assert any(each.is_reference_list for each in named)
    for other in (
        Reference(doi="10.5555/tides.8", title="Tides and the sleep of divers"),
        Reference(title="Tides and the sleep of divers", authors=(Author(family="Novak"),), year=2019),
        Reference(title="Sleep under stars"),
        Reference(),
    ):
        assert own.passages_of(novel.workspace, other) == ()


def test_a_removed_source_is_found_no_more_and_can_be_put_back(novel: NovelRepo, tides: bytes) -> None:
    own = library(novel, MemoryPassages())
    blob = next(each.blob for each in own.sources(novel.workspace) if each.name == "tides.pdf")
    publish_sources(novel, Delete(path="sources/tides.pdf", base=blob))
    assert own.search(novel.workspace, "how divers slept before spring tides", 1) == ()
    publish_sources(novel, Place(path="sources/tides.pdf", blob=blob))
    assert (novel.folder / "sources/tides.pdf").read_bytes() == tides
    assert own.search(novel.workspace, "how divers slept before spring tides", 1)[0].source == "tides.pdf"


def test_no_agent_writes_into_sources(novel: NovelRepo) -> None:
    plan = MutationPlan(
        workspace=novel.workspace,
        message="x",
        contributor=Contributor.MODEL,
        operations=(Create(path="sources/made-up.md", content="x"),),
        tool="write_to_file",
    )
    published = novel.git.publish(plan, Effect(op_id=OpId("agent"), issued_at=START))
    assert published.outcome == "denied"
    stray = plan.model_copy(
        update={"tool": "sources.edit", "operations": (Create(path="a.md", content="x"),)}
    )
    denied = novel.git.publish(stray, Effect(op_id=OpId("stray"), issued_at=START)).denial
    assert denied is not None
    assert denied.error_code == "SCOPE_VIOLATION"
