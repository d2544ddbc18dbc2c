"""The length that instructions ask of a text is read by code, and a text far from it is told."""

import pytest

from penwright.domain.manuscript.wanted_length import is_off, wanted_length


@pytest.mark.parametrize(
    ("instructions", "least", "most"),
    [
        ("An essay on tide mills of about 900 words.", 540, 1800),
        ("A 1,200-word review of tide tables.", 720, 2400),
        ("Write 800 to 1,000 words on ebb.", 480, 2000),
        ("Between 2 000 and 2 500 words, please.", 1200, 5000),
        ("At most 500 words on flow.", 0, 550),
        ("At least 3000 words on flow.", 2700, None),
        ("Ein Aufsatz von etwa 700 Wörtern über Mühlen.", 420, 1400),
        ("About 900 words, with an abstract of 100 words.", 540, None),
        ("An essay of 900 words, sections of 200 words each.", 540, 1800),
    ],
)
def test_a_length_is_read_as_people_write_it(instructions: str, least: int, most: int | None) -> None:
    wanted = wanted_length(instructions)

    assert wanted is not None
    assert (wanted.least, wanted.most) == (least, most)


@pytest.mark.parametrize(
    "instructions",
    [
        "Write about tides.",
        "Sections of 200 words each.",
        "On the 1,200 mills of 1850.",
        "In other words: be brief.",
    ],
)
def test_instructions_without_a_length_of_the_text_ask_for_none(instructions: str) -> None:
    assert wanted_length(instructions) is None


def test_a_text_of_112_words_is_no_essay_of_900() -> None:
    wanted = wanted_length("About 900 words on why findings fail to replicate.")

    assert wanted is not None
    assert is_off(112, wanted)
    assert not is_off(716, wanted)
    assert is_off(1_900, wanted)
