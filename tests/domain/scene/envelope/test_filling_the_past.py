"""History and the notes on what it leaves out share one room, whatever one takes of the other."""

import pytest

from penwright.domain.scene.envelope import filling
from penwright.domain.scene.envelope.filling import Candidate
from penwright.domain.scene.envelope.filling_sections import Rooms, fill
from penwright.domain.scene.envelope.knowing import VisibleMessages
from penwright.domain.scene.envelope.sections import Sections
from tests.support.scenes.envelopes import message

SIZES = (
    *((21, 22), (21, 15), (20, 22), (20, 15), (19, 22), (19, 22), (19, 15), (18, 22), (18, 23), (17, 22)),
    *((17, 16), (16, 23), (16, 16), (15, 22), (15, 16), (14, 22), (14, 22), (14, 15), (13, 22), (13, 22)),
    *((12, 22), (12, 15), (11, 22), (11, 15), (10, 22), (10, 16), (9, 22), (9, 22), (7, 23), (7, 16)),
    *((6, 22), (6, 22), (6, 16), (5, 22), (5, 22), (5, 15), (4, 22), (4, 22), (4, 15), (3, 22), (3, 22)),
    *((3, 15), (2, 23), (2, 22), (2, 15), (1, 22), (1, 22), (1, 15)),
)
"""Round and tokens of messages, newest first."""
NOTES = {
    **{21: 42, 20: 42, 19: 65, 18: 50, 17: 43, 16: 44, 15: 43, 14: 65, 13: 49, 12: 42, 11: 42, 10: 43},
    **{9: 49, 7: 44, 6: 66, 5: 65, 4: 65, 3: 65, 2: 66, 1: 65},
}
"""Tokens of the note on each round."""


def test_it_ends_where_longer_history_and_longer_notes_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "_BLOCKS", 5)
    history = tuple(
        Candidate(f"quay/{place}", "", tokens, round=round) for place, (round, tokens) in enumerate(SIZES)
    )
    notes = tuple(Candidate(f"round/{round}", "", tokens, round=round) for round, tokens in NOTES.items())
    rounds = (Candidate("quay/90", "", 46, round=23), Candidate("quay/91", "", 38, round=24))
    older = tuple(message(place, "", round=round) for place, (round, _) in enumerate(SIZES))
    found = Sections(VisibleMessages(older=older[::-1]), rounds, {"history": history, "summaries": notes})

    filled = fill(found, Rooms({"history": 615, "summaries": 204}, {"history": 30, "summaries": 10}), _count)

    assert filled["history"].used == 636
    assert filled["history"].used + filled["summaries"].used <= 615 + 204


def _count(texts: object) -> tuple[int, ...]:
    raise AssertionError("nothing is shortened here")
