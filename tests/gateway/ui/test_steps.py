"""Events in words: no JSON reaches a reader."""

from datetime import UTC, datetime

from gateway.ui.parts.steps import sentence
from schemas.records import Event


def test_lists_and_objects_of_an_event_are_told_in_words() -> None:
    changes = [
        {"subject": "ann", "field": "mood", "new": "wary", "overruled": False},
        {"subject": "bob", "field": "location", "new": "the quay", "overruled": True},
    ]
    event = Event(
        run="scene/quay",
        subject="scene/quay",
        kind="state.updated",
        at=datetime(2026, 2, 22, tzinfo=UTC),
        op_id="o",
        data={"version": 3, "roster": ["ann", "bob"], "changes": changes},
    )

    assert sentence(event) == (
        "state updated: version 3, roster ann, bob, changes subject ann, field mood, new wary, overruled no; "
        "subject bob, field location, new the quay, overruled y…"
    )
