"""Try a model: ask it what the roles will ask that settings give it, by the port by which runs ask."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

from penwright.adapters.models.lesson_files import LessonFiles
from penwright.adapters.models.prices import price_of
from penwright.adapters.models.router import ModelRouter
from penwright.adapters.models.structured import LADDER
from penwright.adapters.models.trial_verdicts import Asked, Given, known_window, picture_trial, role_trial
from penwright.domain.models.choice import IMAGES, entry_for, entry_named, fallback_for, profile_of
from penwright.domain.models.token_estimate import estimate_request
from penwright.domain.models.usage import total
from penwright.domain.text.nearest import meant
from penwright.errors import ModelFinal, ModelMistake, ModelUnavailable, NotFound, UsageMistake
from penwright.roles.model_roles import MODEL_ROLES, ModelRole, trial_request
from penwright.roles.trying import mistake_in
from schemas.agent import AgentMessage
from schemas.base import BlobRef, Effect, OpId
from schemas.model import BudgetScope, ModelRequest, ModelResponse, Usage
from schemas.model_catalog import ModelCatalog, ModelEntry, Price, StructuredRung
from schemas.model_trial import ProbeReport, RoleTrial

_SCOPE = BudgetScope(run="probe", subject="probe")
_LONGEST_WAIT_S = 60.0
"""Longer waits that a vendor asks for are not waited for; a run would wait."""
_HOPELESS = frozenset({"model-key-missing", "model-auth", "model-payment", "model-not-found"})
"""Codes of failures that no other question would get past."""
_OF_FORM = frozenset({"no-json", "invalid-output", "empty-reply", "cut-off", "oversize-reply"})
"""Codes of readers about the form; what else they say is about a task that a trial does not have."""
_PICTURE = "A lamp on a quay at night, in a few lines of ink."
_PICTURE_TOKENS = 100
Say = Callable[[str], None]


def _silent(said: str) -> None:
    """Drop what is said."""


class CatalogProbes:
    """Implements ``ModelProbes`` over a catalog that is read anew for each trial."""

    def __init__(
        self,
        catalog: ModelCatalog,
        keys: Mapping[str, str],
        *,
        newest: Callable[[], ModelCatalog] | None = None,
        lessons: LessonFiles | None = None,
        capped: bool = False,
    ) -> None:
        """``catalog``: what runs use in this process, until it starts again.

        ``keys``: by the names of their variables.
        ``newest``: reads what the settings say now; None: they do not change.
        ``lessons``: what models rejected; runs have the same.
        ``capped``: whether a cap counts dollars, so that a model without a price is not asked.
        """
        self._catalog = catalog
        self._keys = keys
        self._newest = newest or (lambda: catalog)
        self._lessons = lessons
        self._capped = capped

    async def probe(
        self,
        name: str,
        effect: Effect,
        *,
        timeout_s: float | None,
        roles: Sequence[str] = (),
        say: Say = _silent,
    ) -> ProbeReport:
        """See the port.

        Args:
            timeout_s: of each answer; None: as long as a run waits.
            roles: those to try it for; none: those that the settings give it, or all if they give it none.
            say: gets progress.
        """
        newest = await asyncio.to_thread(self._newest)
        entry = entry_named(newest, name)
        if _is_for_pictures(newest, name, roles):
            return await self._painted(newest, entry, _Asking(effect, timeout_s, say))
        chosen = _roles_of(newest, name, roles)
        only = _only(newest, entry)
        router = ModelRouter(only, ledger=_Uncounted(), keys=self._keys, lessons=self._lessons)
        trial = _Trial(router, entry, _Asking(effect, timeout_s, say))
        room = await asyncio.to_thread(known_window, entry)
        requests = {each.name: trial_request(each, effect, _SCOPE) for each in chosen}
        fitting = [each for each in chosen if room is None or estimate_request(requests[each.name]) < room]
        asked = await trial.all_asked(_grouped(fitting, requests, only), requests)
        price = await asyncio.to_thread(price_of, entry)
        given = Given(entry, room, priced=price is not None, capped=self._capped)
        rows = (
            role_trial(each, requests[each.name], asked.get(each.name, Asked()), given) for each in chosen
        )
        return self._report(trial, tuple(rows), price)

    async def _painted(self, catalog: ModelCatalog, entry: ModelEntry, asking: "_Asking") -> ProbeReport:
        """Have one picture made, which is thrown away."""
        only = _only(catalog, entry).model_copy(update={"roles": {IMAGES: entry.name}})
        router = ModelRouter(only, ledger=_Uncounted(), keys=self._keys, blobs=_Unkept())
        trial = _Trial(router, entry, asking)
        asked = await trial.painted()
        priced = asked.usage is not None and asked.usage.cost_micros is not None
        given = Given(entry, None, priced=priced or bool(asked.code), capped=self._capped)
        return self._report(trial, (picture_trial(asked, given),), None)

    def _report(self, trial: "_Trial", rows: tuple[RoleTrial, ...], price: Price | None) -> ProbeReport:
        entry = trial.entry
        return ProbeReport(
            name=entry.name,
            provider=entry.provider,
            model=entry.as_set,
            roles=rows,
            calls=trial.calls,
            latency_ms=trial.latency_ms,
            price=price,
            price_from=_origin(entry, price),
            cost_micros=total(trial.usages).cost_micros,
            demo=entry.provider == "demo",
            in_use=entry in self._catalog.models,
        )


def _is_for_pictures(catalog: ModelCatalog, name: str, wanted: Sequence[str]) -> bool:
    """Whether the model is tried for pictures: that is asked for, or the settings give it nothing else."""
    if wanted:
        return tuple(wanted) == (IMAGES,)
    alone = not any(name in _answering(catalog, each.name) for each in MODEL_ROLES)
    return alone and catalog.roles.get(IMAGES) == name


def _roles_of(catalog: ModelCatalog, name: str, wanted: Collection[str]) -> tuple[ModelRole, ...]:
    """The roles to try the model for."""
    known = {each.name: each for each in MODEL_ROLES}
    for role in wanted:
        if role not in known:
            hint = f"one of: {', '.join(known)}; or {IMAGES} by itself"
            raise UsageMistake("unknown-role", f"no role is called {role!r}{meant(role, known)}", hint=hint)
    if wanted:
        return tuple(known[role] for role in dict.fromkeys(wanted))
    own = [each for each in MODEL_ROLES if name in _answering(catalog, each.name)]
    return tuple(own) or MODEL_ROLES


def _answering(catalog: ModelCatalog, role: str) -> set[str]:
    """The models that may answer a role."""
    return {each.name for each in (entry_for(catalog, role), fallback_for(catalog, role)) if each}


def _only(catalog: ModelCatalog, entry: ModelEntry) -> ModelCatalog:
    """The catalog as it is where every role has this model, and no other answers in its place."""
    alone = {role: each.model_copy(update={"fallback": ""}) for role, each in catalog.profiles.items()}
    return catalog.model_copy(
        update={"models": (entry,), "roles": {}, "default": entry.name, "profiles": alone}
    )


def _grouped(
    roles: Sequence[ModelRole], requests: Mapping[str, ModelRequest], catalog: ModelCatalog
) -> Sequence[Sequence[ModelRole]]:
    """Roles whose requests have one form, the one with the smallest answer first: thought fills it first.

    The largest answer in prose is asked for alone: a server may not take so large a one.
    """
    prose = [each for each in roles if each.definition.asks_for is None]
    largest = max(prose, key=lambda role: role.answer_tokens, default=None)
    groups: dict[str, list[ModelRole]] = {}
    for role in sorted(roles, key=lambda role: role.answer_tokens):
        offers = [each.name for each in requests[role.name].tools]
        profile = profile_of(catalog, role.name).model_dump_json()
        form = f"{role.definition.asks_for} {offers} {profile} {role is largest}"
        groups.setdefault(form, []).append(role)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class _Asking:
    """Settings of the questions of a trial; see ``CatalogProbes.probe``."""

    effect: Effect
    timeout_s: float | None
    say: Say


@dataclass
class _Trial:
    """Asks the questions, one after another."""

    router: ModelRouter
    entry: ModelEntry
    asking: _Asking
    calls: int = 0
    latency_ms: int = 0
    usages: list[Usage] = field(default_factory=list)
    other_rung: StructuredRung | Literal["", "none"] = ""
    """A way of asking for JSON that works where the configured one does not; empty: none was looked for."""

    async def painted(self) -> Asked:
        """The result of asking for a picture."""
        self.asking.say(f"{self.entry.name} is asked for one picture, which no budget counts")
        request = ModelRequest(
            effect=self.asking.effect,
            role=IMAGES,
            messages=(AgentMessage(role="user", content=_PICTURE),),
            max_output_tokens=_PICTURE_TOKENS,
            scope=_SCOPE,
        )
        try:
            return Asked.of(await self._complete(request), None)
        except ModelFinal as failure:
            if failure.code in _HOPELESS:
                raise
            return Asked(code=failure.code, message=failure.message)

    async def all_asked(
        self, groups: Sequence[Sequence[ModelRole]], requests: Mapping[str, ModelRequest]
    ) -> Mapping[str, Asked]:
        """The result of each role's question."""
        count, asked = len(groups), dict[str, Asked]()
        self.asking.say(
            f"{self.entry.name} is asked {count} questions, one after another; no budget counts them"
        )
        for number, group in enumerate(groups, start=1):
            self.asking.say(f"{number}/{count} {', '.join(role.name for role in group)}")
            found = await self._asked(group[0], requests[group[0].name])
            asked |= {role.name: found for role in group}
        return asked

    async def _asked(self, role: ModelRole, request: ModelRequest) -> Asked:
        found = await self._answered(role, request)
        if request.output_schema is None or not found.may_be_form:
            return found
        if not self.other_rung:
            self.other_rung = await self._other_rung(role, request)
        return replace(found, other_rung=self.other_rung)

    async def _other_rung(self, role: ModelRole, request: ModelRequest) -> StructuredRung | Literal["none"]:
        """The next way of asking for JSON that works."""
        for rung in LADDER[LADDER.index(self.entry.structured) + 1 :]:
            self.asking.say(f"asking for JSON in another way: {rung}")
            found = await self._answered(role, request.model_copy(update={"output_rung": rung}))
            if not found.code and found.rung == rung:
                return rung
        return "none"

    async def _answered(self, role: ModelRole, request: ModelRequest) -> Asked:
        """Ask as a run asks: a reply of no use is complained of, as often as the role's runs do it."""
        for complaints_left in range(min(role.definition.repairs, 1), -1, -1):
            try:
                answer = await self._complete(request)
                mistake = _mistake(role, request, answer)
                said = answer.text
            except ModelMistake as caught:
                answer, mistake, said = None, caught, ""
            except ModelFinal as failure:
                if failure.code in _HOPELESS:
                    raise
                return Asked(code=failure.code, message=failure.message)
            if mistake is None or not complaints_left:
                break
            request = _complained(request, said, mistake)
        return Asked.of(answer, mistake)

    async def _complete(self, request: ModelRequest) -> ModelResponse:
        """The answer; a vendor that asks to wait a little is asked once more."""
        try:
            return await self._once(request)
        except ModelUnavailable as away:
            wait = away.retry_after_s
            if wait is None or wait > _LONGEST_WAIT_S:
                raise
            self.asking.say(f"{self.entry.name} asks to wait {wait:g} s")
            await asyncio.sleep(wait)
        return await self._once(request)

    async def _once(self, request: ModelRequest) -> ModelResponse:
        self.calls += 1
        effect = self.asking.effect.model_copy(
            update={"op_id": OpId(f"{self.asking.effect.op_id}/{self.calls}")}
        )
        limits = {} if self.asking.timeout_s is None else {"timeout_s": self.asking.timeout_s}
        began = time.perf_counter()
        answer = await self.router.complete(request.model_copy(update={"effect": effect, **limits}))
        self.latency_ms = self.latency_ms or max(1, round((time.perf_counter() - began) * 1000))
        self.usages.append(answer.usage)
        return answer


def _mistake(role: ModelRole, request: ModelRequest, answer: ModelResponse) -> ModelMistake | None:
    """The fault in the answer's form, as the role's own reader has it."""
    cut_off = answer.finish_reason == "length"
    if request.output_schema is not None:
        found = mistake_in(role.definition, answer.text, role.params, cut_off=cut_off)
        return found if found and found.code in _OF_FORM else None
    if not answer.text.strip() and not answer.tool_calls:
        return ModelMistake("empty-reply", "The reply was empty. Answer the request in full.")
    if cut_off:
        return ModelMistake("cut-off", "The reply was cut off at its longest. Answer again, and shorter.")
    return None


def _complained(request: ModelRequest, said: str, mistake: ModelMistake) -> ModelRequest:
    again = (AgentMessage(role="assistant", content=said), AgentMessage(role="user", content=mistake.message))
    return request.model_copy(update={"messages": (*request.messages, *(again if said else again[1:]))})


class _Unkept:
    """Implements ``Blobs``: keeps nothing."""

    def put(self, content: bytes) -> BlobRef:
        return BlobRef(sha256=sha256(content).hexdigest(), size=len(content))

    def get(self, ref: BlobRef) -> bytes:
        raise NotFound("blob-missing", f"text {ref.sha256} was not kept")


class _Uncounted:
    """Implements ``CallLedger``: keeps nothing, so that a trial counts against no budget."""

    def stored(self, effect: Effect) -> ModelResponse | None:
        return None

    def reserve(self, request: ModelRequest, *, estimate_micros: int | None, estimate_tokens: int) -> None:
        pass

    def settle(self, request: ModelRequest, response: ModelResponse) -> None:
        pass

    def release(self, request: ModelRequest) -> None:
        pass

    def lose(self, request: ModelRequest, estimate: Usage, *, model: str) -> None:
        pass


def _origin(entry: ModelEntry, price: Price | None) -> Literal["free", "settings", "genai-prices", "unknown"]:
    if price is None:
        return "unknown"
    if entry.price is not None:
        return "settings"
    if entry.local or entry.provider != "litellm":
        return "free"
    return "genai-prices"
