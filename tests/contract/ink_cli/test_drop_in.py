"""``ink-cli`` keeps the seed document's contract: arguments, stdin, JSON keys and exit codes."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from penwright.adapters.workspace import GitWorkspaces
from schemas.base import Effect
from schemas.workspace import MutationPlan, Published
from tests.contract.ink_cli.conftest import SCRIPT_TOO, Answer, Tool, commit, set_config
from tests.support.gateway.services import git_in

PROSE = b"<!-- INK:NEW:START -->\n" + b"The tide went out. " * 10 + b"\n<!-- INK:NEW:END -->\n"
GULLS = b"Far above gulls cried."
WHOLE_BOOK = PROSE.replace(b"The tide went out. " * 10, b"The tide went out. " * 40)
"""As many words as the fixture's book needs, in one session."""

CONFIG_KEYS = {
    "target_length": int,
    "chapter_count": int,
    "chapter_structure": str,
    "words_per_session": int,
    "summary_context_entries": int,
    "current_chapter": int,
    "words_per_chapter": int,
    "words_per_page": int,
    "session_timeout_minutes": int,
    "language": str,
}
PAYLOAD_KEYS = {
    "config": dict,
    "kill_requested": bool,
    "session_already_run": bool,
    "stale_lock_recovered": bool,
    "chapter_close_suggested": bool,
    "current_chapter_word_count": int,
    "global_material": list,
    "chapters": dict,
    "current_review": dict,
    "word_count": dict,
    "human_edits": list,
    "snapshot_tag": str,
}


def document(answer: Answer) -> Any:  # Any: JSON
    """The one document on stdout."""
    return json.loads(answer.out)


def has(found: dict[str, Any], keys: dict[str, type]) -> bool:  # Any: JSON
    """Whether every key is there, with its type."""
    return all(type(found.get(key)) is kind for key, kind in keys.items())


def test_init_lays_out_a_book_and_returns_the_questions(stage: Tool, tmp_path: Path) -> None:
    answer = stage("init", str(tmp_path / "new"), "--title", "Ebb", "--author", "M. Orr", "--agent")

    told = document(answer)
    assert (answer.code, answer.err) == (0, "")
    assert told.keys() >= {"status", "files_created", "questions"}
    assert "Global Material/Config.yml" in told["files_created"]
    assert all({"id", "question", "hint"} <= question.keys() for question in told["questions"])


@SCRIPT_TOO
def test_session_open_prints_every_key_of_the_seed(tool: Tool, book: Path) -> None:
    answer = tool("session-open", str(book))

    payload = document(answer)
    assert (answer.code, answer.err) == (0, "")
    assert list(payload)[: len(PAYLOAD_KEYS)] == list(PAYLOAD_KEYS)
    assert has(payload, PAYLOAD_KEYS)
    assert has(payload["config"], CONFIG_KEYS)
    assert has(payload["word_count"], {"total": int, "target": int, "remaining": int})
    assert has(payload["current_review"], {"content": str, "instructions": list})
    assert has(payload["chapters"]["current"], {"path": str, "content": str, "modified_today": bool})
    assert payload["chapters"]["next"] is None
    assert {file["filename"] for file in payload["global_material"]} == {
        "Characters.md",
        "Craft.md",
        "Lore.md",
        "Outline.md",
        "Soul.md",
        "Summary.md",
    }
    assert payload["snapshot_tag"] in git_in(book, "tag", "--list")
    assert payload["current_review"]["instructions"] == []


def test_a_second_open_reports_the_running_session_and_changes_nothing(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    before = git_in(book, "for-each-ref")

    answer = tool("session-open", str(book))

    assert answer.code == 0
    assert document(answer)["session_already_run"] is True
    assert git_in(book, "for-each-ref") == before


@SCRIPT_TOO
def test_session_close_reports_the_words_and_pushes(tool: Tool, book: Path, tmp_path: Path) -> None:
    tool("session-open", str(book))

    answer = tool(
        "session-close",
        str(book),
        "--summary",
        "- The tide goes out.",
        "--human-edit",
        "Review/current.md",
        "--human-edit",
        "Global Material/Soul.md",
        stdin=PROSE,
    )

    told = document(answer)
    assert (answer.code, answer.err) == (0, "")
    assert has(
        told,
        {
            "session_word_count": int,
            "total_word_count": int,
            "target_length": int,
            "current_chapter_word_count": int,
            "completion_ready": bool,
        },
    )
    assert told["status"] == "closed"
    assert told["session_word_count"] == 40
    assert git_in(tmp_path / "tide.git", "rev-parse", "main") == git_in(book, "rev-parse", "main")
    assert not (book / ".ink-running").exists()


@SCRIPT_TOO
def test_close_without_a_session_is_the_seeds_guard(tool: Tool, book: Path) -> None:
    answer = tool("session-close", str(book), stdin=PROSE)

    told = document(answer)
    assert answer.code == 1
    assert (told["error"], told["status"]) == ("no active session", "error")
    assert "ink-cli session-open" in told["next"]


@SCRIPT_TOO
def test_a_repeated_close_answers_as_the_first_did(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    first = document(tool("session-close", str(book), stdin=PROSE))
    before = git_in(book, "rev-parse", "main")

    answer = tool("session-close", str(book), stdin=PROSE)

    assert answer.code == 0
    assert document(answer) == {**first, "repeated": True}
    assert first["repeated"] is False
    since = git_in(book, "log", "--format=%(trailers:key=Penwright-Step,valueonly)", f"{before}..main")
    assert set(since.split()) <= {"read"}, "but for what a clerk has read meanwhile, nothing is committed"


def test_a_closed_session_takes_no_other_prose(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    tool("session-close", str(book), stdin=PROSE)

    answer = tool("session-close", str(book), stdin=PROSE + b"And more.\n")

    told = document(answer)
    assert answer.code == 1
    assert (told["error"], told["status"]) == ("no active session", "error")
    assert "ink-cli session-open" in told["next"]


def test_a_refused_open_shows_the_words_of_the_book(tool: Tool, book: Path) -> None:
    for _ in range(2):
        tool("session-open", str(book))
        tool("session-close", str(book), stdin=PROSE)
    words = document(tool("session-open", str(book)))["word_count"]

    refused = document(tool("session-open", str(book)))

    assert refused["session_already_run"] is True
    assert refused["word_count"] == words
    assert words["total"] == 40


def test_the_payload_holds_the_intent_and_its_history(tool: Tool, book: Path) -> None:
    first = document(tool("session-open", str(book)))
    tool("session-close", str(book), stdin=PROSE)
    second = document(tool("session-open", str(book)))

    before, after = (ElementTree.fromstring(payload["intent"]) for payload in (first, second))
    assert before.get("id") == after.get("id") == "INT-001"
    assert [each.text for each in after.iter("constraint")]
    assert [history.get("total") for history in before.iter("intent_history")] == ["0"]
    (history,) = after.iter("intent_history")
    assert history.get("total") == "1"
    assert {node.get("state") for node in history.iter("node")} == {"present"}


def test_selecting_again_pins_the_current_wording_of_an_intent(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    registry = book / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace("Write the book", "Write it well"))
    commit(book, "Reword")

    selected = document(tool("select-active-intent", str(book), "INT-001"))
    assert 'name="Write it well"' in selected["context"]
    unknown = tool("select-active-intent", str(book), "int-001")
    assert unknown.code == 1
    assert "INT-001" in unknown.out
    assert document(tool("session-close", str(book), stdin=PROSE))["status"] == "closed"


def test_an_instruction_reaches_the_writer_with_its_passage(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    tool("session-close", str(book), stdin=PROSE)
    review = book / "Review/current.md"
    review.write_text(review.read_text().rstrip() + " <!-- INK: make it colder -->\n")

    payload = document(tool("session-open", str(book)))

    (instruction,) = payload["current_review"]["instructions"]
    assert instruction["instruction"] == "make it colder"
    assert instruction["anchor"].endswith("The tide went out.")
    assert "make it colder" not in payload["current_review"]["content"]
    assert payload["human_edits"] == ["Review/current.md"]


def test_a_kill_file_is_acknowledged_and_removed(tool: Tool, book: Path) -> None:
    (book / ".ink-kill").write_text("")

    answer = tool("session-open", str(book))

    assert answer.code == 0
    assert document(answer)["kill_requested"] is True
    assert not (book / ".ink-kill").exists()
    assert document(tool("session-open", str(book)))["kill_requested"] is False


def test_advance_chapter_has_four_answers_and_always_exit_code_0(tool: Tool, book: Path) -> None:
    early = tool("advance-chapter", str(book))
    for prose in (WHOLE_BOOK, PROSE):  # what a session writes is in the chapter after the next one
        tool("session-open", str(book))
        tool("session-close", str(book), stdin=prose)
    missing = tool("advance-chapter", str(book))
    (book / "Chapters material/Chapter_02.md").write_text("# The Boat\n\nShe comes.\n")
    commit(book, "Outline chapter 2")
    advanced = tool("advance-chapter", str(book))
    last = tool("advance-chapter", str(book))

    told = [document(answer) for answer in (early, missing, advanced, last)]
    assert [answer.code for answer in (early, missing, advanced, last)] == [0, 0, 0, 0], told
    assert told[0]["status"] == "chapter_not_ready"
    assert has(told[0], {"current_word_count": int, "target_word_count": int, "min_words_to_advance": int})
    assert told[1]["status"] == "needs_chapter_outline"
    assert told[1]["chapter_file"] == "Chapters material/Chapter_02.md"
    assert told[2]["status"] == "advanced"
    assert (told[2]["new_chapter"], told[2]["chapter_content"]) == (2, "# The Boat\n\nShe comes.\n")
    assert told[3]["status"] == "error"


def test_a_book_is_written_to_its_end_and_sealed_once(tool: Tool, book: Path) -> None:
    set_config(book, chapter_count=1)
    ready = False
    while not ready:
        tool("session-open", str(book))
        ready = document(tool("session-close", str(book), stdin=PROSE))["completion_ready"]

    sealed = tool("complete", str(book))
    again = tool("complete", str(book))
    opened = tool("session-open", str(book))

    assert (sealed.code, document(sealed)["status"]) == (0, "complete")
    assert (book / "COMPLETE").exists()
    assert again.code == 1
    assert document(again)["error"] == "book already complete"
    assert "schedule" in document(again)["next"]
    assert document(again)["status"] == "error"
    assert (opened.code, document(opened)["error"]) == (1, "book already complete")


def test_a_book_that_is_too_short_is_a_guards_error(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    tool("session-close", str(book), stdin=PROSE)

    answer = tool("complete", str(book))

    told = document(answer)
    assert (answer.code, told["status"], told["code"]) == (1, "error", "not-ready")
    assert "has 40 words and needs 90" in told["error"]
    assert "session-open" in told["next"]


def test_an_agent_seals_nothing_that_its_intent_does_not_own(stage: Tool, book: Path) -> None:
    """The author may, with `penwright book complete`."""
    set_config(book, chapter_count=1)
    stage("session-open", str(book))
    stage("session-close", str(book), stdin=WHOLE_BOOK)
    registry = book / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace('      - "Current version/Full_Book.md"\n', ""))
    commit(book, "Only the review")

    answer = stage("complete", str(book))

    told = document(answer)
    assert (answer.code, told["status"], told["code"]) == (1, "error", "scope-violation")
    assert "Current version/Full_Book.md" in told["error"]
    assert not (book / "COMPLETE").exists()


def test_a_seal_that_waits_for_review_is_called_for_by_the_next_opening(stage: Tool, book: Path) -> None:
    set_config(book, chapter_count=1)
    config = book / "Global Material/Config.yml"
    config.write_text(config.read_text().replace("completion: false", "completion: true"))
    stage("session-open", str(book))
    stage("session-close", str(book), stdin=WHOLE_BOOK)

    waiting = document(stage("complete", str(book)))
    opened = stage("session-open", str(book))
    sealed = document(stage("complete", str(book)))

    assert (waiting["status"], waiting["current_review"]["instructions"]) == ("needs_revision", [])
    assert (opened.code, document(opened)["code"]) == (1, "reviewed")
    assert "`complete` seals it" in document(opened)["error"]
    assert sealed["status"] == "complete"


def test_complete_returns_open_instructions(stage: Tool, book: Path) -> None:
    stage("session-open", str(book))
    stage("session-close", str(book), stdin=WHOLE_BOOK)
    review = book / "Review/current.md"
    review.write_text(review.read_text().rstrip() + " <!-- INK: make it colder -->\n")

    answer = stage("complete", str(book))

    told = document(answer)
    assert (answer.code, told["status"]) == (0, "needs_revision")
    assert told["current_review"]["instructions"][0]["instruction"] == "make it colder"


def test_rollback_needs_confirmation_and_restores_the_last_tag(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    tool("session-close", str(book), stdin=PROSE)
    tag = git_in(book, "tag", "--list")

    refused = tool("rollback", str(book))
    done = tool("rollback", str(book), "--yes")

    assert (refused.code, document(refused)["status"]) == (1, "error")
    assert (done.code, document(done)["target"]) == (0, tag)
    assert "tide went out" not in (book / "Review/current.md").read_text()
    assert git_in(book, "rev-parse", document(done)["archive"])


def test_reset_needs_yes_and_empties_the_book(stage: Tool, book: Path) -> None:
    refused = stage("reset", str(book))
    done = stage("reset", str(book), "--yes")

    assert refused.code == 1
    assert (done.code, document(done)["status"]) == (0, "reset")
    assert not (book / "Global Material/Config.yml").exists()


def test_init_lays_a_reset_book_out_again(tool: Tool, book: Path) -> None:
    tool("session-open", str(book))
    tool("session-close", str(book), stdin=PROSE)
    (book / "README.md").write_text((book / "README.md").read_text() + "\nMine.\n")
    tool("reset", str(book), "--yes")

    laid_out = tool("init", str(book), "--title", "Ebb", "--agent")
    opened = tool("session-open", str(book))

    assert (laid_out.code, document(laid_out)["status"]) == (0, "initialized"), laid_out.out
    assert "Global Material/Config.yml" in document(laid_out)["files_created"]
    assert (book / "README.md").read_text().endswith("Mine.\n")
    assert document(opened)["word_count"]["total"] == 0


def test_init_overwrites_nothing_in_a_repository_that_was_no_book(stage: Tool, tmp_path: Path) -> None:
    git_in(tmp_path, "init", "-q", "-b", "main", "notes")
    (tmp_path / "notes/README.md").write_text("Mine.\n")
    commit(tmp_path / "notes", "Begin")

    answer = stage("init", str(tmp_path / "notes"), "--agent")

    assert (answer.code, document(answer)["code"]) == (1, "would-overwrite")


@pytest.mark.parametrize(
    "arguments",
    [(), ("frob",), ("session-open",), ("session-open", "a", "b"), ("complete", ".", "--nonsense")],
)
def test_wrong_use_is_one_document_and_exit_code_2(stage: Tool, arguments: tuple[str, ...]) -> None:
    answer = stage(*arguments)

    told = document(answer)
    assert (answer.code, answer.err) == (2, "")
    assert told["status"] == "error"
    assert told["error"]


@pytest.mark.parametrize("verb", ["session-open", "session-close", "complete", "advance-chapter", "status"])
def test_a_folder_without_a_book_exits_1_with_one_document(stage: Tool, tmp_path: Path, verb: str) -> None:
    answer = stage(verb, str(tmp_path), stdin=PROSE)

    assert answer.code == 1
    assert document(answer)["status"] == "error"


@pytest.mark.parametrize("prose", [b"", b"  \n", b"One\0two", b"\xff\xfe"])
def test_prose_that_cannot_be_leaves_the_session_open(stage: Tool, book: Path, prose: bytes) -> None:
    stage("session-open", str(book))

    refused = stage("session-close", str(book), stdin=prose)
    closed = stage("session-close", str(book), stdin=PROSE)

    assert refused.code in (1, 2)
    assert document(refused)["status"] == "error"
    assert closed.code == 0


def test_status_and_doctor_have_the_peers_keys(stage: Tool, book: Path) -> None:
    status, doctor = stage("status", str(book)), stage("doctor", str(book))

    assert document(status).keys() >= {
        "initialized",
        "complete",
        "current_chapter",
        "current_chapter_word_count",
        "words_per_chapter",
        "chapter_close_suggested",
        "total_word_count",
        "target_length",
        "words_per_session",
        "completion_ready",
        "session_active",
        "session_age_seconds",
    }
    assert doctor.code == 0
    assert all({"name", "ok", "detail"} <= check.keys() for check in document(doctor)["checks"])


def test_words_typed_in_the_folder_while_a_close_commits_go_with_their_passage(
    stage: Tool, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage("session-open", str(book))
    stage("session-close", str(book), stdin=PROSE)
    review, publish = book / "Review/current.md", GitWorkspaces.publish

    def typed_before(self: GitWorkspaces, plan: MutationPlan, effect: Effect) -> Published:
        if plan.tool == "book.close":
            review.write_text(review.read_text().replace("The tide", "At last the tide", 1))
        return publish(self, plan, effect)

    stage("session-open", str(book))
    with monkeypatch.context() as patched:
        patched.setattr(GitWorkspaces, "publish", typed_before)
        closed = stage("session-close", str(book), stdin=PROSE.replace(b"The tide went out.", GULLS))
    payload = document(stage("session-open", str(book)))

    assert (closed.code, payload["human_edits"]) == (0, ["Current version/Full_Book.md"])
    full = (book / "Current version/Full_Book.md").read_text()
    assert (full.count("At last the tide went out"), full.count("went out")) == (1, 10)
    assert "went out" not in review.read_text()
    assert "INK:CONFLICT" not in review.read_text()
