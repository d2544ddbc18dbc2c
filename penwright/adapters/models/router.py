"""Route requests to the model of their role, asked as its profile says; the one place of
fallbacks, and of how many calls a vendor has at once.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from functools import partial
from urllib.parse import urlsplit

from penwright.adapters.models.demo.model import DemoProvider
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.lesson_files import LessonFiles
from penwright.adapters.models.litellm_client import close_litellm
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.pieces import PieceCarrier
from penwright.adapters.models.provider import Provider, WithRoom, checked_answer, unchanged
from penwright.adapters.models.scripted import ScriptedProvider
from penwright.domain.models.choice import IMAGES, entry_for, fallback_for, image_entry, profile_of, profiled
from penwright.domain.models.refusal import is_refusal
from penwright.domain.models.usage import total
from penwright.errors import ModelUnavailable
from penwright.ports.blobs import Blobs
from penwright.ports.models import CallLedger
from penwright.ports.scenes import Deltas
from schemas.base import OpId
from schemas.model import ModelRequest, ModelResponse
from schemas.model_catalog import ModelCatalog, ModelEntry

_PATIENCE_S = 14 * 60.0
"""Time a call waits for its vendor. With the longest call it stays below the timeout of the activity."""
_AGAIN_S = 1.0

_Waiting = Callable[[], AbstractContextManager[None]]


class ModelRouter:
    """Implements ``LanguageModel`` for a process: routes by role, always through the ledger."""

    def __init__(
        self,
        catalog: ModelCatalog,
        *,
        ledger: CallLedger,
        keys: Mapping[str, str] | None = None,
        deltas: Deltas | None = None,
        at_once: int = 8,
        waiting: _Waiting = nullcontext,
        blobs: Blobs | None = None,
        lessons: LessonFiles | None = None,
        arriving: Callable[[int], None] = lambda tokens: None,
    ) -> None:
        """``keys``: variable name -> key, for the variables that the catalog's entries name.

        ``deltas``: carries pieces of texts that are wanted as they come; without it, none go out.
        ``at_once``: calls to each vendor that are under way at the same time.
        ``waiting``: entered while a call waits until it may be under way.
        ``blobs``: where pictures are stored; without it none are made.
        ``lessons``: where it is kept which parameters models rejected.
        ``arriving``: is told how many tokens of an answer have come so far; called in the call's own task.
        """
        self._catalog = catalog
        self._ledger = ledger
        self._keys = keys or {}
        self._pieces = PieceCarrier(deltas) if deltas is not None else None
        self._slots = VendorSlots(at_once, waiting=waiting)
        self._blobs = blobs
        self._lessons = lessons
        self._arriving = arriving
        self._models: dict[str, LedgeredModel] = {}
        self._painters: dict[str, LedgeredModel] = {}

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Answer with the model of ``request.role``, or its fallback while that is away or if it refuses."""
        if request.role == IMAGES and self._blobs is not None:
            return await self._painter(self._blobs).complete(request)
        asked = profiled(request, profile_of(self._catalog, request.role))
        first, second = entry_for(self._catalog, request.role), fallback_for(self._catalog, request.role)
        answer = await (self._asked(first, asked) if second is None else self._of_both(first, second, asked))
        return checked_answer(asked, answer)

    async def _of_both(self, first: ModelEntry, second: ModelEntry, request: ModelRequest) -> ModelResponse:
        """The answer of ``first``, else that of its fallback, labelled."""
        reasons = profile_of(self._catalog, request.role).fallback_on
        try:
            answer = await self._asked(first, request)
        except ModelUnavailable as away:
            if "outage" not in reasons:
                raise
            return _instead(first, await self._while_away(second, request, away))
        if answer.model == second.name:
            # An earlier attempt, in which the first was away, has stored it.
            return _instead(first, answer)
        if "refusal" in reasons and is_refusal(answer):
            return _instead(first, await self._after_refusal(second, request, answer))
        return answer

    async def _after_refusal(
        self, second: ModelEntry, request: ModelRequest, refused: ModelResponse
    ) -> ModelResponse:
        """The fallback's answer, with what both cost; under an op id of its own, as the refusal keeps its."""
        op_id = OpId(f"{request.effect.op_id}/fallback")
        again = request.model_copy(update={"effect": request.effect.model_copy(update={"op_id": op_id})})
        answer = await self._asked(second, again)
        return answer.model_copy(update={"usage": total((refused.usage, answer.usage))})

    async def _while_away(
        self, second: ModelEntry, request: ModelRequest, away: ModelUnavailable
    ) -> ModelResponse:
        try:
            return await self._asked(second, request)
        except ModelUnavailable as too:
            waits = [each.retry_after_s for each in (away, too) if each.retry_after_s is not None]
            raise ModelUnavailable(
                away.code,
                f"{away.message} Its fallback: {too.message}",
                retry_after_s=min(waits, default=None),
                **{**away.details, **too.details, "fallback": second.name},
            ) from too

    async def _asked(self, entry: ModelEntry, request: ModelRequest) -> ModelResponse:
        if entry.name not in self._models:
            provider = build_provider(entry, self._keys, self._lessons)
            slot = partial(self._slots.of, entry)
            made = LedgeredModel(
                provider,
                self._ledger,
                self._pieces,
                entry=entry,
                slot=slot,
                with_room=room_of(provider),
                arriving=self._arriving,
            )
            self._models[entry.name] = made
        return await self._models[entry.name].ask(_capped(request, entry))

    def _painter(self, blobs: Blobs) -> LedgeredModel:
        entry = image_entry(self._catalog)
        if entry.name not in self._painters:
            # Imported here: few ever make pictures.
            from penwright.adapters.models.litellm_images import LitellmImages

            images = LitellmImages(entry, self._keys.get(entry.key_env, ""), blobs)
            slot = partial(self._slots.of, entry)
            made = LedgeredModel(images, self._ledger, entry=entry, slot=slot, estimate=images.estimate)
            self._painters[entry.name] = made
        return self._painters[entry.name]

    async def aclose(self) -> None:
        """Close the providers' connections."""
        await close_litellm()


def key_names(catalog: ModelCatalog) -> tuple[str, ...]:
    """Return the distinct names of variables whose values the router needs."""
    return tuple(sorted({entry.key_env for entry in catalog.models if entry.key_env}))


def build_provider(
    entry: ModelEntry, keys: Mapping[str, str], lessons: LessonFiles | None = None
) -> Provider:
    """Return the provider of ``entry``; a missing key is reported at the first call."""
    match entry.provider:
        case "litellm":
            return LitellmProvider(entry, keys.get(entry.key_env, ""), lessons)
        case "demo":
            return DemoProvider()
        case "scripted":
            return ScriptedProvider.from_file(entry.script, entry.name)


def room_of(provider: Provider) -> WithRoom:
    """Return the function that gives a request of ``provider`` room for thought."""
    return provider.with_room if isinstance(provider, LitellmProvider) else unchanged


def _capped(request: ModelRequest, entry: ModelEntry) -> ModelRequest:
    """Limit the timeout and tokens of ``request`` to the model's settings; add how much it is to think."""
    return request.model_copy(
        update={
            "reasoning": entry.reasoning if request.reasoning is None else request.reasoning,
            "timeout_s": _patience_s(request, entry),
            "max_output_tokens": min(
                request.max_output_tokens, entry.max_output_tokens or request.max_output_tokens
            ),
        }
    )


def _patience_s(request: ModelRequest, entry: ModelEntry) -> float:
    """Timeout of an answer; the operator's own server may be given more time than roles give."""
    if entry.timeout_s is None:
        return request.timeout_s
    return entry.timeout_s if entry.local else min(request.timeout_s, entry.timeout_s)


def _instead(first: ModelEntry, response: ModelResponse) -> ModelResponse:
    """The fallback's answer, labelled."""
    return response.model_copy(update={"instead_of": first.name})


def vendor_of(entry: ModelEntry) -> str:
    """Vendor of this model: the server of its address, else its vendor as litellm spells it."""
    if entry.api_base:
        return urlsplit(entry.api_base).netloc.rpartition("@")[2] or entry.api_base
    if entry.provider != "litellm":
        return entry.provider
    vendor, slash, _ = entry.model.partition("/")
    return vendor if slash else "openai"


class VendorSlots:
    """Slots of one process, for each vendor the same number."""

    def __init__(
        self, at_once: int, *, patience_s: float = _PATIENCE_S, waiting: _Waiting = nullcontext
    ) -> None:
        """``waiting``: entered while a call waits for a slot; not by one that finds it free."""
        self._at_once = at_once
        self._waiting = waiting
        self._patience_s = patience_s
        self._slots: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def of(self, entry: ModelEntry) -> AsyncIterator[None]:
        """Have a slot of the model's vendor inside, first come first served.

        Raises:
            ModelUnavailable: ``model-busy``: none became free within ``patience_s``.
        """
        vendor = vendor_of(entry)
        # The server of a file does one thing at a time, and a call's own time must not pass in its queue.
        at_once = 1 if entry.file else self._at_once
        slot = self._slots.setdefault(vendor, asyncio.Semaphore(at_once))
        try:
            with self._waiting() if slot.locked() else nullcontext():
                async with asyncio.timeout(self._patience_s):
                    await slot.acquire()
        except TimeoutError as late:
            raise ModelUnavailable(
                "model-busy",
                f"{vendor} has as many calls under way as `worker.model_activities` allows "
                f"({at_once}), and none became free within {self._patience_s:g} s. The call is tried "
                "again; raise the setting if the vendor allows more at once.",
                retry_after_s=_AGAIN_S,
                model=entry.name,
            ) from late
        try:
            yield
        finally:
            slot.release()
