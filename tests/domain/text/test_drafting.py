"""A draft brought together with what its file has become."""

from penwright.domain.text.merging.saving import brought_together

BASE = "The tide came in.\n\nAnn waited by the wall.\n\nThe lamp was lit.\n"


def test_changes_of_both_sides_in_different_places_are_both_in_the_text() -> None:
    together = brought_together(
        BASE, BASE.replace("Ann waited", "Ann slept"), BASE.replace("lamp was", "lamps were")
    )

    assert together.text == BASE.replace("Ann waited", "Ann slept").replace("lamp was", "lamps were")
    assert together.places == ()


def test_where_both_changed_one_place_the_persons_words_stay_and_the_others_are_told() -> None:
    mine = BASE.replace("by the wall", "at the gate")
    theirs = BASE.replace("by the wall", "in the boat").replace("tide", "flood")

    together = brought_together(BASE, mine, theirs)

    assert together.text == mine.replace("tide", "flood")
    assert ("gate", "boat") in [(each.mine, each.theirs) for each in together.places]


def test_nothing_new_on_the_other_side_leaves_the_draft_as_it_is() -> None:
    assert brought_together(BASE, "mine\n", BASE).text == "mine\n"
    assert brought_together(BASE, BASE, "theirs\n").text == "theirs\n"
