"""An agent's change to a real workspace: what it must have read and declared."""

from pathlib import Path
from typing import Any

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.baseline import shown
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.trace.layout import LEDGER, MAP
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.intents import IntentPin
from schemas.trace import MutationClass
from schemas.workspace import Contributor, Modify, Published, ReadBaseline, TextFile
from tests.support.books.desks import Desk
from tests.support.books.repos import plan_of

PATH = "Chapters/three.md"
OWNED = f'active_intents:\n  - id: INT-003\n    status: IN_PROGRESS\n    owned_scope: ["{PATH}"]\n'
CHAPTER = (
    "# Chapter 3\n\n" + "\n\n".join(f"The boat number {n} lay in the harbour." for n in range(200)) + "\n"
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, gate=IntentGate(BOOK_PROFILE), recorder=LedgerRecorder("test", BOOK_PROFILE))
    made.commit(REGISTRY, OWNED)
    made.commit(PATH, CHAPTER)
    return made


def file(desk: Desk, path: str = PATH) -> TextFile:
    return desk.port.snapshot(desk.workspace, [path]).files[path]


def read(desk: Desk, first: int = 1, last: int | None = None) -> ReadBaseline:
    """An agent reads some lines of the chapter."""
    found = file(desk)
    return shown(PATH, found.blob, found.text, first=first, last=last)


# Any: fields of a plan.
def edit(desk: Desk, text: str, *seen: ReadBaseline, **more: Any) -> Published:
    """An agent overwrites the chapter."""
    intent = read_registry(OWNED.encode()).find("INT-003")
    assert intent is not None
    plan = plan_of(desk.workspace, Modify(path=PATH, content=text, base=file(desk).blob)).model_copy(
        update={
            "contributor": Contributor.MODEL,
            "tool": "write_to_file",
            "pin": IntentPin(intent_id=intent.id, digest=intent.digest),
            "seen": seen,
            "mutation": MutationClass.INTENT_EVOLUTION,
            **more,
        }
    )
    return desk.port.publish(plan, desk.effect())


def code(published: Published) -> str:
    return published.denial.error_code if published.denial else published.outcome


def test_unseen_text_is_not_overwritten_and_reading_it_helps(desk: Desk) -> None:
    before = desk.port.snapshot(desk.workspace, []).tip

    assert code(edit(desk, "All new.\n")) == "BASELINE_REQUIRED"
    assert code(edit(desk, "All new.\n", read(desk, 1, 50))) == "BASELINE_REQUIRED"
    assert desk.port.snapshot(desk.workspace, []).tip == before
    assert desk.lying(PATH) == CHAPTER

    assert code(edit(desk, "All new.\n", read(desk, 1, 50), read(desk, 51, 402))) == "published"


def test_replacing_a_block_changed_since_it_was_read_is_stale(desk: Desk) -> None:
    old = file(desk).blob
    seen = read(desk, 1, 50)
    theirs = CHAPTER.replace("boat number 7 lay", "ship of the king sailed out at night and never lay")
    desk.commit(PATH, theirs)
    mine = theirs.replace("The ship of the king sailed out at night and never lay in the harbour.", "Mine.")

    stale = edit(desk, mine, seen)

    assert code(stale) == "STALE_FILE"
    assert stale.denial is not None
    assert (stale.denial.details["expected"], stale.denial.details["actual"]) == (old, file(desk).blob)
    assert "ship of the king" in stale.denial.details["blocks"]
    assert code(edit(desk, mine, read(desk, 1, 50))) == "published"


def test_a_new_character_is_no_other_form_of_the_same(desk: Desk) -> None:
    whole = read(desk)
    text = f"{CHAPTER}\nThen Captain Ahab came aboard.\n"

    understated = edit(desk, text, whole, mutation=MutationClass.AST_REFACTOR)

    assert code(understated) == "MUTATION_CLASS_UNDERSTATED"
    assert understated.denial is not None
    assert "Captain Ahab" in understated.denial.details["reasons"]
    assert LEDGER not in desk.port.snapshot(desk.workspace, [LEDGER]).files

    published = edit(desk, text, whole)

    assert published.trailers["Mutation-Class"] == "INTENT_EVOLUTION"
    rows = [line for line in file(desk, MAP).text.splitlines() if PATH in line]
    assert [row.split(" | ")[1:3] for row in rows[:1]] == [["Chapter 3", "1"]]
    assert rows[1] == f"| {PATH} | Chapter 3 | INT-003 |"


def test_an_agent_may_tighten_a_line_without_calling_it_more(desk: Desk) -> None:
    whole = read(desk)
    text = CHAPTER.replace("boat number 7 lay", "boat number 7 still lay")

    assert code(edit(desk, text, whole, mutation=MutationClass.AST_REFACTOR)) == "published"
