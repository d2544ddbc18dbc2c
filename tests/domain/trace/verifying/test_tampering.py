"""A tampered ledger: each kind of damage is found and named."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.chain import Raw, digest
from penwright.domain.trace.layout import LEDGER, MANIFEST, segment_path
from penwright.domain.trace.manifest import manifest_line
from penwright.domain.trace.reading import read_records
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.source import TraceSource
from penwright.domain.trace.verifying.anchors import RemoteLog
from penwright.domain.trace.verifying.report import CODES, VerifyOptions, VerifyReport
from penwright.domain.trace.verifying.verifier import verify
from tests.support.books.desks import Desk
from tests.support.ledgers.traces import Tampered, codes, rewritten, verified, write_book
from tests.support.sweeps import examples


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    made = Desk(tmp_path_factory.mktemp("tampering"), recorder=LedgerRecorder("test", BOOK_PROFILE))
    write_book(made)
    return made


@contextmanager
def opened(desk: Desk) -> Iterator[tuple[TraceSource, bytes]]:
    """The book, and its ledger."""
    with desk.port.trace(desk.workspace) as source:
        yield source, source.at(source.tip, LEDGER) or b""


def after(desk: Desk, change: Callable[[bytes], bytes | None]) -> VerifyReport:
    """The report of the verifier after the ledger was changed."""
    with opened(desk) as (source, ledger):
        return verify(Tampered(source, {LEDGER: change(ledger)}), VerifyOptions())


def test_an_untouched_book_has_no_findings(desk: Desk) -> None:
    report = verified(desk, strict=True)
    assert codes(report) == set()
    assert report.records == 4
    assert report.blocks == {"present": 6, "superseded": 3}
    assert report.newest is not None


def test_no_byte_of_the_ledger_can_be_flipped_unseen(desk: Desk) -> None:
    with opened(desk) as (source, ledger):
        kinds = {ledger.index(byte): byte for byte in set(ledger)}
        kinds |= {ledger.rindex(byte): byte for byte in set(ledger)}
        assert len(kinds) > 100
        for at, byte in kinds.items():
            for flipped in (byte ^ 1, byte ^ 0x80):
                content = ledger[:at] + bytes([flipped]) + ledger[at + 1 :]
                report = verify(Tampered(source, {LEDGER: content}), VerifyOptions())
                assert codes(report, "error"), (at, chr(byte), chr(flipped))
                assert report.newest is None


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda ledger: ledger[:-40], "LINE_CUT"),
        (lambda ledger: b"\n".join(ledger.split(b"\n")[1:]), "CHAIN_PARENT_MISSING"),
        (
            lambda ledger: b"\n".join([*ledger.split(b"\n")[:1], *ledger.split(b"\n")[2:]]),
            "CHAIN_PARENT_MISSING",
        ),
        (lambda ledger: b"\n".join(ledger.split(b"\n")[:-2]) + b"\n", "LEDGER_TRUNCATED"),
        (lambda ledger: b"", "LEDGER_TRUNCATED"),
        (lambda ledger: ledger + ledger.split(b"\n")[0] + b"\n", "RECORD_DOUBLED"),
        (lambda ledger: ledger.replace(b'"AI"', b'"HUMAN"', 1), "CHAIN_HASH_MISMATCH"),
        (lambda ledger: ledger.replace(b'":"', b'": "', 1), "LINE_NOT_CANONICAL"),
        (lambda ledger: b'{"id":"by-hand","intent_id":"INT-001"}\n' + ledger, "LEGACY_RECORD"),
        (
            lambda ledger: ledger.replace(b"orchestration.trace/1", b"orchestration.trace/2", 1),
            "SCHEMA_UNKNOWN",
        ),
        (lambda ledger: ledger + b"\xff\xfe\n", "LINE_NOT_UTF8"),
        (lambda ledger: ledger + b"[1]\n", "LINE_NOT_JSON"),
        (lambda ledger: ledger + b"[" * 50_000 + b"\n", "LINE_NOT_JSON"),
        (lambda ledger: ledger + b'"' + b"x" * 70_000 + b'"\n', "LINE_TOO_LONG"),
        (lambda ledger: ledger + b'{"schema":"orchestration.trace/1"}\n', "CHAIN_MEMBER_MISSING"),
        (lambda ledger: b"\0" * (17 * 1024 * 1024), "SEGMENT_TOO_LARGE"),
        (lambda ledger: None, "SEGMENT_UNREADABLE"),
    ],
)
def test_each_kind_of_damage_to_the_ledger_is_reported(
    desk: Desk, change: Callable[[bytes], bytes | None], found: str
) -> None:
    report = after(desk, change)
    assert found in codes(report)
    named = next(each for each in report.findings if each.code == found)
    assert (named.level, named.severity) == CODES[found][:2]
    assert named.hint


@pytest.mark.parametrize("first", [True, False])
def test_an_altered_copy_of_a_line_is_damage_and_hides_nothing(desk: Desk, first: bool) -> None:
    with opened(desk) as (source, ledger):
        forged = ledger.replace(b'"AI"', b'"HUMAN"')
        tampered = Tampered(source, {LEDGER: forged + ledger if first else ledger + forged})
        report, reading = verify(tampered, VerifyOptions()), read_records(tampered)

        assert reading.records == read_records(source).records
        assert reading.left_out == sum(b'"AI"' in row for row in ledger.splitlines()) > 0
    found = [each.code for each in report.findings]
    assert (found.count("CHAIN_HASH_MISMATCH"), found.count("RECORD_DOUBLED")) == (reading.left_out, 1)
    assert report.blocks == {"present": 6, "superseded": 3}


def test_the_order_of_the_lines_means_nothing(desk: Desk) -> None:
    report = after(desk, lambda ledger: b"".join(reversed(ledger.splitlines(keepends=True))))
    assert codes(report) == set()
    assert report.blocks == {"present": 6, "superseded": 3}


def test_a_run_of_lines_without_its_beginning_is_blamed_once(desk: Desk) -> None:
    report = after(desk, lambda ledger: b"".join(ledger.splitlines(keepends=True)[1:]))
    assert [each.line for each in report.findings if each.code == "CHAIN_PARENT_MISSING"] == [1]


def _other_author(record: Raw) -> Raw:
    for file in record["files"]:
        for part in file["conversations"]:
            part["contributor"] = {"entity_type": "HUMAN"}
    return record


def _other_blob(record: Raw) -> Raw:
    for file in record["files"]:
        file["blob_after"] = "0" * 40
    return record


@pytest.mark.parametrize("forgery", [_other_author, _other_blob])
def test_a_forged_ledger_with_new_hashes_disagrees_with_commits_and_log(
    desk: Desk, forgery: Callable[[Raw], Raw]
) -> None:
    found = codes(after(desk, lambda ledger: rewritten(ledger, forgery)))
    assert {"TRAILER_MISMATCH", "LEDGER_TRUNCATED"} <= found
    assert "CHAIN_HASH_MISMATCH" not in found


def test_a_forged_ledger_is_found_in_a_clone_that_has_no_log(desk: Desk) -> None:
    with opened(desk) as (source, ledger):
        forged = Tampered(source, {LEDGER: rewritten(ledger, _other_author)}, log=())
        report = verify(forged, VerifyOptions())
    assert codes(report, "error") == {"TRAILER_MISMATCH"}
    assert codes(report, "warning") == {"NO_ANCHORS"}


def test_a_history_without_a_log_is_called_not_anchored_and_fails_a_strict_look(desk: Desk) -> None:
    with opened(desk) as (source, _):
        why = RemoteLog(why_none="there is no remote to fetch it from")
        for known in (None, verify(Tampered(source, {}, log=()), VerifyOptions()).newest):
            report = verify(Tampered(source, {}, log=()), VerifyOptions(), known, remote=why)
            (named,) = (each for each in report.findings if each.severity != "info")
            assert (report.anchored, named.code) == (False, "NO_ANCHORS")
            assert "not anchored" in named.message
            assert "no remote" in named.message
            assert (report.counted(strict=False), report.counted(strict=True)) == (0, 1)
        narrow = verify(Tampered(source, {}, log=()), VerifyOptions(intent="INT-001", strict=True))
        assert narrow.counted(strict=True) == 1
        assert verify(source, VerifyOptions()).anchored


def test_what_was_judged_without_a_log_is_judged_again_with_one(desk: Desk) -> None:
    with opened(desk) as (source, _):
        known = verify(Tampered(source, {}, log=()), VerifyOptions()).newest
        # The log of another clone began with the second record, and does not know the last one.
        partial = Tampered(source, {}, log=source.anchors()[1:-1])
        again = verify(partial, VerifyOptions(), known)
    assert codes(again, "error") == {"RECORD_UNANCHORED"}


def test_a_repository_without_a_ledger_is_not_called_clean(tmp_path: Path) -> None:
    report = verified(Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE)))
    (named,) = (each for each in report.findings if each.severity != "info")
    assert (named.code, report.records) == ("NO_LEDGER", 0)
    assert "penwright book" in named.hint
    assert (report.counted(strict=False), report.counted(strict=True)) == (0, 1)


def test_a_line_that_no_commit_made_is_found(desk: Desk) -> None:
    def appended(ledger: bytes) -> bytes:
        first = json.loads(ledger.splitlines()[0])
        forged = {**first, "id": "00000000-0000-4000-8000-000000000000"}
        rows = ledger + json.dumps(forged).encode() + b"\n"
        return ledger + rewritten(rows, lambda record: record).splitlines(keepends=True)[-1]

    assert "RECORD_UNCOMMITTED" in codes(after(desk, appended))


@pytest.mark.parametrize(
    ("member", "value"),
    [
        (("id",), "1"),
        (("id",), "0" * 36),
        (("op", "id"), "sha256:" + "X" * 64),
        (("op", "id"), "sha512:" + "0" * 64),
        (("mutation", "declared"), ""),
        (("timestamp",), "2026-03-01T08:00:00"),
        (("timestamp",), "yesterday"),
        (("vcs", "revision_id"), "main"),
        (("vcs", "revision_id"), "A" * 40),
        (("vcs", "revision_id"), "0" * 50),
        (("op", "part"), 0),
        (("op", "part"), True),
        (("op", "parts"), 1.0),
        (("timestamp",), 1772352000),
        (("mutation", "class"), "WHATEVER"),
        (("files",), {}),
        (("files", 0, "relative_path"), ""),
        (("files", 0, "blob_after"), "abc"),
        (("files", 0, "blob_after"), ""),
        (("files", 0, "blob_after"), "g" * 40),
        (("files", 0, "blob_after"), "0" * 40 + "\n"),
        (("files", 0, "conversations", 0, "ranges", 0, "content_hash"), "sha256:" + "G" * 64),
        (("files", 0, "conversations", 0, "ranges", 0, "content_hash"), "sha256:" + "0" * 32),
        (("files", 0, "conversations", 0, "ranges", 0, "block_hash"), "prose1:" + "0" * 64),
        (("files", 0, "conversations", 0, "ranges", 0, "block_hash"), "prose9:" + "0" * 32),
        (("files", 0, "conversations", 0, "ranges", 0, "start_line"), 0),
        (("files", 0, "conversations", 0, "contributor", "entity_type"), "ROBOT"),
    ],
)
def test_a_malformed_record_with_a_right_hash_is_reported(
    desk: Desk, member: tuple[str | int, ...], value: object
) -> None:
    def bent(record: Raw) -> Raw:
        place: object = record
        for step in member[:-1]:
            place = place[step]  # type: ignore[index]
        place[member[-1]] = value  # type: ignore[index]
        return record

    report = after(desk, lambda ledger: rewritten(ledger.splitlines()[0] + b"\n", bent))
    named = [each for each in report.findings if each.code == "RECORD_MALFORMED"]
    assert len(named) == 1
    assert named[0].line == 1


def test_duplicate_ids_and_backward_times_are_reported(desk: Desk) -> None:
    def same_id(record: Raw) -> Raw:
        return {**record, "id": "00000000-0000-4000-8000-000000000000"}

    times = iter(
        ["2026-03-02T08:00:00Z", "2026-03-01T08:00:00Z", "2026-03-03T08:00:00Z", "2026-03-04T08:00:00Z"]
    )
    assert "ID_DOUBLED" in codes(after(desk, lambda ledger: rewritten(ledger, same_id)))
    backwards = after(desk, lambda ledger: rewritten(ledger, lambda each: {**each, "timestamp": next(times)}))
    assert "TIME_BACKWARDS" in codes(backwards, "warning")


def test_a_damaged_ledger_is_never_reported_as_clean(desk: Desk) -> None:
    clean = verified(desk)
    with opened(desk) as (source, ledger):
        for content in (ledger[:-1], ledger.replace(b'"AI"', b'"HUMAN"', 1), b""):
            again = verify(Tampered(source, {LEDGER: content}), VerifyOptions(), clean.newest)
            assert codes(again, "error") or content == ledger[:-1]
            assert again.newest is None or content == ledger[:-1]


SMALL = 4000


@pytest.fixture
def long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A book whose ledger has several segments."""
    monkeypatch.setattr("penwright.domain.trace.segments.SEGMENT_BYTES", SMALL)
    made = Desk(tmp_path, recorder=LedgerRecorder("test", BOOK_PROFILE))
    write_book(made)
    return made


def test_closed_segments_are_held_against_the_manifest(long: Desk) -> None:
    assert codes(verified(long, strict=True)) == set()
    first = segment_path(1)
    with opened(long) as (source, _):
        held = source.at(source.tip, first) or b""
        manifest = source.at(source.tip, MANIFEST) or b""
        assert held
        entry = json.loads(manifest_line(first, held))
        cases = {
            "SEGMENT_MISSING": Tampered(source, {}, dropped=[first]),
            "SEGMENT_CHANGED": Tampered(source, {first: b"".join(reversed(held.splitlines(keepends=True)))}),
            "SEGMENT_UNLISTED": Tampered(source, {MANIFEST: b""}),
            "MANIFEST_MALFORMED": Tampered(source, {MANIFEST: manifest[:-20]}),
        }
        for code, tampered in cases.items():
            assert code in codes(verify(tampered, VerifyOptions()), "error")
        for member, value in {"records": 9, "heads": [], "roots": ["sha256:" + "0" * 64]}.items():
            told = json.dumps({**entry, member: value}).encode()
            rest = b"".join(manifest.splitlines(keepends=True)[1:])
            report = verify(Tampered(source, {MANIFEST: told + b"\n" + rest}), VerifyOptions())
            assert "SEGMENT_CHANGED" in codes(report)


def test_a_segment_closed_by_two_clones_needs_the_lines_of_both(long: Desk) -> None:
    first = segment_path(1)
    with opened(long) as (source, _):
        held = source.at(source.tip, first) or b""
        lines = held.splitlines(keepends=True)
        rest = b"".join((source.at(source.tip, MANIFEST) or b"").splitlines(keepends=True)[1:])
        assert len(lines) > 1
        both = b"".join(manifest_line(first, part) for part in (lines[0], b"".join(lines[:1]) * 1))
        merged = Tampered(source, {MANIFEST: both + rest})
        assert "SEGMENT_CHANGED" not in codes(verify(merged, VerifyOptions()))
        cut = Tampered(source, {MANIFEST: both + rest, first: b"".join(lines[1:])})
        assert "SEGMENT_CHANGED" in codes(verify(cut, VerifyOptions()))


@pytest.mark.parametrize(
    ("written", "otherwise", "code"),
    [
        (b'"id":"', b'"id": "', "LINE_NOT_CANONICAL"),
        (b'"id":"', b'"id":"","id":"', "LINE_NOT_CANONICAL"),
        (b'"AI"', rb'"\u0041I"', "LINE_NOT_CANONICAL"),
        (b'"url":"', b'"url":"\xff', "LINE_NOT_UTF8"),
        (b'"url":"', b'"rank":%b,"url":"' % (b"9" * 5000), "LINE_NOT_JSON"),
    ],
    ids=["a blank", "a member that stands twice", "an escape", "a byte that is no text", "a number too long"],
)
def test_a_line_that_is_not_canonical_is_reported_despite_its_hash(
    desk: Desk, written: bytes, otherwise: bytes, code: str
) -> None:
    def loosened(ledger: bytes) -> bytes:
        row = ledger.splitlines()[-1]
        hash_ = json.loads(row)["integrity"]["hash"].encode()
        loose = row.replace(written, otherwise, 1)
        assert loose != row
        made = digest(loose.replace(b'"hash":"%b",' % hash_, b"")).encode()
        return ledger.replace(row, loose.replace(hash_, made))

    assert code in codes(after(desk, loosened))


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(start=st.integers(0, 5000), length=st.integers(0, 900), put=st.binary(max_size=40))
def test_removed_and_inserted_bytes_of_the_ledger_are_found(
    desk: Desk, start: int, length: int, put: bytes
) -> None:
    with opened(desk) as (source, ledger):
        content = ledger[:start] + put + ledger[start + length :]
        report = verify(Tampered(source, {LEDGER: content}), VerifyOptions())
    same = sorted(filter(None, content.split(b"\n"))) == sorted(filter(None, ledger.split(b"\n")))
    assert bool(codes(report)) is not same
