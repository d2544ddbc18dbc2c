"""Requests to one host: one queue, at the pace that it allows, bounded in time and size."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from penwright.adapters.scholarly.source import UnansweredError

LARGEST = 8_000_000
"""Bytes of one answer, unpacked: twenty records with their reference lists have less."""
PATIENCE_S = 45.0
"""Longest wait in the queue; a host that wants a longer one is out."""
PAUSE_S = 1.0
"""Pause after a 429 or 503 that names none."""
LONGEST_PAUSE_S = 86_400.0
HOPS = 3
_PLAIN = ("", "identity")

Params = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Pace:
    """Request limits of a host, as far as it does not say otherwise in its answers."""

    at_once: int
    gap_s: float
    """Least time between the starts of two requests."""


class HostQueue:
    """The one place where requests to a host wait. What the host says may slow it down, never speed it up."""

    def __init__(self, pace: Pace, *, patience_s: float = PATIENCE_S) -> None:
        self._pace = pace
        self._patience_s = patience_s
        self._freed = asyncio.Condition()
        self._running = 0
        self._at_once = pace.at_once
        self._gap_s = pace.gap_s
        self._next_start = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a request's turn; raises ``UnansweredError`` ``rate-limited`` if that takes too long."""
        await self._enter()
        try:
            await self._start()
            yield
        finally:
            async with self._freed:
                self._running -= 1
                self._freed.notify()

    def learn(self, status: int, headers: Mapping[str, str]) -> float | None:
        """Take over what an answer says about the pace; returns the seconds that it wants us to wait."""
        limit, interval = (
            _number(headers.get("x-rate-limit-limit")),
            _number(headers.get("x-rate-limit-interval")),
        )
        if limit and interval:
            self._gap_s = max(self._pace.gap_s, min(interval / limit, self._patience_s))
        at_once = _number(headers.get("x-concurrency-limit"))
        if at_once:
            self._at_once = max(1, min(self._pace.at_once, int(at_once)))
        if status not in (429, 503):
            return None
        asked = _delay(headers.get("retry-after"))
        # Answers arrive in any order: one without a wish must not end the hour that another one asked for.
        self._next_start = max(self._next_start, _now() + (PAUSE_S if asked is None else asked))
        return asked

    async def _enter(self) -> None:
        try:
            async with asyncio.timeout(self._patience_s), self._freed:
                await self._freed.wait_for(lambda: self._running < self._at_once)
                self._running += 1
        except TimeoutError:
            raise UnansweredError("rate-limited", self._gap_s) from None

    async def _start(self) -> None:
        latest = _now() + self._patience_s
        # Again after each sleep: meanwhile an answer may have asked everybody to wait.
        while (wait := self._next_start - _now()) > 0:
            if self._next_start > latest:
                raise UnansweredError("rate-limited", round(wait, 1))
            await asyncio.sleep(wait)
        self._next_start = _now() + self._gap_s


@dataclass(frozen=True)
class Host:
    """One registry's server."""

    client: httpx.AsyncClient
    queue: HostQueue
    base_url: str
    timeout_s: float
    headers: Mapping[str, str] = field(default_factory=dict)

    async def json(self, path: str, params: Params) -> dict[str, Any] | None:
        """Return the JSON object at ``path`` under the base URL; None if there is nothing (404).

        Raises:
            UnansweredError: for everything else.
        """
        body = await self.get(path, params, accept="application/json")
        if body is None:
            return None
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            raise UnansweredError("unreadable") from None
        if not isinstance(found, dict):
            raise UnansweredError("unreadable")
        return found

    async def get(self, path: str, params: Params, *, accept: str) -> bytes | None:
        """Return the body at ``path``; None for 404. Redirects are followed on this host only."""
        headers = {**self.headers, "Accept": accept, "Accept-Encoding": "identity"}
        url = httpx.URL(self.base_url.rstrip("/") + path, params=dict(params) or None)
        async with self.queue.turn():
            try:
                async with asyncio.timeout(self.timeout_s):
                    return await self._followed(url, headers)
            except (TimeoutError, httpx.TimeoutException):
                raise UnansweredError("slow") from None
            except (httpx.RemoteProtocolError, httpx.DecodingError, httpx.InvalidURL):
                raise UnansweredError("unreadable") from None
            except httpx.HTTPError:
                raise UnansweredError("unreachable") from None

    async def _followed(self, url: httpx.URL, headers: Mapping[str, str]) -> bytes | None:
        for _ in range(HOPS + 1):
            async with self.client.stream("GET", url, headers=headers, follow_redirects=False) as response:
                wait = self.queue.learn(response.status_code, response.headers)
                if not response.has_redirect_location:
                    return await _body(response, wait)
                target = url.join(response.headers["location"])
                if (target.scheme, target.host, target.port) != (url.scheme, url.host, url.port):
                    raise UnansweredError("redirected")
                url = target
        raise UnansweredError("redirected")


async def _body(response: httpx.Response, wait: float | None) -> bytes | None:
    status = response.status_code
    if status == 404:
        return None
    if status == 429:
        raise UnansweredError("rate-limited", wait)
    if status != 200:
        raise UnansweredError("server-error" if status >= 500 else "refused", wait)
    if response.headers.get("content-encoding", "").strip().lower() not in _PLAIN:
        raise UnansweredError("unreadable")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > LARGEST:
            raise UnansweredError("too-large")
    return bytes(body)


def _delay(text: str | None) -> float | None:
    """Seconds of a Retry-After header, which is a number or a date; None if it is neither."""
    seconds = _number(text)
    if seconds is None and text:
        try:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if seconds is None else min(max(seconds, 0.0), LONGEST_PAUSE_S)


def _number(text: str | None) -> float | None:
    """A number, with or without the unit ``s``; of a doubled header, the first; else None."""
    digits = (text or "").partition(",")[0].strip().removesuffix("s")
    return float(digits) if re.fullmatch(r"[0-9]{1,99}(?:\.[0-9]{1,9})?", digits) else None


def _now() -> float:
    return asyncio.get_running_loop().time()
