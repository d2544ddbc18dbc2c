"""Words keep their author, when they are split, joined, copied or moved, in sessions or by plain git."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from penwright.adapters.scaffold.creation import lay_out_workspace
from penwright.domain.trace.reports import by_hand
from penwright.domain.trace.reports.blame import BlamedBlock, blame
from penwright.domain.trace.reports.disclosure import disclose
from penwright.domain.trace.reports.statistics import statistics
from schemas.workspace import Contributor
from tests.support.ledgers.scribes import (
    BOOK,
    Scribes,
    paragraphs,
    scribes_at,
    scribes_in,
)
from tests.support.ledgers.turns import HANDS, NOTES, PHASES, SAME_WORDS, VERBS, Step, Truth, apply, turns
from tests.support.sweeps import examples

MACHINE = (
    "The storm broke over the lighthouse before Mira had closed a single shutter of the tower. "
    "Rain came in through the broken pane and ran down the iron stairs into the cellar."
)
HERS = "I grew up in that cellar, and every winter I counted the barrels with my brother by candle light."
Saves = Callable[[Scribes, dict[str, str]], None]


def by_session(scribes: Scribes, files: dict[str, str]) -> None:
    """The author edits; a session saves it."""
    scribes.person(dict(files))


def by_git(scribes: Scribes, files: dict[str, str]) -> None:
    """The author commits it, one file after the other."""
    for path, text in files.items():
        scribes.by_hand(path, text)


def by_engine(scribes: Scribes, files: dict[str, str]) -> None:
    """A plan of the engine's."""
    scribes.engine(dict(files))


anyone = pytest.mark.parametrize("save", [by_session, by_git, by_engine])
author = pytest.mark.parametrize("save", [by_session, by_git])


@pytest.fixture
def scribes(tmp_path: Path) -> Scribes:
    return scribes_in(tmp_path)


def blamed(scribes: Scribes, path: str = BOOK) -> tuple[BlamedBlock, ...]:
    with scribes.source() as source:
        return blame(source, path).blocks


def who(block: BlamedBlock) -> str:
    written = block.attributed.written
    if written is None:
        return "untraced"
    return "ambiguous" if written.ambiguous else written.author.entity_type


def authors(scribes: Scribes, path: str = BOOK) -> list[str]:
    return [who(each) for each in blamed(scribes, path)]


@anyone
def test_both_halves_of_a_split_paragraph_keep_its_author_and_intent(scribes: Scribes, save: Saves) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)}, intent="INT-003")
    first, second = MACHINE.split(" Rain ")
    save(scribes, {BOOK: paragraphs("Once.", first, f"Rain {second}")})

    blocks = blamed(scribes)[1:]

    assert [who(each) for each in blocks] == ["AI", "AI"]
    found = [each.attributed.written for each in blocks]
    assert [(each.intent, each.author.model_identifier) for each in found if each] == [
        ("INT-003", "demo/quill")
    ] * 2


@anyone
def test_a_pasted_copy_keeps_its_author(scribes: Scribes, save: Saves) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    scribes.person({NOTES: paragraphs("To do.")})
    save(scribes, {BOOK: paragraphs("Once.", MACHINE, "Twice.", MACHINE)})
    save(scribes, {NOTES: paragraphs("To do.", MACHINE)})

    assert authors(scribes)[1::2] == ["AI", "AI"]
    assert authors(scribes, NOTES) == ["HUMAN", "AI"]


@author
def test_a_copied_part_is_not_its_copiers_once_the_whole_was_edited(scribes: Scribes, save: Saves) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    save(scribes, {NOTES: paragraphs("To do.", "Rain came in through the broken pane and ran down")})
    scribes.person({BOOK: paragraphs("Once.", MACHINE.replace("the broken pane", "a broken window"))})

    assert authors(scribes, NOTES) == ["HUMAN", "ambiguous"]


def test_what_older_commits_by_hand_brought_in_is_nobodys(
    scribes: Scribes, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited = MACHINE.replace("the broken pane", "a broken window")
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    scribes.by_hand(BOOK, paragraphs("Once.", edited))
    scribes.person({NOTES: paragraphs("To do.", edited)})
    for word in ("Twice.", "Thrice."):
        scribes.by_hand(BOOK, paragraphs(word, edited))
    assert (authors(scribes), authors(scribes, NOTES)) == (["HUMAN", "MIXED"], ["HUMAN", "MIXED"])

    monkeypatch.setattr(by_hand, "_COMMITS", 2)

    assert authors(scribes)[1:] == ["untraced"]
    assert authors(scribes, NOTES) == ["HUMAN", "ambiguous"]
    with scribes.source() as source:
        assert blame(source, BOOK).unread == disclose(source, BOOK).unread == statistics(source).unread == 1


@author
def test_half_of_a_paragraph_pasted_elsewhere_keeps_its_author(scribes: Scribes, save: Saves) -> None:
    scribes.model({BOOK: paragraphs(MACHINE, HERS.replace("I", "He"), "Far away the bells rang.")})
    save(
        scribes,
        {
            BOOK: paragraphs(
                MACHINE, HERS.replace("I", "He"), MACHINE.split(". ")[0], "Far away the bells rang."
            )
        },
    )
    assert authors(scribes) == ["AI"] * 4


@author
def test_a_sentence_copied_from_a_file_that_did_not_change_is_not_the_copiers(
    scribes: Scribes, save: Saves
) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    scribes.person({NOTES: paragraphs("To do.")})
    save(scribes, {NOTES: paragraphs("To do.", f"{HERS} {MACHINE.split('. ')[0]}.")})

    assert authors(scribes) == ["untraced", "AI"]
    assert authors(scribes, NOTES) == ["HUMAN", "ambiguous"]


@pytest.mark.parametrize(
    "piece",
    [
        "before Mira had closed a single shutter of the tower",
        "BEFORE MIRA HAD CLOSED A SINGLE SHUTTER — of the tower",
        "through the broken pane and ran down the iron stairs",
    ],
)
@author
def test_half_a_sentence_copied_from_a_file_that_did_not_change_is_not_the_copiers(
    scribes: Scribes, save: Saves, piece: str
) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    scribes.person({NOTES: paragraphs("To do.")})
    save(scribes, {NOTES: paragraphs("To do.", f"I remember it, {piece}, and nobody else does.", HERS)})

    assert authors(scribes) == ["untraced", "AI"]
    assert authors(scribes, NOTES) == ["HUMAN", "ambiguous", "HUMAN"]


def test_a_model_that_quotes_a_person_is_not_the_author_of_the_quotation(scribes: Scribes) -> None:
    scribes.person({NOTES: paragraphs("To do.", HERS)})
    scribes.model({BOOK: paragraphs("Once.", f"“{HERS}” said Mira, and she shut the door behind her.")})

    assert authors(scribes, NOTES) == ["HUMAN", "HUMAN"]
    assert authors(scribes) == ["untraced", "ambiguous"]


def test_half_a_paragraph_that_a_plan_carries_elsewhere_keeps_its_author(scribes: Scribes) -> None:
    scribes.person({NOTES: paragraphs("To do.", HERS)})
    first, second = HERS.split(", ")
    scribes.model({NOTES: paragraphs("To do.", second), BOOK: paragraphs("Once.", f"{first},")})

    assert authors(scribes) == ["untraced", "HUMAN"]
    assert authors(scribes, NOTES) == ["HUMAN", "HUMAN"]


@author
def test_a_paragraph_joined_of_two_authors_is_mixed(scribes: Scribes, save: Saves) -> None:
    scribes.person({BOOK: paragraphs(HERS)})
    scribes.model({BOOK: paragraphs(HERS, MACHINE)})
    save(scribes, {BOOK: paragraphs(f"{HERS} {MACHINE}")})
    assert authors(scribes) == ["MIXED"]


@author
def test_a_paragraph_cut_short_is_still_its_authors(scribes: Scribes, save: Saves) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    save(scribes, {BOOK: paragraphs("Once.", MACHINE.split(" Rain")[0])})
    assert authors(scribes)[1] == "AI"


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("single", "last"),
        lambda text: text.replace("broken pane", "broken pane of the western window"),
        lambda text: text + " She did not mind it at all.",
    ],
)
@author
def test_a_small_edit_of_a_machines_paragraph_is_mixed_and_names_its_source(
    scribes: Scribes, save: Saves, edit: Callable[[str], str]
) -> None:
    commit = scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    save(scribes, {BOOK: paragraphs("Once.", edit(MACHINE))})

    one = blamed(scribes)[1]

    assert who(one) == "MIXED"
    if save is by_git:
        assert one.made_from is not None
        assert one.made_from.sha == commit


def test_an_edit_by_hand_stays_mixed_when_the_engine_moves_it_on(scribes: Scribes) -> None:
    edited = MACHINE.replace("single", "last")
    scribes.model({NOTES: paragraphs("To do.", MACHINE)})
    scribes.by_hand(NOTES, paragraphs("To do.", edited))
    scribes.engine({NOTES: paragraphs("To do."), BOOK: paragraphs("Once.", edited)})
    assert authors(scribes) == ["untraced", "MIXED"]


def test_new_text_of_a_commit_by_hand_is_a_persons(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    scribes.by_hand(BOOK, paragraphs("Once.", MACHINE, HERS))

    one = blamed(scribes)[2]

    assert (who(one), one.commit is not None) == ("HUMAN", True)


@anyone
def test_twins_by_two_authors_are_ambiguous_once_one_of_them_moves(scribes: Scribes, save: Saves) -> None:
    twin = "“No,” she said."
    between = [f"Paragraph {number} by the author is about the sea." for number in range(4)]
    scribes.person({BOOK: paragraphs(*between[:2], twin, *between[2:])})
    scribes.model({BOOK: paragraphs(*between[:2], twin, *between[2:], twin)})
    assert authors(scribes) == ["HUMAN"] * 5 + ["AI"]

    save(scribes, {BOOK: paragraphs(twin, *between[:2], *between[2:], twin)})

    assert authors(scribes) == ["ambiguous", *["HUMAN"] * 4, "ambiguous"]


def test_a_twin_that_goes_leaves_the_other_with_its_author(scribes: Scribes) -> None:
    twin = "“No,” she said."
    between = [f"Paragraph {number} by the author is about the sea." for number in range(4)]
    scribes.person({BOOK: paragraphs(*between[:2], twin, *between[2:])})
    scribes.model({BOOK: paragraphs(*between[:2], twin, *between[2:], twin)})
    scribes.person({BOOK: paragraphs(*between, twin)})
    assert authors(scribes) == ["HUMAN"] * 4 + ["AI"]


@pytest.mark.parametrize(
    ("declared", "right"), [("human", "HUMAN"), ("unknown", "UNKNOWN"), ("mixed", "MIXED")]
)
def test_a_close_has_the_author_that_was_declared(scribes: Scribes, declared: str, right: str) -> None:
    scribes.model({BOOK: paragraphs("Once.", HERS)}, model="", authorship=declared)
    assert authors(scribes)[1] == right


def imported(folder: Path, authorship: str) -> Scribes:
    """A book of a source text by this author."""
    lay_out_workspace(
        folder,
        {BOOK: paragraphs("# One", HERS, MACHINE)},
        message="Import",
        contributor=Contributor.HUMAN,
        keep=False,
        authorship=authorship,
    )
    return scribes_at(folder)


@pytest.mark.parametrize(
    ("declared", "right"), [("human", "HUMAN"), ("model", "AI"), ("mixed", "MIXED"), ("", "untraced")]
)
def test_an_imported_text_has_the_author_that_was_declared(tmp_path: Path, declared: str, right: str) -> None:
    scribes = imported(tmp_path / "book", declared)
    assert authors(scribes) == [right] * 3
    scribes.model({NOTES: paragraphs("A note by a machine.")})
    assert authors(scribes) == [right] * 3


def test_who_copies_a_text_that_is_older_than_the_ledger_is_not_said_to_have_written_it(
    scribes: Scribes,
) -> None:
    scribes.by_hand(BOOK, paragraphs("# One", HERS, MACHINE))
    scribes.person({NOTES: paragraphs("To do.")})
    scribes.person({NOTES: paragraphs("To do.", MACHINE)})
    scribes.person({BOOK: paragraphs(HERS, "# One", HERS, MACHINE)})
    assert "HUMAN" not in {authors(scribes, NOTES)[1], *authors(scribes)}


def test_changes_of_an_imported_text_know_its_author(tmp_path: Path) -> None:
    scribes = imported(tmp_path / "book", "human")
    scribes.person({BOOK: paragraphs("# One", HERS.replace("winter", "summer"), MACHINE)})
    scribes.model(
        {BOOK: paragraphs("# One", HERS.replace("winter", "summer"), MACHINE.replace("single", "last"))}
    )
    scribes.engine({BOOK: paragraphs("# One"), NOTES: paragraphs(HERS.replace("winter", "summer"))})
    assert authors(scribes, NOTES) == ["HUMAN"]


def test_a_models_edit_of_an_imported_text_is_mixed(tmp_path: Path) -> None:
    scribes = imported(tmp_path / "book", "human")
    scribes.model({BOOK: paragraphs("# One", HERS, MACHINE.replace("single", "last"))})
    assert authors(scribes) == ["HUMAN", "HUMAN", "MIXED"]


def test_an_edit_of_a_copy_that_came_by_hand_is_not_unknown(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("Once.", MACHINE)})
    scribes.by_hand(NOTES, paragraphs("To do.", MACHINE))
    scribes.person({NOTES: paragraphs("To do.", MACHINE.replace("single", "last"))})

    one = blamed(scribes, NOTES)[1].attributed.written

    assert one is not None
    assert {each.entity_type for each in one.possible} == {"AI", "MIXED"}
    assert {each.models for each in one.possible} == {("demo/quill",)}


# Properties: the truth is kept word by word.


@contextmanager
def played(plays: list[tuple[str, Step]]) -> Iterator[tuple[Truth, Scribes]]:
    """The truth and the trace after some turns, each of them one commit or, by hand, one for each file."""
    with TemporaryDirectory() as folder:
        scribes = scribes_in(Path(folder))
        yield play(plays, scribes), scribes


def play(plays: list[tuple[str, Step]], scribes: Scribes) -> Truth:
    truth = Truth()
    for path in truth.files:
        scribes.by_hand(path, "\n")
    seed = Step("new", BOOK, 0, 0, 12)
    for hand, step in [("person", seed), ("model", seed), *plays]:
        before = {path: truth.text(path) for path in truth.files}
        if hand == "engine" and (step.verb not in SAME_WORDS or not truth.files[step.path]):
            continue
        apply(truth, step, HANDS[hand], by_git=hand == "hand")
        truth.remember()
        after = {path: truth.text(path) for path in truth.files}
        changed = {path: text for path, text in after.items() if text != before[path]}
        if hand == "hand":
            # What comes is committed before what goes: as a person copies first.
            for path in sorted(changed, key=lambda each: len(after[each]) < len(before[each])):
                scribes.by_hand(path, changed[path])
        elif changed:
            getattr(scribes, hand)(changed)
    return truth


@settings(max_examples=examples(60), deadline=None, phases=PHASES)
@given(turns(("person", "model", "engine"), VERBS))
def test_saved_text_has_the_authors_of_its_words(plays: list[tuple[str, Step]]) -> None:
    with played(plays) as (truth, scribes):
        for path in truth.files:
            found, right = authors(scribes, path), truth.right(path)
            certain = (
                (one, allowed) for one, allowed in zip(found, right, strict=True) if one != "ambiguous"
            )
            assert all(one in allowed for one, allowed in certain), (found, right)


@settings(max_examples=examples(60), deadline=None, phases=PHASES)
@given(turns(("person", "model", "engine", "hand", "hand"), (*VERBS, "snip", "echo", "echo")))
def test_no_block_has_a_wrong_author(plays: list[tuple[str, Step]]) -> None:
    with played(plays) as (truth, scribes):
        for path in truth.files:
            for found, right in zip(authors(scribes, path), truth.right(path), strict=True):
                assert found in {*right, "UNKNOWN", "untraced", "ambiguous"}
