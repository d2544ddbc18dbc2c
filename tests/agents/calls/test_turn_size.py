"""How much of a model's turn a history carries."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.agents.calls.checking import LONGEST_ARGUMENTS
from penwright.agents.calls.turn_size import MOST_CALLS, fitted_calls, history_part, is_long_text
from schemas.agent import ToolCall

some_calls = st.lists(
    st.builds(
        ToolCall,
        id=st.text(max_size=300),
        name=st.text(max_size=300),
        arguments=st.just("a") | st.just("b" * 30_000),
    ),
    max_size=100,
)


@given(some_calls)
def test_fitted_calls_stay_within_limits_and_in_order(made: list[ToolCall]) -> None:
    kept, cut = fitted_calls(made)
    assert len(kept) == min(len(made), MOST_CALLS)
    assert sum(len(call.arguments) for call in kept) <= LONGEST_ARGUMENTS
    for position, call in enumerate(kept):
        assert made[position].name.startswith(call.name)
        assert call.arguments == ("" if position in cut else made[position].arguments)


def test_arguments_that_fit_are_carried_as_they_are() -> None:
    made = (ToolCall(id="1", name="a", arguments="{}"), ToolCall(id="1", name="b", arguments="not json"))
    assert fitted_calls(made) == (made, ())


def test_six_megabytes_of_text_are_carried_by_their_beginning() -> None:
    assert is_long_text("ü" * 3_000_000)
    assert len(history_part("ü" * 3_000_000).encode()) < 20_000
    assert not is_long_text("a short answer")
