"""Novels that were moved or forgotten, and commands for books that are given a novel."""

from pathlib import Path

import pytest

from schemas.base import Progress
from tests.support.each import for_each
from tests.support.gateway.services import Run, StageServices


def registered(services: StageServices) -> dict[str, str]:
    """Path by id of every registered novel."""
    return {row.book_id: row.path for row in services.store.records.books("novel")}


@pytest.fixture
def name(novel: Path, services: StageServices) -> str:
    """The novel's id."""
    (found,) = registered(services)
    return found


def test_a_moved_novel_is_found_at_its_new_folder(
    run: Run, novel: Path, name: str, services: StageServices
) -> None:
    place = novel.rename(novel.with_name("shelf"))

    code, out, err = run("manuscript", "move", name, str(place))

    assert (code, err) == (0, "")
    assert out == f"{name} is at {place} now.\n"
    assert registered(services) == {name: str(place)}
    assert run("manuscript", "list", name)[0] == 0


def test_a_novel_is_not_registered_where_another_one_lies(
    run: Run, novel: Path, name: str, tmp_path: Path, services: StageServices
) -> None:
    other = tmp_path / "other"
    run("manuscript", "new", str(other), "--title", "Other", "--author", "B. Lee")

    code, _, err = run("manuscript", "move", name, str(other))

    assert code == 3
    assert err.startswith("error[another-novel]")
    assert registered(services)[name] == str(novel)


def test_a_forgotten_novel_is_listed_no_more_and_its_folder_stays(
    run: Run, novel: Path, name: str, services: StageServices
) -> None:
    assert run("manuscript", "forget", name)[0] == 0

    assert registered(services) == {}
    assert (novel / "Novel.yml").exists()


@pytest.mark.parametrize("kind", ["manuscript", "cite"])
def test_a_novel_that_is_at_work_is_neither_moved_nor_forgotten(
    kind: str, run: Run, novel: Path, name: str, services: StageServices
) -> None:
    at_work = services.manuscript_runs if kind == "manuscript" else services.scans
    at_work.at_work[f"{name}/-"] = Progress(pipeline=kind, subject=f"{name}/-", stage="open")

    code, _, err = run("manuscript", "forget", name)

    assert code == 3
    assert err.startswith("error[already-running]")
    assert f"penwright {kind} kill {name}" in err
    assert run("manuscript", "move", name, str(novel))[0] == 3
    assert registered(services) == {name: str(novel)}


def test_an_unknown_novel_cannot_be_forgotten(run: Run) -> None:
    code, _, err = run("manuscript", "forget", "nothing-here")

    assert code == 1
    assert err.startswith("error[unknown-novel]")


@for_each("verb", [("session",), ("status",), ("kill",), ("forget",), ("move", ".")])
def test_a_command_for_books_says_that_it_was_given_a_novel_and_names_the_right_ones(
    verb: tuple[str, ...], run: Run, name: str
) -> None:
    code, _, err = run("book", verb[0], name, *verb[1:])

    assert code == 2
    assert err.startswith("error[is-a-novel]")
    assert "penwright manuscript " in err
