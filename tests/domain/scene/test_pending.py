"""Things that a prompt lacked, as people read it."""

from penwright.domain.scene.memory.pending import pending
from penwright.domain.scene.numbering import Numbering
from schemas.envelope import Envelope, PromptMessage, TokenBudget
from schemas.scene import Take, Takes

BUDGET = TokenBudget(context=1, answer=1, fixed=1, counter="words")


def shown(*numbers: int) -> Envelope:
    lines = tuple(PromptMessage(id=f"harbour/{each}", name="Ann", text="Yes.", round=9) for each in numbers)
    return Envelope(request_type="user", scene="harbour", round=9, history=lines, budget=BUDGET)


def test_messages_that_neither_history_nor_summary_has_are_named_with_the_rounds_without_memories() -> None:
    known = Numbering(Takes(rounds=9, aside=(Take(id=4, follows=3, hidden=True),), hidden_messages=(7, 8)))

    told = pending(shown(11, 12), (5, 6, 9, 10, 13), (3, 5), known)

    assert told == ("memories of rounds 3 to 4 were not made yet", "messages 5 to 8 stood in no summary yet")


def test_a_prompt_that_lacks_nothing_says_nothing() -> None:
    known = Numbering(Takes(rounds=9))

    assert pending(shown(5, 6), (5, 6), (), known) == ()
    assert pending(shown(), (), (), known) == ()
    assert pending(shown(6), (5, 6), (9,), known) == (
        "memories of round 9 were not made yet",
        "message 5 stood in no summary yet",
    )
