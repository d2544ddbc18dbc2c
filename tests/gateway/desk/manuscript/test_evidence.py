"""Whether a run gathers evidence: by what a person says, else by Novel.yml and the novel's sources."""

from pathlib import Path

import pytest

from gateway.desk.manuscript import new_novels, runs
from gateway.desk.manuscript.runs import LoopOptions
from schemas.manuscript import ManuscriptInput
from tests.support.gateway.services import StageServices


@pytest.fixture
def folder(services: StageServices, tmp_path: Path) -> Path:
    new_novels.create(services, tmp_path / "ebb", {"title": "Ebb", "author": "M. Orr"})
    return tmp_path / "ebb"


def order(
    services: StageServices, folder: Path, evidence: bool | None = None, revise: str = ""
) -> ManuscriptInput:
    found = runs.document(services, str(folder), "-")
    wanted = LoopOptions(instructions="On tides.", evidence=evidence, only_revise=revise)
    return runs.order_of(services, found, wanted)


def use(folder: Path, word: str) -> None:
    file = folder / "Novel.yml"
    file.write_text(file.read_text().replace('evidence: "when-sources"', f'evidence: "{word}"'))


def test_a_novel_with_sources_of_its_own_is_written_from_them_and_one_without_is_not(
    services: StageServices, folder: Path
) -> None:
    before = order(services, folder)
    (folder / "sources").mkdir()
    (folder / "sources" / "sources.bib").write_text("")
    only_a_list = order(services, folder)
    (folder / "sources" / "hill-1907.pdf").write_bytes(b"%PDF-1.7\n")

    assert (before.evidence, only_a_list.evidence) == (False, False)
    assert order(services, folder).evidence
    assert order(services, folder).title == "Ebb"


@pytest.mark.parametrize(
    ("word", "said", "expected"),
    [
        ("always", None, True),
        ("always", False, False),
        ("never", None, False),
        ("never", True, True),
    ],
)
def test_what_a_person_says_of_a_run_comes_before_the_settings(
    services: StageServices, folder: Path, word: str, said: bool | None, expected: bool
) -> None:
    use(folder, word)

    assert order(services, folder, said).evidence is expected


def test_one_revision_searches_nothing(services: StageServices, folder: Path) -> None:
    use(folder, "always")

    assert not order(services, folder, revise="Shorter.").evidence
