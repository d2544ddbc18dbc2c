"""A number with its noun."""

from penwright.domain.text.counted import counted


def test_one_thing_is_not_called_by_the_plural() -> None:
    assert counted(1, "chapter") == "1 chapter"
    assert counted(0, "chapter") == "0 chapters"
    assert counted(1_200, "word") == "1,200 words"
    assert counted(2, "reply", "replies") == "2 replies"
