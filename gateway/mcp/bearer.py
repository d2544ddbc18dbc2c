"""The token of the tools over HTTP: every other user of this machine can reach the port."""

import secrets
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from penwright.errors import UsageMistake

VARIABLE = "PENWRIGHT_MCP_TOKEN"
SHORTEST = 16
"""Characters of a token that an operator sets."""


def token_of(environ: Mapping[str, str]) -> str:
    """The token that the environment sets; empty without one.

    Raises:
        UsageMistake: ``mcp-token-weak``; it is too short, or no header can carry it.
    """
    token = environ.get(VARIABLE, "")
    if token and (len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token):
        raise UsageMistake(
            "mcp-token-weak",
            f"{VARIABLE} must have at least {SHORTEST} printable ASCII characters and no space",
            hint="make one with: head -c 32 /dev/urandom | base64",
        )
    return token


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(32)


class BearerGuard:
    """Answers only requests whose header ``Authorization`` has the token; 401 otherwise."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._allowed(Headers(scope=scope)):
            refused = PlainTextResponse(
                "this server wants its token: Authorization: Bearer TOKEN\n",
                status_code=401,
                headers={"www-authenticate": "Bearer"},
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _allowed(self, headers: Headers) -> bool:
        given = headers.get("authorization", "").encode("latin-1")
        return secrets.compare_digest(given, self._expected)
