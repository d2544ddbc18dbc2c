"""Hard findings: what no author would leave in a draft, each beside what looks like it and is none."""

from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import index_of
from schemas.prose import BeatTold, BookIndex, Draft, Finding
from tests.support.each import for_each

FERRY = (
    "The lamp went out before the boat had turned, and Mara counted to nine as her father had taught her, "
    "then leaned out over the thwart and felt along the cold planks for the rope that was no longer there."
)
QUAY = (
    "On the quay a door closed. She waited until the steps were gone, shipped the oars without a sound, and "
    "let the tide carry her towards the customs house, where one window still had a light in it."
)
LETTER = (
    "My dear Mara, when you read this the house will be sold and I shall be on the far side of the water. Do "
    "not look for me before the spring, and keep the small key where your mother kept it."
)
BOOK = index_of(
    ["\n\n".join([FERRY, QUAY, LETTER] + ["Then Mara slept, and Jonas kept the fire."] * 6)], "English"
)
PLAIN = "Nobody spoke on the way home. The rain had stopped, and the road shone like a river."


def found(prose: str, index: BookIndex = BOOK, **asked: object) -> list[Finding]:
    """Hard findings; each quote stands where it says."""
    draft = Draft.model_validate({"prose": prose, **asked})
    hard = [each for each in findings(draft, index) if each.hard]
    assert all(prose.startswith(each.quote, each.start) and each.end <= len(prose) for each in hard)
    return hard


def rules(prose: str, index: BookIndex = BOOK, **asked: object) -> list[str]:
    return [each.rule for each in found(prose, index, **asked)]


def test_whole_prose_of_its_own_has_none() -> None:
    assert rules(PLAIN, words_wanted=16) == []


def test_prose_without_a_book_before_it_has_none() -> None:
    assert rules(f"{FERRY}\n\n{QUAY}", BookIndex()) == []


def test_a_cut_end_is_quoted_from_where_its_sentence_begins() -> None:
    (cut,) = found(f"{PLAIN} She leaned out over the thw")

    assert (cut.rule, cut.quote) == ("cut-end", "She leaned out over the thw")


@for_each(
    "end",
    [
        "“Bees,” sa",
        "She kn",
        "“The",
        "“Let go",
        "他从船上探出身子摸索着那根已经不在的绳子灯在船转弯之前就" * 2,
    ],
)
def test_a_short_last_line_that_is_not_whole_is_cut(end: str) -> None:
    assert rules(f"{PLAIN}\n\n{end}") == ["cut-end"]


@for_each(
    "end",
    [
        "Your Mara",
        "# Part Two",
        "THE END",
        f"{QUAY}\nYour sister, Mara",
        "Row to the shore,\nlow is the tide",
    ],
)
def test_a_signature_a_heading_and_verse_end_without_a_full_stop(end: str) -> None:
    assert rules(f"{PLAIN}\n\n{end}", BookIndex()) == []


def test_an_end_in_a_script_without_full_stops_is_not_judged() -> None:
    said = "ฝนหยุดตกแล้ว ถนนส่องแสงเหมือนแม่น้ำ ไม่มีใครพูดอะไรเลย "

    assert rules(said * 2 + "ระหว่างทางกลับบ้าน", language="Thai") == []


def test_talk_about_the_task_is_found_where_it_stands() -> None:
    (talk,) = found(f"{PLAIN}\n\nLet me know if you'd like any changes!")

    assert (talk.rule, talk.quote) == ("task-talk", "Let me know if you'd like any changes!")


@for_each(
    "said",
    [
        "Okay, so the outline wants the bell to be found in this chapter.",
        "If you'd like, I can continue with the next chapter.",
        "Great, now I have everything I need to write the chapter.",
        "Revised version:",
        "[Continued in next session]",
        "(250 words) Would you like me to continue?",
    ],
)
def test_a_short_paragraph_that_speaks_of_two_things_of_the_task_is_talk(said: str) -> None:
    assert rules(f"{said}\n\n{PLAIN}") == ["task-talk"]


def test_where_a_book_is_about_writing_such_words_are_nothing_unusual() -> None:
    said = "He read the outline again, and then the chapter, and he laughed."
    novel = index_of(["She wrote a chapter, an outline, and one more chapter. " * 3], "English")

    assert rules(f"{said}\n\n{PLAIN}") == ["task-talk"]
    assert rules(f"{said}\n\n{PLAIN}", novel) == []


def test_a_paragraph_that_stands_again_is_a_loop() -> None:
    (loop,) = found(f"{FERRY}\n\n{PLAIN}\n\n{FERRY}", BookIndex())

    assert (loop.rule, loop.start, loop.other) == ("loop", len(FERRY) + len(PLAIN) + 4, FERRY[:120])


def test_a_sentence_that_is_said_over_and_over_is_a_loop() -> None:
    (loop,) = found(PLAIN + " This is how your story ends." * 5)

    assert (loop.rule, loop.quote) == ("loop", "This is how your story ends")


def test_a_paragraph_of_the_book_is_an_echo_even_if_words_were_changed() -> None:
    changed = FERRY.replace("nine", "seven").replace("cold", "wet")

    (echo,) = found(f"{PLAIN}\n\n{changed}")

    assert (echo.rule, echo.quote, echo.other) == ("echo", changed[:160], FERRY[:120])


def test_letters_take_the_place_of_words_where_there_are_no_blanks() -> None:
    passage = "灯在船转弯之前就熄灭了，她按照父亲教的方法数到九，然后探出身子摸索那根已经不在的绳子。"
    index = index_of([passage], "Chinese")

    assert rules(f"没有人说话。\n\n{passage}", index, language="Chinese", words_wanted=40) == ["echo"]
    assert rules("雨停了，路像河一样发光，回家的路上没有人说一句话，只有远处的狗在叫。", index) == []


def test_a_new_name_a_letter_away_from_one_of_the_book_is_a_slip() -> None:
    (slip,) = found("Nobody spoke. The rain had stopped when Marra came home.")

    assert (slip.rule, slip.quote, slip.other) == ("name-slip", "Marra", "Mara")


def test_a_word_that_only_begins_sentences_is_no_name() -> None:
    assert rules(f"{PLAIN} When it was over, Theo slept.", index_of(["Then he slept. " * 9], "English")) == []


def test_where_nouns_have_capitals_only_names_that_were_written_down_are_known() -> None:
    index = index_of(["Er sah den Hund und Hanna. " * 9], "German")
    said = "Niemand sprach. Es regnete, und die Hand von Hannas Bruder fand Henna."

    assert rules(said, index, language="German") == []
    assert rules(said, index, language="German", names=("Hanna Venn",)) == ["name-slip"]


def test_a_name_that_the_author_wrote_down_is_known_before_it_is_told() -> None:
    said = "Nobody spoke. The rain had stopped when Elizabet came home."

    assert rules(said) == []
    assert rules(said, names=("Elizabeth Venn",)) == ["name-slip"]


@for_each(
    "name, new",
    [
        ("Persia", "Persian"),
        ("Indian", "Indians"),
        ("Martin", "Martins"),
        ("Marten", "MARTEN"),
        ("Tom", "Tim"),
    ],
)
def test_a_people_a_plural_capitals_and_short_names_are_no_slips(name: str, new: str) -> None:
    index = index_of([f"Then {name} came home. " * 6], "English")

    assert rules(f"Nobody spoke. The rain had stopped when {new} came.", index) == []


def test_the_end_of_a_name_may_change_where_names_have_cases() -> None:
    index = index_of(["Вчера пришла Марина. " * 6], "Russian")

    assert rules("Дождь кончился, и он увидел Марину у моста.", index, language="Russian") == []
    assert rules("Дождь кончился, и пришла Мирина.", index, language="Russian") == ["name-slip"]


def test_an_instruction_without_an_answer_is_named() -> None:
    (left,) = found(PLAIN, unanswered=("Let it rain here.",))

    assert (left.rule, left.quote, left.other) == ("unanswered", "", "Let it rain here.")


@for_each("wanted, expected", [(13, ["length"]), (14, []), (20, []), (21, ["length"]), (0, [])])
def test_a_length_outside_of_85_to_125_percent_is_found(wanted: int, expected: list[str]) -> None:
    assert rules(PLAIN, words_wanted=wanted) == expected


def test_a_beat_is_told_if_its_quote_stands_in_the_draft() -> None:
    told = BeatTold(beat="the rain stops", quote="the rain had stopped")
    untold = BeatTold(beat="Mara finds the key", quote="she turned the small key twice")
    silent = BeatTold(beat="they come home", quote=" ")

    left = found(PLAIN, beats=(told, untold, silent))

    assert [(each.rule, each.other) for each in left] == [
        ("beat-untold", "Mara finds the key"),
        ("beat-untold", "they come home"),
    ]


REFRAIN = """Row, my brothers, row to the shore.
The tide is low and the night is long,
and home is a lamp in a door."""


@for_each(
    "prose, index",
    [
        (f"{PLAIN}\n\n{REFRAIN}\n\n{QUAY}\n\n{REFRAIN}\n\n{PLAIN}", index_of([REFRAIN], "English")),
        (f"{PLAIN}\n\n> {LETTER}\n\n{PLAIN}", BOOK),
        (f"{PLAIN}\n\n*{LETTER}*\n\n{PLAIN}", BOOK),
        (f"{PLAIN}\n\n“{LETTER}”\n\n{PLAIN}", BOOK),
        (f"{PLAIN} Mora laughed, and Mara did not.", index_of(["Mara and Mora are twins. " * 6], "English")),
        (
            f"{PLAIN} Then Mora laughed.",
            index_of(["Then Mara laughed. " * 6, "Only Mora did not."], "English"),
        ),
        (f"{PLAIN}\n\n“Whaur’s Mara? I’se tellin’ ye, Maisie, the watter’s no’ canny.”", BOOK),
        (f"{PLAIN}\n\n“As I said, the rope was wet,” said the ferryman. “As I said to your father.”", BOOK),
        (f"{PLAIN}\n\nAs I said, the rope was wet.", BOOK),
    ],
)
def test_what_only_looks_like_a_fault_stays_silent(prose: str, index: BookIndex) -> None:
    assert rules(prose, index) == []
