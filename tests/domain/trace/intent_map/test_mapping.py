"""The map: how records become counts, and which manual lines are kept."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.text.markdown_cells import cell, path_cell, path_of, value_of
from penwright.domain.trace.chain import Raw, line_of
from penwright.domain.trace.intent_map.mapping import Notes, merged, notes_in, render
from penwright.domain.trace.intent_map.tallies import MapRow, Tally, map_state
from penwright.domain.trace.reading import records_in
from schemas.trace import Author, Former, Node, Range, Removed, TracedFile
from tests.support.ledgers.json_records import (
    AI,
    ENTITY_TYPES,
    HUMAN,
    MIXED,
    START,
    UNKNOWN,
    came,
    file,
    record,
    went,
)
from tests.support.sweeps import examples

BOOK = "Current version/Full_Book.md"
REVIEW = "Review/current.md"
NO_WORDS = (0, 0, 0, 0)
Tallies = Mapping[MapRow, Tally]


def fold(records: Sequence[Raw]) -> Tallies:
    """The tallies after these lines of a ledger."""
    return map_state([b"".join(map(line_of, records))]).tallies()


def counts(
    state: Tallies, *heading: str, intent: str | None = "INT-001", path: str = BOOK
) -> tuple[int, ...]:
    """Blocks at a place: AI, human, mixed, unknown."""
    tally = state.get(MapRow(intent, path, heading))
    return tally.counts if tally else NO_WORDS


def test_a_new_block_counts_for_its_author_and_intent() -> None:
    state = fold([record(file(BOOK, came("added", "Harbour"), came("added", "Harbour")))])
    assert counts(state, "Harbour") == (2, 0, 0, 0)


def test_an_edit_by_a_person_without_an_intent_counts_for_the_person() -> None:
    state = fold([record(file(BOOK, came("added", "Harbour"), by=HUMAN), intent=None)])
    assert counts(state, "Harbour", intent=None) == (0, 1, 0, 0)


def test_a_rewritten_block_counts_only_for_its_new_author() -> None:
    former = Former(contributor=AI, intent="INT-001")
    rewrite = came("replaced", "Harbour", former=former, contributor=MIXED)
    state = fold(
        [
            record(file(BOOK, came("added", "Harbour"), came("added", "Harbour"))),
            record(file(BOOK, rewrite, by=HUMAN), intent=None, minute=1),
        ]
    )
    assert counts(state, "Harbour") == (1, 0, 0, 0)
    assert counts(state, "Harbour", intent=None) == (0, 0, 1, 0)


def test_a_block_edited_by_its_own_author_is_still_one_block() -> None:
    edit = record(file(BOOK, came("replaced", "Harbour")), minute=1)
    state = fold([record(file(BOOK, came("added", "Harbour"))), edit])
    assert counts(state, "Harbour") == (1, 0, 0, 0)
    assert state[MapRow("INT-001", BOOK, ("Harbour",))].last == START + timedelta(minutes=1)


def test_a_promoted_block_leaves_the_review_and_keeps_author_and_intent() -> None:
    written = record(file(REVIEW, came("added", "Chapter 3"), came("added", "Chapter 3")))
    moved = came("moved", "Chapter 3", former=Former(path=REVIEW), contributor=AI, intent="INT-001")
    state = fold([written, record(file(BOOK, moved, by=UNKNOWN), intent="INT-002", minute=1)])
    assert counts(state, "Chapter 3", path=REVIEW) == (1, 0, 0, 0)
    assert counts(state, "Chapter 3") == (1, 0, 0, 0)
    assert not any(place.intent == "INT-002" for place in state)


def test_a_persons_block_has_no_intent_after_an_intent_moved_it() -> None:
    moved = came("moved", "Chapter 3", contributor=HUMAN)
    state = fold([record(file(BOOK, moved))])
    assert counts(state, "Chapter 3", intent=None) == (0, 1, 0, 0)


def test_a_removed_block_counts_no_longer_and_the_remover_has_been_there() -> None:
    gone = went("Harbour", author=AI, intent="INT-001")
    state = fold(
        [record(file(BOOK, came("added", "Harbour"))), record(file(BOOK, gone), intent="INT-002", minute=1)]
    )
    assert counts(state, "Harbour") == NO_WORDS
    assert MapRow("INT-002", BOOK, ("Harbour",)) in state


def test_counts_never_go_below_zero() -> None:
    state = fold([record(file(BOOK, went("Harbour"), went("Harbour", author=AI, intent="INT-001")))])
    assert all(tally.counts == NO_WORDS for tally in state.values())


def test_a_block_under_an_unknown_heading_is_subtracted_from_the_nearest() -> None:
    gone = went("Tide", "Chapter 2", "Letter", author=AI, intent="INT-001")
    state = fold(
        [
            record(file(BOOK, came("added", "Tide", "Chapter 1"), came("added", "Tide", "Chapter 2"))),
            record(file(BOOK, gone), minute=1),
        ]
    )
    assert counts(state, "Tide", "Chapter 2") == NO_WORDS
    assert counts(state, "Tide", "Chapter 1") == (1, 0, 0, 0)


def test_an_older_record_does_not_change_the_last_time() -> None:
    late = [record(file(BOOK, came("added", "Harbour")), minute=minute) for minute in (5, 2)]
    assert fold(late)[MapRow("INT-001", BOOK, ("Harbour",))].last == START + timedelta(minutes=5)


def test_a_deleted_file_has_no_blocks_even_if_its_record_lists_none() -> None:
    state = fold([record(file(BOOK, came("added", "Harbour"))), record(file(BOOK, op="delete"), minute=1)])
    assert counts(state, "Harbour") == NO_WORDS


def test_a_renamed_file_takes_its_blocks_along() -> None:
    renamed = file("Book.md", op="rename", path_before=BOOK)
    state = fold([record(file(BOOK, came("added", "Harbour"))), record(renamed, minute=1)])
    assert counts(state, "Harbour", path="Book.md") == (1, 0, 0, 0)
    assert not any(place.path == BOOK for place in state)


def test_counts_follow_a_reworded_heading() -> None:
    heading = Node(heading=("Book", "Chapter Three"), kind="heading")
    reworded = came("replaced", node=heading, former=Former(heading=("Book", "Chapter 3")))
    state = fold(
        [
            record(
                file(BOOK, came("added", "Book", "Chapter 3"), came("added", "Book", "Chapter 3", "Letter"))
            ),
            record(file(BOOK, reworded), minute=1),
        ]
    )
    assert counts(state, "Book", "Chapter Three") == (1, 0, 0, 0)
    assert counts(state, "Book", "Chapter Three", "Letter") == (1, 0, 0, 0)
    assert not any("Chapter 3" in place.heading for place in state)


@pytest.mark.parametrize(
    "junk", [{}, {"schema": "other"}, {"files": 3}, {**record(), "timestamp": "0001-01-01T00:00:00+23:00"}]
)
def test_a_malformed_line_changes_nothing(junk: Raw) -> None:
    sound = record(file(BOOK, came("added", "Harbour")))
    assert fold([sound, junk]) == fold([junk, sound]) == fold([sound])


def test_a_record_that_a_merge_kept_twice_counts_once() -> None:
    twice = [record(file(BOOK, came("added", "Harbour")))] * 2
    assert counts(fold(twice), "Harbour") == (1, 0, 0, 0)


def test_one_of_two_equal_blocks_by_two_authors_is_nobodys_once_the_other_went() -> None:
    state = fold(
        [
            record(file(BOOK, came("added", "Harbour"))),
            record(file(BOOK, came("added", "Letter"), by=HUMAN), intent=None, minute=1),
            record(file(BOOK, went("Harbour", author=AI, intent="INT-001")), minute=2),
        ]
    )
    assert counts(state, "Letter", intent=None) == (0, 0, 0, 1)
    assert sum(tally.blocks for tally in state.values()) == 1


def test_the_map_names_intents_places_and_authors() -> None:
    state = fold(
        [
            record(file(BOOK, came("added", "Tide", "Chapter 10"), came("added", "Tide", "Chapter 2"))),
            record(file(BOOK, came("added", "Tide", "Chapter 2", "Letter"), by=HUMAN), intent=None),
        ]
    )
    text = render(state, names={"INT-001": "Write the book"})
    assert "## INT-001: Write the book" in text
    rows = [line for line in text.splitlines() if line.startswith(f"| {BOOK}")]
    assert rows == [
        f"| {BOOK} | Tide / Chapter 2 | 1 | 1 | 0 | 0 | 0 | 2026-03-01T12:00:00Z |",
        f"| {BOOK} | Tide / Chapter 10 | 1 | 1 | 0 | 0 | 0 | 2026-03-01T12:00:00Z |",
        f"| {BOOK} | Tide / Chapter 2 / Letter | 1 | 0 | 1 | 0 | 0 | 2026-03-01T12:00:00Z |",
        f"| {BOOK} | Tide / Chapter 2 | INT-001, without an intent |",
        f"| {BOOK} | Tide / Chapter 10 | INT-001 |",
    ]


def test_hostile_names_are_text_and_nothing_else() -> None:
    evil = "x | y\n\n## INT-9\n<!-- end of notes --><script>`*[a](b)"
    state = fold([record(file(evil, came("added", evil)), intent=evil)])
    text = render(state, names={evil: evil})
    assert notes_in(text) == Notes()
    assert not any(sign in text.replace("<!-- ", "").replace(" -->", "") for sign in "<>`*[")
    assert [line for line in text.split("\n") if line.startswith("## ")][1:] == ["## By chapter"]


def test_notes_of_people_are_kept_word_for_word() -> None:
    notes = Notes("For the *editor*:\n\n| a | b |\n", {"INT-001": "Ask Mira.", None: "Mine."})
    state = fold([record(file(BOOK, came("added", "Harbour")))])
    text = render(state, names={}, notes=notes)
    assert notes_in(text) == notes
    assert notes_in(text.replace("\n", "\r\n")) == notes


def test_a_note_for_an_intent_that_has_no_text_is_kept() -> None:
    notes = Notes(intents={"INT-404": "Why did we drop this?"})
    assert notes_in(render({}, names={}, notes=notes)) == notes


def test_an_id_with_hyphens_does_not_end_its_comment() -> None:
    notes = Notes(intents={"a--b---": "Mine."})
    text = render({}, names={}, notes=notes)
    assert "<!-- notes on intent a-&#45;b-&#45;- -->" in text
    assert notes_in(text) == notes


def test_an_end_marker_inside_a_note_is_escaped() -> None:
    text = render({}, names={}, notes=Notes("a\n<!-- end of notes -->\n## Not mine"))
    assert notes_in(text).general == "a\n&lt;!-- end of notes -->\n## Not mine"


def test_a_note_on_a_name_that_nobody_can_have_stops_nothing() -> None:
    text = "<!-- notes on intent a&#9999999; -->\nMine.\n<!-- end of notes -->\n"
    assert notes_in(text) == Notes(intents={"a&#9999999;": "Mine."})


def test_edited_counts_are_no_notes() -> None:
    state = fold([record(file(BOOK, came("added", "Harbour")))])
    text = render(state, names={})
    noted = text.replace(
        "<!-- notes on intent INT-001 -->\n", "<!-- notes on intent INT-001 -->\nWatch it.\n"
    )
    assert notes_in(noted) == Notes(intents={"INT-001": "Watch it."})
    assert notes_in(text.replace("| 1 | 1 |", "| 2 | 2 |")) == Notes()
    assert notes_in(text + "more\n") == Notes("more")
    assert notes_in("") == Notes()


def test_the_seal_of_an_earlier_version_is_no_note() -> None:
    text = render({}, names={}) + f"\n<!-- intent map 1, sha256:{'1' * 64} sha256:{'2' * 64} -->\n"
    assert notes_in(text) == Notes()


def test_notes_anywhere_in_a_changed_map_are_kept() -> None:
    state = fold([record(file(BOOK, came("added", "Harbour")))])
    text = render(state, names={"INT-001": "Write"}, notes=Notes("Known.", {"INT-001": "Ask Mira."}))
    changed = text.replace("## By chapter", "## My own heading\n\nMy own line.\n\n## By chapter")
    assert notes_in(changed) == Notes("Known.\n## My own heading\nMy own line.", {"INT-001": "Ask Mira."})


def test_two_maps_become_one_with_the_notes_of_both() -> None:
    names = {"INT-001": "Write | draw", "a--b": ""}
    one, other = (
        record(file(BOOK, came("added", "Harbour"))),
        record(file(BOOK, came("added", "Letter")), intent="a--b", minute=1),
    )
    base = render(fold([one]), names=names, notes=Notes("All.", {"INT-001": "Old."}))
    ours = render(fold([one, other]), names=names, notes=Notes("All.", {"INT-001": "Mine.", "a--b": "New."}))
    theirs = render({}, names=names, notes=Notes("", {"INT-001": "Theirs.", None: "Also."}))

    text = merged(*(each.encode() for each in (base, ours, theirs))).decode()

    both = Notes("", {"INT-001": "Mine.\nTheirs.", "a--b": "New.", None: "Also."})
    assert notes_in(text) == both
    assert render(fold([one, other]), names=names, notes=both).startswith(text.partition("## By chapter")[0])
    assert "## INT-001: Write &#124; draw" in text


@pytest.mark.parametrize("swapped", [False, True])
def test_a_note_written_while_the_map_was_counted_is_kept(swapped: bool) -> None:
    state = fold([record(file(BOOK, came("added", "Harbour")))])
    noted, counted = render({}, names={}, notes=Notes("Mine.")), render(state, names={})
    sides = (counted, noted) if swapped else (noted, counted)

    text = merged(*(each.encode() for each in (render({}, names={}), *sides))).decode()

    assert text == render(state, names={}, notes=Notes("Mine."))


def test_a_map_that_was_changed_by_hand_still_gives_its_notes_to_a_merge() -> None:
    ours = render({}, names={}, notes=Notes("Mine.")) + "By hand.\n"
    text = merged(b"", ours.encode(), b"\xff").decode()
    assert text.rstrip("\n") == render({}, names={}, notes=Notes("Mine.\nBy hand.\n\ufffd")).rstrip("\n")


def test_a_note_without_its_end_marker_keeps_only_manual_lines() -> None:
    state = fold([record(file(BOOK, came("added", "Harbour")))])
    text = render(state, names={"INT-001": "Write"}, notes=Notes("Known.", {"INT-001": "Ask Mira."}))
    assert notes_in(text.replace("<!-- end of notes -->\n", "")) == Notes("Known.", {"INT-001": "Ask Mira."})


HOSTILE = st.text(st.sampled_from("ab|_ /&#1;<!->\n\r`*—\u2028\u200b\ud800(no heading)"), max_size=12)
TEXT = st.one_of(HOSTILE, st.text(max_size=8))
HEADINGS = st.lists(st.sampled_from(["Tide", "Chapter 1", "a/b", ""]), max_size=2)
INTENTS = st.sampled_from([None, "INT-001", "INT-002"])
AUTHORS = st.sampled_from(ENTITY_TYPES).map(lambda kind: Author(entity_type=kind))
PATHS = st.sampled_from([BOOK, REVIEW])


@st.composite
def files(draw: st.DrawFn) -> TracedFile:
    """One changed file with anything a record may say of it."""
    rows: list[Range | Removed] = []
    for _ in range(draw(st.integers(0, 4))):
        heading = draw(HEADINGS)
        if draw(st.booleans()):
            rows.append(went(*heading, author=draw(st.none() | AUTHORS), intent=draw(INTENTS)))
            continue
        former = Former(
            path=draw(st.none() | PATHS),
            heading=draw(st.none() | HEADINGS.map(tuple)),
            contributor=draw(st.none() | AUTHORS),
            intent=draw(INTENTS),
        )
        node = Node(heading=tuple(heading), kind=draw(st.sampled_from(["heading", "paragraph"])))
        change = draw(st.sampled_from(["added", "replaced", "moved"]))
        author = draw(st.none() | AUTHORS)
        given = draw(st.sampled_from([None, former]))
        rows.append(came(change, node=node, former=given, contributor=author, intent=draw(INTENTS)))
    op = draw(st.sampled_from(["modify", "create", "delete", "rename"]))
    return file(draw(PATHS), *rows, by=draw(AUTHORS), op=op, path_before=draw(st.none() | PATHS))


RECORDS = st.lists(st.tuples(files(), INTENTS), max_size=6).map(
    lambda made: [record(each, intent=intent, minute=at) for at, (each, intent) in enumerate(made)]
)


@settings(max_examples=examples(50))
@given(RECORDS)
def test_folding_at_once_is_folding_one_by_one(records: Sequence[Raw]) -> None:
    state = map_state([])
    for each in records_in([b"".join(map(line_of, records))]):
        state.apply(each)
        tallies = state.tallies()
        assert sum(tally.blocks for tally in tallies.values()) == len(state)
    assert state.tallies() == fold(records)


@given(
    st.dictionaries(
        st.builds(MapRow, st.none() | TEXT, TEXT, st.lists(TEXT, max_size=3).map(tuple)),
        st.builds(
            Tally,
            st.integers(0, 10**9).map(lambda seconds: START + timedelta(seconds=seconds)),
            st.tuples(*[st.integers(0, 99)] * 4),
        ),
        max_size=4,
    ),
    st.dictionaries(TEXT, TEXT, max_size=2),
    st.text(st.characters(exclude_characters="\r"), max_size=20),
)
def test_the_notes_of_a_map_are_read_back_whatever_its_names_are(
    tallies: dict[MapRow, Tally], names: dict[str, str], note: str
) -> None:
    notes = Notes(note, {intent: note for intent in names if note})
    assert notes_in(render(tallies, names=names, notes=notes)) == notes


@given(TEXT, st.lists(TEXT, max_size=3))
def test_a_cell_round_trips(value: str, titles: list[str]) -> None:
    assert value_of(cell(value)) == value
    assert path_of(path_cell(tuple(titles))) == tuple(titles)
    assert not set(cell(value) + path_cell(tuple(titles))) & set("|\n\r<>`*")
