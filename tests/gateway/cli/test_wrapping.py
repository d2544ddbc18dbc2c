"""Lines are never wider than the terminal, whatever the script, and lose no letter."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.cli.tables import display_width
from gateway.cli.wrapping import wrap, wrapped


@given(st.text(alphabet="ab 灯が消えたé—", max_size=200), st.integers(10, 80), st.sampled_from(["", "   "]))
def test_no_line_is_too_wide_and_no_letter_is_lost(text: str, width: int, indent: str) -> None:
    lines = wrap(text, width, first=indent, rest=indent)

    assert all(display_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_words_stay_whole_where_they_fit_and_later_lines_are_indented() -> None:
    assert wrap("Who lit the lamp on the jetty?", 16, first="Ann: ", rest="     ") == [
        "Ann: Who lit the",
        "     lamp on the",
        "     jetty?",
    ]


def test_a_name_that_fills_the_line_is_wrapped_with_its_text() -> None:
    lines = wrapped("夜" * 60 + ": ", "mood wary")

    assert max(map(display_width, lines)) <= 80
    assert "".join("".join(lines).split()).startswith("夜" * 60)
    assert lines[-1].endswith("mood wary")


def test_a_command_in_a_message_stays_on_one_line() -> None:
    command = "`penwright scene approve 'The Lamp on the Jetty' --round 3 --guidance 'be brief'`"

    lines = wrapped("   ", f"the plan for round three waits for you; answer it with {command}, or stop", 40)

    assert sum(command in line for line in lines) == 1
    assert all(display_width(line) <= 40 for line in lines if "`" not in line)
