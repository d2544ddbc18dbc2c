"""Routes that check rights first, refuse what they do not know, and carry a repeated order out once."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response, params
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from gateway.http.keys import answered_once
from gateway.http.rights import check_scope
from penwright.errors import UsageMistake


class RightsRoute(APIRoute):
    """A route that checks the scope of the caller before it reads what was sent."""

    # Any: as the framework declares it.
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = self.allowed_handler()

        async def answer(request: Request) -> Response:
            check_scope(self.name, request)
            if self.body_field is None:
                await _check_no_fields(request)
            return await handler(request)

        return answer

    def allowed_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Make the handler for a caller that has the scope."""
        return super().get_route_handler()


class StrictRoute(RightsRoute):
    """A route that knows its query parameters; each POST needs an ``Idempotency-Key``."""

    reads = False
    """Whether a POST, too, changes nothing, and so may be sent as often as one likes."""

    # Any: as the framework declares it.
    def allowed_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().allowed_handler()
        given = get_flat_params(self.dependant)
        known = frozenset(each.alias for each in given if isinstance(each.field_info, params.Query))

        async def answer(request: Request) -> Response:
            _check(request, known)
            if request.method == "POST" and not self.reads:
                return await answered_once(request, handler)
            return await handler(request)

        return answer


class ReadingRoute(StrictRoute):
    """A route that changes nothing, though what it is asked for is too long for an address."""

    reads = True


def _check(request: Request, known: frozenset[str]) -> None:
    if unknown := sorted(set(request.query_params) - known):
        there = ", ".join(sorted(known)) or "none"
        raise UsageMistake(
            "unknown-parameter", f"there is no parameter {unknown[0]!r}", hint=f"known here: {there}"
        )
    given = (*request.path_params.values(), *request.query_params.values())
    if any("\0" in str(value) for value in given):
        raise UsageMistake("bad-character", "a NUL character stands in the address")


async def _check_no_fields(request: Request) -> None:
    """Refuse the fields of a JSON body where the route has none; before its key is kept for a day."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        return
    try:
        body = json.loads(await request.body() or b"{}")
    except ValueError:
        broken = {"type": "json_invalid", "loc": ("body",), "msg": "it is no JSON"}
        raise RequestValidationError([broken]) from None
    if body:
        fields = sorted(body) if isinstance(body, dict) else ()
        wrong: list[tuple[str, ...]] = [("body", each) for each in fields] or [("body",)]
        raise RequestValidationError([{"type": "extra_forbidden", "loc": each, "msg": ""} for each in wrong])
