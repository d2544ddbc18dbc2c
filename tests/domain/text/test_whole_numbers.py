"""Numbers as people and programs write them."""

from penwright.domain.text.whole_numbers import whole_number
from tests.support.each import for_each


@for_each(
    "text, number",
    [("0", 0), ("007", 7), ("1000000000", 10**9), ("1000000001", None), ("9" * 5000, None)]
    + [(text, None) for text in ("", " 3", "+3", "-3", "1_000", "3.0", "٣", "３", "²")],
)
def test_a_whole_number_is_written_in_the_figures_0_to_9(text: str, number: int | None) -> None:
    assert whole_number(text) == number
