"""The logs outside the branch: a rollback of one clone may revoke an entry of another."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest

from penwright.domain.trace.verifying.anchors import (
    NO_REMOTE,
    RemoteBranch,
    RemoteLog,
    check_anchors,
    merge_stored_anchors,
    shortened,
    standing_heads,
)
from schemas.trace import Anchor

START = datetime(2026, 3, 1, tzinfo=UTC)


def entry(
    clone: str,
    number: int,
    head: str,
    kind: Literal["record", "revocation"] = "record",
    minute: int | None = None,
) -> Anchor:
    return Anchor(
        entry=f"{clone}-{number}",
        clone=clone,
        kind=kind,
        at=START + timedelta(minutes=number if minute is None else minute),
        commit=f"commit-{head}",
        heads=(head,),
        ledger="",
    )


def found(
    anchors: Sequence[Anchor], hashes: str, reached: str, remote: RemoteLog = NO_REMOTE
) -> list[tuple[str, str]]:
    """Codes and commits; ``hashes`` and ``reached`` are the letters that are still there."""
    listed = check_anchors(
        anchors, hashes=set(hashes), reaches=lambda commit: commit[-1] in reached, remote=remote
    )
    return [(each.code, each.commit) for each in listed]


def test_anchors_that_the_ledger_holds_have_no_finding() -> None:
    assert found([entry("one", 1, "a"), entry("one", 2, "b")], "ab", "ab") == []


@pytest.mark.parametrize(
    ("hashes", "reached", "code"), [("a", "ab", "LEDGER_TRUNCATED"), ("a", "a", "BRANCH_REWOUND")]
)
def test_missing_anchored_records_are_reported(hashes: str, reached: str, code: str) -> None:
    assert found([entry("one", 1, "a"), entry("one", 2, "b")], hashes, reached) == [(code, "commit-b")]


def test_what_another_clone_pushed_and_is_not_here_yet_is_no_loss() -> None:
    log = [entry("one", 1, "a"), entry("one", 2, "b")]
    ahead = RemoteBranch(ahead={"commit-b"})
    assert found(log, "a", "a", RemoteLog("two", branch=lambda: ahead)) == [("BRANCH_BEHIND", "")]
    # What this clone noted itself was here; and a branch with commits of its own is not merely behind.
    assert found(log, "a", "a", RemoteLog("one", branch=lambda: ahead)) == [("BRANCH_REWOUND", "commit-b")]
    parted = ahead._replace(diverged=True)
    assert found(log, "a", "a", RemoteLog("two", branch=lambda: parted)) == [("BRANCH_REWOUND", "commit-b")]


def test_a_rebase_that_kept_the_records_is_in_order() -> None:
    assert found([entry("one", 1, "a"), entry("one", 2, "b")], "ab", "a") == []


def test_a_rollback_excuses_only_entries_before_it() -> None:
    log = [entry("one", 1, "a"), entry("one", 2, "b"), entry("one", 3, "a", "revocation")]
    assert found(log, "a", "a") == []
    assert found([*log, entry("one", 4, "c")], "a", "a") == [("BRANCH_REWOUND", "commit-c")]


def test_a_rollback_does_not_excuse_a_truncated_ledger() -> None:
    log = [entry("one", 1, "a"), entry("one", 2, "b"), entry("one", 3, "a", "revocation")]
    assert found(log, "a", "ab") == [("LEDGER_TRUNCATED", "commit-b")]


def test_the_target_of_a_rollback_must_still_be_there() -> None:
    log = [entry("one", 1, "a"), entry("one", 2, "b"), entry("one", 3, "a", "revocation")]
    assert found(log, "", "") == [("BRANCH_REWOUND", "commit-a")]


def test_a_rollback_in_one_clone_excuses_earlier_entries_of_another() -> None:
    theirs = [entry("two", 1, "a"), entry("two", 2, "b")]
    rollback = entry("one", 3, "a", "revocation")
    assert found([rollback, *theirs], "a", "a") == []
    later = entry("two", 4, "c")
    assert found([rollback, *theirs, later], "a", "a") == [("BRANCH_REWOUND", "commit-c")]


def test_entries_that_a_rollback_took_back_vouch_for_nothing() -> None:
    log = [
        entry("one", 1, "a"),
        entry("one", 2, "b"),
        entry("one", 3, "a", "revocation"),
        entry("one", 4, "c"),
    ]
    assert standing_heads(log) == {"a", "c"}
    assert standing_heads([*log, entry("two", 1, "x"), entry("two", 5, "y")]) == {"a", "c", "y"}
    assert standing_heads(log[:2]) == {"a", "b"}


def test_without_any_log_that_is_said() -> None:
    assert found([], "a", "a") == [("NO_ANCHORS", "")]


def test_entries_that_only_the_database_has_count_as_well() -> None:
    log = [entry("one", 1, "a"), entry("one", 2, "b")]
    whole, lost = merge_stored_anchors(log[:1], lambda: log)
    assert {each.entry for each in whole} == {"one-1", "one-2"}
    assert [each.code for each in lost] == ["LOG_SHORTENED"]
    # A clone whose log was never fetched here has lost nothing.
    whole, lost = merge_stored_anchors([], lambda: log)
    assert (list(whole), lost) == (log, [])


def test_a_lost_anchor_entry_is_reported() -> None:
    log = [entry("one", 1, "a"), entry("one", 2, "b")]
    assert list(shortened(log, {"one": "one-2"})) == []
    assert [each.code for each in shortened(log[:1], {"one": "one-2"})] == ["LOG_SHORTENED"]
