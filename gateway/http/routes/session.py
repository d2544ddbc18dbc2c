"""Signing in and out with a browser, and who one is."""

import asyncio
from datetime import datetime

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from gateway.http.asking import Asking, FromAccess, FromCredential, FromSite
from gateway.http.guard import session_secret
from gateway.http.orders import Order
from gateway.http.site import Site
from penwright.errors import Refused
from schemas.web import Credential, CredentialKind

router = APIRouter(tags=["session"])


class SignIn(Order):
    """The code that `penwright web` gave."""

    code: str = Field(min_length=1, max_length=200)


class Me(BaseModel):
    """Caller, and what they may do."""

    name: str
    scopes: list[str]
    subjects: list[str] | None
    kind: CredentialKind
    expires_at: datetime


@router.post("/session", status_code=201)
async def sign_in(
    request: Request, response: Response, given: SignIn, access: FromAccess, site: FromSite
) -> Me:
    """Exchange a one-time code for a session, which the cookie of the answer carries."""
    issued = await asyncio.to_thread(access.sign_in, given.code)
    if old := session_secret(request.headers, site):
        # A cookie that was there before must not live on beside the new one.
        earlier = await asyncio.to_thread(access.of_session, old)
        if earlier is not None:
            await asyncio.to_thread(access.sign_out, earlier.credential)
    _set_cookie(response, site, issued.secret)
    credential = issued.credential
    return _me(credential.name, credential)


@router.delete("/session", status_code=204)
async def sign_out(
    response: Response, access: FromAccess, site: FromSite, credential: FromCredential
) -> None:
    """End the session of this browser."""
    if credential.kind != "session":
        ends = f"`penwright web tokens revoke {credential.id}` ends this one"
        raise Refused("no-session", "a token has no session", hint=ends)
    await asyncio.to_thread(access.sign_out, credential)
    response.delete_cookie(site.cookie, path="/", secure=site.secure, httponly=True, samesite="strict")


@router.get("/me")
async def me(principal: Asking, credential: FromCredential) -> Me:
    """Show the caller, and what they may do."""
    return _me(principal.name, credential)


def _me(name: str, credential: Credential) -> Me:
    return Me(
        name=name,
        scopes=list(credential.scopes),
        subjects=None if credential.subjects is None else list(credential.subjects),
        kind=credential.kind,
        expires_at=credential.expires_at,
    )


def _set_cookie(response: Response, site: Site, secret: str) -> None:
    response.set_cookie(site.cookie, secret, path="/", secure=site.secure, httponly=True, samesite="strict")
