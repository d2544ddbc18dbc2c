"""A call of unknown price is never shown as one that cost nothing: pages and command line agree."""

from gateway.cli import live
from gateway.ui.elements.money import estimated, money
from penwright.adapters.store.scenes.telling import round_ended
from schemas.base import Effect
from schemas.scene import Round
from tests.support.gateway.services import NOW


def test_only_what_is_known_is_an_amount() -> None:
    told = {
        (cost, unknown): {money(cost, unknown), live.money(cost, unknown)}
        for cost in (0, 9_000)
        for unknown in (0, 2)
    }

    assert told == {
        (0, 0): {"$0.000"},
        (0, 2): {"unknown"},
        (9_000, 0): {"$0.009"},
        (9_000, 2): {"$0.009 and 2 calls of unknown price"},
    }


def test_an_estimate_names_the_roles_without_a_price() -> None:
    assert estimated([0, 0]) == "$0.000"
    assert estimated([None, None]) == "cost unknown"
    assert estimated([9_000, None]) == "$0.009 and 1 role of unknown price"
    assert live.estimated([], 2).startswith("cost unknown")
    assert live.estimated([9_000], 1) == "$0.009, and 1 role whose model has no known price"


def test_the_event_of_a_round_counts_calls_of_unknown_price() -> None:
    ended = Round(
        scene="quay", number=1, kind="message", status="completed", unknown_prices=3, started_at=NOW
    )

    told = round_ended(Effect(op_id="scene/quay:1", issued_at=NOW), "s1", ended)

    assert told.data["unknown_prices"] == 3
