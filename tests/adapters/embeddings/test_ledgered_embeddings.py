"""Vectors are paid for once: by effect and texts, within the caps, on both ledgers."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.embeddings.ledgered_embeddings import Answered, LedgeredEmbeddings
from penwright.adapters.models.prices import cost_micros
from penwright.adapters.store import open_store
from penwright.errors import BudgetSpent, ModelUnavailable
from schemas.budgets import Cap, Caps
from schemas.memory import Charge
from schemas.model import BudgetScope
from schemas.model_catalog import ModelEntry, Price
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import an_effect
from tests.support.doubles.store import memory_store

PRICED = ModelEntry(name="near", provider="litellm", price=Price(input_micros=100_000, output_micros=0))
"""A tenth of a micro-dollar for each token."""
UNPRICED = PRICED.model_copy(update={"price": None})


@dataclass
class Vendor:
    """Counts letters, and what it is asked."""

    letters: str = "abc"
    tokens: int = 40
    entry: ModelEntry = PRICED
    down: int = 0
    """How many calls fail first."""
    asked: list[tuple[str, ...]] = field(default_factory=list)
    name: str = "near"

    @property
    def model(self) -> str:
        return f"letters/{self.letters}"

    def cost_micros(self, tokens: int) -> int | None:
        return cost_micros(self.entry, input_tokens=tokens, output_tokens=0)

    def ask(self, texts: Sequence[str]) -> Answered:
        self.asked.append(tuple(texts))
        if self.down:
            self.down -= 1
            raise ModelUnavailable("model-unavailable", "away")
        vectors = tuple(tuple(text.count(each) + 0.5 for each in self.letters) for text in texts)
        return Answered(vectors, self.tokens)


CAPS = Caps(run=Cap(tokens=5_000))


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.server)])
def store(request: pytest.FixtureRequest) -> Iterator[AnyStore]:
    if request.param == "memory":
        yield memory_store(clock=SystemClock(), caps=CAPS)
    else:
        url = request.getfixturevalue("database_url")
        with closing(open_store(url, clock=SystemClock(), caps=CAPS)) as kept:
            yield kept


def charge(op_id: str = "scene/harbour#s1:4") -> Charge:
    return Charge(effect=an_effect(op_id), scope=BudgetScope(run="scene/harbour#s1", subject="scene/harbour"))


def spent(store: AnyStore) -> tuple[int, int, int, int]:
    used = store.ledger.spending(charge().scope, day=an_effect().issued_at)["run"]
    return used.calls, used.input_tokens, used.cost_micros, used.unknown_prices


def test_a_repeated_effect_gets_the_same_vectors_and_pays_once(store: AnyStore) -> None:
    vendor = Vendor()
    embeddings = LedgeredEmbeddings(vendor, store.ledger)

    first = embeddings.embed(["abba", "cab"], charge())
    again = LedgeredEmbeddings(vendor, store.ledger).embed(["abba", "cab"], charge())

    assert first.vectors == again.vectors == ((2.5, 2.5, 0.5), (1.5, 1.5, 1.5))
    assert (first.model, first.dimensions) == ("letters/abc", 3)
    assert vendor.asked == [("abba", "cab")]
    assert first.usage == again.usage
    assert spent(store) == (1, 40, 4, 0)


def test_other_texts_another_model_or_another_effect_are_calls_of_their_own(store: AnyStore) -> None:
    near, far = Vendor(), Vendor(letters="xy")

    LedgeredEmbeddings(near, store.ledger).embed(["abba"], charge())
    LedgeredEmbeddings(near, store.ledger).embed(["cab"], charge())
    LedgeredEmbeddings(near, store.ledger).embed(["abba"], charge("scene/harbour#s1:5"))
    other = LedgeredEmbeddings(far, store.ledger).embed(["abba"], charge())

    assert other.vectors == ((0.5, 0.5),)
    assert spent(store)[0] == 4


def test_of_many_texts_each_request_is_kept_when_a_later_one_fails(store: AnyStore) -> None:
    vendor = Vendor()
    embeddings = LedgeredEmbeddings(vendor, store.ledger)
    texts = [f"{number} a" for number in range(70)]
    vendor.down = 0
    embeddings.embed(texts[:64], charge())
    vendor.down = 1

    with pytest.raises(ModelUnavailable):
        embeddings.embed(texts, charge())
    found = embeddings.embed(texts, charge())

    assert [len(each) for each in vendor.asked] == [64, 6, 6]
    assert len(found.vectors) == 70
    assert spent(store)[0] == 2, "the failed call is released, and nothing is paid twice"


def test_a_cap_is_kept_and_an_answered_call_is_free_beyond_it(store: AnyStore) -> None:
    vendor = Vendor()
    embeddings = LedgeredEmbeddings(vendor, store.ledger)
    embeddings.embed(["abba"], charge())

    with pytest.raises(BudgetSpent) as raised:
        embeddings.embed(["cab " * 2_000] * 3, charge())

    assert raised.value.code == "budget-spent"
    assert embeddings.embed(["abba"], charge()).vectors == ((2.5, 2.5, 0.5),)
    assert len(vendor.asked) == 1


def test_what_a_vendor_does_not_count_is_estimated_and_an_unknown_price_said(store: AnyStore) -> None:
    vendor = Vendor(tokens=0, entry=UNPRICED)

    found = LedgeredEmbeddings(vendor, store.ledger).embed(["abba " * 8], charge())

    assert (found.usage.input_tokens, found.usage.cost_micros) == (16, None)
    assert spent(store) == (1, 16, 0, 1)


def test_half_a_character_and_no_text_at_all_can_be_asked_for(store: AnyStore) -> None:
    vendor = Vendor()

    LedgeredEmbeddings(vendor, store.ledger).embed(["\ud800 a", ""], charge())

    assert vendor.asked == [("? a", " ")]
