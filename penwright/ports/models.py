"""Ports of language models, and of what their calls answered and cost."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from schemas.base import Effect
from schemas.model import BudgetScope, ModelRequest, ModelResponse, Usage
from schemas.model_trial import ProbeReport
from schemas.records import Spending, SpendingBy


class LanguageModel(Protocol):
    """A language model."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Make one call without retries; raises ``ModelUnavailable``, ``ModelFinal`` or ``ModelMistake``."""
        ...


class ModelProbes(Protocol):
    """The configured language models, tried one at a time."""

    async def probe(self, name: str, effect: Effect, *, timeout_s: float) -> ProbeReport:
        """Ask a model of the settings as they are now what its roles will ask; no budget counts it.

        Raises:
            UsageMistake: the settings cannot be read.
            ModelFinal: ``unknown-model``, or what no question to the model gets past, such as ``model-auth``.
            ModelUnavailable: it is away.
        """
        ...


class CallLedger(Protocol):
    """The ledger as a call of a model needs it."""

    def stored(self, effect: Effect) -> ModelResponse | None:
        """Return the answer of an earlier attempt; None if there is none."""
        ...

    def reserve(self, request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
        """Reserve money and tokens before the call; raises ``BudgetSpent`` if a cap would be exceeded."""
        ...

    def settle(self, request: ModelRequest, response: ModelResponse) -> None:
        """Store the answer and replace the reservation by the real usage, in one transaction."""
        ...

    def release(self, request: ModelRequest) -> None:
        """Release the reservation of a call that brought no answer, and cost nothing."""
        ...

    def lose(self, request: ModelRequest, estimate: Usage, *, model: str) -> None:
        """Replace the reservation of a call that brought no answer by what its vendor may bill.

        ``model``: the one that was asked, by its name in the settings.

        Charged once for each reservation. An answer that arrives later is charged as well.
        """
        ...


class ModelLedger(CallLedger, Protocol):
    """Every model call by op id, and the budgets."""

    def spending(self, scope: BudgetScope, *, day: datetime) -> Mapping[str, Spending]:
        """Return the spending by period: ``run``, ``subject`` and ``day``."""
        ...

    def subjects(self) -> tuple[str, ...]:
        """List the subjects of answered calls: books by id, documents as ``<novel>/<scene>``; sorted."""
        ...

    def grouped(
        self, by: SpendingBy, *, since: date, subjects: Sequence[str] | None = None
    ) -> Mapping[str, Spending]:
        """Return the spending since a UTC day by role, model or day; of ``subjects`` alone unless None.

        It is what the caps count: also lost calls, a second answer to one call, and, for an answer of
        unknown price, the cost that was reserved for it.
        """
        ...
