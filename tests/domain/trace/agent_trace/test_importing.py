"""Importing a file: our own records whole, and nothing else."""

import json
from collections.abc import Callable

from penwright.domain.trace.agent_trace import KEY, export_line, exported, imported
from penwright.domain.trace.chain import Raw, line_of
from tests.domain.trace.agent_trace.test_exporting import conversation, file
from tests.support.each import for_each
from tests.support.ledgers.sealed_records import sealed_record

RECORD = sealed_record([file(conversation())])
EXPORT: Raw = json.loads(export_line(exported(RECORD, "a" * 40)))


def reason(line: bytes) -> str:
    (found,) = imported([line])
    assert found.record is None
    return found.reason


def test_a_line_of_the_ledger_is_a_record_already() -> None:
    (found,) = imported([line_of(RECORD)])
    assert found.record == RECORD


def test_an_export_may_be_written_in_any_layout() -> None:
    (found,) = imported([json.dumps(EXPORT, sort_keys=False).encode() + b"\r\n"])
    assert found.record == RECORD


def first_conversation(trace: Raw) -> Raw:
    found: Raw = trace["files"][0]["conversations"][0]
    return found


@for_each(
    "alter",
    [
        lambda trace: first_conversation(trace)["ranges"][0].update(start_line=1),
        lambda trace: first_conversation(trace)["contributor"].update(type="human"),
        lambda trace: first_conversation(trace)["related"][0].update(url="urn:penwright:intent:INT-002"),
        lambda trace: trace["files"][0].update(path="Book.md"),
        lambda trace: trace["files"].append(trace["files"][0]),
        lambda trace: trace["files"].clear(),
        lambda trace: trace.update(timestamp="2020-01-01T00:00:00Z"),
        lambda trace: trace["metadata"][KEY]["record"].pop("mutation"),
        lambda trace: trace["metadata"][KEY].update(record={}),
        lambda trace: trace["metadata"][KEY].update(record=3),
    ],
)
def test_an_export_that_was_altered_is_not_taken(alter: Callable[[Raw], None]) -> None:
    trace: Raw = json.loads(json.dumps(EXPORT))
    alter(trace)
    assert reason(json.dumps(trace).encode())


@for_each(
    "line, why",
    [
        (b'{"id":"1","files":[]}', "not valid Agent Trace"),
        (b'{"version":"0.1.0","files":[]}', "not valid Agent Trace"),
        (json.dumps({**EXPORT, "metadata": {"com.example": 1}}).encode(), "another tool"),
        (json.dumps({**EXPORT, "metadata": {KEY: 1}}).encode(), "another tool"),
        (b"{", "not valid"),
        (b"[]", "not valid"),
        (b"\xff", "not valid"),
        (b"[" * 100_000, "not valid"),
        (line_of(RECORD).replace(b"INT-001", b"INT-002"), "CHAIN_HASH_MISMATCH"),
    ],
)
def test_every_other_line_is_left_out_with_a_reason(line: bytes, why: str) -> None:
    assert why in reason(line)


def test_blank_lines_are_skipped_and_the_others_keep_their_numbers() -> None:
    found = list(imported([b"\n", line_of(RECORD), b"  \n", b"{\n"]))
    assert [(each.number, bool(each.record)) for each in found] == [(2, True), (4, False)]
