"""``penwright trace`` on a real repository."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from gateway.cli.trace.opening import Progress
from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.trace.layout import LEDGER, MAP, segment_path
from schemas.agent_trace import AgentTrace
from tests.support.books.repos import git, identify
from tests.support.gateway.advised_states import ends_of_steps, steps_in
from tests.support.gateway.services import Run
from tests.support.ledgers.scribes import Scribes, paragraphs, scribes_at

HERS = "A paragraph by a person."


@pytest.fixture
def scribes(book: Path) -> Scribes:
    """They write two chapters: one is hers, one the model's."""
    identify(book)
    made = scribes_at(book)
    made.by_hand(FULL_BOOK, paragraphs("# Low Tide"))
    made.person({FULL_BOOK: paragraphs("# Low Tide", "## One", HERS)})
    made.model({FULL_BOOK: paragraphs("# Low Tide", "## One", HERS, "## Two", "By a machine.")})
    return made


def answer(run: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and the JSON document."""
    code, out, _ = run("trace", *arguments, "--json")
    return code, json.loads(out)


def unanswered(run: Run, *arguments: str) -> str:
    """The error code of a command that could not run, and said so in both forms."""
    code, told = answer(run, *arguments)
    plain, out, err = run("trace", *arguments)
    assert (code, plain, out) == (2, 2, "")
    assert f"error[{told['code']}]" in err
    assert "next:" in err
    return str(told["code"])


@pytest.mark.usefixtures("scribes")
def test_blame_names_author_intent_and_commit_of_each_block(run: Run, book: Path) -> None:
    code, told = answer(run, "blame", FULL_BOOK, str(book))
    _, out, _ = run("trace", "blame", FULL_BOOK, str(book))

    assert code == 0
    assert [(each["start_line"], each["who"], each["traced"], each["intent"]) for each in told["blocks"]] == [
        (1, "unknown", False, None),
        (3, "human", True, None),
        (5, "human", True, None),
        (7, "ai", True, "INT-001"),
        (9, "ai", True, "INT-001"),
    ]
    assert told["blocks"][4]["commit"] == git(book, "rev-parse", "HEAD")
    assert out.splitlines()[-1] == "5 blocks: 2 human, 2 ai, 1 untraced."


@pytest.mark.usefixtures("scribes")
def test_blame_of_a_line_describes_its_block(run: Run, book: Path) -> None:
    _, out, _ = run("trace", "blame", f"{book}/{FULL_BOOK}:9", str(book))
    assert "line 9 (Low Tide / Two, paragraph 1)" in out
    assert "by a model (demo/quill), under INT-001" in out

    _, out, _ = run("trace", "blame", f"./{FULL_BOOK}:1", str(book))
    assert "untraced" in out


@pytest.mark.usefixtures("scribes")
def test_lines_are_those_of_the_commit_and_unsaved_edits_are_mentioned(run: Run, book: Path) -> None:
    (book / FULL_BOOK).write_text("Quite new.\n")
    for command in (["blame", FULL_BOOK, str(book)], ["disclose", str(book)]):
        assert "unsaved edits" in run("trace", *command)[2]
        assert answer(run, *command)[1]["unsaved"]
    assert len(answer(run, "blame", FULL_BOOK, str(book))[1]["blocks"]) == 5


def test_progress_is_printed_after_a_delay_and_cleared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Progress(shown=True)("commits read", 5)
    Progress(shown=False, began=time.monotonic() - 9)("commits read", 5)
    assert capsys.readouterr().err == ""

    late = Progress(shown=True, began=time.monotonic() - 9)
    late("commits read", 1_000)
    late.clear()
    assert capsys.readouterr().err == "\r\x1b[K1,000 commits read …\r\x1b[K"


def test_a_file_name_that_ends_like_a_line_number_is_a_file(run: Run, book: Path, scribes: Scribes) -> None:
    scribes.by_hand("notes:12", "Not traced.\n")
    _, told = answer(run, "blame", "notes:12", str(book))
    assert (told["path"], len(told["blocks"])) == ("notes:12", 1)


@pytest.mark.usefixtures("scribes")
def test_trace_errors_exit_with_2_and_advice(run: Run, book: Path, tmp_path: Path) -> None:
    assert unanswered(run, "blame", "no.md", str(book)) == "no-such-file"
    assert unanswered(run, "blame", f"{FULL_BOOK}:2", str(book)) == "no-block-there"
    assert unanswered(run, "why", "nowhere", str(book)) == "no-such-commit"
    assert unanswered(run, "disclose", str(tmp_path)) == "not-a-repository"
    assert unanswered(run, "import", str(tmp_path / "none")) == "no-such-file"
    assert unanswered(run, "import", str(tmp_path)) == "file-system"


def test_a_repository_without_a_commit_cannot_be_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q", "-b", "main")
    assert run("trace", "stats", str(tmp_path / "empty"))[0] == 2


@pytest.mark.usefixtures("scribes")
def test_why_explains_a_commit_by_any_name(run: Run, book: Path) -> None:
    git(book, "tag", "here")
    head = git(book, "rev-parse", "HEAD")
    for name in ("HEAD", "here", head, head[:8]):
        code, told = answer(run, "why", name, str(book))
        assert (code, told["commit"], told["kind"]) == (0, head, "recorded")
    assert told["intent"]["name"] == "Write the book"

    _, out, _ = run("trace", "why", "HEAD", str(book))
    assert "intent INT-001 (Write the book)" in out
    assert "allowed by Current version/Full_Book.md" in out
    assert "+ line 9, Low Tide / Two ¶1, a model (demo/quill)  By a machine." in out


@pytest.mark.usefixtures("scribes")
def test_why_says_when_nothing_was_recorded(run: Run, book: Path) -> None:
    code, out, _ = run("trace", "why", "HEAD~2", str(book))
    assert code == 0
    assert "outside any session" in out
    assert f"changed without a record: {FULL_BOOK}" in out


@pytest.mark.usefixtures("scribes")
def test_why_of_bookkeeping_names_the_commit_that_changed_text_last(run: Run, book: Path) -> None:
    text = git(book, "rev-parse", "HEAD")
    message = "Note\n\nPenwright-Contributor: engine"
    git(book, "commit", "-q", "--allow-empty", "-m", message)

    _, told = answer(run, "why", "HEAD", str(book))
    _, out, _ = run("trace", "why", "HEAD", str(book))

    assert (told["kind"], told["recorded_before"]) == ("engine", text)
    assert f"penwright trace why {text[:10]}" in out
    assert ends_of_steps(run, out) == [0]


@pytest.mark.usefixtures("scribes")
def test_why_of_a_change_without_a_record_names_the_check_that_says_more(run: Run, book: Path) -> None:
    (book / FULL_BOOK).write_text("Nobody wrote this.\n")
    git(book, "commit", "-qam", "Write\n\nPenwright-Contributor: model")

    code, told = answer(run, "why", "HEAD", str(book))
    _, out, _ = run("trace", "why", "HEAD", str(book))
    (step,) = steps_in(out, [])
    found, verified, _ = run(*step)

    assert (code, told["kind"], found) == (1, "unrecorded", 1)
    assert FULL_BOOK in verified


@pytest.mark.usefixtures("scribes")
def test_stats_count_the_ledger(run: Run, book: Path) -> None:
    code, told = answer(run, "stats", str(book))
    _, out, _ = run("trace", "stats", str(book))
    assert (code, told["records"], told["intents"], told["without_intent"]) == (0, 2, {"INT-001": 1}, 1)
    assert told["segments"] == {LEDGER: 2}
    assert out.splitlines()[0].startswith("2 records, 2026-")
    assert "        1  INT-001" in out
    assert "2 lines in 1 segment" in out


@pytest.mark.usefixtures("scribes")
def test_disclose_sums_the_book_by_chapters(run: Run, book: Path) -> None:
    code, told = answer(run, "disclose", str(book))
    _, out, _ = run("trace", "disclose", str(book))

    assert code == 0
    assert [(each["heading"], each["human"], each["ai"], each["unknown"]) for each in told["chapters"]] == [
        (["Low Tide"], 0, 0, 3),
        (["Low Tide", "One"], 7, 0, 0),
        (["Low Tide", "Two"], 0, 5, 0),
    ]
    assert {name: share for name, share in told["per_cent"].items() if share} == {
        "human": 46.7,
        "ai": 33.3,
        "unknown": 20.0,
    }
    assert out.splitlines()[-1] == told["statement"]


def test_another_file_can_be_disclosed(run: Run, book: Path, scribes: Scribes) -> None:
    scribes.model({"Global Material/Lore.md": paragraphs("Three words more.")})
    _, told = answer(run, "disclose", str(book), "--path", "Global Material/Lore.md")
    assert told["total"]["ai"] == 3


def test_the_map_is_printed_with_a_persons_notes_and_checked(run: Run, book: Path, scribes: Scribes) -> None:
    code, out, _ = run("trace", "map", str(book))
    assert (code, out) == (0, git(book, "show", f"HEAD:{MAP}") + "\n")
    assert run("trace", "map", str(book), "--check")[0] == 0

    noted = out.replace("whole -->\n", "whole -->\nMine to keep.\n")
    scribes.by_hand(MAP, noted)
    assert run("trace", "map", str(book), "--check")[0] == 0
    assert "Mine to keep." in run("trace", "map", str(book))[1]

    scribes.by_hand(MAP, noted.replace("| 2 |", "| 9 |"))
    code, out, _ = run("trace", "map", str(book), "--check")
    assert code == 1
    assert "differs" in out


def test_a_missing_map_is_reported(run: Run, book: Path) -> None:
    code, out, _ = run("trace", "map", str(book), "--check")
    assert code == 1
    assert "missing" in out


@pytest.mark.usefixtures("scribes")
def test_an_export_imports_byte_for_byte(run: Run, book: Path, tmp_path: Path) -> None:
    to, back = tmp_path / "out.jsonl", tmp_path / "back.jsonl"

    code, out, _ = run("trace", "export", str(book), "--output", str(to))
    assert (code, out) == (0, f"Exported 2 records to {to}.\n")
    assert [AgentTrace.model_validate_json(line).version for line in to.read_bytes().splitlines()] == [
        "0.1.0"
    ] * 2
    assert run("trace", "export", str(book))[1] == to.read_text()

    code, _, err = run("trace", "import", str(to), "--output", str(back))
    assert code == 0
    assert "Nothing was put into the book." in err
    assert back.read_bytes() == (book / LEDGER).read_bytes()
    assert run("trace", "import", "-", stdin=to.read_bytes())[1] == back.read_text()
    assert git(book, "status", "--porcelain") == ""


@pytest.mark.usefixtures("scribes")
def test_export_refuses_existing_files_and_the_ledger(run: Run, book: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("mine")
    assert unanswered(run, "export", str(book), "--output", str(there)) == "would-overwrite"
    inside = [book / LEDGER, book / segment_path(7)]
    for each in inside:
        assert unanswered(run, "export", str(book), "--output", str(each)) == "not-into-the-ledger"
    assert there.read_text() == "mine"
    assert not inside[1].exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.usefixtures("scribes")
def test_lines_by_other_tools_are_left_out_of_an_import(run: Run, book: Path, tmp_path: Path) -> None:
    file = tmp_path / "old.jsonl"
    file.write_bytes(b'{"id":"1","files":[]}\n' + (book / LEDGER).read_bytes())

    code, told = answer(run, "import", str(file))
    _, out, err = run("trace", "import", str(file))

    assert (code, len(told["records"]), [each["line"] for each in told["left_out"]]) == (1, 2, [1])
    assert out.encode() == (book / LEDGER).read_bytes()
    assert "line 1: left out: it is no line of a ledger" in err


def test_blame_reads_past_damaged_lines_and_counts_them(
    run: Run, book: Path, scribes: Scribes, tmp_path: Path
) -> None:
    ledger = (book / LEDGER).read_text()
    scribes.by_hand(LEDGER, ledger.replace("demo/quill", "demo/other"))

    code, told = answer(run, "blame", FULL_BOOK, str(book))
    assert (code, told["damaged_lines"]) == (1, 1)
    assert [each["who"] for each in told["blocks"]] == ["unknown", "human", "human", "unknown", "unknown"]
    for command in (["stats", str(book)], ["disclose", str(book)], ["export", str(book)]):
        code, _, err = run("trace", *command)
        assert code == 1
        assert "ledger" in err or "CHAIN_HASH_MISMATCH" in err


@pytest.mark.parametrize("verb", ["verify", "blame", "why", "stats", "disclose", "map", "export", "import"])
def test_every_verb_teaches_by_example(run: Run, verb: str) -> None:
    code, out, _ = run("trace", verb, "--help")
    assert code == 0
    assert f"penwright trace {verb} " in out
