"""The hash chain of a ledger segment."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.trace.chain import (
    Raw,
    canonical,
    line_of,
    linked,
    read_lines,
    record_hash,
    sealed,
)
from schemas.trace import SCHEMA
from tests.support.each import for_each


def record(name: str, *prev: str, **more: object) -> Raw:
    """A record with a place in the chain."""
    return sealed({"schema": SCHEMA, "id": name, **more}, prev)


def hash_of(raw: Raw) -> str:
    """Its own hash."""
    return str(raw["integrity"]["hash"])


def two_branches() -> list[Raw]:
    """A record, one made on it by each of two clones, and one that joins them."""
    first = record("a")
    left, right = record("b", hash_of(first)), record("c", hash_of(first))
    return [first, left, right, record("d", hash_of(left), hash_of(right))]


def faults(content: bytes) -> list[str]:
    """The fault of each line."""
    return [line.fault for line in read_lines(content)]


def test_records_of_two_branches_hang_together_in_every_order() -> None:
    records = two_branches()
    for order in itertools.permutations(records):
        chain = linked(read_lines(b"".join(map(line_of, order))))
        assert chain.sound
        assert chain.heads == (hash_of(records[-1]),)
        assert chain.roots == ()


def test_a_parent_that_was_cut_out_is_missed() -> None:
    records = two_branches()
    chain = linked(read_lines(b"".join(map(line_of, [records[0], *records[2:]]))))
    assert chain.sound
    assert chain.roots == (hash_of(records[1]),)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"note": '"integrity":{"alg":"sha256+jcs",'},
        {"files": [{"integrity": {"alg": "sha256+jcs", "prev": []}}]},
        {"zone": {"integrity": {"alg": "sha256+jcs", "prev": []}}},
    ],
)
def test_the_line_made_with_a_record_is_its_own_line(more: dict[str, object]) -> None:
    raw = sealed({"schema": SCHEMA, "id": "a", **more}, ["sha256:" + "2" * 64, "sha256:" + "1" * 64])
    line = line_of(raw)

    assert hash_of(raw) == record_hash(raw)
    assert linked(read_lines(line)).sound


def test_a_duplicate_record_is_reported() -> None:
    line = line_of(record("a"))
    chain = linked(read_lines(line + line))
    assert not chain.sound
    assert len(chain.doubled) == 1


@for_each(
    "row, fault",
    [
        (b"\xff\xfe", "LINE_NOT_UTF8"),
        (b"{", "LINE_NOT_JSON"),
        (b"[1]", "LINE_NOT_JSON"),
        (b"[" * 50_000, "LINE_NOT_JSON"),
        (b'{"id":"x","intent_id":"INT-001"}', "LEGACY_RECORD"),
        (b'{"schema":"orchestration.trace/9"}', "SCHEMA_UNKNOWN"),
        (b'{"schema":"%s"}' % SCHEMA.encode(), "CHAIN_MEMBER_MISSING"),
        (b'"' + b"x" * 70_000 + b'"', "LINE_TOO_LONG"),
    ],
)
def test_each_kind_of_bad_line_has_its_fault(row: bytes, fault: str) -> None:
    assert faults(row + b"\n") == [fault]


def test_a_line_that_ends_in_the_middle_was_cut() -> None:
    whole = line_of(record("a"))
    assert faults(whole[:-20]) == ["LINE_CUT"]


def test_a_record_in_other_json_notation_is_reported() -> None:
    raw = record("a")
    assert faults(json.dumps(raw).encode() + b"\n") == ["LINE_NOT_CANONICAL"]


def test_every_byte_of_a_line_is_covered() -> None:
    line = line_of(record("a", note="Ahab’s leg"))
    expected = hash_of(record("a", note="Ahab’s leg"))
    for at, bit in itertools.product(range(len(line) - 1), (0x01, 0x20, 0x80)):
        changed = line[:at] + bytes([line[at] ^ bit]) + line[at + 1 :]
        chain = linked(read_lines(changed))
        assert not chain.sound or chain.heads != (expected,), (at, bit)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_a_sealed_record_reads_back_as_itself(value: Any) -> None:
    raw = record("a", value=value)
    (line,) = read_lines(line_of(raw))
    assert (line.record, line.fault) == (raw, "")
    assert record_hash(json.loads(canonical(raw))) == line.hash
