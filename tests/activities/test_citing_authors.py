"""A citation leaves the authorship of its sentence as it was."""

from pathlib import Path

import pytest

from penwright.domain.manuscript.layout import scene_path
from penwright.domain.trace.reports.blame import blame
from penwright.domain.trace.reports.disclosure import disclose
from tests.support.books.repos import git, write
from tests.support.manuscripts.novel_repo import NovelRepo, replace

IMPORTED = "The tide turns twice a day on this coast, as the pilots have always known."
SAVED = "My grandfather wrote down each of its turns in a book that nobody has read since."
WRITTEN = "Records of this kind are rare, and most of those that exist have never been printed."
BY_HAND = "She wrote this one herself in her own editor, and committed it without any help."
MARK = (
    " [[@article{orr2019tide, title = {Tides of the northern coast and their long records}, year = {2019}}]]."
)


def authors(novel: NovelRepo) -> tuple[list[object], str]:
    """What blame says of each paragraph, and the disclosure."""
    path = scene_path(novel.scene)
    with novel.git.trace(novel.workspace) as source:
        said: list[object] = []
        for each in blame(source, path).blocks:
            written = each.attributed.written
            said.append((written.author.entity_type if written else "", each.names))
        return said, disclose(source, path).statement


@pytest.mark.parametrize("back", ["undo", "save"])
@pytest.mark.parametrize(
    ("declared", "right"), [("human", "HUMAN"), ("model", "AI"), ("mixed", "MIXED"), ("unknown", "UNKNOWN")]
)
def test_blame_and_disclosure_are_the_same_after_citations_and_without_them_again(
    tmp_path: Path, declared: str, right: str, back: str
) -> None:
    novel = NovelRepo(tmp_path / "tides")
    write(novel.folder, {scene_path("-"): f"# Tides\n\n{IMPORTED}\n"})
    git(novel.folder, "add", ".")
    git(novel.folder, "commit", "-q", "-m", f"Import\n\nPenwright-Authorship: {declared}")
    novel.save(f"{novel.committed}\n\n{SAVED}\n")
    wrote = novel.apply(novel.committed + "\n", replace(SAVED, f"{SAVED}\n\n{WRITTEN}"))
    assert wrote.outcome == "applied", wrote
    write(novel.folder, {scene_path("-"): f"{novel.committed}\n\n{BY_HAND}\n"})
    git(novel.folder, "commit", "-q", "-am", "Write on")
    before, text = authors(novel), novel.committed
    ada = ("HUMAN", ("Ada Author",))
    assert before[0] == [(right, ()), (right, ()), ada, ("AI", ("scripted/one",)), ada]

    cited = [replace(each, each[:-1] + MARK) for each in (IMPORTED, SAVED, WRITTEN, BY_HAND)]
    done = novel.apply(text + "\n", *cited, step="cite", keep_citations=False, model="")

    assert done.outcome == "applied"
    assert authors(novel) == before
    assert (novel.undo() if back == "undo" else novel.save(f"{text}\n")).outcome in ("restored", "saved")
    assert novel.committed == text
    assert authors(novel) == before
    assert git(novel.folder, "log", "-1", "--format=%an") == "Ada Author"
