"""A reply that repeats a message or speaks for the persona is asked for once more; the better one counts."""

from penwright.agents.loop.run import Run
from penwright.roles.scene import role_call
from schemas.director_round import SceneRole
from schemas.envelope import PromptMessage
from schemas.model import ModelRequest
from tests.support.agents.role_desk import CUT, Replying
from tests.support.each import for_each
from tests.support.scenes.role_desk import SceneDesk

BEFORE = (
    "Ann sets the ledger down, presses two fingers to the page and reads the column of dates again, slowly, "
    "as if the ink could change its mind while she looks at it."
)
SAID = (
    PromptMessage(id="quay/1", name="Ann", text=BEFORE, round=1),
    PromptMessage(id="quay/2", name="Mira", text="Well?", round=2),
)
TWICE = f"{BEFORE}\n\n“I was at the pier,” Mira says."
ONCE = "“I was at the pier,” Mira says, and Ann looks up."
NEW = "“Ask the keeper,” Ann says."


async def said(*texts: str, role: SceneRole = "character") -> tuple[str, Run, list[ModelRequest]]:
    """What counts of the replies of a model, its run, and what the model was asked."""
    model = Replying(list(texts))
    desk = SceneDesk(model, said=SAID)
    run = await desk.run(desk.call(role))
    text, _ = role_call.reply_of(run)
    return desk.store.blobs.get(text).decode(), run, model.requests


async def test_a_reply_without_a_fault_is_taken_at_once() -> None:
    text, run, requests = await said(NEW)

    assert (text, role_call.note_of(run), len(requests)) == (NEW, "", 1)


@for_each("role", ["character", "narrator"])
async def test_a_reply_with_a_fault_is_asked_for_once_more_and_told_why(role: SceneRole) -> None:
    text, run, requests = await said(TWICE, NEW, role=role)

    asked = requests[1].messages[-1].content
    assert "This repeats an earlier passage: “Ann sets the ledger down" in asked
    assert "This speaks for the one whom the user plays: “" in asked
    assert (text, role_call.note_of(run), len(requests)) == (NEW, "", 2)


async def test_the_reply_with_fewer_faults_counts_and_what_is_left_is_noted() -> None:
    text, run, requests = await said(TWICE, ONCE)

    assert (text, len(requests)) == (ONCE, 2)
    assert role_call.note_of(run).count("This ") == 1
    assert "“I was at the pier,” Mira says" in role_call.note_of(run)


@for_each("second", [TWICE, ONCE, CUT + NEW, "", '{"error": "overloaded"}'])
async def test_a_second_reply_that_is_not_better_leaves_the_first_and_is_the_last(second: str) -> None:
    text, run, requests = await said(ONCE, second)

    assert (text, len(requests)) == (ONCE, 2)
    assert role_call.note_of(run).startswith("This speaks for")


async def test_a_reply_that_had_to_be_repaired_is_asked_for_once_more_too() -> None:
    text, _, requests = await said("", TWICE, NEW)

    assert (text, len(requests)) == (NEW, 3)
