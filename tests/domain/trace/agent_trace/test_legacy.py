"""Foreign records: each hash is looked up in the history and rejected if it is not found."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from penwright.domain.trace.agent_trace.legacy import Verdict, claims_of, exported_legacy, judged
from penwright.domain.trace.chain import Raw
from tests.support.ledgers.scribes import BOOK, Scribes, paragraphs, scribes_in_memory

TEXT = "# One\r\n\r\nA paragraph.\r\n\r\nAnother one.\r\n"


def sha256(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def legacy(digest: str, start: int = 1, end: int = 6, path: str = BOOK) -> Raw:
    """A line as the challenge has it."""
    return {
        "id": "not-a-uuid",
        "timestamp": "2026-02-18T10:00:00Z",
        "vcs": {"revision_id": None},
        "files": [
            {
                "relative_path": path,
                "conversations": [
                    {
                        "url": "task-1",
                        "contributor": {"entity_type": "AI", "model_identifier": "some/model"},
                        "ranges": [{"start_line": start, "end_line": end, "content_hash": digest}],
                        "related": [{"type": "specification", "value": "INT-001"}],
                    }
                ],
            }
        ],
    }


@pytest.fixture
def scribes(tmp_path: Path) -> Scribes:
    made = scribes_in_memory(tmp_path)
    made.by_hand(BOOK, TEXT)
    made.by_hand(BOOK, paragraphs("All is new."))
    return made


def verdict(scribes: Scribes, record: Raw) -> Verdict:
    (claim,) = claims_of(record)
    with scribes.source() as source:
        return judged(source, [claim])[claim]


@pytest.mark.parametrize(
    ("digest", "start", "end", "how"),
    [
        (sha256(TEXT), 1, 6, "file"),
        (sha256(TEXT.replace("\r", "")), 1, 6, "file"),
        (sha256(TEXT.replace("\r", "").rstrip()), 1, 5, "file"),
        (sha256(TEXT)[: len("sha256:") + 32], 1, 6, "file"),
        (sha256(TEXT).removeprefix("sha256:").upper(), 1, 6, "file"),
        (sha256("A paragraph.\n\nAnother one."), 3, 5, "lines"),
        (sha256("A paragraph."), 40, 40, "block"),
    ],
)
def test_a_legacy_hash_is_found_in_any_committed_content(
    scribes: Scribes, digest: str, start: int, end: int, how: str
) -> None:
    found = verdict(scribes, legacy(digest, start, end)).found
    with scribes.source() as source:
        second = [commit.sha for commit in source.commits()][1]
    assert found is not None
    assert (found.commit, found.how) == (second, how)


@pytest.mark.parametrize("path", ["./Book.md", ".\\Book.md", "//Book.md"])
def test_a_path_may_be_written_as_other_machines_do(scribes: Scribes, path: str) -> None:
    assert verdict(scribes, legacy(sha256(TEXT), path=path)).found is not None


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (legacy(sha256("never seen")), "CONTENT_NEVER_COMMITTED"),
        (legacy(sha256(TEXT), path="src/main.ts"), "PATH_NEVER_COMMITTED"),
        (legacy("n/a"), "NO_DIGEST"),
        (legacy("sha256:" + "a" * 63), "NO_DIGEST"),
        (legacy(sha256("")), "NO_DIGEST"),
    ],
)
def test_a_legacy_hash_that_is_not_found_is_unverifiable_with_a_reason(
    scribes: Scribes, record: Raw, reason: str
) -> None:
    found = verdict(scribes, record)
    assert (found.found, found.reason) == (None, reason)


def test_ranges_count_wherever_such_records_have_them() -> None:
    record = legacy(sha256("a"))
    record["files"][0]["ranges"] = [{"start_line": 1, "end_line": 2, "content_hash": sha256("b")}]
    agent = {"version": "0.1.0", "files": [{"path": "a.md", "conversations": [{"ranges": [{}]}]}]}
    assert len(claims_of(record)) == 2
    assert [claim.path for claim in claims_of(agent)] == ["a.md"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: record.update(files=None),
        lambda record: record.update(files=[3, {"relative_path": 1}]),
        lambda record: record["files"][0].update(conversations={}),
        lambda record: record["files"][0]["conversations"][0].update(ranges="all", contributor="me"),
    ],
)
def test_malformed_legacy_records_yield_no_claims(spoil: Callable[[Raw], None]) -> None:
    record = legacy(sha256("a"))
    spoil(record)
    assert claims_of(record) == ()
    assert exported_legacy(record, {})["files"] == []


def test_a_legacy_export_names_a_revision_only_if_all_of_it_was_found(scribes: Scribes) -> None:
    good, bad = legacy(sha256(TEXT)), legacy(sha256("never seen"))
    with scribes.source() as source:
        verdicts = judged(source, [*claims_of(good), *claims_of(bad)])
    found = exported_legacy(good, verdicts)
    assert found["vcs"]["revision"]
    assert found["files"][0]["path"] == BOOK
    assert "vcs" not in exported_legacy(bad, verdicts)
