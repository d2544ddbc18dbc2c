"""Blame: each block, and who wrote it when and why."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.reports.blame import Blame, BlamedBlock, blame
from penwright.domain.trace.reports.disclosure import disclose
from penwright.domain.trace.reports.statistics import statistics
from penwright.errors import NotFound, Refused
from schemas.trace import Author
from tests.support.books.desks import Desk
from tests.support.books.repos import add_remote, clone, commit_all, git
from tests.support.ledgers.rewritten import Rewritten
from tests.support.ledgers.scribes import (
    BOOK,
    Scribes,
    paragraphs,
    scribes_at,
    scribes_in,
)
from tests.support.sweeps import examples

STORM = "The storm broke over the lighthouse before anybody had closed a shutter."
RAIN = "Rain came in through the broken pane and ran down the iron stairs into the cellar."
ADA, BEN = "Ada Author", "Ben Second"
SIXTY = [f"Paragraph number {number} was written by the author alone, with care." for number in range(60)]


@pytest.fixture
def scribes(tmp_path: Path) -> Scribes:
    return scribes_in(tmp_path)


def blamed(scribes: Scribes, path: str = BOOK, line: int | None = None) -> Blame:
    with scribes.source() as source:
        return blame(source, path, line)


def who(block: BlamedBlock) -> str:
    written = block.attributed.written
    return written.author.entity_type if written else "untraced"


def test_one_changed_and_one_new_paragraph_of_sixty_are_the_models(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    scribes.person({BOOK: paragraphs(*SIXTY)})
    texts = list(SIXTY)
    texts[10] = STORM
    texts.insert(30, "Mira counted the stairs, as she always did.")
    commit = scribes.model({BOOK: paragraphs(*texts)}, intent="INT-003")

    found = blamed(scribes)

    assert [each.block.text for each in found.blocks] == texts
    models = [at for at, each in enumerate(found.blocks) if who(each) == "AI"]
    assert models == [10, 30]
    assert all(who(each) == "HUMAN" for at, each in enumerate(found.blocks) if at not in models)
    one = found.blocks[30]
    assert one.attributed.written is not None
    assert (one.attributed.written.intent, one.attributed.written.author.model_identifier) == (
        "INT-003",
        "demo/quill",
    )
    assert one.commit is not None
    assert one.commit.sha == commit
    assert one.block.end_line == one.block.start_line


def test_text_from_before_the_ledger_is_untraced(scribes: Scribes) -> None:
    scribes.by_hand(BOOK, paragraphs("An old beginning."))
    scribes.model({BOOK: paragraphs("An old beginning.", "A new sentence by a machine.")})

    assert [who(each) for each in blamed(scribes).blocks] == ["untraced", "AI"]


def test_a_paragraph_rewritten_by_another_author_is_mixed(scribes: Scribes) -> None:
    scribes.person({BOOK: paragraphs("The tide went out and left the boats lying in the mud.")})
    scribes.model({BOOK: paragraphs("The tide went out and left the boats lying in the grey mud.")})

    assert [who(each) for each in blamed(scribes).blocks] == ["MIXED"]


def test_a_promoted_paragraph_keeps_its_author_and_says_when_it_was_moved(scribes: Scribes) -> None:
    written = scribes.model({"Review/current.md": paragraphs("A paragraph by a machine, waiting.")})
    moved = scribes.engine(
        {"Review/current.md": None, BOOK: paragraphs("Once.", "A paragraph by a machine, waiting.")}
    )

    one = blamed(scribes).blocks[1]

    assert one.attributed.written is not None
    assert (who(one), one.attributed.written.intent) == ("AI", "INT-001")
    assert one.commit is not None
    assert one.moved_in is not None
    assert (one.commit.sha, one.moved_in.sha) == (written, moved)


def test_duplicate_blocks_are_attributed_by_their_neighbours(scribes: Scribes) -> None:
    scribes.person({BOOK: paragraphs("She asked.", "“No.”", "He left.", "Night fell over the bay.")})
    scribes.model(
        {
            BOOK: paragraphs(
                "She asked.", "“No.”", "He left.", "Night fell over the bay.", "The bell rang.", "“No.”"
            )
        }
    )

    assert [who(each) for each in blamed(scribes).blocks] == ["HUMAN"] * 4 + ["AI"] * 2


def test_a_removed_duplicate_block_attributes_nothing(scribes: Scribes) -> None:
    first = ["She asked.", "“No.”", "He left."]
    scribes.person({BOOK: paragraphs(*first)})
    scribes.model({BOOK: paragraphs(*first, "The bell rang.", "“No.”")})
    scribes.model({BOOK: paragraphs(*first, "Somebody knocked twice.")})

    assert [who(each) for each in blamed(scribes).blocks] == ["HUMAN"] * 3 + ["AI"]


def test_one_recorded_scene_break_does_not_claim_those_from_before(scribes: Scribes) -> None:
    old = ["One.", "* * *", "Two.", "* * *", "Three."]
    scribes.by_hand(BOOK, paragraphs(*old))
    scribes.model({BOOK: paragraphs(*old, "* * *", "Four comes by a machine.")})

    assert [who(each) for each in blamed(scribes).blocks] == ["untraced"] * 5 + ["AI"] * 2


def test_a_renamed_file_keeps_its_authors(scribes: Scribes) -> None:
    scribes.model({"Chapters/one.md": paragraphs("# One", "By a machine.")})
    scribes.rename("Chapters/one.md", "Chapters/first.md")

    assert [who(each) for each in blamed(scribes, "Chapters/first.md").blocks] == ["AI", "AI"]


def test_a_paragraph_taken_to_another_file_by_hand_keeps_its_author(scribes: Scribes) -> None:
    scribes.model({"notes.md": paragraphs("One line by a machine.", "Another.")})
    scribes.by_hand(BOOK, paragraphs("Once.", "One line by a machine."))
    assert [who(each) for each in blamed(scribes).blocks] == ["untraced", "AI"], "a copy is its author's"

    scribes.by_hand("notes.md", paragraphs("Another."))
    assert [who(each) for each in blamed(scribes).blocks] == ["untraced", "AI"]


def test_a_paragraph_that_is_five_words_of_a_models_in_another_file_may_be_a_copy(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs(STORM)})
    scribes.by_hand("notes.md", paragraphs("Broke over the lighthouse before!", "Broke over the lighthouse!"))

    found = [each.attributed.written for each in blamed(scribes, "notes.md").blocks]

    possible = [{author.entity_type for author in each.possible} for each in found if each]
    assert possible == [{"AI", "HUMAN"}, {"HUMAN"}]


def test_chinese_is_attributed_by_its_characters(scribes: Scribes) -> None:
    machine = "雨停以后，林岚把信折好收进口袋，沿着河边的小路一直走到渡口。"
    scribes.model({BOOK: paragraphs("水涨了。", machine)})
    scribes.person({BOOK: paragraphs("水涨了。", machine.replace("小路", "石路"))})

    edited = blamed(scribes).blocks[1]
    with scribes.source() as source:
        told = disclose(source, BOOK)

    assert who(edited) == "MIXED"
    assert (sum(told.models.values()), told.total.human) == (3 + 27, 0)


def test_a_turn_of_phrase_that_two_chinese_paragraphs_share_is_no_copy(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("就在这个时候，磨坊的灯忽然灭了，谁也没有说话。")})
    scribes.person({BOOK: paragraphs("就在这个时候，他听见对岸有人摇铃，便放下手里的绳子。")})

    assert [who(each) for each in blamed(scribes).blocks] == ["HUMAN"]


def test_a_removed_paragraph_restored_by_hand_has_its_author(scribes: Scribes) -> None:
    text = "A paragraph long enough that nobody writes it twice by accident."
    scribes.model({BOOK: paragraphs("Once.", text)})
    scribes.person({BOOK: paragraphs("Once.")})
    scribes.by_hand(BOOK, paragraphs("Once.", text))

    assert who(blamed(scribes).blocks[1]) == "AI"


def test_a_block_moved_and_rewrapped_by_hand_keeps_its_author(scribes: Scribes) -> None:
    text = "A paragraph by a machine that is long enough to be wrapped over two lines."
    scribes.model({BOOK: paragraphs(text, *SIXTY[:5])})
    scribes.person({BOOK: paragraphs(*SIXTY[:5], text.replace("long enough", "long\nenough"))})

    assert [who(each) for each in blamed(scribes).blocks] == ["AI"] * 6


def test_a_line_has_the_block_it_is_in(scribes: Scribes) -> None:
    scribes.model({BOOK: "# One\n\nA paragraph\nof three\nlines.\n\nAnother.\n"})

    (one,) = blamed(scribes, line=4).blocks
    assert (one.block.start_line, one.block.end_line) == (3, 5)


@pytest.mark.parametrize("line", [2, 99])
def test_a_line_without_text_is_said_to_be_one(scribes: Scribes, line: int) -> None:
    scribes.model({BOOK: paragraphs("# One", "Text.")})
    with pytest.raises(NotFound, match="no text") as told:
        blamed(scribes, line=line)
    assert "nearest block begins on line" in told.value.details["hint"]


def test_a_missing_file_error_suggests_an_existing_one(scribes: Scribes) -> None:
    with pytest.raises(NotFound) as told:
        blamed(scribes, "Chapters/notes.md")
    assert "'notes.md'" in told.value.details["hint"]


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    (tmp_path / "book" / "cover.md").write_bytes(b"\xff\xfe\x00")
    commit_all(tmp_path / "book")
    with pytest.raises(Refused, match="UTF-8"):
        blamed(scribes, "cover.md")


_NAMES = (
    "anchor bell candle",
    "dune ember fjord",
    "gull harbour island",
    "jetty kelp lantern",
    "mast net oar",
)
_TURN = st.tuples(
    st.sampled_from(["person", "model", "engine"]), st.lists(st.sampled_from(_NAMES), unique=True, max_size=5)
)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(_TURN, st.sampled_from([BOOK, "notes.md"])), min_size=1, max_size=6))
def test_a_moved_paragraph_keeps_its_author(
    turns: list[tuple[tuple[str, list[str]], str]],
) -> None:
    with TemporaryDirectory() as folder:
        _move_paragraphs(scribes_in(Path(folder)), turns)


def _move_paragraphs(scribes: Scribes, turns: list[tuple[tuple[str, list[str]], str]]) -> None:
    held: dict[str, dict[str, str]] = {BOOK: {}, "notes.md": {}}
    scribes.by_hand(BOOK, "\n")
    scribes.by_hand("notes.md", "\n")
    for (scribe, names), path in turns:
        other = "notes.md" if path == BOOK else BOOK
        if list(held[path]) == names:
            continue
        # A move between files is one commit, so that each block is in one place at a time.
        rest = [name for name in held[other] if name not in names]
        known = {**held[path], **held[other]}
        kinds = {"person": "HUMAN", "model": "AI", "engine": "UNKNOWN"}
        held[path] = {name: known.get(name, kinds[scribe]) for name in names}
        held[other] = {name: known[name] for name in rest}
        getattr(scribes, scribe)({path: paragraphs(*names), other: paragraphs(*rest)})

    for path, authors in held.items():
        found = {each.block.text: who(each) for each in blamed(scribes, path).blocks}
        assert found == authors


def test_after_a_merge_of_two_clones_both_sides_are_known(tmp_path: Path) -> None:
    here = scribes_in(tmp_path)
    here.person({BOOK: paragraphs(*SIXTY[:6])})
    add_remote(tmp_path / "book", tmp_path / "remote.git")
    there = scribes_at(clone(tmp_path / "remote.git", tmp_path / "there"))
    here.model({BOOK: paragraphs("A machine writes at the beginning.", *SIXTY[:6])})
    there.model({BOOK: paragraphs(*SIXTY[:6], "Another one writes at the end.")}, model="other/quill")
    git(tmp_path / "there", "push", "-q", "origin", "main")
    here.desk.port.sync(here.desk.workspace, here.desk.effect(), known=(), engine=())

    found = blamed(here)

    models = [
        each.attributed.written.author.model_identifier for each in found.blocks if each.attributed.written
    ]
    assert models == ["demo/quill", *[None] * 6, "other/quill"]
    assert all(each.commit for each in found.blocks)


def test_what_another_person_commits_or_edits_is_under_their_name(tmp_path: Path) -> None:
    scribes = scribes_in(tmp_path)
    scribes.person({BOOK: paragraphs(*SIXTY[:3])})
    git(tmp_path / "book", "config", "user.name", "Ben Second")
    by_hand = "Ben committed this one by himself, outside of every session of Penwright."
    scribes.by_hand(BOOK, paragraphs(*SIXTY[:2], SIXTY[2].replace("care", "love"), by_hand))
    left = "This one he left in the folder, where the next session found and saved it."
    scribes.person({BOOK: paragraphs(*SIXTY[:2], SIXTY[2].replace("care", "love"), by_hand, left)})
    scribes.model({BOOK: paragraphs(*SIXTY[:2], SIXTY[2].replace("care", "love"), by_hand, left, STORM)})

    found = blamed(scribes)
    with scribes.source() as source:
        told = disclose(source, BOOK)

    assert [each.people for each in found.blocks] == [(ADA,), (ADA,), (ADA, BEN), (BEN,), (BEN,), ()]
    words = [len(each.block.text.split()) for each in found.blocks]
    assert told.people == {ADA: sum(words[:3]), BEN: sum(words[2:5])}
    assert told.total.human == sum(words[:5])
    assert f"were written by people ({BEN}, {ADA})" in told.statement


def test_a_paragraph_that_one_person_saved_and_another_edited_and_saved_is_by_both(tmp_path: Path) -> None:
    scribes = edited_by_two_people(tmp_path)
    with scribes.source() as source:
        squashed = Rewritten(source, [2], message="kept")
        # Whose the commits were that became one is not known: the last was not written by its author alone.
        assert [blame(each, BOOK).blocks[0].people for each in (source, squashed)] == [(ADA, BEN), ()]


@pytest.mark.parametrize(
    "message", [("--no-edit",), ("-m", "All", "-m", f"Co-authored-by: {BEN} <ben@example.org>")]
)
def test_a_squash_of_two_peoples_commits_names_whom_its_message_names(
    tmp_path: Path, message: tuple[str, ...]
) -> None:
    scribes, book = scribes_in(tmp_path), tmp_path / "book"
    scribes.model({BOOK: paragraphs(RAIN)})
    git(book, "switch", "-qc", "draft")
    for name, text in ((ADA, STORM), (BEN, SIXTY[0])):
        git(book, "config", "user.name", name)
        scribes_at(book).by_hand(BOOK, (book / BOOK).read_text() + "\n" + text + "\n")
    git(book, "config", "user.name", ADA)
    git(book, "switch", "-q", "main")
    git(book, "merge", "-q", "--squash", "draft")
    git(book, "commit", "-q", *message)

    with scribes_at(book).source() as source:
        found = {each.block.text: each for each in blame(source, BOOK).blocks}

    assert {text: who(each) for text, each in found.items()} == {
        RAIN: "AI",
        STORM: "HUMAN",
        SIXTY[0]: "HUMAN",
    }
    assert {each.people for text, each in found.items() if text != RAIN} == {(ADA, BEN)}


def edited_by_two_people(folder: Path) -> Scribes:
    """A paragraph that one person saved; the other edited it, and then the first once more."""
    desk = Desk(folder, recorder=LedgerRecorder("test", BOOK_PROFILE))
    for name, word in [(ADA, "care"), (BEN, "love"), (ADA, "doubt")]:
        desk.identify(name)
        Scribes(desk).person({BOOK: paragraphs(SIXTY[0].replace("care", word))})
    return Scribes(desk)


def test_two_clones_that_both_recorded_sessions_keep_authors_and_shares_when_merged(tmp_path: Path) -> None:
    here = scribes_in(tmp_path)
    here.person({BOOK: paragraphs(*SIXTY[:6])})
    add_remote(tmp_path / "book", tmp_path / "remote.git")
    there = scribes_at(clone(tmp_path / "remote.git", tmp_path / "there"))
    git(tmp_path / "there", "config", "user.name", "Ben Second")
    bens = "Ben put this between the third and the fourth, in his clone of the book."
    there.person({BOOK: paragraphs(*SIXTY[:3], bens, *SIXTY[3:6])})
    there.model({BOOK: paragraphs(*SIXTY[:3], bens, *SIXTY[3:6], STORM)}, model="other/quill")
    here.model({BOOK: paragraphs(RAIN, *SIXTY[:6])})
    here.person({BOOK: paragraphs(RAIN.replace("iron", "steep"), *SIXTY[:6])})
    git(tmp_path / "there", "push", "-q", "origin", "main")
    here.desk.port.sync(here.desk.workspace, here.desk.effect(), known=(), engine=())
    held = (tmp_path / "book" / BOOK).read_text()
    here.model({BOOK: held + "\n" + paragraphs("And one after the merge, in peace.")})

    found = blamed(here)
    with here.source() as source:
        told = disclose(source, BOOK)
        shares = statistics(source).words

    assert [who(each) for each in found.blocks] == ["MIXED", *["HUMAN"] * 7, "AI", "AI"]
    assert [each.people for each in found.blocks] == [
        (),
        *[("Ada Author",)] * 3,
        ("Ben Second",),
        *[("Ada Author",)] * 3,
        (),
        (),
    ]
    assert (told.named["mixed"], told.named["ai"]) == (("demo/quill",), ("other/quill", "demo/quill"))
    assert told.total.ambiguous == told.total.unknown == 0
    assert (shares.human, shares.ai, shares.mixed) == (told.total.human, told.total.ai, told.total.mixed)


CITED = "[[@article{orr2020tide, title = {Tide tables of the north}, author = {Orr, M.}, year = {2020}}]]"


def test_a_paragraph_that_got_a_citation_keeps_its_author_and_the_model_is_named(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("# Tides", "The boats lie in mud.")})
    scribes.model({BOOK: paragraphs("# Tides", f"The boats lie in mud {CITED}.")}, model="")

    (_, one) = blamed(scribes).blocks

    assert one.attributed.written is not None
    assert one.attributed.written.author == Author(entity_type="AI", model_identifier="demo/quill")


def test_a_person_who_accepts_a_citation_does_not_become_its_paragraphs_author(scribes: Scribes) -> None:
    scribes.model({BOOK: paragraphs("The boats lie in mud.")})
    scribes.person({BOOK: paragraphs(f"The boats lie in mud {CITED}.")})
    scribes.person({BOOK: paragraphs("The boats lie in mud.")})

    (one,) = blamed(scribes).blocks

    assert one.attributed.written is not None
    assert one.attributed.written.author == Author(entity_type="AI", model_identifier="demo/quill")
