"""`book findings`: what the rules of prose find, and what the author means so."""

import json
from pathlib import Path

import pytest

from gateway.cli.book.reports import findings_lines
from gateway.desk.book import reviewing
from gateway.desk.works import books
from penwright.domain.book.files.changelog import changelog_entry
from penwright.domain.book.files.layout import CHARACTERS, CONFIG, CRAFT, DECISIONS, FULL_BOOK, REVIEW
from schemas.prose import CraftReport, Finding
from tests.support.books.sessions import NOON
from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in

PASSAGE = (
    "The keeper of the northern light wrote down every ship that passed between the first snow and the "
    "thaw, and when the book was full he threw it into the sea and bought another."
)


@pytest.fixture
def twice(book: Path) -> Path:
    """A book whose waiting prose stands in it already, with a name that is nearly another one."""
    write(book, FULL_BOOK, PASSAGE)
    write(book, CHARACTERS, "# Characters\n\n## Mara Voss\nThe keeper.")
    write(book, REVIEW, f"{PASSAGE}\n\nThen came Marra, and sat down.")
    return book


def write(book: Path, path: str, text: str) -> None:
    (book / path).parent.mkdir(exist_ok=True)
    (book / path).write_text(f"{text}\n", encoding="utf-8")
    git_in(book, "add", path)
    git_in(book, *IDENTITY, "commit", "-qm", f"Write {path}")


def rules(run: Run, book: Path) -> tuple[list[str], list[str]]:
    """The rules of what is found, and of what is intended."""
    told = json.loads(run("book", "findings", str(book), "--json")[1])
    return [each["rule"] for each in told["findings"]], [each["rule"] for each in told["intended"]]


def test_findings_quote_what_stands_in_the_book_already(run: Run, twice: Path) -> None:
    code, out, _ = run("book", "findings", str(twice))

    assert (code, rules(run, twice)) == (0, (["echo", "name-slip"], []))
    assert "name-slip: " in out
    assert "“… came Marra, and sat …”" in out
    assert out.startswith(
        "In all the prose that waits, reworked passages too: 2 findings\n"
        "  1  hard  echo: This repeats an earlier passage: “The keeper of the northern light"
    )


@pytest.mark.parametrize("which", ["2", "name-slip"])
def test_what_is_intended_is_silent_in_a_file_of_the_authors_and_can_be_taken_back(
    run: Run, twice: Path, which: str
) -> None:
    code, out, err = run("book", "findings", str(twice), "--intended", which)

    assert (code, "Intended: “Marra”" in err) == (0, True)
    assert "You mean these so; they do not count:\n  2  hard  name-slip" in out
    assert rules(run, twice) == (["echo"], ["name-slip"])
    kept = (twice / DECISIONS).read_text("utf-8")
    assert kept.endswith("intended:\n- rule: name-slip\n  quote: Marra\n  other: Mara\n")
    assert "Contributor: human" in git_in(twice, "log", "-1", "--format=%B").replace("Penwright-", "")

    assert run("book", "findings", str(twice), "--not-intended", which)[0] == 0
    assert rules(run, twice) == (["echo", "name-slip"], [])


def test_an_intended_finding_comes_back_when_one_of_its_quotes_changes(run: Run, twice: Path) -> None:
    assert run("book", "findings", str(twice), "--intended", "1", "--intended", "2")[0] == 0
    assert rules(run, twice)[0] == []

    write(twice, REVIEW, f"{PASSAGE}\n\nThen came Marra, and sat down. So did I.")
    assert rules(run, twice)[0] == []
    write(twice, CHARACTERS, "# Characters\n\n## Marva Voss\nThe keeper.")
    write(twice, REVIEW, f"Now: {PASSAGE}\n\nThen came Marra, and sat down. So did I.")
    assert rules(run, twice) == (["echo", "name-slip"], [])


def test_a_decision_that_the_author_wrote_by_hand_counts(run: Run, twice: Path) -> None:
    write(
        twice,
        DECISIONS,
        "reject: [x]  # mine\nintended:\n  - {rule: name-slip, quote: ' Marra', other: Mara}",
    )

    assert rules(run, twice) == (["echo"], ["name-slip"])

    assert run("book", "findings", str(twice), "--intended", "echo")[0] == 0
    assert "reject: [x]  # mine\n" in (twice / DECISIONS).read_text("utf-8")
    assert rules(run, twice) == ([], ["echo", "name-slip"])


@pytest.mark.parametrize(
    "text", ["intended: [", "intended: echo", "intended:\n- {rule: dull, quote: x}", "intended:\n- x"]
)
def test_a_file_of_decisions_that_cannot_be_read_is_named_and_changes_nothing(
    run: Run, twice: Path, text: str
) -> None:
    write(twice, DECISIONS, text)

    _, _, err = run("book", "findings", str(twice))
    code, _, refused = run("book", "findings", str(twice), "--intended", "1")

    assert f"warning: '{DECISIONS}'" in err
    assert rules(run, twice) == (["echo", "name-slip"], [])
    assert (code != 0, "error[decisions-" in refused) == (True, True)
    assert (twice / DECISIONS).read_text("utf-8") == f"{text}\n"


@pytest.mark.parametrize("which", ["0", "7", "dialogue", "x"])
def test_what_is_not_found_cannot_be_intended(run: Run, twice: Path, which: str) -> None:
    code, _, err = run("book", "findings", str(twice), "--intended", which)

    assert (code, "error[no-such-finding]" in err) == (2, True)
    assert not (twice / DECISIONS).exists()


def test_what_only_the_session_knows_is_listed_from_its_changelog(run: Run, twice: Path) -> None:
    report = CraftReport(
        findings=(
            Finding(rule="beat-untold", quote="", start=0, end=0, hard=True, other="she leaves"),
            Finding(rule="name-slip", quote="Marra", start=0, end=5, hard=True, other="Mara"),
        )
    )
    write(twice, "Changelog/2026-02-22-12-00.md", changelog_entry(at=NOON, words=5, craft=report))

    _, out, _ = run("book", "findings", str(twice))

    asked = out.partition("What the last session was asked")[2]
    assert "(she leaves)" in asked
    assert "Marra" not in asked


def test_edits_that_are_not_saved_are_named_and_not_read(run: Run, twice: Path) -> None:
    assert "edited since" not in run("book", "findings", str(twice))[2]
    (twice / REVIEW).write_text("Nothing to find here.\n", encoding="utf-8")
    (twice / DECISIONS).parent.mkdir()
    (twice / DECISIONS).write_text("intended: []\n", encoding="utf-8")

    _, _, err = run("book", "findings", str(twice))

    said = " ".join(err.split())
    assert f"as of the last commit; edited since, and not read: {REVIEW}, {DECISIONS}" in said
    assert rules(run, twice)[0] == ["echo", "name-slip"]


def test_a_book_without_waiting_prose_has_no_findings(run: Run, book: Path) -> None:
    assert run("book", "findings", str(book))[1] == "No prose waits for you.\n"


def test_why_a_mend_was_not_taken_stands_with_the_findings_and_the_review(
    run: Run, services: StageServices, twice: Path
) -> None:
    report = CraftReport(unmended="the writer proposed no edits")
    write(twice, "Changelog/2026-02-22-12-00.md", changelog_entry(at=NOON, words=5, craft=report))
    told = "Mended by the writer: nothing: the writer proposed no edits"

    _, out, _ = run("book", "findings", str(twice))

    assert f"Before the last session was closed:\n  {told}\n" in out
    assert json.loads(run("book", "findings", str(twice), "--json")[1])["edits"] == [told]
    assert reviewing.review_of(services, books.find(services, str(twice))).edits == (told,)
    assert findings_lines(report, "tide") == [f"{told}."]


def test_prose_that_is_not_checked_has_no_findings_and_says_so(run: Run, book: Path) -> None:
    config = book / CONFIG
    config.write_text(config.read_text("utf-8").replace("craft: mend", "craft: off"), "utf-8")
    git_in(book, *IDENTITY, "commit", "-qam", "Do not check")

    assert "is off: prose is not checked" in run("book", "findings", str(book))[1]


def test_a_rule_that_is_off_finds_nothing_and_the_list_says_so(run: Run, twice: Path) -> None:
    config = twice / CONFIG
    config.write_text(config.read_text("utf-8").replace("craft_off: []", "craft_off: name-slip"), "utf-8")
    git_in(twice, *IDENTITY, "commit", "-qam", "Names may slip")

    assert rules(run, twice)[0] == ["echo"]
    assert "Switched off by `craft_off` in Config.yml: name-slip." in run("book", "findings", str(twice))[1]


def test_the_review_has_a_finding_in_the_passage_in_which_it_stands_once(
    services: StageServices, book: Path
) -> None:
    write(book, CRAFT, "## Never\n\n- Jonas\n- she")
    write(book, REVIEW, "Jonas saw ashes.\n\nThe sea.\n\nThen she saw Jonas, and Jonas fled.")

    waiting = reviewing.review_of(services, books.find(services, str(book))).passages

    assert [[each.quote for each in passage.found] for passage in waiting] == [
        ["Jonas"],
        [],
        ["Jonas", "she"],
    ]
