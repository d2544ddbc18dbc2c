"""The exchange format: how a record is written, without loss."""

import json

import pytest
from hypothesis import given
from pydantic import ValidationError

from penwright.domain.trace.agent_trace import KEY, Unexportable, as_uri, export_line, imported
from penwright.domain.trace.agent_trace import exported as exported_trace
from penwright.domain.trace.chain import Raw, line_of
from schemas.agent_trace import AgentTrace
from tests.support.each import for_each
from tests.support.ledgers.sealed_records import records, sealed_record

REVISION = "a" * 40
RANGE = {
    "start_line": 3,
    "end_line": 5,
    "content_hash": "sha256:" + "b" * 64,
    "block_hash": "prose1:" + "c" * 32,
    "node": {"heading": ["Chapter 1"], "kind": "paragraph", "ordinal": 2},
    "ctx": ["", ""],
    "change": "added",
}
GONE = {"block_hash": "prose1:" + "d" * 32, "node": {"heading": [], "kind": "paragraph", "ordinal": 1}}


def conversation(**more: object) -> Raw:
    return {
        "url": "urn:penwright:book/tide#s1",
        "contributor": {"entity_type": "AI", "model_identifier": "vendor/model"},
        "ranges": [RANGE],
        "removed": [],
        "related": [{"type": "specification", "value": "INT-001"}],
        **more,
    }


def file(*conversations: Raw, op: str = "modify") -> Raw:
    return {"relative_path": "Review/current.md", "op": op, "conversations": list(conversations)}


def exported(record: Raw, revision: str | None) -> Raw:
    line: Raw = json.loads(export_line(exported_trace(record, revision)))
    return line


def test_a_record_is_said_by_the_formats_own_names() -> None:
    trace = exported(sealed_record([file(conversation())]), REVISION)
    del trace["metadata"]

    assert trace == {
        "version": "0.1.0",
        "id": "5f0c6f0e-8f5b-4b7e-9a43-2f6d1c7b9a10",
        "timestamp": "2026-03-01T08:00:00Z",
        "vcs": {"type": "git", "revision": REVISION},
        "tool": {"name": "book.close", "version": "0.1.0"},
        "files": [
            {
                "path": "Review/current.md",
                "conversations": [
                    {
                        "url": "urn:penwright:book/tide#s1",
                        "contributor": {"type": "ai", "model_id": "vendor/model"},
                        "ranges": [{"start_line": 3, "end_line": 5, "content_hash": "sha256:" + "b" * 64}],
                        "related": [{"type": "specification", "url": "urn:penwright:intent:INT-001"}],
                    }
                ],
            }
        ],
    }


def test_a_block_by_another_author_than_its_conversation_names_it() -> None:
    moved = {**RANGE, "change": "moved", "contributor": {"entity_type": "HUMAN"}}
    trace = exported(sealed_record([file(conversation(ranges=[moved, RANGE]))]), REVISION)

    (shown,) = trace["files"][0]["conversations"]
    assert [each.get("contributor") for each in shown["ranges"]] == [{"type": "human"}, None]


def test_deletions_appear_in_the_metadata_only() -> None:
    deleted = file(conversation(ranges=[], removed=[GONE]), op="delete")
    trace = exported(sealed_record([deleted, file(conversation(removed=[GONE]))]), REVISION)

    assert [each["path"] for each in trace["files"]] == ["Review/current.md"]
    assert "removed" not in json.dumps(trace["files"])
    assert json.dumps(trace["metadata"][KEY]).count("d" * 32) == 2


def test_a_conversation_always_has_a_uri() -> None:
    assert as_uri("intent", "INT-001") == "urn:penwright:intent:INT-001"
    assert as_uri("issue", "https://example.org/1") == "https://example.org/1"
    assert as_uri("outline", "Global Material/Outline.md#Act one").startswith(
        "urn:penwright:outline:Global%20"
    )


@given(records)
def test_every_exported_record_imports_byte_for_byte(record: Raw) -> None:
    line = export_line(exported_trace(record, REVISION))

    (back,) = imported([line])
    assert back.reason == ""
    assert back.record is not None
    assert line_of(back.record) == line_of(record)


def test_a_member_that_is_nothing_is_kept() -> None:
    record = sealed_record([], intent=None, decision=None)
    (back,) = imported([json.dumps(exported(record, None)).encode()])
    assert back.record == record


def test_a_time_in_another_zone_is_exported_in_utc_and_imported_unchanged() -> None:
    record = sealed_record([], timestamp="2026-03-01T09:00:00+01:00")
    trace = exported(record, REVISION)
    assert trace["timestamp"] == "2026-03-01T08:00:00Z"
    (back,) = imported([json.dumps(trace).encode()])
    assert back.record == record


@given(records)
def test_every_export_is_valid(record: Raw) -> None:
    AgentTrace.model_validate_json(export_line(exported_trace(record, None)))


@pytest.mark.parametrize(
    ("field", "value"),
    [("id", "record-1"), ("timestamp", "yesterday"), ("timestamp", "2026-13-01T00:00:00Z")],
)
def test_values_the_format_cannot_hold_are_refused_by_name(field: str, value: str) -> None:
    with pytest.raises(Unexportable, match=field):
        exported(sealed_record([], **{field: value}), REVISION)


@for_each(
    "change",
    [
        {"version": "1.0"},
        {"version": None},
        {"id": "record-1"},
        {"id": "5f0c6f0e-8f5b-9b7e-9a43-2f6d1c7b9a10"},
        {"timestamp": 1},
        {"timestamp": "2026-03-01T08:00:00+01:00"},
        {"tool": {"name": "nameless version"}},
        {"vcs": {"type": "cvs", "revision": "1"}},
        {"files": [{"path": "a", "conversations": [{"ranges": [{"start_line": 0, "end_line": 1}]}]}]},
        {"files": [{"path": "a", "conversations": [{"url": "no uri", "ranges": []}]}]},
        {"files": [{"path": "a", "conversations": [{"contributor": {"type": "AI"}, "ranges": []}]}]},
        {"files": [{"relative_path": "a", "conversations": []}]},
        {"unheard": 1},
    ],
)
def test_the_formats_rules_are_kept_strictly(change: Raw) -> None:
    sound = exported(sealed_record([file(conversation())]), REVISION)
    AgentTrace.model_validate(sound)

    with pytest.raises(ValidationError):
        AgentTrace.model_validate({**sound, **change})
