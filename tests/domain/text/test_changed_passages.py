"""Which passages of a text were changed, and what each was before."""

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.text.comparing.changed_passages import ChangedPassage, changed_passages

OLD = "# One\n\nThe tide came in at dawn.\n\nThe boat was gone.\n\nShe slept.\n"


def test_a_changed_paragraph_stands_beside_what_it_was() -> None:
    assert changed_passages(OLD, OLD.replace("dawn", "dusk")) == (
        ChangedPassage("The tide came in at dawn.", "The tide came in at dusk."),
    )


def test_new_and_lost_paragraphs_have_one_side() -> None:
    new = OLD.replace("The boat was gone.", "A gull cried, far out over the bar.")

    assert changed_passages(OLD, new) == (
        ChangedPassage("", "A gull cried, far out over the bar."),
        ChangedPassage("The boat was gone.", ""),
    )


def test_a_note_is_told_apart_from_the_prose() -> None:
    noted = OLD.replace("gone.", "gone. <!-- INK: whose boat? -->")
    said = "The boat was gone."

    assert changed_passages(OLD, noted) == (ChangedPassage(said, said, notes_new=("whose boat?",)),)
    assert changed_passages(noted, OLD) == (ChangedPassage(said, said, notes_gone=("whose boat?",)),)


def test_both_halves_of_a_split_paragraph_do_not_show_the_old_one_twice() -> None:
    whole = "He rowed out past the bar before it was light. The nets were empty and the water was still."
    halves = whole.replace("light. ", "light.\n\n")

    found = changed_passages(whole, halves)

    assert [each.before for each in found].count(whole) == 1
    assert "\n\n".join(each.after for each in found) == halves


def test_markers_and_line_ends_change_nothing() -> None:
    marked = "<!-- PAGE 1 -->\n\n" + OLD.replace("She", "<!-- INK:NEW:START -->\nShe")

    assert changed_passages(OLD, marked.replace("\n", "\r\n")) == ()


PARAGRAPHS = st.lists(
    st.sampled_from(["The tide.", "The tide came in.", "A boat.", "She slept."]), max_size=6
)


@given(PARAGRAPHS, PARAGRAPHS)
def test_every_word_that_came_or_went_is_in_a_change(old: list[str], new: list[str]) -> None:
    found = changed_passages("\n\n".join(old), "\n\n".join(new))

    gone = [each for each in old if each not in new]
    came = [each for each in new if each not in old]
    assert set(gone) <= {each.before for each in found}
    assert set(came) <= {each.after for each in found}
