"""What was read of a book, told by the program: story, facts, threads, brief and contradictions."""

import json
from pathlib import Path

import pytest

from penwright.domain.book.files.layout import DECISIONS, FULL_BOOK, REVIEW
from penwright.domain.continuity.files import readings_path, write_readings
from tests.domain.continuity.stories import fact, person, reading, thread
from tests.support.books.repos import write
from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in

GREY = "Mara had grey eyes."
BURNT = "Who had burnt the ledger?"
GREEN = "Mara had green eyes."
LATER = "Nobody has read this yet."


@pytest.fixture
def told(book: Path) -> Path:
    return lay_story(book)


def lay_story(book: Path) -> Path:
    """A book of two chapters, all but its last paragraph read."""
    first = reading(
        [GREY, BURNT],
        person("Mara", GREY, "the keeper"),
        fact("Mara", "eyes", "grey", GREY),
        thread("the ledger", "planted", BURNT),
        summary="Mara comes home.",
    )
    second = reading([GREEN], fact("Mara", "eyes", "green", GREEN), summary="Mara goes on.", lost=1)
    texts = {
        FULL_BOOK: f"# Chapter 1\n\n{GREY}\n\n{BURNT}\n\n# Chapter 2\n\n{GREEN}\n",
        REVIEW: f"{LATER}\n",
        readings_path("s1", 1): write_readings([first, second]),
    }
    write(book, texts)
    commit_all(book, "Two chapters, and what was read of them")
    return book


def commit_all(book: Path, message: str) -> None:
    git_in(book, "add", "-A")
    git_in(book, *IDENTITY, "commit", "-qm", message)


def data(run: Run, *arguments: str) -> dict[str, object]:
    code, out, _ = run("book", *arguments, "--json")
    assert code == 0
    made = json.loads(out)
    assert isinstance(made, dict)
    return made


def test_each_chapter_is_told_and_what_was_not_read_is_named(run: Run, told: Path) -> None:
    code, out, _ = run("book", "story", str(told))

    assert code == 0
    assert "Chapter 1\nMara comes home.\n\nChapter 2\nMara goes on.\n" in out
    assert "Not read yet: 5 words. next: `penwright book read " in out


def test_facts_are_listed_with_their_quotes_by_any_name(run: Run, told: Path) -> None:
    code, out, _ = run("book", "facts", str(told), "--about", "The Keeper", "--chapter", "1")

    assert code == 0
    assert f"Mara (also the keeper), person\n    1  eyes: grey; ch. 1: “{GREY}”" in out
    assert "green" not in out


@pytest.mark.parametrize("how", [("merge", "-q", "--no-edit"), ("merge", "-q", "--squash")])
def test_two_copies_that_were_read_apart_know_what_both_read_once_they_are_one(
    run: Run, told: Path, tmp_path: Path, how: tuple[str, ...]
) -> None:
    """The other copy rewrites a paragraph and reads it; this one reads what is new."""
    branch = git_in(told, "branch", "--show-current").strip()
    other, brown, blue = tmp_path / "other", "Mara had brown eyes.", "Ada had blue eyes."
    git_in(tmp_path, "clone", "-q", str(told), str(other))
    changed = (other / FULL_BOOK).read_text("utf-8").replace(GREEN, brown)
    theirs = write_readings([reading([brown], fact("Mara", "eyes", "brown", brown))])
    write(other, {FULL_BOOK: changed, readings_path("s2", 1): theirs})
    commit_all(other, "Brown, and read")
    ours = write_readings([reading([blue], person("Ada", blue), fact("Ada", "eyes", "blue", blue))])
    write(told, {REVIEW: f"{LATER}\n\n{blue}\n", readings_path("s3", 1): ours})
    commit_all(told, "Ada, and read")

    git_in(told, "fetch", "-q", str(other), branch)
    git_in(told, *IDENTITY, *how, "FETCH_HEAD")
    if "--squash" in how:
        commit_all(told, "One book")

    found = data(run, "facts", str(told))["entities"]
    assert isinstance(found, list)
    known = {(each["entity"]["name"], one["value"]) for each in found for one in each["facts"]}
    assert known == {("Mara", "grey"), ("Mara", "brown"), ("Ada", "blue")}
    assert len(list((told / ".orchestration/continuity").glob("*.jsonl"))) == 3


def test_a_name_that_the_book_does_not_have_is_refused_with_the_nearest(run: Run, told: Path) -> None:
    code, _, err = run("book", "facts", str(told), "--about", "Marra")

    assert code != 0
    assert "did you mean 'Mara'" in err


def test_open_threads_are_listed(run: Run, told: Path) -> None:
    assert f"the ledger\n  planted in ch. 1: “{BURNT}”" in run("book", "threads", str(told))[1]


def test_the_brief_says_that_the_writer_is_told_nothing_where_it_is_off(run: Run, told: Path) -> None:
    config = told / "Global Material/Config.yml"
    config.write_text(config.read_text().replace("continuity: read", "continuity: off"))
    commit_all(told, "Switch it off")

    _, out, _ = run("book", "brief", str(told))

    assert "## Story so far\n- Chapter 1: Mara comes home." in out
    assert "The writer is told none of it: `continuity: off` in Config.yml." in out


def test_the_story_is_told_as_of_an_earlier_commit(run: Run, told: Path) -> None:
    before = git_in(told, "rev-parse", "HEAD").strip()
    write(told, {FULL_BOOK: f"# Chapter 1\n\n{GREY}\n"})
    commit_all(told, "Take the second chapter out")

    assert len(data(run, "story", str(told))["chapters"]) == 1  # type: ignore[arg-type]
    assert len(data(run, "story", str(told), "--as-of", before)["chapters"]) == 2  # type: ignore[arg-type]


def test_a_commit_that_is_not_there_is_named(run: Run, told: Path) -> None:
    code, _, err = run("book", "story", str(told), "--as-of", "nowhere")

    assert code not in (0, 70)
    assert "nowhere" in err
    assert "internal-error" not in err


def test_a_damaged_line_of_readings_is_warned_of(run: Run, told: Path) -> None:
    path = told / readings_path("s1", 1)
    path.write_text(f"{path.read_text()}{{\n")
    commit_all(told, "A damaged line")

    _, out, err = run("book", "story", str(told))

    assert "warning: .orchestration/continuity/s1-001.jsonl:3: this is damaged, and is left out" in err
    assert "Mara comes home." in out


def test_a_contradiction_has_both_quotes_and_is_silent_once_it_is_meant_so(run: Run, told: Path) -> None:
    code, out, _ = run("book", "continuity", str(told), "--strict")
    assert code == 1
    assert (
        "1 contradiction in what was read\n  1  hard  one-value: This can have one value only: Mara, eyes"
        in out
    )
    assert f"ch. 1: grey: “{GREY}” (fact 1)\n     ch. 2: green: “{GREEN}” (fact 2)" in out

    code, out, _ = run("book", "continuity", str(told), "--intended", "1", "--strict")
    assert (code, "You mean these so" in out) == (0, True)
    assert f"quote: {GREEN}\n  other: {GREY}\n" in (told / DECISIONS).read_text("utf-8")

    assert run("book", "continuity", str(told), "--not-intended", "1")[0] == 0
    assert run("book", "continuity", str(told), "--strict")[0] == 1


def test_a_contradiction_that_is_not_listed_cannot_be_meant_so(run: Run, told: Path) -> None:
    code, _, err = run("book", "continuity", str(told), "--intended", "7")

    assert (code, "error[no-such-finding]" in err) == (2, True)
    assert not (told / DECISIONS).exists()


def test_a_contradiction_becomes_a_note_at_its_passage_until_that_is_taken_back(run: Run, told: Path) -> None:
    note = f"<!-- INK: Mara, eyes: say grey (ch. 1: grey: “{GREY}”) -->"

    code, out, err = run("book", "continuity", str(told), "--fix", "1", "-i", "say grey")
    assert (code, "your note: Mara, eyes: say grey" in out, "penwright book rewrite" in err) == (
        0,
        True,
        True,
    )
    assert f"\n{GREEN} {note}\n" in (told / FULL_BOOK).read_text("utf-8")
    assert "Decided so far: 1 confirmed." in out

    assert run("book", "continuity", str(told), "--not-fix", "1")[0] == 0
    assert "INK" not in (told / FULL_BOOK).read_text("utf-8")
    assert data(run, "continuity", str(told))["decided"] == dict.fromkeys(
        ("confirmed", "intended", "corrected", "rejected"), 0
    )


def test_a_note_for_prose_that_waits_is_answered_by_the_next_session(run: Run, told: Path) -> None:
    write(told, {FULL_BOOK: f"# Chapter 1\n\n{GREY}\n", REVIEW: f"{GREEN}\n\n{LATER}\n"})
    commit_all(told, "The second passage waits")

    _, _, err = run("book", "continuity", str(told), "--fix", "1")

    assert f"Noted in {REVIEW}: the next session answers it." in err
    assert "INK: Mara, eyes: this contradicts another passage" in (told / REVIEW).read_text("utf-8")


def test_a_contradiction_for_later_is_silent_until_the_next_session(run: Run, told: Path) -> None:
    assert (
        "For later; silent until the next session:" in run("book", "continuity", str(told), "--later", "1")[1]
    )
    assert run("book", "continuity", str(told), "--strict")[0] == 0

    git_in(told, *IDENTITY, "commit", "--allow-empty", "-qm", "Another session")
    git_in(told, "tag", "ink-2026-11-30-02-00")
    assert run("book", "continuity", str(told), "--strict")[0] == 1


def test_a_decision_that_was_not_made_cannot_be_taken_back(run: Run, told: Path) -> None:
    for taken_back in ("--not-later", "--not-intended"):
        code, _, err = run("book", "continuity", str(told), taken_back, "1")

        assert (code, "error[not-decided]" in err) == (2, True)


def test_a_corrected_fact_has_the_authors_value_and_the_writer_is_told_it_first(run: Run, told: Path) -> None:
    code, out, _ = run("book", "continuity", str(told), "--correct", "2", "grey")
    assert (code, "0 contradictions in what was read" in out) == (0, True)
    assert "eyes: grey (your word; the clerk read green)" in run("book", "facts", str(told))[1]
    brief = run("book", "brief", str(told))[1]
    assert brief.startswith("## Corrected by the author")
    assert "\n- Mara, eyes: grey, not green\n" in brief

    run("book", "continuity", str(told), "--not-correct", "2")
    assert run("book", "continuity", str(told), "--strict")[0] == 1


def test_a_correction_without_a_value_is_refused(run: Run, told: Path) -> None:
    code, _, err = run("book", "continuity", str(told), "--correct", "2", " ")

    assert (code, "error[no-value]" in err) == (2, True)


def test_a_rejected_fact_is_out_until_it_is_taken_in_again(run: Run, told: Path) -> None:
    assert "0 contradictions" in run("book", "continuity", str(told), "--reject", "2")[1]
    assert "Rejected by you: 2  Mara, eyes: green" in run("book", "facts", str(told))[1]

    assert "1 contradiction" in run("book", "continuity", str(told), "--not-reject", "2")[1]


def test_the_authors_word_of_all_the_book_is_told_and_held_against_its_prose(run: Run, told: Path) -> None:
    word = "corrected:\n- about: Mara\n  trait: eyes\n  value: grey\n"
    write(told, {DECISIONS: word})
    commit_all(told, "My own word")

    assert "canon" in run("book", "continuity", str(told))[1]
    assert "- Mara, eyes: grey\n" in run("book", "brief", str(told))[1]


def test_a_decision_that_says_too_little_is_named_and_none_counts(run: Run, told: Path) -> None:
    write(told, {DECISIONS: "corrected:\n- about: Mara\nrejected: all\n"})
    commit_all(told, "Half a decision")

    _, out, err = run("book", "continuity", str(told))

    assert "item 1 of `corrected` needs `trait` and `value`; correct it or delete it" in err
    assert "1 contradiction" in out
    assert run("book", "continuity", str(told), "--intended", "1")[0] == 1


def test_edits_that_no_commit_has_are_named(run: Run, told: Path) -> None:
    (told / FULL_BOOK).write_text("Something else.\n")

    assert f"edited since, and not read: {FULL_BOOK}" in run("book", "continuity", str(told))[2]


def test_contradictions_are_listed_as_of_a_commit_and_decided_only_now(run: Run, told: Path) -> None:
    before = git_in(told, "rev-parse", "HEAD").strip()
    write(told, {FULL_BOOK: f"# Chapter 1\n\n{GREY}\n"})
    commit_all(told, "Take the second chapter out")

    assert run("book", "continuity", str(told), "--strict")[0] == 0
    assert run("book", "continuity", str(told), "--strict", "--as-of", before)[0] == 1
    assert run("book", "continuity", str(told), "--later", "1", "--as-of", before)[0] == 2


def test_an_estimate_names_words_calls_and_model_and_reads_nothing(
    run: Run, told: Path, services: StageServices
) -> None:
    _, out, _ = run("book", "read", str(told), "--estimate")

    assert "To read: 5 words in 1 call of demo; about " in out
    assert services.readings.started == []


def test_a_reading_is_ordered_by_hand_and_its_end_is_told(
    run: Run, told: Path, services: StageServices
) -> None:
    code, out, _ = run("book", "read", str(told), "--again")

    assert (code, "Read: 12 words in 1 passage, 2 statements" in out) == (0, True)
    (order,) = services.readings.started
    assert (order.by_hand, order.again) == (True, True)


BROWN = "Mara had brown eyes."


@pytest.fixture
def rewritten(told: Path) -> Path:
    """The same after a rewrite gave her brown eyes in chapter 1; in chapter 2 they are grey again."""
    grey_again = "Her grey eyes did not leave the door."
    read = [
        reading([BROWN], person("Mara", BROWN), fact("Mara", "eyes", "brown", BROWN)),
        reading([grey_again], fact("Mara", "eyes", "grey", grey_again)),
    ]
    text = (told / FULL_BOOK).read_text()
    write(told, {FULL_BOOK: f"{text}\n{grey_again}\n", readings_path("s2", 1): write_readings(read)})
    commit_all(told, "She looks at the door")
    write(told, {FULL_BOOK: (told / FULL_BOOK).read_text().replace(GREY, BROWN)})
    commit_all(told, "Give her brown eyes")
    return told


def test_later_passages_that_rest_on_what_a_commit_changed_are_listed_with_their_quotes(
    run: Run, rewritten: Path
) -> None:
    code, out, _ = run("book", "continuity", str(rewritten), "--changed-by", "HEAD")
    as_json = run("book", "continuity", str(rewritten), "--changed-by", "HEAD", "--json")[1]
    (changed,) = json.loads(as_json)["changed"]

    assert code == 0
    assert "Mara, eyes: was grey, now brown" in out
    assert "ch. 2: grey: “Her grey eyes did not leave the door.”" in out
    assert [each["value"] for each in changed["later"]] == ["green", "grey"]
    write(rewritten, {readings_path("s3", 1): write_readings([reading([GREEN])])})
    commit_all(rewritten, "Read once more, which changes no prose")
    assert run("book", "continuity", str(rewritten), "--changed-by", "HEAD")[1] == out


def test_all_of_them_are_given_a_note_in_one_commit_and_once(run: Run, rewritten: Path) -> None:
    asked = (
        "book",
        "continuity",
        str(rewritten),
        "--changed-by",
        git_in(rewritten, "rev-parse", "HEAD").strip(),
    )

    code, out, _ = run(*asked, "--note")
    again = run(*asked, "--note")[1]

    text = (rewritten / FULL_BOOK).read_text()
    note = "<!-- INK: Mara, eyes: was grey, is brown now; make this passage agree -->"
    assert (code, "2 notes put in, commit" in out) == (0, True)
    assert f"{GREEN}\n\n{note}\n\nHer grey eyes did not leave the door.\n\n{note}\n" in text
    assert "put in" not in again
    assert run("book", "rewrite", str(rewritten), "--dry-run")[1].startswith("Chapter 2, 4 words: Mara, eyes")


def test_a_commit_that_changed_no_fact_lists_nothing(run: Run, told: Path) -> None:
    write(told, {FULL_BOOK: (told / FULL_BOOK).read_text() + "\nIt rained.\n"})
    commit_all(told, "Rain")

    assert "No later passage" in run("book", "continuity", str(told), "--changed-by", "HEAD")[1]
    code, _, err = run("book", "continuity", str(told), "--changed-by", "nowhere")
    assert (code, "error[no-such-commit]: the book has no commit 'nowhere'" in err) == (1, True)
