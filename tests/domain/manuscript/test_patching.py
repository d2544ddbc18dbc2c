"""A model's operations on a text that people change meanwhile: where they look, and when they meet."""

from penwright.domain.manuscript.patching import patched_scene
from schemas.patching import Operation
from tests.support.each import for_each

BASE = "# One\n\nThe old harbour slept under heavy snow. It thawed.\n\n# Two\n\nThe sea was calm.\n"
TWICE = "# One\n\nThe sea was calm.\n\n## More\n\nIt rose.\n\n# Two\n\nThe sea was calm. It rose.\n"


@for_each(
    "mine, theirs, both",
    [
        ("The new harbour slept under heavy snow.", "The old harbour woke under heavy snow.", False),
        ("The old harbour woke under heavy snow.", "The old port slept under heavy snow.", False),
        ("The new harbour slept under heavy snow.", "The old harbour slept under heavy rain.", True),
        ("The new harbour slept under heavy snow.", "The old harbour slept under heavy snow. Late", True),
    ],
)
def test_two_rewordings_that_leave_a_word_or_two_between_them_are_a_conflict(
    mine: str, theirs: str, both: bool
) -> None:
    sentence = "The old harbour slept under heavy snow."
    head = BASE.replace(sentence, theirs)

    made = patched_scene([Operation(find=sentence, replace=mine)], BASE, head)

    assert (made.results[0].outcome == "applied") is both
    assert (made.text == head) is not both
    if not both:
        assert (made.results[0].nearest, made.results[0].wanted) == (theirs, mine)


def test_an_edit_looks_in_the_section_that_it_names() -> None:
    edit = Operation(find="The sea was calm.", replace="The sea was wild.", section="2. Two")
    below = Operation(find="It rose.", replace="It fell.", section="one")
    elsewhere = Operation(find="## More", replace="## Less", section="Two")

    made = patched_scene([edit, below, elsewhere], TWICE, TWICE)

    assert [each.outcome for each in made.results] == ["applied", "applied", "applied"]
    assert made.text == TWICE.replace("calm. It", "wild. It").replace("rose.", "fell.", 1).replace(
        "More", "Less"
    )


@for_each("new", ["## Two\n\nNext.", "\n## Two\n\nNext.", " ## Two\n\nNext.", "\n\n\n## Two\n\nNext."])
@for_each("text", ["# One\n\nFirst.", "# One\n\nFirst.\n", "# One\n\nFirst.  "])
def test_what_is_appended_begins_a_paragraph(new: str, text: str) -> None:
    made = patched_scene([Operation(kind="append", replace=new)], text, text)

    assert made.text.rstrip() == f"{text}\n\n## Two\n\nNext.".replace(".\n\n\n", ".\n\n")


def test_a_section_that_stands_is_not_appended_a_second_time() -> None:
    """A writer that is asked to lengthen a section may send it whole."""
    again = Operation(kind="append", replace="# 2. Two\n\nThe sea was wild.")
    other = Operation(kind="append", replace="# Three\n\nIt rose.")

    made = patched_scene([again, other], BASE, BASE, once=True)

    assert [each.outcome for each in made.results] == ["section_stands", "applied"]
    assert made.text.rstrip() == f"{BASE}\n# Three\n\nIt rose."
