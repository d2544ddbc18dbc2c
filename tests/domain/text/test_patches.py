"""The operations of one reply: what each becomes, and what the text becomes."""

import pytest

from penwright.domain.text.patches import apply, feedback
from schemas.patching import Operation, OperationResult, Patched
from tests.support.each import for_each

TEXT = (
    "# The lamp\n\n"
    "The keeper climbed the stairs at dusk. She lit the lamp and wrote the hour into the ledger.\n\n"
    "A ship passed. A ship passed. A ship passed. None of them answered her signal.\n\n"
    "## The storm\n\n"
    "By midnight the wind had taken the shutters, and the sea stood at the door.\n"
)


def outcomes(patched: Patched) -> list[str]:
    return [result.outcome for result in patched.results]


def replaced(find: str, replace: str, **more: object) -> Operation:
    return Operation.model_validate({"find": find, "replace": replace, **more})


def test_each_kind_changes_what_it_says() -> None:
    patched = apply(
        [
            replaced("She lit the lamp", "She lit both lamps"),
            Operation(kind="delete", find=" None of them answered her signal."),
            Operation(kind="insert_after", find="## The storm", replace="It came from the west."),
            Operation(kind="append", replace="Nobody slept."),
        ],
        TEXT,
    )

    assert outcomes(patched) == ["applied"] * 4
    assert patched.changed
    assert (
        patched.text
        == TEXT.replace("lit the lamp", "lit both lamps")
        .replace(" None of them answered her signal.", "")
        .replace("## The storm\n", "## The storm\n\nIt came from the west.\n")
        + "\nNobody slept.\n"
    )


def test_operations_are_located_on_the_text_that_the_model_saw() -> None:
    patched = apply([replaced("the ledger", "the big red book"), replaced("the big red book", "it")], TEXT)

    assert outcomes(patched) == ["applied", "not_found"]
    assert patched.text == TEXT.replace("the ledger", "the big red book")


@pytest.mark.parametrize("order", [1, -1])
def test_two_operations_on_the_same_words_are_both_refused(order: int) -> None:
    pair = [
        replaced("climbed the stairs at dusk", "went up"),
        replaced("stairs at dusk. She lit", "hill and lit"),
    ]

    patched = apply([*pair[::order], replaced("the sea stood", "the waves stood")], TEXT)

    assert outcomes(patched) == ["overlap", "overlap", "applied"]
    assert "edit 2" in patched.results[0].message
    assert "edit 1" in patched.results[1].message
    assert patched.text == TEXT.replace("the sea stood", "the waves stood")


def test_neighbours_do_not_overlap() -> None:
    patched = apply(
        [
            replaced("climbed the stairs", "went up"),
            replaced(" at dusk", " at night"),
            Operation(kind="insert_after", find="at dusk", replace=" or so"),
            Operation(kind="insert_after", find="at dusk", replace=", I think"),
        ],
        TEXT,
    )

    assert outcomes(patched) == ["applied"] * 4
    assert "The keeper went up at night or so, I think. She" in patched.text


@for_each(
    "count, text",
    [
        (1, None),
        (2, "B B A"),
        (3, "B B B"),
        ("all", "B B B"),
        (4, None),
        (0, None),
        (-1, None),
        ("ALL", None),
    ],
)
def test_count_says_how_many_passages_from_the_start(count: int | str, text: str | None) -> None:
    before = "A ship passed. A ship passed. A ship passed."

    patched = apply([replaced("A ship passed.", "B", count=count)], before)

    if text is None:
        assert outcomes(patched) == ["ambiguous" if count == 1 else "bad_count"]
        assert (patched.text, patched.changed) == (before, False)
    else:
        assert patched.text == text.replace("A", "A ship passed.")
        assert patched.results[0].places == text.count("B")


def test_several_passages_are_counted_after_typography_is_made_alike() -> None:
    patched = apply([replaced('"No"', "Yes", count=2)], "“No”, „No“ and “No”")

    assert patched.text == "Yes, Yes and “No”"
    assert apply([replaced(".", "!", count="all")], "Well…").text == "Well!"


def test_a_count_is_not_fuzzy() -> None:
    patched = apply(
        [replaced("She lit the lamp and wrote the hour into teh ledger.", "x", count="all")], TEXT
    )

    assert outcomes(patched) == ["not_found"]
    assert patched.results[0].nearest == "She lit the lamp and wrote the hour into the ledger."


@pytest.mark.parametrize("kind", ["replace", "insert_after", "delete"])
def test_an_empty_find_is_refused_where_there_is_text(kind: str) -> None:
    patched = apply([replaced("", "New.", kind=kind)], TEXT)

    assert outcomes(patched) == ["empty_find"]
    assert patched.text == TEXT


@for_each("kind", ["replace", "insert_after", "append"])
@for_each("empty", ["", "\n"])
def test_an_empty_text_takes_a_section_once(kind: str, empty: str) -> None:
    patched = apply([replaced("", "# One\n\nFirst.", kind=kind)], empty)

    assert patched.text == empty + "# One\n\nFirst."
    again = apply([Operation(kind="append", replace="# One\n\nFirst.")], patched.text)
    assert outcomes(again) == ["already_applied"]
    assert again.text == patched.text


def test_an_append_does_not_look_for_its_find_and_says_so() -> None:
    patched = apply([Operation(kind="append", find="at dusk", replace="Nobody slept.")], TEXT)

    assert patched.text == TEXT + "\nNobody slept.\n"
    assert "does not look for" in patched.results[0].message


def test_operations_beyond_the_limit_are_not_looked_at() -> None:
    operations = [
        replaced(word, word.upper()) for word in ("keeper", "stairs", "ledger", "shutters", "midnight")
    ]

    patched = apply(operations, TEXT, max_hunks=3)

    assert outcomes(patched) == ["applied"] * 3 + ["over_limit"] * 2
    assert "shutters" in patched.text


def test_replacements_are_literal() -> None:
    new = r"$$x$$ $& \1 \textbf{b} \g<0> \n"

    assert apply([replaced("the lamp", new)], TEXT).text == TEXT.replace("the lamp", new)


def test_a_passage_with_other_line_breaks_is_replaced_whole() -> None:
    text = TEXT.replace("dusk. She", "dusk.\nShe")

    patched = apply(
        [replaced("climbed the stairs at dusk. She lit teh lamp", "went up and lit the lamp")], text
    )

    assert patched.results[0] == OperationResult(index=0, outcome="applied", distance=2, places=1)
    assert patched.text == TEXT.replace("climbed the stairs at dusk. She lit", "went up and lit")


def test_line_ends_at_the_ends_of_a_quotation_leave_those_of_the_text() -> None:
    patched = apply([replaced("\nNobody  knows.\n", "\nWe know.\n")], "One.\n\nNobody knows.\n\nTwo.")

    assert patched.text == "One.\n\nWe know.\n\nTwo."


def test_a_text_with_crlf_gets_crlf() -> None:
    text = TEXT.replace("\n", "\r\n")

    patched = apply(
        [replaced("She lit the lamp", "She\nlit"), Operation(kind="append", replace="One.\n\nTwo.")], text
    )

    assert outcomes(patched) == ["applied"] * 2
    assert patched.text.replace("\r\n", "").count("\n") == 0
    assert patched.text.endswith("door.\r\n\r\nOne.\r\n\r\nTwo.\r\n")


@for_each(
    "find, new, standing",
    [
        ("at dusk.", "Alone.", "at dusk. Alone. She"),
        ("at dusk. ", "Alone.", "at dusk. Alone. She"),
        ("at dusk", "(late)", "at dusk (late). She"),
        ("ledger.", "It was eight.", "ledger.\n\nIt was eight.\n\nA ship"),
        ("ledger.\n\n", "It was eight.", "ledger.\n\nIt was eight.\n\nA ship"),
        ("ledger.", "\nIt was eight.", "ledger.\nIt was eight.\n\nA ship"),
        ("the door.", "Then calm.", "the door.\n\nThen calm.\n"),
    ],
)
def test_inserted_text_is_parted_from_its_neighbours(find: str, new: str, standing: str) -> None:
    patched = apply([Operation(kind="insert_after", find=find, replace=new)], TEXT)

    assert standing in patched.text
    again = apply([Operation(kind="insert_after", find=find, replace=new)], patched.text)
    assert again.text == patched.text or outcomes(again) == ["already_applied"]


@for_each(
    "operation",
    [
        replaced("She lit the lamp", "She lit the lamp and the stove"),
        replaced("climbed the stairs", "took the ladder to the top"),
        replaced("wrote the hour into the ledger", "wrote the hour into teh ledger"),
        replaced("## The storm", "## The calm\n\nIt was still.\n\n## The storm"),
        Operation(kind="append", replace="Nobody slept."),
        Operation(kind="insert_after", find="## The storm", replace="It came."),
        replaced("A ship passed.", "A ship passed far away.", count="all"),
    ],
)
def test_an_operation_that_is_sent_twice_changes_the_text_once(operation: Operation) -> None:
    once = apply([operation], TEXT)
    twice = apply([operation], once.text)

    assert (outcomes(once), outcomes(twice)) == (["applied"], ["already_applied"])
    assert (twice.text, twice.changed) == (once.text, False)


def test_the_model_is_told_what_failed_and_what_must_not_be_sent_again() -> None:
    operations = [
        replaced("She lit the lamp", "She lit both lamps"),
        replaced("The keeper climbed the stair at duks, she lit a lamp", "x"),
        replaced("A ship passed.", "x"),
        Operation(kind="append", replace="Nobody slept."),
    ]
    patched = apply(operations, TEXT, max_hunks=3)

    said = feedback(operations, patched)

    assert said.startswith("Made already, do not send again: edit 1.")
    assert "Edit 2 (replace) was not made: no passage reads like that" in said
    assert "The keeper climbed the stairs at dusk. She lit the lamp" in said
    assert "Edit 3 (replace) was not made: 3 passages read like that" in said
    assert "Edit 4 (append) was not made: the reply had more edits than the 3 that are allowed" in said
    assert feedback(operations[:1], apply(operations[:1], TEXT)) == ""
