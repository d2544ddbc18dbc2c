"""The contract of ``TraceAnchors``."""

from datetime import timedelta

from schemas.trace import Anchor
from tests.adapters.store.builders import AnyStore
from tests.support.ledgers.small_records import DAWN

BOOK = "lamp"


def an_anchor(entry: str, *, minute: int = 0) -> Anchor:
    return Anchor(
        entry=entry,
        clone="here",
        kind="record",
        at=DAWN + timedelta(minutes=minute),
        commit="c" * 40,
        heads=("sha256:1", "sha256:2"),
        ledger="b" * 40,
        op_id="book/lamp#1/2",
    )


def test_anchors_are_stored_once(store: AnyStore) -> None:
    late, early, same = an_anchor("1", minute=5), an_anchor("2", minute=1), an_anchor("3", minute=1)
    for anchor in (late, early, same, early._replace(commit="d" * 40)):
        store.trace.anchor(BOOK, anchor)

    assert store.trace.anchors(BOOK) == (early, same, late)
    assert store.trace.anchors("other") == ()
