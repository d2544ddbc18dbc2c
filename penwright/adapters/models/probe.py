"""Probe a model: whether it answers, how fast, and which ways of structured output work."""

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from penwright.adapters.models.prices import price_of
from penwright.adapters.models.provider import Ask, Provider, checked_answer, whole_answer
from penwright.adapters.models.router import build_provider, room_of
from penwright.adapters.models.structured import LADDER
from penwright.domain.models.choice import entry_named
from penwright.domain.models.structured_output import parse_structured
from penwright.domain.models.usage import total
from penwright.errors import ModelFinal, ModelMistake
from schemas.base import Effect, OpId, Value
from schemas.model import BudgetScope, Message, ModelRequest, ModelResponse
from schemas.model_catalog import ModelCatalog, ModelEntry, Price, Reasoning, StructuredRung
from schemas.model_trial import ProbeReport, RungReport

_QUESTION = "Describe the sea at dawn in one short sentence."
_JUDGEMENT = "Judge this sentence: “The sea was grey.” Give a score from 1 to 5 and a reason of one sentence."
_ANSWER_TOKENS = 500


class Judgement(Value):
    """The structured output that the probe asks for."""

    score: int
    reason: str


class CatalogProbes:
    """Implements ``ModelProbes`` over a catalog that is read anew for each trial."""

    def __init__(
        self,
        catalog: ModelCatalog,
        keys: Mapping[str, str],
        *,
        newest: Callable[[], ModelCatalog] | None = None,
    ) -> None:
        """``catalog``: what runs use in this process, until it starts again.

        ``keys``: by the names of their variables.
        ``newest``: reads what the settings say now; None: they do not change.
        """
        self._catalog = catalog
        self._keys = keys
        self._newest = newest or (lambda: catalog)

    async def probe(self, name: str, effect: Effect, *, timeout_s: float) -> ProbeReport:
        """See the port."""
        newest = await asyncio.to_thread(self._newest)
        entry = entry_named(newest, name)
        key = self._keys.get(entry.key_env, "")
        report = await probe(entry, key=key, effect=effect, say=lambda _: None, timeout_s=timeout_s)
        return report.model_copy(update={"in_use": entry in self._catalog.models})


async def probe(
    entry: ModelEntry, *, key: str, effect: Effect, say: Callable[[str], None], timeout_s: float = 60.0
) -> ProbeReport:
    """Ask ``entry`` a plain question, then for structured output on every rung; ``say`` gets progress.

    Nothing is stored or counted against a budget.

    Raises:
        ModelFinal, ModelUnavailable, ModelMistake: the plain question failed.
    """
    # Every rung is tried, also above the configured one.
    provider = build_provider(entry.model_copy(update={"structured": "native"}), {entry.key_env: key})
    say(f"asking {entry.name} a plain question")
    began = time.perf_counter()
    ask = partial(_ask, provider, entry.reasoning)
    question = _request(effect, "plain", _QUESTION, timeout_s)
    plain = checked_answer(question, await ask(question))
    latency_ms = round((time.perf_counter() - began) * 1000)
    answers, rungs = [plain], []
    for rung in LADDER:
        say(f"asking {entry.name} for structured output: {rung}")
        rungs.append(await _try(ask, _structured_request(effect, rung, timeout_s), answers))
    price = await asyncio.to_thread(price_of, entry)
    return ProbeReport(
        name=entry.name,
        provider=entry.provider,
        model=entry.model,
        answer=plain.text.strip(),
        latency_ms=latency_ms,
        rungs=tuple(rungs),
        best_rung=next((report.rung for report in rungs if report.works), None),
        configured_rung=entry.structured,
        price=price,
        price_from=_origin(entry, price),
        cost_micros=total(answer.usage for answer in answers).cost_micros,
        demo=plain.demo,
    )


async def _try(ask: Ask, request: ModelRequest, answers: list[ModelResponse]) -> RungReport:
    """Ask on one rung; append the answer, if one arrived, to ``answers``."""
    rung = request.output_rung
    try:
        answer = await ask(request)
        answers.append(answer)
        parse_structured(checked_answer(request, answer).text, Judgement)
    except (ModelFinal, ModelMistake) as failure:
        return RungReport(rung=rung, works=False, problem=failure.message)
    if answer.rung != rung:
        return RungReport(rung=rung, works=False, problem="litellm does not support this for the model.")
    return RungReport(rung=rung, works=True)


async def _ask(provider: Provider, reasoning: Reasoning | None, request: ModelRequest) -> ModelResponse:
    """As a run asks: with room for thought, and once more if that was too little."""
    with_room = room_of(provider)
    asked = await with_room(request.model_copy(update={"reasoning": reasoning}))
    return await whole_answer(asked, provider.ask, with_room)


def _structured_request(effect: Effect, rung: StructuredRung, timeout_s: float) -> ModelRequest:
    return _request(effect, rung, _JUDGEMENT, timeout_s).model_copy(
        update={
            "output_schema": Judgement.model_json_schema(),
            "schema_name": "Judgement",
            "output_rung": rung,
        }
    )


def _request(effect: Effect, step: str, question: str, timeout_s: float) -> ModelRequest:
    op_id = OpId(f"{effect.op_id}/{step}")
    return ModelRequest(
        effect=effect.model_copy(update={"op_id": op_id}),
        role="probe",
        messages=(Message(role="user", content=question),),
        max_output_tokens=_ANSWER_TOKENS,
        timeout_s=timeout_s,
        scope=BudgetScope(run="probe", subject="probe"),
    )


def _origin(entry: ModelEntry, price: Price | None) -> Literal["free", "settings", "genai-prices", "unknown"]:
    if price is None:
        return "unknown"
    if entry.price is not None:
        return "settings"
    if entry.local or entry.provider != "litellm":
        return "free"
    return "genai-prices"
