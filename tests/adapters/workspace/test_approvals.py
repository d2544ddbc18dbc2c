"""A person's yes at a real workspace: it publishes the plan it was given for, and no other."""

from pathlib import Path

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.intents import Approval, ApprovalNeed, IntentPin
from schemas.workspace import Contributor, Modify, Published
from tests.support.books.desks import Desk
from tests.support.books.repos import plan_of

OWNED = 'active_intents:\n  - id: INT-003\n    status: IN_PROGRESS\n    owned_scope: ["Book.md"]\n'
OUTSIDE = "notes.md"
OP = "book/b#s:2"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, gate=IntentGate(BOOK_PROFILE), recorder=LedgerRecorder("test", BOOK_PROFILE))
    made.commit(REGISTRY, OWNED)
    return made


def close(
    desk: Desk, *, approval: Approval | None = None, op_id: str = OP, text: str = "Four.\n"
) -> Published:
    """A close that writes where its intent may not."""
    intent = read_registry(OWNED.encode()).find("INT-003")
    assert intent is not None
    file = desk.port.snapshot(desk.workspace, [OUTSIDE]).files[OUTSIDE]
    plan = plan_of(desk.workspace, Modify(path=OUTSIDE, content=text, base=file.blob)).model_copy(
        update={
            "contributor": Contributor.MODEL,
            "tool": "book.close",
            "pin": IntentPin(intent_id=intent.id, digest=intent.digest),
            "approval": approval,
        }
    )
    return desk.port.publish(plan, desk.effect(op_id))


def needed(published: Published) -> ApprovalNeed:
    assert published.denial is not None
    assert published.denial.asks is not None
    return published.denial.asks


def a_yes(need: ApprovalNeed) -> Approval:
    return Approval(id="AP-1", plan_digest=need.plan_digest, codes=need.codes, by="ada")


def text_of(desk: Desk) -> str:
    return desk.port.snapshot(desk.workspace, [OUTSIDE]).files[OUTSIDE].text


def test_an_approval_request_leaves_the_workspace_unchanged(desk: Desk) -> None:
    before = desk.port.snapshot(desk.workspace, []).tip

    first, again = needed(close(desk)), needed(close(desk))

    assert first == again
    assert (first.codes, first.paths) == (("SCOPE_VIOLATION",), (OUTSIDE,))
    assert desk.port.snapshot(desk.workspace, []).tip == before


def test_the_approved_plan_is_published_once(desk: Desk) -> None:
    yes = a_yes(needed(close(desk)))

    published = close(desk, approval=yes)
    again = close(desk, approval=yes)

    assert published.outcome == "published"
    assert text_of(desk) == "Four.\n"
    assert (again.commit, again.repeated) == (published.commit, True)


def test_the_next_plan_of_the_kind_needs_its_own_approval(desk: Desk) -> None:
    yes = a_yes(needed(close(desk)))
    close(desk, approval=yes)

    denied = close(desk, approval=yes, op_id="book/b#t:2", text="Five.\n")

    assert denied.denial is not None
    assert denied.denial.error_code == "APPROVAL_MISMATCH"
    assert needed(denied).plan_digest != yes.plan_digest
    assert text_of(desk) == "Four.\n"


def test_a_file_that_a_person_changed_meanwhile_makes_another_plan(desk: Desk) -> None:
    yes = a_yes(needed(close(desk)))
    desk.commit(OUTSIDE, "One.\n\nTwo.\n\nThree, amended.\n")

    denied = close(desk, approval=yes)

    assert denied.denial is not None
    assert denied.denial.error_code == "APPROVAL_MISMATCH"
    assert "amended" in text_of(desk)


def test_an_approval_survives_a_change_of_another_file(desk: Desk) -> None:
    yes = a_yes(needed(close(desk)))
    desk.commit("Book.md", "Once, twice.\n")

    assert close(desk, approval=yes).outcome == "published"
