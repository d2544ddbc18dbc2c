"""Errors as ``application/problem+json`` (RFC 9457)."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from penwright import errors
from penwright.domain.text.placeholders import with_names

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 2

STATUS: tuple[tuple[type[errors.PenwrightError], int], ...] = (
    (errors.UsageMistake, 400),
    (errors.NotFound, 404),
    (errors.BrokenDefinition, 409),
    (errors.Refused, 409),
    (errors.BrokenBook, 409),
    (errors.BrokenWorkspace, 409),
    (errors.BudgetSpent, 409),
    (errors.ChainBroken, 409),
    (errors.WorkspaceBusy, 409),
    (errors.ModelFinal, 502),
    (errors.PassingError, 503),
    (errors.ModelMistake, 502),
    (errors.PenwrightError, 409),
)
"""The first class that fits gives the status."""
BY_CODE = {
    "not-permitted": 403,
    "code-spent": 401,
    **dict.fromkeys(("seat-unknown", "seat-expired", "seat-left", "seat-taken-away"), 401),
    "stale-revision": 412,
    "stale": 412,
    "revision-missing": 428,
    "key-reused": 422,
    "too-many-requests": 429,
    "request-under-way": 409,
    "too-many-streams": 429,
}
"""Codes whose status says more than their class."""
PASSING = frozenset({"already-running", "round-runs", "has-acted", "unknown-to-round"})
"""Codes of refusals that end with a session or round that runs: the same request may succeed later."""
_THINGS = ("BOOK", "NOVEL", "SCENE")
"""Names of things in advised commands, whose id is a part of the address."""
_TITLES = {
    400: ("bad-request", "the request cannot be read"),
    404: ("no-such-address", "there is nothing at this address"),
    405: ("method-not-allowed", "this address does not take this method"),
    408: ("too-slow", "the body came too slowly; send it again"),
    413: ("too-large", "the request is too large"),
    415: ("not-json", "the body must be application/json"),
}


class FieldProblem(BaseModel):
    """One thing that is wrong with a request."""

    at: str
    """Place, such as ``body.minutes``."""
    message: str


class Problem(BaseModel):
    """Reason why a request was not carried out."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    hint: str = ""
    retryable: bool = False
    request_id: str = ""
    errors: list[FieldProblem] = []


ALWAYS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": said, "content": {MEDIA_TYPE: {}}}
    for status, said in (
        (400, "the request cannot be read"),
        (401, "no valid credential"),
        (403, "the caller may not do that"),
        (404, "there is no such thing"),
        (408, "the body came too slowly; nothing was changed"),
        (409, "a rule or a state forbids it; nothing was changed"),
        (412, "what the change was made from is not what stands there now; nothing was changed"),
        (413, "the body is too large"),
        (415, "the body is not JSON"),
        (422, "a value is invalid, or the key was used for another request"),
        (428, "a change says what it was made from"),
        (429, "too many requests"),
        (502, "a model or another program gave an answer that cannot be used"),
        (503, "the engine or the store does not answer; try again"),
    )
}
"""Problems that any route may answer with, for the description of the API. Any: OpenAPI."""


def problem(
    code: str,
    detail: str,
    status: int,
    *,
    hint: str = "",
    retryable: bool = False,
    request_id: str = "",
    fields: Sequence[FieldProblem] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An answer that says what is wrong and what to do."""
    told = Problem(
        type=f"urn:penwright:problem:{code}",
        title=code.replace("-", " "),
        status=status,
        detail=detail,
        code=code,
        hint=hint,
        retryable=retryable,
        request_id=request_id,
        errors=list(fields),
    )
    kept = dict(headers or {})
    if retryable:
        kept.setdefault("retry-after", str(RETRY_AFTER_S))
    return JSONResponse(told.model_dump(), status, headers=kept, media_type=MEDIA_TYPE)


def of_error(
    error: errors.PenwrightError, request_id: str = "", names: Mapping[str, str] | None = None
) -> Response:
    """The answer to an error of ours; ``names`` are those of its address, as ``with_names`` takes them."""
    status = BY_CODE.get(error.code) or next(status for kind, status in STATUS if isinstance(error, kind))
    said, hint = (with_names(text, names or {}) for text in (error.message, error.details.get("hint", "")))
    retryable = error.retryable or error.code in PASSING
    return problem(error.code, said, status, hint=hint, retryable=retryable, request_id=request_id)


def of_http(error: HTTPException, request_id: str) -> Response:
    """The answer to an error of the HTTP stack."""
    code, detail = _TITLES.get(error.status_code, ("refused", str(error.detail)))
    return problem(code, detail, error.status_code, request_id=request_id, headers=error.headers)


def install(app: FastAPI) -> None:
    """Let ``app`` answer every error as a problem."""

    @app.exception_handler(errors.PenwrightError)
    async def ours(request: Request, error: errors.PenwrightError) -> Response:
        there = ((word, request.path_params.get(f"{word.lower()}_id")) for word in _THINGS)
        return of_error(error, request_id_of(request), {word: name for word, name in there if name})

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> Response:
        return _of_validation(error.errors(), request_id_of(request))

    @app.exception_handler(HTTPException)
    async def framework(request: Request, error: HTTPException) -> Response:
        return of_http(error, request_id_of(request))

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:
        hint = "`penwright logs web` has the details under the request id"
        about = request_id_of(request)
        return problem("internal-error", "this is a fault of ours", 500, hint=hint, request_id=about)


def request_id_of(request: Request) -> str:
    """The id that the guard gave the request."""
    return str(request.scope.get("state", {}).get("request_id", ""))


def _of_validation(found: Sequence[Mapping[str, Any]], request_id: str) -> Response:
    """Any: pydantic's own descriptions; the values that were sent are not repeated."""
    fields = [FieldProblem(at=".".join(map(str, each["loc"])), message=_said(each)) for each in found]
    broken = any(each["type"] == "json_invalid" for each in found)
    if broken:
        return problem("bad-json", "the body is not valid JSON", 400, request_id=request_id, fields=fields)
    unknown = any(each["type"] == "extra_forbidden" for each in found)
    return problem(
        "unknown-field" if unknown else "invalid-request",
        "; ".join(f"{field.at}: {field.message}" for field in fields),
        422,
        hint="`GET /api/v1/openapi.json` describes the fields of every body" if unknown else "",
        request_id=request_id,
        fields=fields,
    )


def _said(found: Mapping[str, Any]) -> str:
    """In words of ours, where pydantic speaks of inputs. Any: its own description."""
    return "there is no such field" if found["type"] == "extra_forbidden" else str(found["msg"])
