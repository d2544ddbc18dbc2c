"""What a writer is told of a book's continuity, and what gives way where there is little room."""

from penwright.domain.continuity.known import known
from penwright.domain.continuity.passages import ToldBlock
from penwright.domain.continuity.telling import Sought, is_named, tell
from penwright.domain.models.token_estimate import estimate_tokens
from schemas.continuity import Reading
from tests.domain.continuity.stories import fact, person, reading, thread, told
from tests.support.each import for_each

GREY = "Mara had grey eyes."
GREEN = "Mara's eyes were green in that light."
DREAM = "He dreamt that Mara was dead."
ASH = "Ash was the brother of Mara."
BURNT = "Who had burnt the ledger?"
CELLAR = "Mara stood in the cellar and held the lamp."

TEXT = (
    *told(GREY, ASH, chapter=1),
    *told(BURNT, DREAM, chapter=2),
    *told(GREEN, CELLAR, chapter=7),
)
READ = (
    reading(
        [GREY, ASH],
        person("Mara", GREY, "the keeper"),
        fact("Mara", "eyes", "grey", GREY),
        fact("Ash", "kin", "brother of Mara", ASH),
        summary="Mara and Ash come home.",
    ),
    reading(
        [BURNT, DREAM],
        thread("the burnt ledger", "planted", BURNT),
        fact("Mara", "dead", "yes", DREAM, "dreamt"),
        summary="A ledger burns.",
    ),
    reading(
        [GREEN, CELLAR],
        fact("Mara", "eyes", "green", GREEN),
        fact("Mara", "place", "the cellar", CELLAR),
        fact("Mara", "holds", "the lamp", CELLAR),
        summary="Mara goes down.",
    ),
)


def text(outline: str = "Mara finds the door.", prose: str = "", tokens: int = 2_500) -> str:
    return tell(known(READ, TEXT), Sought(outline, prose, chapter=8), tokens).text


def test_the_newest_value_stands_first_with_its_chapter_and_the_earlier_one_behind_it() -> None:
    assert "- Mara (also the keeper): eyes: green (ch. 7), before: grey (ch. 1)" in text()


def test_what_somebody_only_dreamt_is_not_told_as_a_fact() -> None:
    assert "dead: yes (dreamt, ch. 2)" in text()


def test_only_those_whom_outline_or_last_prose_name_are_told_of() -> None:
    assert "Ash" not in text().partition("## People")[2]
    assert "- Ash: kin: brother of Mara (ch. 1)" in text(prose="Ash was late.")


def test_the_state_at_the_end_of_the_prose_is_told_by_person() -> None:
    assert "## Now, at the end of the prose\n- Mara: place: the cellar; holds: the lamp" in text()


def test_open_threads_are_told_with_their_age() -> None:
    assert "- the burnt ledger: planted in ch. 2, last in ch. 2, 6 chapters ago" in text()


def test_the_same_story_is_told_in_the_same_bytes() -> None:
    assert text() == text()


@for_each("tokens", [0, 40, 100, 250])
def test_it_keeps_to_its_room_and_says_what_it_left_out(tokens: int) -> None:
    made = tell(known(READ, TEXT), Sought("Mara", "Ash", chapter=8), tokens)
    whole = tell(known(READ, TEXT), Sought("Mara", "Ash", chapter=8), 2_500)

    assert estimate_tokens(made.text) <= tokens
    assert whole.cut == {}
    assert {part: made.shown.get(part, 0) + made.cut.get(part, 0) for part in whole.shown} == whole.shown


def test_early_chapters_are_told_shorter_the_more_there_are() -> None:
    blocks, read = long_book(chapters=100)

    story = tell(known(read, blocks), Sought("", "", chapter=100), 2_500)

    lines = [line for line in story.text.splitlines() if line.startswith("- Chapter")]
    assert len(lines) == 100
    assert len(lines[-1].split()) > len(lines[0].split()) * 2


def test_a_chapter_that_is_longer_than_the_room_is_told_by_its_end() -> None:
    text = "In chapter 1 the tide came in."
    summary = " ".join(f"word{at}" for at in range(400))

    story = tell(known([reading([text], summary=summary)], told(text)), Sought("", "", chapter=1), 300)

    assert story.text.endswith("word398 word399")
    assert story.cut == {}


def long_book(chapters: int) -> tuple[tuple[ToldBlock, ...], list[Reading]]:
    texts = [f"In chapter {number} the tide came in." for number in range(1, chapters + 1)]
    blocks = tuple(block for at, each in enumerate(texts, 1) for block in told(each, chapter=at))
    return blocks, [reading([each], summary=" ".join([each] * 6)) for each in texts]


@for_each(
    "name, prose, named",
    [
        ("Mara", "Then Mara rose.", True),
        ("Mara", "Samarant", False),
        ("Mara", "“MARA!”", True),
        ("the keeper", "The Keeper rose.", True),
        ("李梅", "昨天李梅来了。", True),
        ("Élodie", "Élodie’s hat", True),
        ("A.", "He met A. there.", True),
    ],
)
def test_a_name_is_a_whole_word_where_the_script_has_words(name: str, prose: str, named: bool) -> None:
    assert is_named(name, prose) is named
