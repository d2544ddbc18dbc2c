"""The story of a book is a fold of its readings over its text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.continuity.files import load_readings, readings_path, write_readings
from penwright.domain.continuity.known import Known, known
from schemas.continuity import Entity, Fact, Reading, ThreadStep
from schemas.workspace import TextFile
from tests.domain.continuity.stories import fact, person, reading, thread, told
from tests.support.sweeps import examples

GREY = "Mara had grey eyes."
GREEN = "Mara had green eyes."
INN = "Mara came to the inn at dusk."
CALLED = "They called her the keeper."
BURNT = "Who had burnt the ledger?"
SOLVED = "It was Jonas who had burnt it."


def values(story: Known) -> list[str]:
    return [each.value for each in story.facts]


def test_a_fact_holds_while_its_paragraph_stands_in_the_text() -> None:
    read = [reading([GREY, INN], fact("Mara", "eyes", "grey", GREY), fact("Mara", "place", "inn", INN))]

    assert values(known(read, told(GREY, INN))) == ["grey", "inn"]
    assert values(known(read, told(INN))) == ["inn"]
    assert values(known(read, told(GREEN))) == []


def test_facts_follow_the_order_of_the_text_and_not_that_of_reading() -> None:
    read = [
        reading([GREEN], fact("Mara", "eyes", "green", GREEN)),
        reading([GREY], fact("Mara", "eyes", "grey", GREY)),
    ]

    assert values(known(read, told(GREY, GREEN))) == ["grey", "green"]
    assert values(known(read, told(GREEN, GREY))) == ["green", "grey"]


def test_a_newer_reading_of_a_paragraph_takes_the_place_of_the_older() -> None:
    older = reading([GREY, INN], fact("Mara", "eyes", "gray", GREY), fact("Mara", "place", "inn", INN))
    newer = reading([GREY], fact("Mara", "eyes", "grey", GREY), at="2026-02-01T00:00:00+00:00")

    assert values(known([newer, older], told(GREY, INN))) == ["grey", "inn"]


def test_one_person_has_all_the_names_that_the_prose_gives_her() -> None:
    read = [
        reading([GREY, CALLED], person("Mara", GREY), person("Mara Quill", CALLED, "Mara", "the keeper")),
        reading([INN], fact("The Keeper", "place", "inn", INN)),
    ]

    story = known(read, told(GREY, CALLED, INN))

    assert [each.names for each in story.entities] == [("Mara", "Mara Quill", "the keeper")]
    assert [each.entity for each in story.facts] == ["Mara"]


def test_nobody_is_one_with_another_because_their_names_are_alike() -> None:
    read = [reading([GREY, INN], person("Mara", GREY), person("Marta", INN))]

    assert [each.name for each in known(read, told(GREY, INN)).entities] == ["Mara", "Marta"]


def test_a_thread_is_open_until_it_is_paid() -> None:
    read = [
        reading([BURNT, SOLVED], thread("the ledger", "planted", BURNT), thread("The ledger", "paid", SOLVED))
    ]

    assert [each.is_open for each in known(read, told(BURNT, SOLVED)).threads] == [False]
    assert [each.is_open for each in known(read, told(BURNT)).threads] == [True]


def test_a_summary_goes_with_half_of_its_paragraphs() -> None:
    read = [reading([GREY, INN, BURNT], summary="Mara comes to the inn.")]

    assert known(read, told(GREY, INN)).chapters[0].summaries == ("Mara comes to the inn.",)
    assert known(read, told(GREY)).chapters == ()


def test_the_summary_of_a_few_edited_words_is_not_told_beside_that_of_a_chapter() -> None:
    long = [f"{GREY} {at} {'It rained. ' * 20}" for at in range(3)]
    read = [reading(long, summary="All of it."), reading([INN], summary="Six words were edited.")]

    assert known(read, told(*long, INN)).chapters[0].summaries == ("All of it.",)


def test_a_damaged_line_leaves_out_that_line_alone() -> None:
    one = reading([GREY], fact("Mara", "eyes", "grey", GREY))
    path = readings_path("s1", 1)
    text = f'{{"blocks": 3}}\n{write_readings([one])}<<<<<<< HEAD\n'

    read = load_readings({path: TextFile(path=path, blob="", text=text)}, [readings_path("s0", 1), "x.md"])

    assert read.readings == (one,)
    assert read.damaged == (readings_path("s0", 1), f"{path}:1", f"{path}:3")


TEXTS = st.sampled_from([GREY, GREEN, INN, CALLED, BURNT, SOLVED])
TIMES = st.sampled_from(["2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"])


def statements(block: str) -> list[Entity | Fact | ThreadStep]:
    return [person("Mara", block), fact("Mara", "eyes", block[:9], block), thread("ledger", "planted", block)]


@st.composite
def a_reading(draw: st.DrawFn) -> Reading:
    blocks = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    stated = [draw(st.sampled_from(statements(each))) for each in blocks]
    return reading(blocks, *stated, at=draw(TIMES), summary=draw(st.sampled_from(["", "A summary."])))


@settings(max_examples=examples(400))
@given(
    st.lists(a_reading(), max_size=6),
    st.lists(st.tuples(TEXTS, st.integers(1, 2)), max_size=6),
    st.randoms(use_true_random=False),
)
def test_the_story_depends_on_no_order_in_which_readings_came(read, paragraphs, shuffling) -> None:  # type: ignore[no-untyped-def]
    text = tuple(block for each, chapter in paragraphs for block in told(each, chapter=chapter))
    shuffled = list(read)
    shuffling.shuffle(shuffled)

    story = known(read, text)

    assert known(shuffled, text) == story
    assert known([*read, *read], text) == story, "two clones that were merged hold a reading twice"
    standing = {each.hash for each in text}
    assert {each.place.block for each in story.facts} <= standing
    assert story.read == standing & {block for each in read for block in each.blocks}
