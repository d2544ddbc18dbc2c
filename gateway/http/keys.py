"""Idempotency keys: a request that is sent again, because its answer was lost, is carried out once."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Header, Request, Response

from gateway.desk.principals import Principal
from gateway.desk.services import Services
from penwright.errors import PassingError, Refused, UsageMistake
from schemas.base import OpId
from schemas.web import KeptAnswer, Reservation

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]{16,128}")
_NOTHING_DONE = "nothing_done"
_KEPT_HEADERS = ("content-type", "location", "etag")


def _operation(
    request: Request,
    key: Annotated[
        str | None,
        Header(
            alias=HEADER,
            description="16 to 128 visible ASCII characters, new for each order; the answer to an order "
            "that is sent again with its key is given again for 24 hours.",
        ),
    ] = None,
) -> OpId:
    op_id: OpId = request.scope["state"]["op_id"]
    return op_id


Operation = Annotated[OpId, Depends(_operation)]
"""The op id of an order; the same for each time it is sent."""


async def answered_once(request: Request, handler: Callable[[Request], Awaitable[Response]]) -> Response:
    """The handler's answer, or the one that it gave before to the same request.

    Raises:
        UsageMistake: ``key-missing`` or ``bad-key``.
        Refused: ``key-reused``, for another request.
        PassingError: ``request-under-way``.
    """
    services: Services = request.app.state.services
    op_id = _op_id(request)
    digest = hashlib.sha256(request.url.query.encode() + b"\n" + await request.body()).hexdigest()
    known = await asyncio.to_thread(_reserve, services, op_id, digest)
    if known.answer is not None:
        return _again(known.answer)
    _refuse_known(known)
    request.scope["state"]["op_id"] = op_id
    try:
        answer = await handler(request)
    except BaseException:
        await asyncio.to_thread(_release, services, op_id)
        raise
    done = not request.scope["state"].get(_NOTHING_DONE)
    await (
        asyncio.to_thread(_keep, services, op_id, answer)
        if done
        else asyncio.to_thread(_release, services, op_id)
    )
    return answer


def session_of(operation: OpId) -> str:
    """Name of the run that an order starts: the same each time it is sent, so that the run starts once."""
    return operation.rpartition("/")[2][:24]


def nothing_done(request: Request) -> None:
    """Have the key of an order stay free: its answer says that no part of it was carried out."""
    request.scope["state"][_NOTHING_DONE] = True


def _op_id(request: Request) -> OpId:
    key = request.headers.get(HEADER)
    if key is None:
        raise UsageMistake(
            "key-missing",
            f"this request changes something and needs the header {HEADER}",
            hint="send 16 to 128 visible ASCII characters, new for each order, such as a UUID",
        )
    if not _KEY.fullmatch(key):
        raise UsageMistake("bad-key", f"{HEADER} must be 16 to 128 visible ASCII characters")
    principal: Principal = request.scope["state"]["principal"]
    parts = "\n".join((principal.name, request.method, request.url.path, key))
    return OpId(f"api/{hashlib.sha256(parts.encode()).hexdigest()}")


def _refuse_known(known: Reservation) -> None:
    if known.state == "other-request":
        raise Refused(
            "key-reused", f"this {HEADER} belongs to another request", hint="make a new one for each order"
        )
    if known.state == "under-way":
        raise PassingError("request-under-way", "the same request is being carried out")


def _reserve(services: Services, op_id: OpId, digest: str) -> Reservation:
    with services.open_store() as store:
        return store.answers.reserve(op_id, digest, services.now())


def _release(services: Services, op_id: OpId) -> None:
    with services.open_store() as store:
        store.answers.release(op_id)


def _keep(services: Services, op_id: OpId, answer: Response) -> None:
    headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
    kept = KeptAnswer(status=answer.status_code, headers=headers, body=bytes(answer.body).decode())
    with services.open_store() as store:
        store.answers.keep(op_id, kept)


def _again(answer: KeptAnswer) -> Response:
    headers = {**answer.headers, "idempotency-replayed": "true"}
    return Response(answer.body, answer.status, headers=headers)
