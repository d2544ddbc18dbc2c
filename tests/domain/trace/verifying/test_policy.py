"""Policy: a record is judged by the rules as they were when it was made."""

from pathlib import Path

import pytest

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.registry import REGISTRY, read_registry
from penwright.domain.trace.chain import Raw
from penwright.domain.trace.layout import LEDGER
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.verifying.report import VerifyOptions
from penwright.domain.trace.verifying.verifier import verify
from schemas.intents import IntentPin
from tests.support.books.desks import Desk
from tests.support.ledgers.traces import (
    PARAGRAPHS,
    REGISTRY_TEXT,
    Tampered,
    codes,
    publish_text,
    rewritten,
    verified,
)

SECTIONS = "# Book\n\n## Harbour\n\nOne stands here.\n\n## Letter\n\nTwo stands here.\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    made.commit(REGISTRY, REGISTRY_TEXT)
    return made


def pin(text: str) -> IntentPin:
    """The first intent as this registry words it."""
    intent = read_registry(text.encode()).intents[0]
    return IntentPin(intent_id=intent.id, digest=intent.digest)


def test_the_rules_of_its_time_count_and_no_later_ones(desk: Desk) -> None:
    publish_text(desk, PARAGRAPHS[0])
    desk.commit(REGISTRY, REGISTRY_TEXT.replace("IN_PROGRESS", "COMPLETED"))
    desk.commit(".intentignore", "intent:INT-001\nReview/**\n")
    assert codes(verified(desk, strict=True)) == set()


@pytest.mark.parametrize(
    ("registry", "found"),
    [
        (REGISTRY_TEXT.replace("INT-001", "INT-002"), "INTENT_WAS_UNKNOWN"),
        (REGISTRY_TEXT.replace("IN_PROGRESS", "PENDING"), "INTENT_WAS_NOT_WRITABLE"),
        (REGISTRY_TEXT.replace("Write the book", "Write another"), "INTENT_WAS_OTHERWISE"),
        (REGISTRY_TEXT.replace('"Review/**"', '"Chapters/**"'), "SCOPE_WAS_EXCEEDED"),
        (
            REGISTRY_TEXT.replace('"Review/**"', '"Review/**"\n      - "!Review/current.md"'),
            "SCOPE_WAS_EXCEEDED",
        ),
        ("active_intents: [", "INTENT_WAS_UNKNOWN"),
    ],
)
def test_changes_against_the_registry_are_reported(desk: Desk, registry: str, found: str) -> None:
    desk.commit(REGISTRY, registry)
    publish_text(desk, PARAGRAPHS[0])
    report = verified(desk)
    assert found in codes(report, "error")
    named = next(each for each in report.findings if each.code == found)
    assert named.level == 5
    assert named.intent == "INT-001"
    assert named.commit == report.tip


@pytest.mark.parametrize(
    ("ignored", "found"),
    [("intent:INT-001\n", "INTENT_WAS_IGNORED"), ("Review/\n", "PATH_WAS_IGNORED")],
)
@pytest.mark.parametrize("path", [".intentignore", ".orchestration/.intentignore"])
def test_changes_against_the_ignore_file_are_reported(
    desk: Desk, path: str, ignored: str, found: str
) -> None:
    desk.commit(path, ignored)
    publish_text(desk, PARAGRAPHS[0])
    assert codes(verified(desk)) == {found}


def test_a_model_change_without_an_intent_is_reported(desk: Desk) -> None:
    publish_text(desk, PARAGRAPHS[0], pin=None)
    assert codes(verified(desk)) == {"INTENT_MISSING"}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [("One stands", "One still stands", set()), ("Two stands", "Two still stands", {"SCOPE_WAS_EXCEEDED"})],
)
def test_a_section_is_judged_by_its_text(desk: Desk, before: str, after: str, found: set[str]) -> None:
    registry = REGISTRY_TEXT.replace('"Review/**"', '"Review/current.md#Harbour/**"')
    desk.commit("Review/current.md", SECTIONS)
    desk.commit(REGISTRY, registry)
    publish_text(desk, SECTIONS.replace(before, after).rstrip("\n"), pin=pin(registry))
    assert codes(verified(desk, strict=True)) == found


def test_an_understated_evolution_is_reported(desk: Desk) -> None:
    publish_text(desk, PARAGRAPHS[0])

    def understated(record: Raw) -> Raw:
        return {**record, "mutation": {**record["mutation"], "class": "AST_REFACTOR"}}

    def declared(record: Raw) -> Raw:
        return {**record, "mutation": {**record["mutation"], "declared": "AST_REFACTOR"}}

    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        for forgery in (understated, declared):
            forged = Tampered(source, {LEDGER: rewritten(ledger, forgery)})
            assert "CLASS_UNDERSTATED" in codes(verify(forged, VerifyOptions()))


def test_an_approval_without_its_trailer_is_reported(desk: Desk) -> None:
    publish_text(desk, PARAGRAPHS[0])
    decision = {
        "approval": "a-1",
        "by": "ada",
        "decided": "approved",
        "plan_digest": "sha256:" + "0" * 64,
        "codes": ["PATH_ESCAPE"],
    }
    with desk.port.trace(desk.workspace) as source:
        ledger = source.at(source.tip, LEDGER) or b""
        forged = Tampered(source, {LEDGER: rewritten(ledger, lambda each: {**each, "decision": decision})})
        found = codes(verify(forged, VerifyOptions()))
    assert {"APPROVAL_UNBOUND", "APPROVAL_EXCEEDED"} <= found
