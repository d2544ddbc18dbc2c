"""Why a commit is there, for every kind of commit."""

from pathlib import Path

import pytest

from penwright.adapters.scaffold.creation import lay_out_workspace
from penwright.domain.intents.registry import FIRST, REGISTRY
from penwright.domain.trace.reports.why import Why, why
from penwright.errors import NotFound
from schemas.workspace import Contributor
from tests.support.books.repos import git
from tests.support.ledgers.scribes import (
    BOOK,
    Scribes,
    paragraphs,
    scribes_at,
    scribes_in,
)


@pytest.fixture
def scribes(tmp_path: Path) -> Scribes:
    return scribes_in(tmp_path)


def told(scribes: Scribes, sha: str = "") -> Why:
    with scribes.source() as source:
        return why(source, sha or source.tip)


def test_a_models_commit_is_explained_by_its_intent_and_its_blocks(scribes: Scribes) -> None:
    scribes.by_hand(REGISTRY, FIRST)
    scribes.by_hand("Review/current.md", paragraphs("# One", "Hers."))
    scribes.person({"Review/current.md": paragraphs("# One", "Hers.", "A paragraph that will go.")})
    commit = scribes.model({"Review/current.md": paragraphs("# One", "Hers.", "Quite another thing.")})

    found = told(scribes, commit)

    assert found.kind == "recorded"
    assert found.intent is not None
    assert (found.intent.id, found.intent.name) == ("INT-001", "Write the book")
    (record,) = found.records
    assert record.intent is not None
    assert record.intent.matched == ("Review/current.md",)
    assert [(each.change, each.line, each.text) for each in found.blocks] == [
        ("added", 5, "Quite another thing."),
        ("removed", None, ""),
    ]
    assert found.blocks[0].node.heading == ("One",)
    assert found.blocks[1].author is not None
    assert found.blocks[1].author.entity_type == "HUMAN"


def test_a_shortened_commit_id_will_do(scribes: Scribes) -> None:
    commit = scribes.model({BOOK: paragraphs("New.")})
    assert told(scribes, commit[:10]).commit.sha == commit


def test_a_commit_by_hand_lists_its_unrecorded_files(scribes: Scribes) -> None:
    scribes.by_hand(BOOK, "Mine.\n")
    found = told(scribes)
    assert (found.kind, found.untold, found.records) == ("by-hand", (BOOK,), ())


def test_a_persons_saved_edits_are_recorded_without_an_intent(scribes: Scribes) -> None:
    scribes.person({BOOK: paragraphs("Mine.")})
    found = told(scribes)
    assert (found.kind, found.intent, len(found.records)) == ("recorded", None, 1)


def test_bookkeeping_is_called_that(scribes: Scribes) -> None:
    commit = scribes.engine({".ink-running": "{}"})
    assert told(scribes, commit).kind == "engine"


def test_a_change_of_intents_is_no_persons_own_commit(scribes: Scribes) -> None:
    commit = scribes.by_command({REGISTRY: FIRST})
    assert told(scribes, commit).kind == "engine"


def test_the_layout_of_a_new_book_needs_no_record(tmp_path: Path) -> None:
    files = {BOOK: "Once.\n", "Config.yml": "title: Tide\n"}
    lay_out_workspace(tmp_path / "book", files, message="Lay out", contributor=Contributor.ENGINE, keep=False)
    assert told(scribes_at(tmp_path / "book")).kind == "engine"


def test_a_long_block_is_shown_by_how_it_begins(scribes: Scribes) -> None:
    commit = scribes.model({BOOK: paragraphs("word " * 100)})
    (added, *_) = told(scribes, commit).blocks
    assert added.text.endswith("…")
    assert len(added.text) <= 90


def test_records_are_found_where_a_squash_lost_the_trailers(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    folder = tmp_path / "book"
    before = git(folder, "rev-parse", "HEAD")
    scribes.model({BOOK: paragraphs("One by a machine.")})
    scribes.model({BOOK: paragraphs("One by a machine.", "Two by a machine.")})
    git(folder, "reset", "-q", "--soft", before)
    git(folder, "commit", "-q", "-m", "Squash")

    assert [len(record.files) for record in told(scribes).records] == [1, 1]


def test_an_unknown_commit_is_said_to_be_one(scribes: Scribes) -> None:
    with pytest.raises(NotFound, match="no commit of this book"):
        told(scribes, "f" * 40)


def test_digits_that_fit_several_commits_are_not_enough(scribes: Scribes) -> None:
    for number in range(20):
        scribes.by_hand(BOOK, f"{number}\n")
    with scribes.source() as source:
        first = [commit.sha[0] for commit in source.commits()]
        twice = next(digit for digit in first if first.count(digit) > 1)
        with pytest.raises(NotFound, match="more of its digits"):
            why(source, twice)
