"""Files that a call writes are a plan, and nothing else."""

from contextlib import suppress

import pytest

from penwright.agents.files.filesystem import TreeFiles
from penwright.agents.tools.drafting import DraftFiles
from penwright.errors import NotFound, Refused, UsageMistake
from schemas.trace import MutationClass
from schemas.workspace import Create, Delete, Modify
from tests.support.agents.memory_files import MemoryTree


def drafts(**files: str) -> tuple[DraftFiles, TreeFiles]:
    tree = TreeFiles(MemoryTree({path: text.encode() for path, text in files.items()}))
    return DraftFiles(tree), tree


def test_what_is_written_is_read_back_and_nothing_has_changed() -> None:
    draft, tree = drafts(a="old")

    draft.write("a", b"new")

    assert (draft.read("a"), tree.read("a")) == (b"new", b"old")


def test_a_plan_is_the_difference() -> None:
    draft, tree = drafts(a="old", b="gone", c="same", d="moved")
    bases = {path: tree.digest(path) for path in "abcd"}

    draft.write("a", b"new")
    draft.delete("b")
    draft.write("c", b"same")
    draft.rename("d", "e")
    plan = draft.plan(MutationClass.INTENT_EVOLUTION)

    assert plan is not None
    assert plan.operations == (
        Modify(path="a", content="new", base=bases["a"]),
        Delete(path="b", base=bases["b"]),
        Delete(path="d", base=bases["d"]),
        Create(path="e", content="moved"),
    )


def test_without_a_difference_there_is_no_plan() -> None:
    draft, _ = drafts(a="old")

    draft.write("new", b"text")
    draft.delete("new")
    draft.write("a", b"old")

    assert draft.plan(MutationClass.AST_REFACTOR) is None


def test_a_stream_of_bytes_is_the_file_once_it_ends() -> None:
    draft, _ = drafts(a="One.")

    with draft.writing("a", append=True) as stream:
        stream.write("«Zw".encode())
        stream.write("ei»".encode())
        assert draft.read("a") == b"One."

    assert draft.read("a").decode() == "One.«Zwei»"


def test_a_stream_that_breaks_off_changes_nothing() -> None:
    draft, _ = drafts(a="One.")

    with suppress(OSError), draft.writing("a") as stream:
        stream.write(b"Half")
        raise OSError("the disk is full")

    assert draft.plan(MutationClass.INTENT_EVOLUTION) is None


@pytest.mark.parametrize("content", [b"\xff", b"a\0b"])
def test_what_is_no_text_is_refused(content: bytes) -> None:
    draft, _ = drafts()

    with pytest.raises(Refused) as found:
        draft.write("a", content)

    assert found.value.code == "not-text"


def test_bad_paths_and_missing_files_are_named() -> None:
    draft, _ = drafts(a="old")
    draft.delete("a")

    with pytest.raises(UsageMistake):
        draft.write("../a", b"")
    for path in ("a", "nowhere"):
        with pytest.raises(NotFound) as found:
            draft.read(path)
        assert found.value.code == "no-such-file"
