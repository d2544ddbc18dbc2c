"""One request for a page: who asks, what for, and how the page asks the desk."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from fastapi import Request
from nicegui import ui

from gateway.desk.access import LONGEST_SESSION
from gateway.desk.principals import Principal, Scope, require
from gateway.desk.services import Services
from gateway.hub import Hub
from schemas.web import Credential

P = ParamSpec("P")
T = TypeVar("T")


class NeverShownError(Exception):
    """A page was asked for, but no browser showed it."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Request for a page, with its caller and the desk."""

    services: Services
    principal: Principal
    hub: Hub
    """The events of the store, followed once for all pages."""
    params: Mapping[str, str] = field(default_factory=dict)
    """Of the path, such as ``book_id``."""
    query: Mapping[str, str] = field(default_factory=dict)
    seat: str = ""
    """Secret of the seat whose page it is; empty on every other page."""
    ends: datetime | None = None
    """When the browser's session ends, whatever is done on the page; None: the caller has none."""

    def require(self, scope: Scope, subject: str | None = None) -> None:
        """``Refused`` ``not-permitted`` unless the principal may do that; see ``principals.require``."""
        require(self.principal, scope, subject)

    async def until_shown(self) -> None:
        """Wait for the browser; a page begins nothing before, so that a request alone changes nothing.

        Raises:
            NeverShownError: no browser came.
        """
        client = ui.context.client
        await client.connected()
        if client.is_deleted:
            raise NeverShownError

    async def ask(
        self, function: Callable[Concatenate[Services, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a desk function that blocks, outside the loop that serves all pages."""
        return await asyncio.to_thread(function, self.services, *args, **kwargs)

    async def ask_engine(
        self, function: Callable[Concatenate[Services, P], Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call a desk function that is a coroutine, in a loop of its own: it blocks between its awaits."""
        return await asyncio.to_thread(
            lambda: asyncio.run(_awaited(function(self.services, *args, **kwargs)))
        )


async def _awaited(asked: Awaitable[T]) -> T:
    return await asked


def visit_of(services: Services, hub: Hub, request: Request) -> Visit:
    """The visit that a request makes; the guard has put the principal there."""
    principal: Principal = request.scope["state"]["principal"]
    known: Credential | None = request.scope["state"].get("credential")
    ends = known.created_at + LONGEST_SESSION if known and known.kind == "session" else None
    return Visit(
        services,
        principal,
        hub,
        dict(request.path_params),
        dict(request.query_params),
        request.scope["state"].get("seat_secret", ""),
        ends,
    )
