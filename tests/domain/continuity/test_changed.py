"""Facts that a commit changed are told with the later passages that still agree with what they were."""

from penwright.domain.continuity.changed import ChangedFact, ReadText, changed_facts, with_notes
from penwright.domain.continuity.known import known
from schemas.continuity import Mode
from tests.domain.continuity.stories import fact, person, reading, told
from tests.support.each import for_each

EARLIER = "Once her eyes had been called grey."
GREY = "Mara had grey eyes."
BROWN = "Mara had brown eyes."
LATER = "The keeper's eyes were grey as slate."
END = "It rained."

READ = (
    reading([EARLIER], fact("Mara", "eyes", "grey", EARLIER)),
    reading([GREY], person("Mara", GREY, "the keeper"), fact("Mara", "eyes", "grey", GREY)),
    reading([BROWN], fact("Mara", "eyes", "brown", BROWN)),
    reading([LATER], fact("the keeper", "eyes", "grey", LATER)),
)


def at(*texts: str, read: tuple[object, ...] = READ) -> ReadText:
    blocks = told(*texts)
    return ReadText(blocks, known(read, blocks))  # type: ignore[arg-type]


def changed(before: ReadText, after: ReadText) -> list[tuple[str, str, list[str]]]:
    found = changed_facts(before, after, after)
    return [(each.was.value, each.now, [later.place.quote for later in each.later]) for each in found]


def test_a_later_passage_rests_on_a_value_that_is_another_now_under_any_name() -> None:
    assert changed(at(GREY, END, LATER), at(BROWN, END, LATER)) == [("grey", "brown", [LATER])]


def test_a_value_that_the_new_passage_does_not_state_any_more_counts_as_well() -> None:
    assert changed(at(GREY, LATER), at(END, LATER)) == [("grey", "", [LATER])]


def test_what_stands_before_the_passage_or_was_said_again_is_left_alone() -> None:
    again = reading([END], fact("Mara", "eyes", "dark grey", END))

    assert changed(at(LATER, GREY), at(LATER, BROWN)) == []
    assert changed(at(GREY, LATER), at(END, LATER, read=(*READ, again))) == []
    assert changed(at(EARLIER, GREY, LATER), at(EARLIER, LATER)) == []


@for_each("mode, trait", [("dreamt", "hair"), ("told", "place")])
def test_dreams_and_places_of_a_moment_have_nothing_that_rests_on_them(mode: Mode, trait: str) -> None:
    read = (
        reading([GREY], fact("Mara", trait, "there", GREY, mode)),
        reading([LATER], fact("Mara", trait, "there", LATER, mode)),
    )

    assert changed(at(GREY, LATER, read=read), at(END, LATER, read=read)) == []


def test_a_note_is_put_behind_each_paragraph_once_and_cannot_end_early() -> None:
    (one,) = changed_facts(at(GREY, LATER), at(BROWN, LATER), at(BROWN, LATER))
    odd = ChangedFact(one.was, "brown --> and out", one.later)
    text = f"{BROWN}\n\n{LATER}\n\n{END}\n"

    noted, put = with_notes(text, [odd])

    assert put == 1
    assert noted.count("-->") == 1
    assert noted.startswith(f"{BROWN}\n\n{LATER}\n\n<!-- INK: Mara, eyes: was grey, is brown")
    assert noted.endswith(f"-->\n\n{END}\n")
    assert with_notes(noted, [odd]) == (noted, 0)
