"""Files of typed text."""

import stat
from pathlib import Path

import pytest

from gateway.desk.worlds import drafts
from penwright.errors import PermanentError, UsageMistake


def test_a_draft_is_for_its_owner_alone_and_two_of_one_thing_are_two_files(tmp_path: Path) -> None:
    first = drafts.begin(tmp_path / "drafts", "character mara", "a")
    second = drafts.begin(tmp_path / "drafts", "character mara", "b")

    assert stat.S_IMODE(first.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(first.path.parent.stat().st_mode) == 0o700
    assert (first.text(), second.text()) == ("a", "b")
    assert set(drafts.left_over(tmp_path / "drafts", "character mara")) == {first.path, second.path}


def test_only_drafts_of_the_same_thing_are_left_over(tmp_path: Path) -> None:
    drafts.begin(tmp_path, "character mara-2", "x")
    drafts.begin(tmp_path, "character mara in the world harbour", "x")
    drafts.begin(tmp_path, "character mara", "x").discard()

    assert drafts.left_over(tmp_path, "character mara") == ()
    assert drafts.left_over(tmp_path / "none", "character mara") == ()


def test_a_title_of_any_characters_is_a_file_in_the_folder(tmp_path: Path) -> None:
    made = drafts.begin(tmp_path, "entry ../../1 of " + "x" * 300, "text")

    assert made.path.parent == tmp_path
    assert made.text() == "text"


def test_a_file_that_is_no_text_or_gone_is_named(tmp_path: Path) -> None:
    made = drafts.begin(tmp_path, "world harbour", "text")
    made.path.write_bytes(b"\xff")
    with pytest.raises(UsageMistake, match="not UTF-8"):
        made.text()
    made.discard()
    with pytest.raises(PermanentError, match="is gone"):
        made.text()
